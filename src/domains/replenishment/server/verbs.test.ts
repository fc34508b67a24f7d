import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { runDue } from '../../../server/work.ts'
import { orders } from '../../orders/contract.ts'
import { refundKind } from '../../orders/server/refunds.ts'
import { providers } from '../../payments/server/providers.ts'
import { replenishment } from '../contract.ts'
import { forecastAll } from './forecasts.ts'
import { endDrafts } from './jobs.ts'
import { type Floor, laneOf, machine, openFloor } from './testWorld.ts'

let floor: Floor
beforeAll(async () => {
  floor = await openFloor()
})
afterAll(() => floor.close())
beforeEach(async () => {
  await floor.sql(
    `update replenishment_visits set state = 'CANCELLED' where state in ('DRAFT','SUBMITTED')`,
  )
  for (const road of [1, 2, 8] as const) await floor.hold(road, 5)
})
const item = (road: 1 | 2 | 8, said: object) => ({ laneId: laneOf[road], ...said })
const lanesOf = (body: { items: { roadIndex: number; state: string; error: string | null }[] }) =>
  body.items.map(({ roadIndex, state, error }) => [roadIndex, state, error])

test('a visit posts what was counted, taken out and put in, and each flow names it', async () => {
  const { id } = await floor.start()
  const since = floor.now()
  await floor.save(id, [
    item(1, { countedQty: 4, withdrawnQty: 1, withdrawReason: 'EXPIRED', addedQty: 6 }),
    item(2, { countedQty: 6 }),
  ])
  const done = await floor.submit(id)
  expect(done.body).toMatchObject({
    state: 'POSTED',
    added: 6,
    withdrawn: 1,
    counted: 10,
    difference: 0,
    items: [
      { roadIndex: 1, beforeQty: 5, difference: -1, afterQty: 9, state: 'POSTED' },
      { roadIndex: 2, beforeQty: 5, difference: 1, afterQty: 6, state: 'POSTED' },
    ],
  })
  expect(await floor.flows(1, since)).toEqual(['COUNT_LOSS -1', 'EXPIRED -1', 'REFILL 6'])
  expect(await floor.flows(2, since)).toEqual(['COUNT_GAIN 1'])
  expect(
    await floor.sql(
      `select 1 from stock_flows f join replenishment_items i
      on i.id = f.visit_item_id where i.visit_id = $1`,
      [id],
    ),
  ).toHaveLength(4)
  // somebody without a right to costs is not told what the difference is worth
  expect(done.body.diffCost).toBeNull()
  expect(
    (await floor.call(replenishment.visit, { id }, { token: floor.operator })).body.diffCost,
  ).toBe(0)
  expect((await floor.submit(id)).body.error).toBe('replenishment.closed')
  expect((await floor.save(id, [])).body.error).toBe('replenishment.closed')
  await floor.agrees()
})

test('lanes that cannot be posted say why, the others are posted; sent again from a new visit', async () => {
  const { id } = await floor.start()
  await floor.save(id, [item(1, { addedQty: 6 }), item(2, { addedQty: 1 })])
  const { body } = await floor.submit(id)
  expect(body.state).toBe('PARTIAL')
  expect(lanesOf(body)).toEqual([
    [1, 'REJECTED', 'overCapacity'],
    [2, 'POSTED', null],
  ])
  expect([(await floor.lane(1)).q, (await floor.lane(2)).q]).toEqual([5, 6])
})

test('a visit of which nothing could be posted stays open and is mended', async () => {
  const { id } = await floor.start()
  await floor.save(id, [item(1, { addedQty: 6 })])
  const refused = await floor.submit(id)
  expect(refused.body).toMatchObject({ state: 'DRAFT', items: [{ error: 'overCapacity' }] })
  await floor.save(id, [item(1, { addedQty: 5 })])
  expect((await floor.submit(id)).body).toMatchObject({ state: 'POSTED', added: 5 })
  expect((await floor.submit((await floor.start()).id)).body.error).toBe('replenishment.nothing')
})

