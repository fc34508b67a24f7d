import { type ChildProcess, spawn } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { addOrganisations } from '../../test/factories/things.ts'
import { startTestApi, type TestApi } from '../../test/support/api.ts'
import { nodes, type Plan, sentBy } from '../../test/support/plans.ts'
import { calls, type TestPiece, testKind, testTable } from '../../test/support/workKind.ts'
import { openApp } from '../apps/app.ts'
import { common, Refusal } from '../shared/errors.ts'
import { closeApp } from './app.ts'
import type { App } from './context.ts'
import { claim, Lost, runDue } from './work.ts'

let api: TestApi
const open: App[] = []
/** A process of its own as far as the database can tell, with the database's clock. */
const worker = async () => {
  const app = await openApp(api.app.config, 'worker')
  open.push(app)
  return app
}
beforeAll(async () => {
  api = await startTestApi()
  await api.sql(testTable)
})
afterEach(async () => {
  for (const app of open.splice(0)) await closeApp(app)
})
afterAll(() => api.close())
beforeEach(() => api.sql('truncate test_pieces'))
const put = (names: readonly string[], org = 1) =>
  api.sql('insert into test_pieces (name, org_id) select unnest($1::text[]), $2', [names, org])
const rows = () =>
  api.sql<{ name: string; state: string; attempts: number; reason: string }>(
    'select name, state, attempts, reason from test_pieces order by id',
  )
const sent = async () => ({ state: 'SENT' as const })

test('killed between call and mark: done again after its lease, with effect once', async () => {
  await put(['refund 1'])
  const effects = new Set<string>()
  let heard = 0
  let child: ChildProcess | undefined
  const other = createServer(async (request, response) => {
    heard += 1
    effects.add(await text(request))
    // the effect is there; whoever asked for it never learns
    if (heard === 1) child?.kill('SIGKILL')
    else response.end()
  })
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}/`
  const app = await worker()
  child = spawn(
    process.execPath,
    ['test/support/workProcess.ts', api.ownerUrl, api.app.config.dataDir, url],
    { stdio: 'inherit' },
  )
  const [code, signal] = await new Promise<unknown[]>((resolve) =>
    child?.on('exit', (...end) => resolve(end)),
  )
  expect([code, signal, heard]).toEqual([null, 'SIGKILL', 1])
  const kind = testKind(calls(url))
  expect(await runDue(app, kind), 'its lease still runs').toBe(0)
  await expect.poll(() => runDue(app, kind), { timeout: 5000, interval: 200 }).toBe(1)
  expect([heard, [...effects], await rows()]).toEqual([
    2,
    ['refund 1'],
    [{ name: 'refund 1', state: 'SENT', attempts: 2, reason: '' }],
  ])
  other.close()
}, 30_000)

test('stopped for longer than its lease and continued: done again, marked once', async () => {
  await put(['refund 1'])
  const effects: string[] = []
  let child: ChildProcess | undefined
  let answer = () => {}
  const other = createServer(async (request, response) => {
    effects.push(await text(request))
    if (effects.length > 1) response.end()
    else {
      child?.kill('SIGSTOP')
      answer = () => response.end()
    }
  })
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}/`
  const app = await worker()
  child = spawn(
    process.execPath,
    ['test/support/workProcess.ts', api.ownerUrl, api.app.config.dataDir, url],
    { stdio: 'inherit' },
  )
  onTestFinished(() => void child?.kill('SIGKILL'))
  const ended = new Promise<unknown>((resolve) => child?.on('exit', resolve))
  await expect.poll(() => effects.length, { timeout: 20_000 }).toBe(1)
  const kind = testKind(calls(url), { waits: [0.1] })
  await expect.poll(() => runDue(app, kind), { timeout: 5000, interval: 200 }).toBe(1)
  await api.sql(`update test_pieces set reason = 'marked by the second'`)
  // a host that stood still hears the answer as it goes on
  answer()
  child.kill('SIGCONT')
  expect(await ended).toBe(0)
  expect([effects, await rows()]).toEqual([
    ['refund 1', 'refund 1'],
    [{ name: 'refund 1', state: 'SENT', attempts: 2, reason: 'marked by the second' }],
  ])
  other.close()
}, 30_000)

