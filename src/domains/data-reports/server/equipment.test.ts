import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWorld, place, rowId, type World } from '../../../../test/support/world.ts'
import type { Output } from '../../../shared/contract.ts'
import { dataReports } from '../contract.ts'

/** Noon of 10 March in Shanghai; what happened before the world began is none of its machines'. */
const now = new Date('2027-03-10T04:00:00Z')
const range = { from: '2027-03-01', to: '2027-03-10' }
let world: World
let token: string
const device = rowId('OWN', 1)
const at = (text: string) => `2027-${text}:00Z`

const silent = (id: number, since: string | null, seen: string) =>
  world.sql(
    `update device_states set online = $2::timestamptz is null, offline_since = $2,
      last_seen_at = $3 where device_id = $1`,
    [id, since, seen],
  )
const read = async (what: object = {}, as = token) =>
  (
    await world.call(dataReports.equipment, { ...range, pageSize: 200, ...what } as never, {
      token: as,
    })
  ).body as Output<typeof dataReports.equipment>
const rowOf = async (what: object = {}) => (await read(what)).list.find(({ id }) => id === device)

beforeAll(async () => {
  world = await openWorld({ now: () => now })
  token = await world.login('ROLE_FULL')
  const { sql } = world
  await sql(`delete from stock_warnings`)
  await sql(`delete from sales_rollups`)
  await sql(`delete from replenishment_visits`).catch(() => {})
  await sql(`update devices set lifecycle = 'OPERATING' where id = $1`, [device])
  // an hour of 2 March, two of the next day; and since 10 March, 4:00
  await silent(device, at('03-02T15:00'), at('03-02T15:00'))
  await silent(device, null, at('03-02T18:00'))
  await silent(device, at('03-09T20:00'), at('03-09T20:00'))
  for (const [opened, closed] of [
    ['02-20T00:00', '03-05T00:00'],
    ['03-04T00:00', '03-04T03:00'],
    ['03-05T00:00', null],
  ] as const)
    await sql(
      `insert into device_faults (org_id, device_id, code, level, opened_at, closed_at)
        values (3, $1, $2, 'ERROR', $3, $4)`,
      [device, `F${opened}`, at(opened), closed && at(closed)],
    )
  const lanes = await sql<{ id: number }>(
    `select id from lanes where device_id = $1 and archived_at is null order by id limit 2`,
    [device],
  )
  for (const [lane, opened, closed] of [
    [0, '02-26T00:00', '03-01T16:00'],
    [1, '03-09T16:00', null],
  ] as const)
    await sql(
      `insert into stock_warnings (org_id, device_id, lane_id, kind, opened_at, closed_at)
        values (3, $1, $2, 'SOLD_OUT', $3, $4)`,
      [device, lanes[lane]?.id, at(opened), closed && at(closed)],
    )
  await sql(
    `insert into sales_rollups (org_id, device_id, grain, at, orders, pieces, vended, turnover)
      values (3, $1, 'DAY', $2, 3, 4, 3, 1001)`,
    [device, at('03-07T16:00')],
  )
}, 60_000)
afterAll(() => world?.close())

test('says of a machine how long it was silent, broken and without goods', async () => {
  const row = await rowOf()
  expect(row).toMatchObject({
    outages: 2,
    offlineHours: 1 + 2 + 8,
    onlineRate: Math.round(1000 * (1 - 11 / (9 * 24 + 12))),
    faults: 2,
    repairHours: 3,
    // the first day of one lane, half of the last of another
    soldOutHours: 24 + 12,
    orderTotal: 3,
    turnover: 1001,
    dailyTurnover: 100,
    successRate: 750,
    problemRate: 250,
  })
  // cut at both ends
  expect(await rowOf({ from: '2027-03-03', to: '2027-03-04' })).toMatchObject({
    outages: 0,
    offlineHours: 2,
    onlineRate: Math.round(1000 * (1 - 2 / 48)),
    soldOutHours: 0,
    faults: 1,
  })
})

test('shows how machines ran by day, beside the period before', async () => {
  const { body } = await world.call(
    dataReports.equipmentSummary,
    { from: '2027-03-03', to: '2027-03-04', deviceId: device } as never,
    { token },
  )
  expect(body).toMatchObject({
    sums: { machines: 1, offlineHours: 2, outages: 0, faults: 1 },
    before: { offlineHours: 1, outages: 1, from: '2027-03-01', to: '2027-03-02' },
    points: [
      { key: '2027-03-03', offlineHours: 2, faults: 0 },
      { key: '2027-03-04', offlineHours: 0, faults: 1 },
    ],
    beforePoints: [0, 1],
  })
  const whole = await world.call(
    dataReports.equipmentSummary,
    { ...range, deviceId: device, compare: 'NONE' } as never,
    { token },
  )
  const { points, sums } = whole.body as Output<typeof dataReports.equipmentSummary>
  expect(points.at(-1)?.offlineHours).toBe(8)
  expect(points.reduce((sum, point) => sum + point.offlineHours, 0)).toBe(sums.offlineHours)
})

test('its tabs: silent now, and without an order for days', async () => {
  expect(await rowOf({ state: 'OFFLINE' })).toBeTruthy()
  expect(await rowOf({ state: 'IDLE' })).toBeUndefined()
  expect(await rowOf({ state: 'IDLE', idleDays: 2 })).toBeTruthy()
  const { list, sums } = await read({ state: 'OFFLINE' })
  expect(sums.machines).toBe(list.length)
})

test('only machines of the reader, and amounts for who may see them', async () => {
  expect((await read({ orgId: place.SIBLING })).list).toEqual([])
  const orgs = await world.sql<{ id: number }>(
    `select id from devices where org_id <> all($1::bigint[])`,
    [[place.OWN, place.CHILD]],
  )
  const seen = new Set((await read()).list.map(({ id }) => id))
  expect(orgs.filter(({ id }) => seen.has(id))).toEqual([])
})

test('an outage counts for whose machine it was', async () => {
  const machine = rowId('CHILD', 1)
  const hours = (n: number) => new Date(Date.now() + n * 3_600_000).toISOString()
  const sum = async () =>
    Object.fromEntries(
      (
        await world.sql<{ org: number; seconds: number; times: number }>(
          `select org_id::int as org, sum(seconds)::int as seconds, sum(times)::int as times
            from outage_days where device_id = $1 group by 1`,
          [machine],
        )
      ).map(({ org, seconds, times }) => [org, { hours: Math.round(seconds / 360) / 10, times }]),
    )
  await world.sql(`delete from outage_days where device_id = ${machine}`)
  await silent(machine, hours(-2), hours(-2))
  await world.sql(`update device_owner_history set valid = tstzrange(lower(valid), now())
    where device_id = ${machine} and upper_inf(valid)`)
  await world.sql(`update device_states set org_id = ${place.OWN} where device_id = ${machine}`)
  expect(await sum()).toEqual({ [place.CHILD]: { hours: 2, times: 1 } })
  await silent(machine, null, hours(1))
  expect(await sum()).toEqual({
    [place.CHILD]: { hours: 2, times: 1 },
    [place.OWN]: { hours: 1, times: 1 },
  })
})