describe('sales go on while the door is open', () => {
  test('scenario 20: put in during a vend', async () => {
    await floor.buy(1)
    const out = await floor.take()
    const { id } = await floor.start()
    const since = floor.now()
    await floor.save(id, [item(1, { addedQty: 3 })])
    await floor.say(out, 'OK')
    expect((await floor.submit(id)).body.state).toBe('POSTED')
    expect(await floor.lane(1)).toMatchObject({ q: 7, r: 0, h: 0 })
    expect(await floor.flows(1, since)).toEqual(['SALE -1', 'REFILL 3'])
    await floor.agrees()
  })
  test('a lane with a piece on its way cannot be counted', async () => {
    await floor.buy(1)
    const out = await floor.take()
    const { id } = await floor.start()
    await floor.save(id, [item(1, { countedQty: 5 })])
    expect((await floor.submit(id)).body.items[0].error).toBe('vending')
    floor.later(5)
    await floor.say(out, 'OK')
    // it was counted while the piece was on its way: nobody knows whether it was still there
    expect((await floor.submit(id)).body.items[0].error).toBe('vending')
    await floor.save(id, [item(1, { countedQty: 4 })])
    expect((await floor.submit(id)).body).toMatchObject({ state: 'POSTED', difference: 0 })
    expect(await floor.lane(1)).toMatchObject({ q: 4, r: 0 })
  })
  test('sold after the count, before it is sent', async () => {
    const { id } = await floor.start()
    const counted = floor.now().toISOString()
    floor.later(30)
    await floor.buy(1)
    await floor.say(await floor.take(), 'OK')
    floor.later(30)
    await floor.save(
      id,
      [item(1, { countedQty: 5, countedAt: counted })],
      floor.replenisher,
      floor.now().toISOString(),
    )
    expect((await floor.submit(id)).body).toMatchObject({ state: 'POSTED', difference: 0 })
    expect(await floor.lane(1)).toMatchObject({ q: 4, r: 0, h: 0 })
    await floor.agrees()
  })
  test('pieces that are paid for stay: fewer cannot be counted than they are', async () => {
    await floor.buy(1)
    const { id } = await floor.start()
    await floor.save(id, [item(1, { countedQty: 0 })])
    expect((await floor.submit(id)).body.items[0].error).toBe('belowHeld')
    await floor.save(id, [item(1, { withdrawnQty: 5, withdrawReason: 'TAKE_BACK' })])
    expect((await floor.submit(id)).body.items[0].error).toBe('withdrawnTooMany')
    await floor.say(await floor.take(), 'OK')
  })
})

