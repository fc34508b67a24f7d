import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWorld, place, type World, worldNow } from '../../../../test/support/world.ts'
import { runDue } from '../../../server/work.ts'
import { dayMs } from '../../../shared/instants.ts'
import { listenSmtp } from '../../alerts/server/testWorld.ts'
import { settingsChanged } from '../../settings/server/values.ts'
import { billing } from '../contract.ts'
import { issueStatements, statementKind } from './statements.ts'
import { mailKind, mailWeek } from './subscriptions.ts'

let world: World
let clock = worldNow.getTime()
beforeAll(async () => {
  world = await openWorld({ now: () => new Date(clock) })
})
afterAll(() => world?.close())

test('statements go by mail to whoever said yes, as long as the subscriber may see them', async () => {
  const smtp = await listenSmtp('right')
  await world.sql('delete from alert_mail_servers')
  let token = await world.login('ROLE_FULL')
  const want = (more: object = {}) =>
    world.call(
      billing.subscribe,
      { orgId: place.OWN, period: 'WEEK', email: 'Cfo@example.com', ...more },
      { token },
    )
  const week = async () => (await world.call(billing.subscriptions, {}, { token })).body.list[0]
  const mails = async () => {
    while (await runDue(world.app, mailKind(world.app)));
  }
  expect((await want({ orgId: place.SIBLING })).status).toBe(404)
  expect((await want({ email: 'a@b.cn, c@d.cn' })).body.errors[0].field).toBe('email')
  expect((await want()).body).toMatchObject({ confirmed: false, problem: 'NONE', sentTime: null })
  expect((await want()).status).toBe(409)
  const month = (await want({ period: 'MONTH' })).body

  await mailWeek(world.app)
  await mails()
  expect((await week()).problem).toBe('UNCONFIRMED')
  await world.sql(`update alert_recipients set confirmed_at = now(), state = 'SENT', next_at = null
    where address = 'cfo@example.com'`)
  clock += 7 * dayMs
  token = await world.login('ROLE_FULL')
  await mailWeek(world.app)
  await mails()
  expect(await week()).toMatchObject({ confirmed: true, problem: 'NO_MAIL_SERVER' })
  await world.sql(
    `insert into alert_mail_servers (org_id, host, port, security, sender, updated_at)
      values ($1, '127.0.0.1', $2, 'NONE', 'billing@example.com', now())`,
    [place.OWN, smtp.port],
  )
  await world.sql(`insert into settings (org_id, key, value)
    values (1, 'alarm.privateAddresses', 'true') on conflict (org_id, key) do update set value = 'true'`)
  settingsChanged(world.app)
  clock += 60_000
  await mails()
  expect(await week()).toMatchObject({ problem: 'NONE', sentTime: new Date(clock).toISOString() })
  expect(smtp.letters[0]?.to).toEqual(['RCPT TO:<Cfo@example.com>'])
  expect(smtp.letters[0]?.text).toMatch(/filename=statement-3-2026-11-\d\d\.pdf/)
  expect(smtp.letters[0]?.text).toContain('JVBERi0')
  // once for each week
  await mailWeek(world.app)
  await mails()
  expect(smtp.letters).toHaveLength(1)

  // a month when the system issued it
  await world.sql(
    `insert into ledger_accounts (org_id, code) values ($1, '2002')
    on conflict do nothing`,
    [place.OWN],
  )
  clock += 8 * dayMs
  token = await world.login('ROLE_FULL')
  await issueStatements(world.app)
  while (await runDue(world.app, statementKind(world.app)));
  await mails()
  expect(smtp.letters).toHaveLength(2)
  expect(smtp.letters[1]?.text).toMatch(/filename=statement-3-2026-\d\d\.pdf/)

  // others neither see nor stop it; whoever may no more gets nothing more
  const other = await world.login('PLATFORM_FULL')
  expect((await world.call(billing.subscriptions, {}, { token: other })).body.list).toEqual([])
  const stop = (as: string) =>
    world.call(billing.unsubscribe, { subscriptionId: month.id }, { token: as })
  expect((await stop(other)).status).toBe(404)
  expect((await stop(token)).status).toBe(200)
  await world.sql(`delete from role_permissions where permission_code = 'billing:subscribe'`)
  clock += 7 * dayMs
  await mailWeek(world.app)
  await mails()
  expect(smtp.letters).toHaveLength(2)
  expect(
    await world.sql(
      `select period, state, problem from statement_subscriptions where email like 'Cfo%'`,
    ),
  ).toEqual([{ period: 'WEEK', state: 'FAILED', problem: 'NO_RIGHT' }])
  smtp.close()
}, 120_000)
