import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWorld, place, rowId, type World, worldNow } from '../../../../test/support/world.ts'
import { runDue } from '../../../server/work.ts'
import { dayMs } from '../../../shared/instants.ts'
import { listenSmtp } from '../../alerts/server/testWorld.ts'
import { issueStatements, statementKind } from '../../billing/server/statements.ts'
import { settingsChanged } from '../../settings/server/values.ts'
import { subscriptions } from '../contract.ts'
import { subscriptionLimits } from '../rules.ts'
import { mailKind } from './mails.ts'
import { fileKind, startDue } from './runs.ts'

let world: World
let smtp: Awaited<ReturnType<typeof listenSmtp>>
let clock = worldNow.getTime()
beforeAll(async () => {
  world = await openWorld({ now: () => new Date(clock) })
  smtp = await listenSmtp('right')
  await world.sql('delete from alert_mail_servers')
  await world.sql(`insert into settings (org_id, key, value)
    values (1, 'alarm.privateAddresses', 'true')
    on conflict (org_id, key) do update set value = 'true'`)
  settingsChanged(world.app)
})
afterAll(async () => {
  smtp?.close()
  await world?.close()
})

const people = async (username: string) =>
  Number(
    (await world.sql<{ id: number }>('select id from users where username = $1', [username]))[0]
      ?.id,
  )
const orders = {
  endpoint: '/api/orders',
  query: {},
  columns: ['orderNum', 'orderStatus'],
  ...{ name: '每日订单', period: 'YESTERDAY' as const },
}
const create = async (more: object = {}, as = 'ROLE_FULL') =>
  world.call(subscriptions.create, { ...orders, ...more } as never, {
    token: await world.login(as),
  })
const work = async () => {
  while (
    (await runDue(world.app, fileKind(world.app))) + (await runDue(world.app, mailKind(world.app)))
  );
}
/** The next morning at eight in Shanghai. */
const morning = async () => {
  clock = Math.floor(clock / dayMs + 1) * dayMs
  await startDue(world.app)
  await startDue(world.app)
  await work()
}
const runs = (id: number) =>
  world.sql<{
    name: string
    state: string
    problem: string
    mailed: string
    rows: number
    job: number
  }>(
    `select u.username as name, r.state, r.problem, r.mailed, r.rows, r.job_id::int as job
      from subscription_runs r join users u on u.id = r.user_id
      where r.subscription_id = $1 order by r.id`,
    [id],
  )
const confirm = (address: string) =>
  world.sql(
    `update alert_recipients set confirmed_at = now(), state = 'SENT', next_at = null
      where address = $1 and org_id = $2`,
    [address, place.OWN],
  )
const refused = async (more: object, field?: string) => {
  const { status, body } = await create(more)
  return field ? [status, body.errors?.[0]?.field] : status
}

test('who may set up what, and for whom', async () => {
  expect(await refused({ endpoint: '/api/device-types' }, 'endpoint')).toEqual([400, 'endpoint'])
  expect(await refused({ columns: ['secret'] }, 'columns')).toEqual([400, 'columns'])
  expect(await refused({ query: { nothing: 1 } })).toBe(400)
  expect(await refused({ inApp: false }, 'byMail')).toEqual([400, 'byMail'])
  expect(await refused({ every: 'WEEK', onDay: 8 }, 'onDay')).toEqual([400, 'onDay'])
  const products = { endpoint: '/api/suppliers', columns: ['name'] }
  expect(await refused(products, 'period')).toEqual([422, 'period'])
  // strangers, people below and people above are nobody; a colleague without the right is told of
  for (const where of ['SIBLING', 'CHILD', 'PARENT'] as const)
    expect(await refused({ userIds: [rowId(where, 1)] }, 'userIds')).toEqual([404, 'userIds'])
  expect(await refused({ userIds: [rowId('OWN', 1)] }, 'userIds')).toEqual([422, 'userIds'])
  expect((await create({}, 'ROLE_NOTHING')).status).toBe(403)

  const { body } = await create()
  const other = { token: await world.login('PLATFORM_FULL') }
  const { id, version } = body
  for (const act of [subscriptions.pause, subscriptions.remove])
    expect((await world.call(act, { id, version }, other)).status).toBe(404)
  expect((await world.call(subscriptions.run, { id }, other)).status).toBe(404)
  expect((await world.call(subscriptions.leave, { id }, other)).status).toBe(404)
  expect((await world.call(subscriptions.runs, { id }, other)).status).toBe(404)
  expect((await world.call(subscriptions.list, {}, other)).body.total).toBe(0)
  await world.sql('delete from subscriptions')
  for (let n = 0; n < subscriptionLimits.each; n += 1)
    expect((await create({ every: 'MONTH', onDay: 28 })).status).toBe(200)
  expect(await refused({})).toBe(422)
  await world.sql('delete from subscriptions')
})