describe('a count settles doubtful pieces', () => {
  const doubt = async () => {
    await floor.buy(2)
    await floor.say(await floor.take(), 'NO_DROP')
    expect(await floor.lane(2)).toMatchObject({ q: 5, r: 0, h: 1 })
    floor.later(60)
  }
  const count = async (countedQty: number) => {
    const since = floor.now()
    const { id } = await floor.start()
    await floor.save(id, [item(2, { countedQty })])
    expect((await floor.submit(id)).body.state).toBe('POSTED')
    return floor.flows(2, since)
  }
  test('scenario 7: it is gone', async () => {
    await doubt()
    expect(await count(4)).toEqual(['COUNT_LOSS -1'])
    expect(await floor.lane(2)).toMatchObject({ q: 4, r: 0, h: 0 })
    await floor.agrees()
  })
  test('scenario 8: it is there', async () => {
    await doubt()
    expect(await count(5)).toEqual([])
    expect(await floor.lane(2)).toMatchObject({ q: 5, r: 0, h: 0 })
    await floor.agrees()
  })
  test('what an attempt before may have taken is settled with it', async () => {
    await floor.sql('update devices set auto_refund = false where id = $1', [machine])
    const orderNum = await floor.buy(2)
    await floor.say(await floor.take(), 'NO_DROP')
    const [unit] = await floor.sql<{ id: string }>(
      'select id from order_units where order_num = $1',
      [orderNum],
    )
    const again = await floor.call(
      orders.vend,
      { orderNum, unitId: Number(unit?.id) },
      { token: floor.operator, headers: { 'idempotency-key': randomUUID() } },
    )
    expect([again.status, again.body.message]).toEqual([200, undefined])
    await floor.say(await floor.take(), 'OK')
    expect(await floor.lane(2)).toMatchObject({ q: 4, r: 0, h: 1 })
    floor.later(60)
    expect(await count(3)).toEqual(['COUNT_LOSS -1'])
    expect(await floor.lane(2)).toMatchObject({ q: 3, r: 0, h: 0 })
    await floor.sql('update devices set auto_refund = true where id = $1', [machine])
    await floor.agrees()
  })
  test('a doubt that is younger than the count stays', async () => {
    const { id } = await floor.start()
    const counted = floor.now().toISOString()
    floor.later(10)
    await doubt()
    await floor.save(
      id,
      [item(2, { countedQty: 5, countedAt: counted })],
      floor.replenisher,
      floor.now().toISOString(),
    )
    expect((await floor.submit(id)).body.state).toBe('POSTED')
    expect(await floor.lane(2)).toMatchObject({ q: 5, h: 1 })
    await floor.agrees()
  })
  test('scenario 12: counted as gone, then the machine says so', async () => {
    await floor.buy(2)
    const out = await floor.take()
    floor.later(61)
    await floor.world.system(async (ctx) => {
      const { settle } = await import('../../orders/server/settle.ts')
      await settle(ctx, [
        { cmdId: out.cmdId, at: ctx.now, what: { kind: 'abandoned', sent: true } },
      ])
    })
    floor.later(5)
    const since = floor.now()
    expect(await count(4)).toEqual(['COUNT_LOSS -1'])
    floor.later(5)
    await floor.say(out, 'OK')
    expect(await floor.flows(2, since)).toEqual(['COUNT_LOSS -1', 'CORRECTION 1', 'SALE -1'])
    expect(await floor.lane(2)).toMatchObject({ q: 4, r: 0, h: 0 })
    await floor.agrees()
  })
  test('it opens a lane that was locked until it is counted, and no other lock', async () => {
    for (const [road, reason] of [
      [1, 'COUNT_NEEDED'],
      [2, 'TEMPERATURE'],
    ] as const)
      await floor.sql(`update lanes set status = 'LOCKED', lock_reason = $2 where id = $1`, [
        laneOf[road],
        reason,
      ])
    const { id } = await floor.start()
    await floor.save(id, [item(1, { countedQty: 5 }), item(2, { countedQty: 5 })])
    await floor.submit(id)
    expect([(await floor.lane(1)).status, (await floor.lane(2)).status]).toEqual([
      'ENABLED',
      'LOCKED',
    ])
  })
})

