import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { z } from 'zod'
import { add, addDevice, addOrganisations, type Sql } from '../../../../test/factories/things.ts'
import { type TestDatabase, testDatabase } from '../../../../test/support/postgres.ts'
import type { Actor, App, Ctx } from '../../../server/context.ts'
import { type Database, openDatabase, systemScope } from '../../../server/database.ts'
import type { DB } from '../../../server/schema.ts'
import { reports } from '../contract.ts'
import { handlers } from './verbs.ts'

/** Saturday 2026-11-21 14:05 in Shanghai, five minutes into a UTC hour. */
const now = new Date('2026-11-21T06:05:00Z')
const everything = [
  'dashboard:read',
  'dashboard:money',
  'device:read',
  'stock:read',
  'order:read',
  'fault:read',
]
const platform: Actor = {
  userId: 1,
  sessionId: 's',
  username: 'super',
  orgId: 1,
  rank: 60,
  home: 'PLATFORM',
  ofPlatform: false,
  role: 'ROLE_SUPER_ADMIN',
  permissions: new Set(everything),
  scope: systemScope,
}
const operator: Actor = {
  ...platform,
  orgId: 2,
  role: 'ROLE_RTU_SP',
  scope: { all: false, orgs: [2], ancestors: [1], devices: null, watched: null },
}
const repairer: Actor = {
  ...operator,
  role: 'ROLE_RTU_REPAIRER',
  permissions: new Set(['dashboard:read', 'device:read', 'fault:read']),
  scope: { all: false, orgs: [2], ancestors: [1], devices: [12], watched: null },
}

let testing: TestDatabase
let database: Database
let owner: pg.Client

beforeAll(async () => {
  testing = await testDatabase()
  database = await openDatabase({ url: testing.ownerUrl, reads: 2, writes: 1, statementMs: 10_000 })
  owner = new pg.Client({ connectionString: testing.ownerUrl })
  await owner.connect()
  const rows: Sql = async (text, values) => (await owner.query(text, values)).rows as never
  await addOrganisations(
    rows,
    [1, null, 'PLATFORM', 'P'],
    [2, 1, 'OPERATOR', 'A'],
    [3, 1, 'OPERATOR', 'B'],
  )
  await add(rows, 'device_types', { id: 1, org_id: 1 })
  await add(rows, 'product_categories', { id: 1, org_id: 1 })
  for (const id of [1, 2, 3, 4])
    await add(rows, 'products', {
      id,
      org_id: 1,
      name: `P${id}`,
      model: '500ml',
      images: [`files/p${id}.png`],
    })
  const machines: [
    id: number,
    org: number,
    province: string,
    city: string,
    lng: number | null,
    lifecycle: DB['devices']['lifecycle'],
    online: boolean,
    faults: number,
    soldOut: number,
  ][] = [
    [11, 2, '440000', '440300', 113.9, 'OPERATING', true, 0, 0],
    [12, 2, '440000', '440300', 114.1, 'OPERATING', true, 2, 1],
    [13, 2, '440000', '440100', 113.3, 'PAUSED', true, 0, 3],
    [14, 2, '330000', '330100', null, 'OPERATING', false, 0, 0],
    [15, 2, '440000', '440300', 113.8, 'SCRAPPED', false, 0, 0],
    [21, 3, '310000', '310100', 121.4, 'OPERATING', false, 1, 2],
  ]
  for (const [id, org, province, city, lng, lifecycle, online, faults, soldOut] of machines) {
    const place = { province, city, county: city, lng, lat: lng === null ? null : 22.5 }
    const offline_since = online ? null : '2026-11-20T21:05:00Z'
    const state = {
      online,
      offline_since,
      fault_count: faults,
      lanes_sold_out: soldOut,
      lanes_total: 40,
    }
    await addDevice(rows, { id, org_id: org, nickname: `M${id}`, ...place, lifecycle }, state)
  }
})
afterAll(async () => {
  await owner?.end()
  await database?.close()
  await testing?.drop()
})
beforeEach(() =>
  owner.query(
    "truncate sales_rollups, sales_folds, product_rollups, device_faults; update sales_folded set until = '2000-01-01'; delete from order_units; delete from orders; delete from refunds",
  ),
)

async function ask<K extends keyof typeof reports>(
  key: K,
  actor: Actor,
  input: Record<string, unknown> = {},
): Promise<z.output<(typeof reports)[K]['output']>> {
  const endpoint = reports[key]
  const handler = handlers[key] as unknown as (ctx: Ctx, given: unknown) => Promise<unknown>
  const answer = await database.read(actor.scope, (db) =>
    handler({ app: {} as App, db, actor, now } as Ctx, endpoint.input.parse(input)),
  )
  return endpoint.output.parse(answer) as never
}

