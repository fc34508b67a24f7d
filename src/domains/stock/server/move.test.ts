import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { add, type Sql } from '../../../../test/factories/things.ts'
import { sentBy } from '../../../../test/support/plans.ts'
import { type Ctx, systemActor } from '../../../server/context.ts'
import { checkInvariants } from '../../../server/invariants.ts'
import { act, systemCaller } from '../../../server/run.ts'
import { addDays, shanghaiDay } from '../../../shared/instants.ts'
import { openWorld, type World } from '../../machines/server/testWorld.ts'
import { type Move, moveStock } from './move.ts'

let world: World
let sql: Sql
let lane: number
let unit = 5000
const ids = { A: 0, B: 0 }
beforeAll(async () => {
  world = await openWorld()
  sql = world.rows as Sql
  await add(sql, 'suppliers', { id: 1, org_id: 2, name: '供', phone: '13800138000' })
})
afterAll(() => world.close())
beforeEach(async () => {
  const machine = await world.addMachine()
  const rows = await sql<{ id: string }>(
    `update lanes set quantity = 0 where device_id = $1 returning id`,
    [machine.id],
  )
  lane = Number(rows[0]?.id)
  const today = shanghaiDay(new Date(world.clock.now))
  for (const name of ['A', 'B'] as const)
    ids[name] = await batch({ batch_no: `${name}${lane}`, expires_on: addDays(today, 100) })
})
const batch = (row: Record<string, unknown>) =>
  add(sql, 'batches', {
    org_id: 2,
    product_id: 1,
    supplier_id: 1,
    produced_on: '2026-01-01',
    expires_on: '2030-01-01',
    batch_no: `N${Math.random()}`,
    ...row,
  })
const addCodes = (batchId: number, codes: readonly string[]) =>
  sql(
    `insert into trace_codes (code, org_id, batch_id) select c, 2, $1 from unnest($2::text[]) c`,
    [batchId, codes],
  )
const coded = (n: number) => Array.from({ length: n }, (_, i) => `CODE${lane}-${i}`)

const system = <T>(work: (ctx: Ctx) => Promise<T>) =>
  act(world.app, systemCaller(systemActor), { audit: null, scope: 'system' }, work)
type Flow = Partial<NonNullable<Move['flow']>>
const flow = (more: Flow): Move => ({
  laneId: lane,
  flow: {
    change: 1,
    type: 'MERCHANT_REPLENISH',
    reason: 'REFILL',
    occurredAt: new Date(world.clock.now),
    actorKind: 'SYSTEM',
    ...more,
  },
})
const move = (...flows: Flow[]) => system((ctx) => moveStock(ctx, flows.map(flow)))
const sale = (): Flow => {
  unit += 1
  return { change: -1, type: 'CUSTOMER_TAKE', reason: 'SALE', unitId: unit }
}
const back = (change: number, more: Flow = {}): Flow => ({
  change,
  type: 'MERCHANT_WITHDRAW',
  reason: 'TAKE_BACK',
  ...more,
})
const layers = async () =>
  (
    await sql<{ batch_id: number | null; qty: number }>(
      'select batch_id, qty from lane_layers where lane_id = $1 order by pos',
      [lane],
    )
  ).map((row) => `${row.batch_id === null ? '?' : row.batch_id === ids.A ? 'A' : 'B'}${row.qty}`)
const laneRow = async () =>
  (await sql<Record<string, unknown>>('select * from lanes where id = $1', [lane]))[0]
const counts = async (id: number) => {
  const [row] = await sql<{ loaded_qty: number; returned_qty: number }>(
    'select loaded_qty, returned_qty from batches where id = $1',
    [id],
  )
  return [row?.loaded_qty, row?.returned_qty]
}
const flowsOf = () =>
  sql<Record<string, unknown>>(
    `select change_total, before_total, after_total, batch_no, codes from stock_flows
      where lane_id = $1 order by lane_seq`,
    [lane],
  )
const refused = (name: string) =>
  expect.objectContaining({ def: expect.objectContaining({ name }) })