describe('a count settles what a machine said of a piece that was put back', () => {
  /** Its void was acknowledged, the money goes back or not; then the machine says that it left. */
  async function parked(autoRefund: boolean, between?: (orderNum: string) => Promise<unknown>) {
    await floor.sql('update devices set auto_refund = $2 where id = $1', [machine, autoRefund])
    const orderNum = await floor.buy(2)
    const out = await floor.take()
    await floor.world.system(async (ctx) => {
      const { settle } = await import('../../orders/server/settle.ts')
      await settle(ctx, [{ cmdId: out.cmdId, at: ctx.now, what: { kind: 'ack', ack: 'VOIDED' } }])
    })
    floor.later(5)
    if (!between) await floor.say(out, 'OK')
    else {
      await floor.say(out, 'OK')
      await floor.sql(`update lanes set status = 'ENABLED', lock_reason = null where id = $1`, [
        laneOf[2],
      ])
      await between(orderNum)
    }
    floor.later(60)
    return orderNum
  }
  const count = async (countedQty: number) => {
    const since = floor.now()
    const { id } = await floor.start()
    await floor.save(id, [item(2, { countedQty })])
    const { body } = await floor.submit(id)
    return { flows: await floor.flows(2, since), state: body.state, off: body.difference }
  }
  const became = async (orderNum: string) => {
    const [row] = await floor.sql<{ s: string; cases: string[] }>(
      `select concat_ws(' ', o.order_status, u.vend_state, u.refund_state) as s,
        (select array_agg(kind || ' ' || state order by id) from order_cases c
          where c.order_num = o.order_num) as cases
      from orders o join order_units u on u.order_id = o.id where o.order_num = $1`,
      [orderNum],
    )
    return [row?.s, ...(row?.cases ?? [])]
  }
  test('one is missing: it was sold, and the refund that nobody sent yet is taken back', async () => {
    const orderNum = await parked(true)
    expect(await became(orderNum)).toEqual(['ABNORMAL VOID PENDING', 'UNKNOWN_RESULT OPEN'])
    expect(await floor.lane(2)).toMatchObject({ q: 5, status: 'LOCKED' })
    expect(await count(4)).toEqual({ flows: ['SALE -1'], state: 'POSTED', off: 0 })
    expect(await became(orderNum)).toEqual(['SHIPPED SUCCESS CANCELLED', 'UNKNOWN_RESULT DONE'])
    expect(await floor.lane(2)).toMatchObject({ q: 4, r: 0, h: 0, status: 'ENABLED' })
    await floor.agrees()
  })
  test('one more is missing than that: the rest is a loss; money that is back is one, too', async () => {
    const orderNum = await parked(true)
    while (await runDue(floor.world.app, refundKind(floor.world.app, providers(floor.world.app))));
    expect(await count(3)).toEqual({
      flows: ['SALE -1', 'COUNT_LOSS -1'],
      state: 'POSTED',
      off: -1,
    })
    expect(await became(orderNum)).toEqual([
      'REFUNDED SUCCESS SUCCESS',
      ...['UNKNOWN_RESULT DONE', 'SHIPPED_AFTER_REFUND OPEN'],
    ])
    await floor.agrees()
  })
  test('none is missing: it did not leave, and its buyer still waits', async () => {
    const orderNum = await parked(false)
    expect(await count(5)).toEqual({ flows: [], state: 'POSTED', off: 0 })
    expect(await became(orderNum)).toEqual([
      'ABNORMAL VOID',
      ...['PAID_NOT_SENT OPEN', 'UNKNOWN_RESULT DONE'],
    ])
    expect(await floor.lane(2)).toMatchObject({ q: 5, status: 'ENABLED' })
    // and it is settled: a later count is a count
    floor.later(60)
    expect((await count(4)).flows).toEqual(['COUNT_LOSS -1'])
    await floor.agrees()
  })
  test('vended again meanwhile: two left, and the second is a loss', async () => {
    const orderNum = await parked(false, async (num) => {
      const [unit] = await floor.sql<{ id: string }>(
        'select id from order_units where order_num = $1',
        [num],
      )
      const { status } = await floor.call(
        orders.vend,
        { orderNum: num, unitId: Number(unit?.id) },
        { token: floor.operator, headers: { 'idempotency-key': randomUUID() } },
      )
      expect(status).toBe(200)
      await floor.say(await floor.take(), 'OK')
    })
    expect((await count(3)).flows).toEqual(['COUNT_LOSS -1'])
    expect(await became(orderNum)).toEqual([
      'SUCCESS SUCCESS',
      ...['PAID_NOT_SENT DONE', 'UNKNOWN_RESULT DONE', 'DOUBLE_SHIPPED OPEN'],
    ])
    await floor.agrees()
  })
  test('counted before the machine said it: it waits for the next count', async () => {
    const { id } = await floor.start()
    const counted = floor.now().toISOString()
    floor.later(10)
    const orderNum = await parked(true)
    await floor.save(
      id,
      [item(2, { countedQty: 5, countedAt: counted })],
      floor.replenisher,
      floor.now().toISOString(),
    )
    await floor.submit(id)
    expect((await became(orderNum))[1]).toBe('UNKNOWN_RESULT OPEN')
  })
  test('two counts at once settle it once', async () => {
    const orderNum = await parked(true)
    const key = () => ({ 'idempotency-key': randomUUID() })
    await Promise.all(
      [1, 2, 3].map(() =>
        floor.call(
          replenishment.correct,
          { laneId: laneOf[2], countedQty: 4, reason: '盘点' },
          { token: floor.operator, headers: key() },
        ),
      ),
    )
    expect((await became(orderNum))[1]).toBe('UNKNOWN_RESULT DONE')
    expect(await floor.lane(2)).toMatchObject({ q: 4 })
    await floor.sql('update devices set auto_refund = true where id = $1', [machine])
    await floor.agrees()
  })
})