const orgOf = (device: number) => (device > 20 ? 3 : 2)
const sales = (
  device: number,
  grain: string,
  at: string,
  orders: number,
  turnover: number,
  refunded = 0,
) =>
  owner.query(
    'insert into sales_rollups (org_id, device_id, grain, at, orders, pieces, turnover, paid, refunded, refund_orders) values ($1, $2, $3, $4, $5::int, $5::int, $6::bigint, $6::bigint, $7::bigint, sign($7::bigint)::int)',
    [orgOf(device), device, grain, at, orders, turnover, refunded],
  )
const sold = (device: number, product: number, day: string, pieces: number) =>
  owner.query(
    'insert into product_rollups (org_id, device_id, product_id, day, pieces, turnover) values ($1, $2, $3, $4, $5::int, $5::int * 300)',
    [orgOf(device), device, product, day, pieces],
  )

let sequence = 0
/** A paid order of 300 fen. */
const paid = (
  device: number,
  at: string,
  change: { type?: string; status?: string; excluded?: boolean; paidAt?: string } = {},
) =>
  owner.query(
    `insert into orders (org_id, created_at, order_num, device_id, rtu_number, device_name, channel,
      order_type, pay_type, pay_state, order_status, detail, img, pieces,
      total_amount, payable_amount, paid_amount, refunded_amount, expire_at, paid_at, excluded)
    values ($1, $2, $3, $4, 'HD', 'M', 'MACHINE', $5, 'WECHAT', $6, $7, 'P', '', 1, 300, 300, 300,
      $8, $2, $9, $10)`,
    [
      orgOf(device),
      at,
      String(++sequence).padStart(20, '0'),
      device,
      change.type ?? 'SCAN',
      change.excluded ? 'REFUNDED' : 'PAID',
      change.status ?? 'SUCCESS',
      change.excluded ? 300 : 0,
      change.paidAt ?? at,
      change.excluded ?? false,
    ],
  )

const today = '2026-11-20T16:00:00Z'
const yesterday = '2026-11-19T16:00:00Z'