test('each gets one file of a day, in what he reaches himself', async () => {
  const clerk = await people('ROLE_CLERK')
  const { id } = (await create({ userIds: [clerk] })).body
  // what was due before it was there is nobody's
  await startDue(world.app)
  expect(await runs(id)).toEqual([])
  await Promise.all([startDue(world.app), startDue(world.app)])
  await morning()
  const made = await runs(id)
  expect(made).toMatchObject([
    { name: 'ROLE_FULL', state: 'DONE', mailed: 'NO' },
    { name: 'ROLE_CLERK', state: 'DONE', mailed: 'NO' },
  ])
  const [full, some] = made.map(({ rows }) => rows)
  // the clerk has one machine; whoever has the organisation has those below, too
  expect(some).toBeGreaterThan(0)
  expect(full).toBeGreaterThan(some as number)
  // nobody has the other's file
  const file = async (name: string, job: number) =>
    (await world.ask(await world.login(name), 'GET', `/jobs/${job}/file`)).status
  expect(await file('ROLE_FULL', made[0]?.job as number)).toBe(200)
  expect(await file('ROLE_CLERK', made[0]?.job as number)).toBe(404)
  expect(await world.sql(`select count(*)::int as n from messages where kind = 'JOB'`)).toEqual([
    { n: 2 },
  ])
  // the next day has its own; of the day before nothing was sold
  await morning()
  expect((await runs(id)).map(({ rows }) => rows)).toEqual([full, some, 0, 0])

  // a worker that died: its lease runs out, and there is one file more, not two
  await world.sql(
    `update subscription_runs set state = 'WAITING', finished_at = null, job_id = null,
    next_at = $1, attempts = 1 where id = (select max(id) from subscription_runs)`,
    [new Date(clock - 1000)],
  )
  await work()
  expect((await runs(id)).map(({ state }) => state)).toEqual(['DONE', 'DONE', 'DONE', 'DONE'])

  // a clock that ran ahead: what was made before its day was over is made when it is
  const before = clock
  clock += 40 * dayMs
  await morning()
  expect(await runs(id)).toHaveLength(6)
  clock = before
  await world.app.jobs.setRight()
  expect(await runs(id)).toHaveLength(4)
  await morning()
  expect(await runs(id)).toHaveLength(6)

  // he may stop it; the author may not be stopped by him
  const token = await world.login('ROLE_CLERK')
  const { version } = (await world.call(subscriptions.list, {}, { token })).body.list[0]
  expect((await world.call(subscriptions.pause, { id, version }, { token })).status).toBe(404)
  expect((await world.call(subscriptions.leave, { id }, { token })).status).toBe(200)
  await morning()
  expect((await runs(id)).slice(6).map(({ name }) => name)).toEqual(['ROLE_FULL'])

  // paused and resumed: what was missed is not made up for
  let own = { token: await world.login('ROLE_FULL') }
  const paused = (await world.call(subscriptions.pause, { id, version }, own)).body
  expect(paused.state).toBe('PAUSED')
  await morning()
  clock += 60_000
  own = { token: await world.login('ROLE_FULL') }
  const { body } = await world.call(subscriptions.resume, { id, version: paused.version }, own)
  expect(body.state).toBe('ACTIVE')
  await startDue(world.app)
  await work()
  expect(await runs(id)).toHaveLength(7)
  // by hand it comes at once, for the author alone, so many times
  for (let n = 0; n < subscriptionLimits.byHand; n += 1)
    expect((await world.call(subscriptions.run, { id }, own)).status).toBe(200)
  expect((await world.call(subscriptions.run, { id }, own)).status).toBe(429)
  await work()
  expect(await runs(id)).toHaveLength(7 + subscriptionLimits.byHand)
  await world.sql('delete from subscriptions')
}, 60_000)