describe('two people', () => {
  test('at one lane: both put in, while it holds them', async () => {
    const mine = await floor.start()
    const theirs = await floor.start(floor.operator)
    await floor.save(mine.id, [item(1, { addedQty: 3 })])
    await floor.save(theirs.id, [item(1, { addedQty: 3 })], floor.operator)
    const answers = await Promise.all([
      floor.submit(mine.id),
      floor.submit(theirs.id, floor.operator),
    ])
    expect(answers.map(({ body }) => body.items[0].error).sort()).toEqual(
      [null, 'overCapacity'].sort(),
    )
    expect((await floor.lane(1)).q).toBe(8)
  })
  test('what was done before somebody else counted is in his count', async () => {
    const mine = await floor.start()
    const done = floor.now().toISOString()
    floor.later(60)
    const theirs = await floor.start(floor.operator)
    await floor.save(theirs.id, [item(1, { countedQty: 8 })], floor.operator)
    expect((await floor.submit(theirs.id, floor.operator)).body.difference).toBe(3)
    floor.later(60)
    await floor.save(
      mine.id,
      [item(1, { addedQty: 3, doneAt: done })],
      floor.replenisher,
      floor.now().toISOString(),
    )
    expect((await floor.submit(mine.id)).body.items[0].error).toBe('countedSince')
    expect((await floor.lane(1)).q).toBe(8)
  })
  test('each has his own visit: nobody else writes it, and there is one of each machine', async () => {
    const { id } = await floor.start()
    expect((await floor.save(id, [], floor.operator)).status).toBe(404)
    expect((await floor.submit(id, floor.operator)).status).toBe(404)
    expect((await floor.start()).id).toBe(id)
    const clientId = randomUUID()
    const twice = await Promise.all(
      [1, 2].map(() =>
        floor.call(replenishment.start, { deviceId: machine, clientId }, { token: floor.operator }),
      ),
    )
    expect(new Set(twice.map(({ body }) => body.id)).size).toBe(1)
  })
  test('submitted twice at once, it is posted once', async () => {
    const { id } = await floor.start()
    await floor.save(id, [item(1, { addedQty: 1 })])
    const answers = await Promise.all([1, 2, 3].map(() => floor.submit(id)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422, 422])
    expect((await floor.lane(1)).q).toBe(6)
  })
})