describe('layers', () => {
  test('a lane of unknown goods has none, and a batch behind them makes two', async () => {
    await move({ change: 3 })
    expect([await layers(), (await laneRow())?.layered]).toEqual([[], false])
    await move({ change: 2, batchId: ids.A })
    expect(await layers()).toEqual(['?3', 'A2'])
    expect(await laneRow()).toMatchObject({ layered: true, quantity: 5 })
  })
  test('a sale takes from the front, and the last of a batch leaves no rows', async () => {
    await move({ change: 1, batchId: ids.A }, { change: 2, batchId: ids.B }, { change: 1 })
    await move(sale(), sale())
    expect(await layers()).toEqual(['B1', '?1'])
    await move(sale())
    expect([await layers(), (await laneRow())?.layered]).toEqual([[], false])
    expect((await flowsOf()).map((row) => row.batch_no)).toEqual([
      `A${lane}`,
      `B${lane}`,
      null,
      `A${lane}`,
      `B${lane}`,
      `B${lane}`,
    ])
  })
  test('a withdrawal over batches is a flow for each', async () => {
    await move({ change: 3, batchId: ids.A }, { change: 4, batchId: ids.B })
    await move(back(-5))
    expect((await flowsOf()).slice(2)).toMatchObject([
      { change_total: -3, before_total: 7, after_total: 4, batch_no: `A${lane}` },
      { change_total: -2, before_total: 4, after_total: 2, batch_no: `B${lane}` },
    ])
    expect([await counts(ids.A), await counts(ids.B)]).toEqual([
      [3, 3],
      [4, 2],
    ])
  })
  test('a chosen batch leaves from the middle; more than there is is refused', async () => {
    await move({ change: 3, batchId: ids.A }, { change: 4, batchId: ids.B })
    await move(back(-4, { batchId: ids.B }))
    expect(await layers()).toEqual(['A3'])
    await expect(move(back(-1, { batchId: ids.B }))).rejects.toEqual(refused('stock.notInLane'))
    await expect(move(back(-1, { batchId: null }))).rejects.toEqual(refused('stock.notInLane'))
  })
  test('what a count wrote off comes back to be sold, and no layer changes', async () => {
    await move({ change: 3, batchId: ids.A })
    await move(
      { change: 1, type: 'MERCHANT_REPLENISH', reason: 'CORRECTION', before: true },
      sale(),
    )
    expect([await layers(), await counts(ids.A)]).toEqual([['A3'], [3, 0]])
  })
  test('sold, wasted, tried and lost pieces do not come back to the store', async () => {
    await move({ change: 5, batchId: ids.A })
    await move(sale(), back(-1, { reason: 'WASTE' }), back(-1, { reason: 'COUNT_LOSS' }))
    await move(
      back(-1, { reason: 'TEST_VEND', unitId: ++unit }),
      back(-1, { reason: 'LANE_RESET' }),
    )
    expect([await layers(), await counts(ids.A)]).toEqual([[], [5, 1]])
  })
  test('no more than was received, however many load at once', async () => {
    await sql('update batches set received_qty = 5 where id = $1', [ids.A])
    await expect(move({ change: 6, batchId: ids.A })).rejects.toEqual(refused('stock.overReceived'))
    const tries = await Promise.allSettled(
      Array.from({ length: 8 }, () => move({ change: 1, batchId: ids.A })),
    )
    expect(tries.filter((one) => one.status === 'fulfilled').length).toBe(5)
    await move(back(-2), { change: 2, batchId: ids.A })
    expect(await counts(ids.A)).toEqual([7, 2])
  })
  test('another product, a foreign batch and none at all are refused', async () => {
    await add(sql, 'products', { id: 2, org_id: 1, name: 'tea' }).catch(() => {})
    const tea = await batch({ product_id: 2 })
    for (const batchId of [tea, 987_654])
      await expect(move({ change: 1, batchId })).rejects.toEqual(refused('stock.batchMissing'))
    await add(sql, 'organisations', { id: 9, parent_id: 1, kind: 'OPERATOR', path: '1.9' }).catch(
      () => {},
    )
    await add(sql, 'suppliers', { id: 9, org_id: 9, name: '外', phone: '13800138000' }).catch(
      () => {},
    )
    const foreign = await batch({ org_id: 9, supplier_id: 9 })
    await expect(move({ change: 1, batchId: foreign })).rejects.toThrow(/stale|does not belong/)
    expect(await laneRow()).toMatchObject({ quantity: 0 })
  })
})