test('two workers do each piece once, no more at once than the kind allows', async () => {
  const done: string[] = []
  const most = [0, 0]
  await put(Array.from({ length: 120 }, (_, i) => `piece ${i}`))
  for (const n of [0, 1]) {
    let running = 0
    const work = async ({ name }: TestPiece) => {
      running += 1
      most[n] = Math.max(most[n] as number, running)
      await sleep(5)
      done.push(name)
      running -= 1
      return sent()
    }
    const app = await worker()
    app.jobs.work(testKind(work, { leaseSeconds: 60 }))
  }
  await expect.poll(() => done.length, { timeout: 10_000 }).toBe(120)
  await expect
    .poll(async () => (await rows()).filter(({ state }) => state === 'SENT').length)
    .toBe(120)
  expect([new Set(done).size, most]).toEqual([120, [4, 4]])
  expect((await rows()).every(({ attempts }) => attempts === 1)).toBe(true)
}, 20_000)

test('what is put in after a poke starts at once, what is due later at its time', async () => {
  const done: string[] = []
  const app = await worker()
  const work = async ({ name }: TestPiece) => {
    done.push(name)
    return sent()
  }
  app.jobs.work(testKind(work, { of: sql`t.org_id = 1` }))
  // another kind that is busy all the time keeps nobody from looking
  const again = async () => ({ state: 'RETRY', reason: '' }) as const
  app.jobs.work(
    testKind(again, {
      name: 'busy',
      of: sql`t.org_id = 2`,
      atOnce: 1,
      waits: Array(100_000).fill(0),
    }),
  )
  await put(['busy'], 2)
  await sleep(500)
  await put(['now'])
  // as from another process
  api.app.jobs.poke('test-pieces')
  await expect.poll(() => done, { timeout: 1500 }).toEqual(['now'])
  await api.sql(
    `insert into test_pieces (name, next_at) values ('later', now() + interval '1 second')`,
  )
  await expect.poll(() => done, { timeout: 7000 }).toEqual(['now', 'later'])
}, 20_000)

test('a poison piece ends after its tries, one that kills before it is begun again, and neither keeps the others', async () => {
  await put(['poison', 'refused', 'a', 'killer', 'b'])
  await api.sql(`update test_pieces set attempts = 3 where name = 'killer'`)
  const tries: number[] = []
  const kind = testKind(async ({ name }) => {
    if (name === 'refused') throw new Refusal(common.notFound)
    if (name === 'killer') throw new Error('is never begun')
    if (name !== 'poison') return sent()
    tries.push(performance.now())
    throw new Error('broken')
  })
  const app = await worker()
  await expect(runDue(app, kind)).rejects.toThrow('broken')
  expect((await rows()).map(({ state }) => state)).toEqual([
    'RETRY',
    'FAILED',
    'SENT',
    'FAILED',
    'WAITING',
  ])
  const ended = async () => {
    await runDue(app, kind).catch(() => 0)
    return (await rows()).filter(({ state }) => state === 'RETRY' || state === 'WAITING').length
  }
  await expect.poll(ended, { timeout: 5000, interval: 20 }).toBe(0)
  expect(await rows()).toMatchObject([
    { state: 'FAILED', attempts: 3, reason: common.unexpected.text },
    { state: 'FAILED', reason: common.notFound.text },
    {},
    { state: 'FAILED', attempts: 4 },
    { state: 'SENT' },
  ])
  // each wait is up to a fifth shorter than it says
  for (const i of [1, 2])
    expect((tries[i] as number) - (tries[i - 1] as number)).toBeGreaterThan(155)
}, 20_000)