describe('operations of a phone', () => {
  const op = (clientSeq: number, kind: string, qty: number, more: object = {}) => ({
    opId: randomUUID(),
    clientSeq,
    kind,
    laneId: laneOf[1],
    productId: machine,
    qty,
    madeAt: floor.now().toISOString(),
    ...more,
  })
  const send = (clientId: string, ops: object[]) =>
    floor.call(
      replenishment.ops,
      { clientId, ops, sentAt: floor.now().toISOString() },
      { token: floor.replenisher },
    )
  const states = ({ body }: { body: { ops: { state: string }[] } }) =>
    body.ops.map(({ state }) => state)

  test('each counts once, in its order; a gap waits', async () => {
    const { id, clientId } = await floor.start(floor.replenisher, { source: 'PHONE' })
    const ops = [
      op(1, 'COUNT', 5),
      op(2, 'ADD', 2),
      op(3, 'WITHDRAW', 1, { reason: 'EXPIRED' }),
      op(4, 'ADD', 1),
    ]
    expect(states(await send(clientId, [ops[0], ops[2]] as object[]))).toEqual([
      'APPLIED',
      'WAITING',
    ])
    const late = await floor.call(
      replenishment.submit,
      { id, lastClientSeq: 4 },
      { token: floor.replenisher },
    )
    expect(late.body.error).toBe('replenishment.outOfOrder')
    // from two tabs at once, and again
    const both = await Promise.all([send(clientId, ops), send(clientId, ops)])
    expect(both.map(states)).toContainEqual(['DUPLICATE', 'APPLIED', 'APPLIED', 'APPLIED'])
    expect(both.map(states)).toContainEqual(Array(4).fill('DUPLICATE'))
    expect(states(await send(clientId, [{ ...ops[0], opId: randomUUID() }]))).toEqual(['REJECTED'])
    const done = await floor.call(
      replenishment.submit,
      { id, lastClientSeq: 4 },
      { token: floor.replenisher },
    )
    expect(done.body).toMatchObject({ state: 'POSTED', added: 3, withdrawn: 1, difference: 0 })
    expect((await floor.lane(1)).q).toBe(7)
    await floor.agrees()
  })
  test('what a lane holds no more is a conflict and no part of the visit', async () => {
    const { clientId, id } = await floor.start()
    const answer = await send(clientId, [
      op(1, 'ADD', 2, { productId: 999_999 }),
      op(2, 'ADD', 2, { laneId: 987_654 }),
      op(3, 'ADD', 1),
      op(4, 'CLEAR', 0),
      op(5, 'ADD', 4),
    ])
    expect(states(answer)).toEqual(['CONFLICT', 'CONFLICT', 'APPLIED', 'APPLIED', 'APPLIED'])
    expect(answer.body.ops[0]).toMatchObject({ reason: '货道商品已变更，请重新核对', laneNow: 5 })
    expect((await floor.submit(id)).body).toMatchObject({
      state: 'PARTIAL',
      added: 4,
      openConflicts: 1,
    })
  })
  test('of somebody who no longer serves the machine, they wait for an operator', async () => {
    const { clientId, id } = await floor.start()
    await send(clientId, [op(1, 'ADD', 2)])
    floor.later(60)
    await floor.sql(
      `update device_assignments set from_at = '2026-01-01', to_at = $1
      where device_id = $2`,
      [floor.now(), machine],
    )
    try {
      floor.later(60)
      expect(states(await send(clientId, [op(2, 'ADD', 2)]))).toEqual(['REJECTED'])
      expect(await endDrafts(floor.app)).toBe(1)
      const decide = (endpoint: 'approve' | 'reject', more = {}) =>
        floor.call(replenishment[endpoint], { id, ...more }, { token: floor.operator })
      expect((await decide('approve')).body).toMatchObject({ state: 'POSTED', added: 2 })
      expect((await decide('reject', { reason: '重复' })).body.error).toBe(
        'replenishment.notSubmitted',
      )
      expect((await floor.lane(1)).q).toBe(7)
    } finally {
      await floor.sql(`update device_assignments set to_at = null where device_id = $1`, [machine])
    }
  })
})

describe('one lane', () => {
  const one = async (endpoint: 'postLane' | 'correct', input: object, token?: string) =>
    floor.call(
      replenishment[endpoint],
      { laneId: laneOf[1], ...input },
      { token: token ?? (await floor.login('ROLE_RTU_SP')) },
    )
  test('posted at once or not at all', async () => {
    expect((await one('postLane', { addedQty: 2 })).body).toMatchObject({ productStock: 7 })
    expect((await one('postLane', { countedQty: 6 })).body).toMatchObject({ productStock: 6 })
    expect((await one('postLane', { addedQty: 5 })).body.error).toBe('replenishment.overCapacity')
    expect((await one('postLane', {})).body.error).toBe('replenishment.nothing')
    expect(
      await floor.sql(`select 1 from replenishment_visits where source = 'LANE'`),
    ).toHaveLength(2)
  })
  test('a correction has a reason, and is one', async () => {
    const since = floor.now()
    expect((await one('correct', { countedQty: 3 })).body.errors).toMatchObject([
      { field: 'reason', message: '请输入更正原因' },
    ])
    const done = await one('correct', { countedQty: 3, reason: '录错' })
    expect(done.body).toMatchObject({ productStock: 3 })
    expect(await floor.flows(1, since)).toEqual(['CORRECTION -2'])
    const replenisher = await floor.login('ROLE_RTU_REPLENISHER')
    expect((await one('correct', { countedQty: 3, reason: 'x' }, replenisher)).status).toBe(403)
    await floor.agrees()
  })
  test('the same key posts once', async () => {
    const token = await floor.login('ROLE_RTU_SP')
    const headers = { 'idempotency-key': randomUUID() }
    for (const _ of [1, 2])
      await floor.call(
        replenishment.postLane,
        { laneId: laneOf[1], addedQty: 2 },
        { token, headers },
      )
    expect((await floor.lane(1)).q).toBe(7)
  })
})