describe('summary', () => {
  it('sums today, thirty days and everything; the day begins at 16:00 UTC', async () => {
    await sales(11, 'DAY', today, 5, 1500, 300)
    await sales(12, 'DAY', today, 2, 600)
    await sales(11, 'DAY', yesterday, 9, 2700)
    await sales(11, 'DAY', '2026-10-22T16:00:00Z', 4, 1200) // 23 October: the first of 30 days
    await sales(11, 'DAY', '2026-10-21T16:00:00Z', 100, 30_000) // 22 October: one too old
    await sales(11, 'TOTAL', '2000-01-01T00:00:00Z', 120, 36_000)
    await sales(21, 'TOTAL', '2000-01-01T00:00:00Z', 7, 2100)
    const found = await ask('summary', operator)
    expect(found.today).toMatchObject({ orders: 7, turnover: 2100, paid: 2100, refunded: 300 })
    expect(found.total).toMatchObject({
      orders: 120,
      turnover: 36_000,
      last30: { orders: 20, turnover: 6000, refunded: 300 },
    })
    expect(found.total.days.orders).toHaveLength(30)
    expect([
      found.total.days.orders[0],
      found.total.days.orders[28],
      found.total.days.orders[29],
    ]).toEqual([4, 9, 7])
    expect(found.asOf).toBe(now.toISOString())
    // days that are over are added up, and no longer read machine by machine
    const all = await ask('summary', platform)
    for (let more = true; more; )
      more = (await owner.query(`select app_fold_sales_until('2026-11-21') as more`)).rows[0].more
    await owner.query(`delete from sales_rollups where grain = 'DAY' and at < $1`, [today])
    expect(await ask('summary', operator)).toEqual(found)
    expect(await ask('summary', platform)).toEqual(all)
  })

  it('puts hours on the Shanghai clock, an hour before midnight belongs to yesterday', async () => {
    await sales(11, 'HOUR', '2026-11-20T15:00:00Z', 50, 15_000) // 23:00 yesterday
    await sales(11, 'HOUR', today, 1, 300) // 00:00
    await sales(11, 'HOUR', '2026-11-21T06:00:00Z', 3, 900) // 14:00, running
    for (let more = true; more; )
      more = (await owner.query(`select app_fold_sales_until('2026-11-21') as more`)).rows[0].more
    const { today: found } = await ask('summary', operator)
    expect(found.before.orders).toBe(0)
    expect(found.hours.orders).toEqual([1, ...Array(13).fill(0), 3])
    expect(found.hours.turnover?.at(-1)).toBe(900)
  })

  it('compares with yesterday to the minute', async () => {
    await sales(11, 'HOUR', yesterday, 4, 1200) // 00:00 yesterday
    await sales(11, 'HOUR', '2026-11-20T05:00:00Z', 2, 600) // 13:00
    await sales(11, 'HOUR', '2026-11-20T06:00:00Z', 40, 12_000) // 14:00 is read from the orders
    await sales(11, 'HOUR', '2026-11-19T15:00:00Z', 80, 24_000) // the day before
    await paid(11, '2026-11-20T06:00:00Z')
    await paid(11, '2026-11-20T06:04:59Z')
    await paid(11, '2026-11-20T06:05:00Z') // the same minute has not passed today
    await paid(11, '2026-11-20T05:59:00Z') // in the rollup of 13:00
    await paid(11, '2026-11-20T05:50:00Z', { paidAt: '2026-11-20T06:01:00Z' }) // counts when it was paid
    await paid(11, '2026-11-20T06:01:00Z', { type: 'TEST' })
    await paid(11, '2026-11-20T06:01:00Z', { excluded: true })
    await paid(21, '2026-11-20T06:01:00Z')
    expect((await ask('summary', operator)).today.before).toEqual({ orders: 9, turnover: 2700 })
    expect((await ask('summary', platform)).today.before).toEqual({ orders: 10, turnover: 3000 })
  })

  it('counts what needs somebody', async () => {
    await paid(11, '2026-11-21T01:00:00Z', { status: 'ABNORMAL' })
    await paid(11, '2026-11-01T01:00:00Z', { status: 'ABNORMAL' })
    await paid(11, '2026-10-01T01:00:00Z', { status: 'ABNORMAL' })
    await paid(21, '2026-11-21T01:00:00Z', { status: 'ABNORMAL' })
    await owner.query(`insert into device_faults (org_id, device_id, code, level, opened_at,
      closed_at) values
      (2, 12, 'X', 'ERROR', '2026-11-19T06:00:00Z', null),
      (2, 11, 'X', 'WARN', '2026-11-20T06:00:00Z', null),
      (2, 11, 'Y', 'WARN', '2026-11-01T06:00:00Z', '2026-11-02T06:00:00Z')`)
    await owner.query(
      `insert into payments (id, org_id, device_id, out_trade_no, provider, amount)
        values (1, 2, 11, 'o', 'SIMULATOR', 300) on conflict do nothing`,
    )
    await owner.query(`insert into refunds (org_id, device_id, refund_no, payment_id, order_id,
      kind, amount, reason, automatic, state, unit_id, next_at) values
      (2, 11, 'r1', 1, 5, 'UNIT', 100, 'NOT_DISPENSED', true, 'PENDING', 1, now()),
      (2, 11, 'r2', 1, 5, 'UNIT', 100, 'NOT_DISPENSED', true, 'PROCESSING', 2, now())`)
    expect((await ask('summary', operator)).todos).toEqual({
      devices: {
        total: 5,
        online: 3,
        offline: 1,
        idle: 1,
        longestOfflineSince: '2026-11-20T21:05:00.000Z',
      },
      abnormal: { orders: 2, refunding: 1 },
      recon: null,
      soldOut: { lanes: 4, devices: 2 },
      faults: { open: 2, oldestAt: '2026-11-19T06:00:00.000Z' },
    })
    expect((await ask('summary', platform)).todos.abnormal).toEqual({ orders: 3, refunding: 1 })
  })

  it('shows a repairman his machines only, no money and no figure he has no code for', async () => {
    await sales(11, 'DAY', today, 5, 1500)
    await sales(12, 'DAY', today, 2, 600)
    await owner.query(
      `insert into device_faults (org_id, device_id, code, level, opened_at)
        values (2, 12, 'X', 'ERROR', '2026-11-19T06:00:00Z'),
          (2, 11, 'X', 'WARN', '2026-11-20T06:00:00Z')`,
    )
    const found = await ask('summary', repairer)
    expect(found.today).toMatchObject({
      orders: 2,
      turnover: null,
      paid: null,
      refunded: null,
      before: { turnover: null },
      hours: { turnover: null },
    })
    expect(found.total).toMatchObject({
      turnover: null,
      last30: { turnover: null },
      days: { turnover: null },
    })
    expect(found.todos).toMatchObject({
      devices: { total: 1, online: 1 },
      abnormal: null,
      soldOut: null,
      faults: { open: 1 },
    })
    expect((await ask('channels', repairer)).list).toEqual([
      { channel: 'MACHINE', orders: 2, turnover: null, paid: null, refunded: null },
    ])
  })

  it('says when no machine can be in scope', async () => {
    const nobody: Actor = { ...repairer, scope: { ...repairer.scope, devices: [] } }
    expect(await ask('summary', nobody)).toMatchObject({
      hasScope: false,
      today: { orders: 0 },
      todos: { devices: { total: 0 } },
    })
    expect((await ask('summary', operator)).hasScope).toBe(true)
  })
})