describe('trace codes', () => {
  const state = (code: string) =>
    sql<Record<string, unknown>>('select state, unit_id, pos from trace_codes where code = $1', [
      code,
    ]).then(([row]) => row)

  test('go in, sell from the front with their piece, and come out', async () => {
    const [a, b, c, d] = coded(4) as [string, string, string, string]
    await addCodes(ids.A, [a, b, c, d])
    await move({ change: 3, batchId: ids.A, codes: [b, a, c] })
    const sold = sale()
    await move(sold)
    expect(await state(b)).toMatchObject({ state: 'SOLD', unit_id: sold.unitId })
    await move(back(-1, { codes: [c] }))
    expect(await state(c)).toMatchObject({ state: 'WITHDRAWN', pos: null })
    await move({ change: 2, batchId: ids.A, codes: [d, c] })
    await move(sale(), sale())
    expect([await state(a), await state(d), await state(c)]).toMatchObject([
      { state: 'SOLD' },
      { state: 'SOLD' },
      { state: 'LOADED', pos: 4 },
    ])
    expect((await flowsOf()).at(-1)?.codes).toEqual([d])
  })
  test('a sold code is sold for ever, and in one lane only', async () => {
    const codes = coded(2)
    await addCodes(ids.A, codes)
    await move({ change: 1, batchId: ids.A, codes: codes.slice(0, 1) })
    await move(sale())
    for (const bad of [codes.slice(0, 1), ['NOBODYKNOWS1'], [codes[1], codes[1]] as string[]])
      await expect(move({ change: bad.length, batchId: ids.A, codes: bad })).rejects.toEqual(
        refused('stock.codeUnusable'),
      )
    await expect(move({ change: 1, batchId: ids.B, codes: codes.slice(1) })).rejects.toEqual(
      refused('stock.codeUnusable'),
    )
    await expect(
      sql(`update trace_codes set state = 'WITHDRAWN', unit_id = null where code = $1`, [codes[0]]),
    ).rejects.toThrow(/is sold/)
  })
  test('as many codes as pieces, and of a batch', async () => {
    const codes = coded(2)
    await addCodes(ids.A, codes)
    await expect(move({ change: 3, batchId: ids.A, codes })).rejects.toEqual(
      refused('stock.codesMismatch'),
    )
    await expect(move({ change: 2, codes })).rejects.toEqual(refused('stock.batchMissing'))
  })
  test('one code loaded into two lanes at once goes into one', async () => {
    const [code] = coded(1) as [string]
    await addCodes(ids.A, [code])
    const other = lane + 1
    const tries = await Promise.allSettled(
      [lane, other].map((laneId) =>
        system((ctx) =>
          moveStock(ctx, [{ ...flow({ change: 1, batchId: ids.A, codes: [code] }), laneId }]),
        ),
      ),
    )
    expect(tries.filter((one) => one.status === 'fulfilled').length).toBe(1)
  })
  test('a tried piece is no sale, and a count that misses one locks the lane', async () => {
    const codes = coded(3)
    await addCodes(ids.A, codes)
    await move({ change: 3, batchId: ids.A, codes })
    await move(back(-1, { reason: 'TEST_VEND', unitId: ++unit }))
    expect(await state(codes[0] as string)).toMatchObject({ state: 'WITHDRAWN', unit_id: null })
    await move(back(-1, { reason: 'COUNT_LOSS' }))
    expect(await laneRow()).toMatchObject({ status: 'LOCKED', lock_reason: 'TRACE_CODE' })
  })
})

describe('goods that must not be sold', () => {
  test.each([
    ['RECALL', `status = 'RECALLED', recall_level = 'I', recalled_at = now()`],
    ['EXPIRY', `expires_on = (now() at time zone 'Asia/Shanghai')::date + 1`],
  ])('lock the lane they come into, until they are taken out: %s', async (lock, change) => {
    await sql(`update batches set ${change} where id = $1`, [ids.A])
    await move({ change: 2, batchId: ids.B }, { change: 2, batchId: ids.A })
    expect(await laneRow()).toMatchObject({ status: 'LOCKED', lock_reason: lock })
    await move(back(-1, { batchId: ids.A }))
    expect(await laneRow()).toMatchObject({ status: 'LOCKED', lock_reason: lock })
    await move(back(-1, { batchId: ids.A }))
    expect(await laneRow()).toMatchObject({ status: 'ENABLED', lock_reason: null })
  })
  test('a lock of somebody else stays', async () => {
    await sql(`update lanes set status = 'LOCKED', lock_reason = 'COUNT_NEEDED' where id = $1`, [
      lane,
    ])
    await move({ change: 1, batchId: ids.A })
    await move(back(-1))
    expect(await laneRow()).toMatchObject({ status: 'LOCKED', lock_reason: 'COUNT_NEEDED' })
  })
  test('a faulty lane is faulty again', async () => {
    await sql(`update batches set expires_on = '2026-01-02' where id = $1`, [ids.A])
    await move({ change: 1, batchId: ids.A })
    await add(sql, 'device_faults', {
      org_id: 2,
      device_id: Number((await laneRow())?.device_id),
      lane_id: lane,
      code: 'X',
      level: 'ERROR',
      opened_at: new Date(),
    })
    await move(back(-1))
    expect(await laneRow()).toMatchObject({ status: 'FAULT' })
  })
})

test('a sale of a lane without layers asks nothing more than it did', async () => {
  await move({ change: 3 })
  const plain = await concerning(/lanes|layers|batches|trace_codes|stock_flows/)
  await move({ change: 3, batchId: ids.A })
  const layered = await concerning(/lanes|layers|batches|trace_codes|stock_flows/)
  expect([plain, layered]).toEqual([2, 5])
})
const concerning = async (tables: RegExp) =>
  (await sentBy(() => move(sale()), true)).filter(({ text }) => tables.test(text)).length

test('the database refuses layers that are not what the lane holds', async () => {
  await move({ change: 3, batchId: ids.A })
  for (const text of [
    'update lanes set quantity = 2 where id = $1',
    'update lanes set layered = false where id = $1',
    'update lanes set goods_expire_on = null where id = $1',
    'update lane_layers set qty = 2 where lane_id = $1',
    'delete from lane_layers where lane_id = $1',
  ])
    await expect(sql(text, [lane]), text).rejects.toThrow(/layers of lane/)
})

test('the books agree', async () => {
  const broken = await checkInvariants(world.app.config.databaseUrl as string)
  expect(
    broken.map(({ name }) => name).filter((name) => /layer|batch|code|lanes\./.test(name)),
  ).toEqual([])
})