test('a count that differs much is told to operators', async () => {
  const told = () => floor.sql(`select 1 from messages where kind = 'STOCK'`)
  const token = await floor.login('ROLE_RTU_REPLENISHER')
  await floor.sql(`delete from messages where kind = 'STOCK'`)
  const { id } = await floor.start(token)
  await floor.save(id, [item(1, { countedQty: 5 })], token)
  await floor.submit(id, token)
  expect(await told()).toEqual([])
  floor.later(1)
  const next = await floor.start(token)
  await floor.save(next.id, [item(1, { countedQty: 2 })], token)
  await floor.submit(next.id, token)
  expect((await told()).length).toBeGreaterThan(0)
})

describe('goods of a batch', () => {
  let batchId: number
  let recalled: number
  beforeAll(async () => {
    await floor.sql(`insert into suppliers (id, org_id, name, phone) overriding system value
      values (77, 3, '供', '13800138000') on conflict do nothing`)
    const [row] = await floor.sql<{ id: string }>(
      `insert into batches (org_id, product_id, supplier_id, batch_no, produced_on, expires_on,
        received_qty, recall_level, recalled_at, status)
        values (3, $1, 77, 'B1', '2026-01-01', '2027-06-01', 4, null, null, 'NORMAL'),
          (3, $1, 77, 'B2', '2026-01-01', '2027-06-01', 9, 'I', now(), 'RECALLED')
        returning id`,
      [machine],
    )
    batchId = Number(row?.id)
    recalled = batchId + 1
  })
  const layers = async () =>
    (
      await floor.sql<{ said: string }>(
        `select coalesce(batch_id - $2, -1) || ' ' || qty as said from lane_layers
          where lane_id = $1 order by pos`,
        [laneOf[1], batchId],
      )
    ).map((row) => row.said)
  const visit = async (items: Parameters<Floor['save']>[1], source = 'PANEL') => {
    const { id } = await floor.start(floor.replenisher, { source })
    await floor.save(id, items)
    return (await floor.submit(id)).body
  }

  test('lanes share what is left of it: the first ones get it', async () => {
    const done = await visit([item(1, { addedQty: 3, batchId }), item(2, { addedQty: 3, batchId })])
    expect(lanesOf(done)).toEqual([
      [1, 'POSTED', null],
      [2, 'REJECTED', 'overReceived'],
    ])
    expect(await layers()).toEqual(['-1 5', '0 3'])
    const { list } = (
      await floor.call(replenishment.batches, { deviceId: machine }, { token: floor.replenisher })
    ).body
    expect(list).toMatchObject([
      { id: batchId, productId: machine, batchNo: 'B1', expiresOn: '2027-06-01', room: 1 },
      { batchNo: '批OWN', room: null },
    ])
    await floor.agrees()
  })
  test('recalled: refused, and booked with the lane locked when it lies there already', async () => {
    const goods = [item(1, { addedQty: 2, batchId: recalled })]
    const refused = await visit(goods)
    expect(refused.items[0].error).toBe('batchRecalled')
    await floor.call(replenishment.cancel, { id: refused.id }, { token: floor.replenisher })
    expect((await visit(goods, 'PHONE')).state).toBe('POSTED')
    expect((await floor.lane(1)).status).toBe('LOCKED')
    // they are taken out wherever they lie, and the lane sells again
    const back = await visit([item(1, { withdrawnQty: 2, withdrawReason: 'RECALL' })])
    expect(back.state).toBe('POSTED')
    expect((await floor.lane(1)).status).toBe('ENABLED')
    expect((await layers()).some((said) => said.startsWith('1 '))).toBe(false)
    await floor.agrees()
  })
  test('with trace codes: as many as pieces, of this batch, each once', async () => {
    await floor.sql(`update products set trace_required = true where id = $1`, [machine])
    await floor.sql(`insert into trace_codes (code, org_id, batch_id) values ('81000001', 3, $1)`, [
      batchId,
    ])
    const put = (more: object) => [item(1, { addedQty: 1, ...more })]
    const wanted: [object, string][] = [
      [{}, 'batchMissing'],
      [{ batchId }, 'codesMismatch'],
      [{ batchId, codes: ['81000002'] }, 'codeUnusable'],
    ]
    for (const [more, error] of wanted) {
      const { id, items } = await visit(put(more))
      expect(items[0].error).toBe(error)
      await floor.call(replenishment.cancel, { id }, { token: floor.replenisher })
    }
    expect((await visit(put({ batchId, codes: ['81000001'] }))).state).toBe('POSTED')
    await floor.sql(`update products set trace_required = null where id = $1`, [machine])
    await floor.agrees()
  })
})