describe('trend', () => {
  it('has every day, days without sales too', async () => {
    await sales(11, 'DAY', today, 5, 1500)
    await sales(12, 'DAY', yesterday, 3, 900, 300)
    await sales(21, 'DAY', yesterday, 3, 900)
    const { list } = await ask('trend', operator)
    expect(list.map((row) => row.day)).toEqual([
      '2026-11-15',
      '2026-11-16',
      '2026-11-17',
      '2026-11-18',
      '2026-11-19',
      '2026-11-20',
      '2026-11-21',
    ])
    expect(list.map((row) => row.orders)).toEqual([0, 0, 0, 0, 0, 3, 5])
    expect(list[5]).toMatchObject({ turnover: 900, refunded: 300, refundOrders: 1 })
    expect((await ask('trend', platform, { days: 30 })).list).toHaveLength(30)
  })
  it('knows two periods only', () => {
    expect(reports.trend.input.safeParse({ days: 8 }).success).toBe(false)
  })
})

describe('hot products', () => {
  it('ranks by pieces and compares with the period before', async () => {
    await sold(11, 1, '2026-11-21', 5)
    await sold(12, 1, '2026-11-15', 5) // the first of seven days
    await sold(11, 2, '2026-11-20', 9)
    await sold(11, 3, '2026-11-18', 1)
    await sold(11, 1, '2026-11-14', 1) // the period before
    await sold(11, 2, '2026-11-08', 8)
    await sold(11, 4, '2026-11-10', 20)
    await sold(11, 3, '2026-11-07', 99) // older than both
    await sold(21, 3, '2026-11-21', 99)
    const { list } = await ask('hotProducts', operator)
    expect(list.map(({ name, rank, salesNum, change }) => [name, rank, salesNum, change])).toEqual([
      ['P1', 1, 10, 2],
      ['P2', 2, 9, 0],
      ['P3', 3, 1, null],
    ])
    expect(list[0]).toMatchObject({ model: '500ml', img: 'files/p1.png', turnover: 3000 })
    expect((await ask('hotProducts', platform, { limit: 1 })).list).toMatchObject([
      { name: 'P3', salesNum: 100 },
    ])
    expect((await ask('hotProducts', repairer)).list).toMatchObject([
      { name: 'P1', salesNum: 5, turnover: null },
    ])
  })
})

describe('device map', () => {
  it('counts machines in use by province; those without coordinates apart', async () => {
    const found = await ask('deviceMap', operator)
    expect(found).toMatchObject({
      total: 3,
      unlocated: 1,
      states: { online: 1, soldOut: 1, fault: 1, offline: 0 },
      points: [],
    })
    expect(found.regions).toMatchObject([
      {
        code: '440000',
        name: '广东',
        nameEn: 'Guangdong',
        total: 3,
        online: 1,
        soldOut: 1,
        fault: 1,
      },
    ])
    expect(
      (await ask('deviceMap', platform)).regions.map((r) => [r.name, r.total, r.offline]),
    ).toEqual([
      ['广东', 3, 0],
      ['上海', 1, 1],
    ])
  })
  it('drills into cities and machines', async () => {
    const cities = await ask('deviceMap', operator, { level: 'city', region: '440000' })
    expect(cities.regions.map((r) => [r.code, r.name, r.total, r.lng])).toEqual([
      ['440300', '深圳市', 2, 114],
      ['440100', '广州市', 1, 113.3],
    ])
    const points = await ask('deviceMap', operator, { level: 'point', region: '440300' })
    expect(points).toMatchObject({
      total: 2,
      regions: [],
      points: [
        { id: 12, state: 'fault', nickname: 'M12', lng: 114.1, lat: 22.5 },
        { id: 11, rtuNumber: 'HD000011', state: 'online' },
      ],
    })
    expect(
      (await ask('deviceMap', repairer, { level: 'point', region: '440000' })).points.map(
        (p) => p.id,
      ),
    ).toEqual([12])
    expect(reports.deviceMap.input.safeParse({ level: 'city' }).success).toBe(false)
  })
})

describe('attention', () => {
  it('puts faults first, then offline, then what is sold out', async () => {
    const { list, total } = await ask('attention', operator, { limit: 2 })
    expect([total, ...list.map((row) => row.id)]).toEqual([3, 12, 14])
    expect(list[1]).toMatchObject({ state: 'offline', offlineSince: '2026-11-20T21:05:00.000Z' })
    expect((await ask('attention', repairer)).list.map((row) => row.id)).toEqual([12])
  })
})
