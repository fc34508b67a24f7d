import { afterAll, beforeAll, expect, test } from 'vitest'
import { nodes, type Plan, sentBy } from '../../test/support/plans.ts'
import { openWorld, place, rowId, type World, worldNow } from '../../test/support/world.ts'
import { startWorker } from '../apps/worker.ts'
import { watchClock } from './setBack.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
}, 60_000)
afterAll(() => world?.close())

const hour = `'${worldNow.toISOString()}'::timestamptz + interval '1 hour'`
const minutesAhead = async (table: string, column: string, of: string) =>
  (
    await world.sql<{ minutes: number }>(
      `select round(extract(epoch from ${column} - $1::timestamptz) / 60)::int as minutes
        from ${table} where ${of}`,
      [worldNow],
    )
  ).map(({ minutes }) => minutes)

test.each([
  ['device_shadows', 'delivered_at', `org_id = ${place.OWN}`, 0],
  ['alert_outbox', 'next_at', `org_id = ${place.OWN}`, 0],
  ['vend_queues', 'told_at', 'true', 0],
  ['unpaid_losses', 'until', 'true', 0],
  ['jobs', 'created_at', `kind = 'IMPORT'`, 0],
])('an hour ahead: %s.%s', async (table, column, of, left) => {
  const id = rowId('OWN', 1)
  const make: Record<string, string> = {
    device_shadows: `update device_shadows set wanted = 9, delivered = 9, delivered_at = ${hour}
      where ${of}`,
    alert_outbox: `update alert_outbox set created_at = ${hour}, next_at = ${hour} where ${of}`,
    vend_queues: `insert into vend_queues values ('g', 1, ${hour})`,
    unpaid_losses: `insert into unpaid_losses values (1, null, ${place.OWN}, ${id}, 'a', 1,
      ${hour})`,
    jobs: `insert into jobs (org_id, user_id, kind, name, state, lang, created_at, finished_at)
      values (${place.OWN}, ${id}, 'IMPORT', 'x', 'DONE', 'en', ${hour}, ${hour})`,
  }
  await world.sql(make[table] as string)
  const before = await minutesAhead(table, column, of)
  expect(before.length > 0 && before.every((minutes) => minutes === 60)).toBe(true)
  await world.app.jobs.setRight()
  expect(new Set(await minutesAhead(table, column, of))).toEqual(new Set([left]))
})

test('the end of quiet hours that was chosen before stays; nobody goes on earlier', async () => {
  const of = `org_id = ${place.SIBLING}`
  await world.sql(`update alert_outbox set next_at = ${hour} where ${of}`)
  await world.sql(
    `insert into unpaid_losses values (2, null, ${place.OWN}, ${rowId('OWN', 1)}, 'b', 1,
      '${worldNow.toISOString()}'::timestamptz + interval '10 minutes')`,
  )
  await world.app.jobs.setRight()
  expect(await minutesAhead('alert_outbox', 'next_at', of)).toEqual([60])
  expect(await minutesAhead('unpaid_losses', 'until', 'order_id = 2')).toEqual([10])
})

test('a worker asks when it starts: one statement, which indexes answer', async () => {
  const sent = await sentBy(() => world.app.jobs.setRight(), true)
  const asked = sent.filter(({ text }) => /^select array/.test(text))
  expect([sent.length, asked.length]).toEqual([1, 1])
  await world.sql('begin')
  // as on the connections that ask
  await world.sql('set local enable_seqscan = off')
  const [row] = await world.sql<{ 'QUERY PLAN': { Plan: Plan }[] }>(
    `explain (analyze, format json) ${asked[0]?.text}`,
    asked[0]?.values,
  )
  await world.sql('rollback')
  const all = nodes(row?.['QUERY PLAN'][0]?.Plan as Plan)
  expect(all.filter((node) => / Scan$/.test(node['Node Type'])).length).toBeGreaterThan(15)
  // a row for each gateway
  const whole = all.filter((node) => node['Node Type'] === 'Seq Scan')
  expect(whole.map((node) => node['Relation Name'])).toEqual(['vend_queues'])
  // last: the loops of a worker send statements of their own
  await world.sql(`insert into vend_queues values ('gone', 1, ${hour})`)
  await startWorker(world.app)
  expect(await minutesAhead('vend_queues', 'told_at', `gateway = 'gone'`)).toEqual([0])
})

test('a clock that goes back in small steps is noticed, one that goes on is not', () => {
  const went = watchClock()
  const at = (ms: number) => went(performance.now() + ms)
  expect([0, 90_000, 60_000, 31_000, 29_000, -20_000, -32_000].map(at)).toEqual([
    false,
    false,
    false,
    false,
    true,
    false,
    true,
  ])
})