test('mail goes to an address of his own that said yes', async () => {
  const { id } = (await create({ byMail: true, inApp: false })).body
  await morning()
  expect(await runs(id)).toMatchObject([{ state: 'FAILED', problem: 'NO_ADDRESS', mailed: 'NO' }])
  // the file is there all the same, and he hears why it did not come
  expect((await runs(id))[0]?.job).toBeGreaterThan(0)
  expect(await world.sql(`select body_en from messages order by id desc limit 1`)).toMatchObject([
    { body_en: 'Why: no e-mail address. It is in the app.' },
  ])

  const token = await world.login('ROLE_FULL')
  const set = (address: string) => world.call(subscriptions.setAddress, { address }, { token })
  await world.sql(`update sessions set proven_at = $1`, [new Date(clock - dayMs)])
  expect((await set('boss@example.com')).body.code).toBe(403010)
  await world.sql(`update sessions set proven_at = $1`, [new Date(clock)])
  expect((await set('a@b.cn, c@d.cn')).body.errors[0].field).toBe('address')
  expect((await set('Boss@example.com')).body).toEqual({
    ...{ address: 'Boss@example.com', confirmed: false },
  })
  await world.sql(
    `insert into alert_mail_servers (org_id, host, port, security, sender, updated_at)
      values ($1, '127.0.0.1', $2, 'NONE', 'robot@example.com', now())`,
    [place.OWN, smtp.port],
  )
  await morning()
  expect((await runs(id)).at(-1)).toMatchObject({ state: 'FAILED', problem: 'UNCONFIRMED' })
  expect(smtp.letters).toEqual([])

  await confirm('boss@example.com')
  await morning()
  expect((await runs(id)).at(-1)).toMatchObject({ state: 'DONE', mailed: 'FILE' })
  expect(smtp.letters).toHaveLength(1)
  expect(smtp.letters[0]?.to).toEqual(['RCPT TO:<Boss@example.com>'])
  expect(smtp.letters[0]?.text).toMatch(/UEsDB/)

  // too large to be attached: a link that wants a session
  clock = Math.floor(clock / dayMs + 1) * dayMs
  await startDue(world.app)
  await runDue(world.app, fileKind(world.app))
  await world.sql('update jobs set file_bytes = $1 where id = (select max(id) from jobs)', [
    subscriptionLimits.mailBytes + 1,
  ])
  await work()
  expect((await runs(id)).at(-1)).toMatchObject({ state: 'DONE', mailed: 'LINK' })
  expect(smtp.letters[1]?.text).not.toMatch(/UEsDB/)

  // a server that is away is asked again, under the same number
  await world.sql('update alert_mail_servers set port = 9')
  await morning()
  expect((await runs(id)).at(-1)).toMatchObject({ state: 'MAILING', problem: 'MAIL' })
  await world.sql('update alert_mail_servers set port = $1', [smtp.port])
  clock += 60_000
  await work()
  expect((await runs(id)).at(-1)).toMatchObject({ state: 'DONE', problem: 'NONE' })
  expect(smtp.letters).toHaveLength(3)

  // made, and the right lost before it was mailed
  clock = Math.floor(clock / dayMs + 1) * dayMs
  await startDue(world.app)
  await runDue(world.app, fileKind(world.app))
  await world.sql(`delete from role_permissions where permission_code = 'order:export'`)
  await work()
  expect((await runs(id)).at(-1)).toMatchObject({ state: 'FAILED', problem: 'NO_RIGHT' })
  expect(smtp.letters).toHaveLength(3)
  expect(await world.sql('select state from subscriptions where id = $1', [id])).toEqual([
    { state: 'ENDED' },
  ])
  await world.sql(`insert into role_permissions (role_id, permission_code)
    select id, 'order:export' from roles where code in ('ROLE_FULL', 'ROLE_CLERK')`)
}, 60_000)