test.each([1, 4])(
  'organisations take turns, %i at once',
  async (atOnce) => {
    const many = Array.from({ length: 9 }, (_, i) => `many ${i}`)
    await put(many, 1)
    await put(['few 0', 'few 1'], 2)
    const done: string[] = []
    const app = await worker()
    const work = async ({ name }: TestPiece) => {
      done.push(name)
      return sent()
    }
    app.jobs.work(testKind(work, { atOnce }))
    await expect.poll(() => done.length, { timeout: 5000 }).toBe(11)
    expect(done.slice(0, 4).sort()).toEqual(['few 0', 'few 1', 'many 0', 'many 1'])
    expect(done.filter((name) => name.startsWith('many'))).toEqual(many)
  },
  20_000,
)

test('a tenant has one turn, however many organisations he has', async () => {
  await addOrganisations(
    api.sql,
    [1, null, 'PLATFORM'],
    [10, 1, 'AGENT'],
    ...[11, 12, 13, 14].map((id) => [id, 10, 'OPERATOR'] as const),
    [20, 1, 'OPERATOR'],
  )
  for (const id of [10, 11, 12, 13, 14]) await put(['many', 'many'], id)
  await put(['few', 'few', 'few'], 20)
  const done: string[] = []
  const app = await worker()
  const work = async ({ name }: TestPiece) => {
    done.push(name)
    return sent()
  }
  app.jobs.work(testKind(work, { atOnce: 1 }))
  await expect.poll(() => done.length, { timeout: 5000 }).toBe(13)
  expect(done.slice(0, 6).filter((name) => name === 'few')).toHaveLength(3)
}, 20_000)

test('what wants a row that is held is put back, others go first, and no try is counted', async () => {
  await put(['held'])
  await put(['free'], 2)
  const begun: string[] = []
  let holds = true
  const app = await worker()
  const work = async ({ name }: TestPiece) => {
    begun.push(name)
    if (name === 'held' && holds) throw Object.assign(new Error('lock timeout'), { code: '55P03' })
    return sent()
  }
  app.jobs.work(testKind(work, { atOnce: 1, waits: [] }))
  await expect.poll(() => begun, { timeout: 5000 }).toEqual(['held', 'free'])
  await expect.poll(rows).toMatchObject([{ state: 'WAITING', attempts: 0 }, { state: 'SENT' }])
  holds = false
  await expect.poll(rows, { timeout: 7000 }).toMatchObject([{ state: 'SENT', attempts: 1 }, {}])
}, 20_000)

test('what is taken costs the same however much is due', async () => {
  await api.sql(
    `insert into test_pieces (name, org_id, next_at)
      select 'p', 1 + n % 5, now() - interval '1 minute' * (n % 40)
      from generate_series(1, 20000) n`,
  )
  const sent = await sentBy(
    () =>
      claim(
        api.app,
        testKind(async () => ({ state: 'SENT' })),
        4,
      ),
    true,
  )
  const statement = sent.find(({ text }) => text.includes('update "test_pieces"'))
  await api.sql('begin')
  // as on the connections that take
  await api.sql('set local enable_seqscan = off')
  const [row] = await api.sql<{ 'QUERY PLAN': { Plan: Plan }[] }>(
    `explain (analyze, format json) ${statement?.text}`,
    statement?.values,
  )
  await api.sql('rollback')
  const scans = nodes(row?.['QUERY PLAN'][0]?.Plan as Plan).filter(
    (node) => node['Relation Name'] === 'test_pieces' && / Scan$/.test(node['Node Type']),
  )
  const read = scans.reduce(
    (sum, node) =>
      sum + node['Actual Loops'] * (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)),
    0,
  )
  expect([scans.length > 2, read < 100]).toEqual([true, true])
})