test('machines by how soon something will have gone there', async () => {
  const list = async (query = {}) =>
    (await floor.call(replenishment.tasks, { need: 'ALL', ...query }, { token: floor.operator }))
      .body.list as { id: number; sellsOutAt: string | null; lastPostedAt: string | null }[]
  await floor.sql(`delete from product_rollups where device_id = $1`, [machine])
  await floor.sql(
    `insert into product_rollups (org_id, device_id, product_id, day, pieces)
      select 3, $1, $1, date '2026-11-21' - n, 12 from generate_series(1, 5) n`,
    [machine],
  )
  expect(await forecastAll(floor.app)).toBeGreaterThan(0)
  const [first, second] = await list()
  // 15 pieces in three lanes, twelve a day
  expect(first?.id).toBe(machine)
  const hours = (Date.parse(first?.sellsOutAt as string) - floor.now().getTime()) / 3_600_000
  expect(hours).toBeCloseTo(30)
  expect(second?.sellsOutAt).toBeNull()
  // a sale of one day says nothing yet
  await floor.sql(`delete from product_rollups where device_id = $1 and day < '2026-11-20'`, [
    machine,
  ])
  await forecastAll(floor.app)
  expect((await list({ keyword: 'OWN0001' }))[0]?.sellsOutAt).toBeNull()
  await floor.sql(`update lanes set capacity = 40, warn_qty = 20 where id = $1`, [laneOf[1]])
  await floor.hold(1, 5)
  expect(await list({ need: 'LOW' })).toMatchObject([{ id: machine, low: 1, suggested: 45 }])
  expect(await list({ need: 'SOLD_OUT' })).toEqual([])
  await floor.sql(`update lanes set capacity = 10, warn_qty = 2 where id = $1`, [laneOf[1]])
})

test('a visit that nobody ends is cancelled after a day', async () => {
  const { id } = await floor.start()
  floor.later(86_399)
  expect(await endDrafts(floor.app)).toBe(0)
  floor.later(2)
  expect(await endDrafts(floor.app)).toBe(1)
  expect((await floor.submit(id, await floor.login('ROLE_RTU_REPLENISHER'))).body.error).toBe(
    'replenishment.closed',
  )
})

test('begun and done away from the network, a visit is of its own moments, and lives a day from then on', async () => {
  const startedAt = floor.now().toISOString()
  floor.later(3600)
  await floor.buy(1)
  await floor.say(await floor.take(), 'OK')
  floor.later(86_400)
  const token = await floor.login('ROLE_RTU_REPLENISHER')
  // its clock is an hour late
  const late = (at: string) => new Date(Date.parse(at) - 3_600_000).toISOString()
  const sentAt = late(floor.now().toISOString())
  const said = { source: 'PHONE', startedAt: late(startedAt), sentAt }
  const { id, clientId } = await floor.start(token, said)
  expect(await endDrafts(floor.app)).toBe(0)
  const op = { opId: randomUUID(), clientSeq: 1, kind: 'COUNT' as const, productId: machine }
  const counted = { ...op, laneId: laneOf[1], qty: 5, madeAt: late(startedAt) }
  await floor.call(replenishment.ops, { clientId, ops: [counted], sentAt }, { token })
  const done = await floor.submit(id, token)
  expect(done.body).toMatchObject({ state: 'POSTED', startedAt, difference: 0 })
  expect((await floor.lane(1)).q).toBe(4)
})