test('it ends with the right, for whoever lost it; with the author for all', async () => {
  const clerk = await people('ROLE_CLERK')
  const { id } = (await create({ userIds: [clerk] })).body
  const role = `role_id = (select id from roles where code = 'ROLE_CLERK')`
  await world.sql(`delete from role_permissions where permission_code = 'order:read' and ${role}`)
  await morning()
  expect(await runs(id)).toMatchObject([
    { name: 'ROLE_FULL', state: 'DONE' },
    { name: 'ROLE_CLERK', state: 'FAILED', problem: 'NO_RIGHT', job: null },
  ])
  await morning()
  expect((await runs(id)).map(({ name }) => name).slice(2)).toEqual(['ROLE_FULL'])
  await world.sql(`update users set status = 'DISABLED' where username = 'ROLE_FULL'`)
  await morning()
  expect((await runs(id)).at(-1)).toMatchObject({ state: 'FAILED', problem: 'LEFT' })
  await morning()
  expect(await runs(id)).toHaveLength(4)
  await world.sql(`update users set status = 'ENABLED' where username = 'ROLE_FULL'`)
  const token = await world.login('ROLE_FULL')
  const { list } = (await world.call(subscriptions.list, { state: 'ENDED' }, { token })).body
  expect(list[0]).toMatchObject({ id, state: 'ENDED', nextTime: null })
}, 60_000)

test('statements come when they are issued, to whoever sees all of the organisation', async () => {
  const token = await world.login('ROLE_FULL')
  const want = (more: object) =>
    world.call(
      subscriptions.createStatements,
      { subjectId: place.OWN, byMail: true, atHour: 7, ...more } as never,
      { token },
    )
  expect((await want({ subjectId: place.SIBLING })).status).toBe(404)
  const clerk = { token: await world.login('ROLE_CLERK') }
  const asClerk = { subjectId: place.OWN, byMail: true } as never
  expect((await world.call(subscriptions.createStatements, asClerk, clerk)).status).toBe(404)
  const month = (await want({})).body
  const day = (await want({ every: 'DAY', inApp: false })).body
  expect(month).toMatchObject({ kind: 'STATEMENT', period: 'LAST_MONTH', every: 'MONTH' })
  await world.sql(
    `insert into ledger_accounts (org_id, code) values ($1, '2002')
    on conflict do nothing`,
    [place.OWN],
  )
  const letters = smtp.letters.length
  await morning()
  expect(await runs(day.id)).toMatchObject([{ state: 'DONE', mailed: 'FILE' }])
  expect(smtp.letters.at(-1)?.text).toContain('JVBERi0')
  expect(smtp.letters.at(-1)?.text).toMatch(/filename=statement-3-\d{4}-\d\d-\d\d\.pdf/)
  // the first of the next month at eight, when it was not issued at six
  await world.sql(`update subscriptions set state = 'PAUSED' where id = $1`, [day.id])
  const now = new Date(clock)
  clock = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1)
  await startDue(world.app)
  await work()
  expect(await runs(month.id)).toMatchObject([{ state: 'WAITING', problem: 'NOT_ISSUED' }])
  await issueStatements(world.app)
  while (await runDue(world.app, statementKind(world.app)));
  clock += 60_000
  await work()
  expect(await runs(month.id)).toMatchObject([{ state: 'DONE', mailed: 'FILE' }])
  expect(smtp.letters).toHaveLength(letters + 2)
}, 60_000)