test('who lost his piece marks nothing', async () => {
  await put(['slow', 'left'])
  const app = await worker()
  const again = testKind(sent)
  const slow = testKind(
    async ({ name }) => {
      if (name === 'left') throw new Lost()
      await api.sql(`update test_pieces set next_at = now() where name = 'slow'`)
      await runDue(app, again)
      return { state: 'RETRY', reason: 'too late' }
    },
    { leaseSeconds: 60 },
  )
  expect(await runDue(app, slow)).toBe(2)
  expect(await rows()).toEqual([
    { name: 'slow', state: 'SENT', attempts: 2, reason: '' },
    { name: 'left', state: 'WAITING', attempts: 1, reason: '' },
  ])
})

test('a process that stops waits for what ends soon and gives the rest back', async () => {
  await put(['soon', 'never'])
  const began: string[] = []
  const app = await openApp(api.app.config, 'worker')
  app.jobs.work(
    testKind(
      async ({ name }) => {
        began.push(name)
        await (name === 'soon' ? sleep(300) : new Promise(() => {}))
        return sent()
      },
      { leaseSeconds: 600 },
    ),
  )
  await expect.poll(() => began.length).toBe(2)
  await closeApp(app)
  expect(
    await api.sql('select name, state, next_at <= now() as due from test_pieces order by id'),
  ).toEqual([
    { name: 'soon', state: 'SENT', due: null },
    { name: 'never', state: 'WAITING', due: true },
  ])
}, 20_000)

test('a clock was set back: what was written before does not wait for it, a chosen time does', async () => {
  await put(['new', 'begun', 'chosen', 'chosen and begun', 'leased', 'asked often'])
  await api.sql(`update test_pieces set next_at = now() + interval '1 hour'`)
  await api.sql(`update test_pieces set attempts = 1 where name in ('begun', 'chosen and begun')`)
  await api.sql(
    `update test_pieces set attempts = 1, next_at = now() + interval '50 s' where name = 'leased'`,
  )
  // most of its tries did not count: it waits, though there are fewer waits than attempts
  await api.sql(
    `update test_pieces set attempts = 9, next_at = now() + interval '40 minutes'
      where name = 'asked often'`,
  )
  const done: string[] = []
  const work = async ({ name }: TestPiece) => {
    done.push(name)
    return sent()
  }
  const more = { leaseSeconds: 2, waits: [1, 3000], most: Number.POSITIVE_INFINITY }
  const app = await worker()
  app.jobs.work(testKind(work, { ...more, of: sql`t.name not like 'chosen%'` }))
  app.jobs.work(
    testKind(work, { ...more, name: 'chosen', of: sql`t.name like 'chosen%'`, planned: true }),
  )
  await app.jobs.setRight()
  await expect.poll(() => done, { timeout: 2000 }).toEqual(['new'])
  // what was begun may be under way: it has a lease from now on
  await expect
    .poll(() => done.toSorted(), { timeout: 8000 })
    .toEqual(['begun', 'chosen and begun', 'new'])
  const left = await api.sql<{ name: string }>(
    `select name from test_pieces where next_at > now() order by name`,
  )
  expect(left.map(({ name }) => name)).toEqual(['asked often', 'chosen', 'leased'])
}, 20_000)

test('a clock that is set back while the process runs is noticed', async () => {
  let ahead = 3_600_000
  const app = await openApp(api.app.config, 'worker', () => new Date(Date.now() + ahead))
  open.push(app)
  const done: string[] = []
  app.jobs.work(
    testKind(async ({ name }) => {
      done.push(name)
      return sent()
    }),
  )
  await app.jobs.schedule('test-back', '* * * * *', async () => {})
  await app.jobs.setRight()
  await sleep(500)
  await put(['a minute later', 'an hour later'])
  await api.sql(
    `update test_pieces set next_at = now() + case when name like 'an%' then interval '61 minutes'
      else interval '2 minutes' end`,
  )
  ahead = 120_000
  await expect.poll(() => done, { timeout: 8000, interval: 100 }).toHaveLength(2)
  const [schedule] = await api.sql<{ soon: boolean }>(
    `select next_at < now() + interval '4 minutes' as soon from job_schedules
      where name = 'test-back'`,
  )
  expect(schedule).toEqual({ soon: true })
}, 20_000)
