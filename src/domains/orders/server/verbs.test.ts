import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { add, addOrganisations, type Sql } from '../../../../test/factories/things.ts'
import { admissionOf } from '../../../server/admission.ts'
import { type Actor, type Ctx, systemActor } from '../../../server/context.ts'
import { checkInvariants } from '../../../server/invariants.ts'
import { act, systemCaller } from '../../../server/run.ts'
import { claim as claimPieces, runDue } from '../../../server/work.ts'
import { Refusal } from '../../../shared/errors.ts'
import { addDays, shanghaiDay } from '../../../shared/instants.ts'
import { refreshDeviceCounters } from '../../machines/server/counters.ts'
import type { Machine } from '../../machines/server/identity.ts'
import { openWorld, type World } from '../../machines/server/testWorld.ts'
import type { VendFact } from '../../machines/server/vending.ts'
import { Clean, orderCleanups } from '../../order-cleanups/contract.ts'
import { handlers as cleanups } from '../../order-cleanups/server/verbs.ts'
import type { RefundAnswer } from '../../payment-channels/server/channels.ts'
import { handlers as payments, simulatorSign } from '../../payments/server/verbs.ts'
import { settingsChanged } from '../../settings/server/values.ts'
import { type Move, moveStock } from '../../stock/server/move.ts'
import { MobileOrder, orders, Refund } from '../contract.ts'
import { createHandlers } from './create.ts'
import { leaveQueue, tellQueue } from './queue.ts'
import { type Providers, refundKind } from './refunds.ts'
import { closeUnpaid, sweepCommands } from './timers.ts'
import { recordVend, takeCommands } from './vend.ts'
import { handlers } from './verbs.ts'

let world: World
let machine: Machine
beforeAll(async () => {
  world = await openWorld()
})
afterAll(async () => world.close())
beforeEach(async () => {
  machine = await stockedMachine()
})
/** Four lanes of five pieces, as the scenarios say, with the flows that explain them. */
async function stockedMachine(pieces = 5): Promise<Machine> {
  const fresh = await world.addMachine()
  await world.rows('update lanes set quantity = 0, capacity = 30 where device_id = $1', [fresh.id])
  const lanes = await world.rows<{ id: string }>('select id from lanes where device_id = $1', [
    fresh.id,
  ])
  await system(async (ctx) => {
    await moveStock(
      ctx,
      lanes.map((lane) => ({
        laneId: Number(lane.id),
        flow: {
          change: pieces,
          type: 'MERCHANT_REPLENISH',
          reason: 'REFILL',
          occurredAt: ctx.now,
          actorKind: 'SYSTEM',
        },
      })),
    )
    refreshDeviceCounters(ctx, [fresh.id])
  })
  return fresh
}

const open = { audit: null, scope: 'system' } as const
const system = <T>(work: (ctx: Ctx) => Promise<T>) =>
  act(world.app, systemCaller(systemActor), open, work)
type Run = (c: Ctx, i: unknown) => Promise<unknown>
const run = (handler: unknown, ctx: Ctx, input: unknown) =>
  (typeof handler === 'function' ? (handler as Run) : (handler as { run: Run }).run)(ctx, input)
const later = (seconds: number) => {
  world.clock.now += seconds * 1000
}

const order = (
  items: { roadIndex: number; count: number; price?: number }[],
  clientId = randomUUID(),
) =>
  system((ctx) =>
    run(
      createHandlers.mobileOrder,
      ctx,
      MobileOrder.parse({
        rtuNumber: machine.rtu,
        payType: 'WECHAT',
        clientId,
        items: items.map((i) => ({ price: 300, ...i })),
      }),
    ),
  ) as Promise<{ orderNum: string; outTradeNo: string; payableAmount: number }>

async function pay(
  made: { outTradeNo: string; payableAmount: number },
  eventId: string = randomUUID(),
  amount = made.payableAmount,
) {
  const notice = {
    eventId,
    outTradeNo: made.outTradeNo,
    tradeNo: `T${amount}${made.outTradeNo}`,
    amount,
    paidAt: new Date(world.clock.now).toISOString(),
  }
  const answer = await system((ctx) =>
    run(payments.simulatorNotify, ctx, {
      ...notice,
      sign: simulatorSign(world.app.config.simPayKey, notice),
    }),
  )
  return (answer as { result: string }).result
}
const take = () => takeCommands(world.app, [machine.id])
const say = (
  ...facts: (
    | Omit<Extract<VendFact, { kind: 'result' }>, 'deviceId' | 'at' | 'durationMs'>
    | Omit<Extract<VendFact, { kind: 'ack' }>, 'deviceId' | 'at'>
  )[]
) =>
  system((ctx) =>
    recordVend(
      ctx,
      facts.map(
        (fact) => ({ deviceId: machine.id, at: ctx.now, durationMs: 900, ...fact }) as VendFact,
      ),
    ),
  )
const ok = (cmdId: string) => ({ kind: 'result', cmdId, result: 'OK', dropDetected: true }) as const
const failed = (cmdId: string, result: 'NO_DROP' | 'MOTOR_NOT_MOVE') =>
  ({ kind: 'result', cmdId, result, dropDetected: false }) as const
const sold = async (count = 1) => {
  const made = await order([{ roadIndex: 1, count }])
  await pay(made)
  const [command] = await take()
  return { ...made, cmdId: command?.cmdId as string }
}
const provider = (...answers: RefundAnswer[]): Providers => {
  const give = {
    refund: async () => answers.shift() ?? ({ state: 'SUCCESS', providerRefundNo: 'x' } as const),
  }
  return { SIMULATOR: give, WECHAT: give, ALIPAY: give }
}
const refunds = (...answers: RefundAnswer[]) =>
  runDue(world.app, refundKind(world.app, provider(...answers)))

/** Everything a scenario ends with. */
async function ends(orderNum: string) {
  const [o] = await world.rows<{
    order_status: string
    paid_amount: string
    refunded_amount: string
    final: boolean
  }>(
    `select order_status, paid_amount, refunded_amount, final_at is not null as final from orders
      where order_num = $1`,
    [orderNum],
  )
  const units = await world.rows<{ vend_state: string; refund_state: string | null }>(
    `select vend_state, refund_state from order_units where order_num = $1 order by unit_no`,
    [orderNum],
  )
  const [lane] = await world.rows<{ q: number; r: number; h: number; status: string }>(
    `select quantity as q, reserved as r, failed_hold as h, status from lanes
      where device_id = $1 and road_index = 1`,
    [machine.id],
  )
  const flows = await world.rows<{ reason: string; change_total: number }>(
    `select reason, change_total from stock_flows where order_num = $1 order by id`,
    [orderNum],
  )
  const ledger = await world.rows<{ code: string; sum: string }>(
    `select a.code, sum(e.amount) as sum from ledger_entries e
      join ledger_accounts a on a.id = e.account_id where e.order_num = $1 group by 1
      having sum(e.amount) <> 0 order by 1`,
    [orderNum],
  )
  return {
    label: o?.order_status,
    final: o?.final,
    refunded: Number(o?.refunded_amount),
    units: units.map((u) => (u.refund_state ? `${u.vend_state}/${u.refund_state}` : u.vend_state)),
    lane: `${lane?.q}/${lane?.r}/${lane?.h}${lane?.status === 'ENABLED' ? '' : ` ${lane?.status}`}`,
    flows: flows.map((f) => `${f.reason} ${f.change_total}`),
    ledger: Object.fromEntries(ledger.map((l) => [l.code, Number(l.sum)])),
  }
}
/** A ¥3.00 sale at 60 basis points leaves 298 with the channel, owed to the collector. */
const kept = { '1001': 298, '2001': -298 }

describe('pieces and refunds, beyond the scenarios that test/model/scenarios.test.ts plays', () => {
  test('a machine has one live command: the second piece waits for the first', async () => {
    const sale = await sold(2)
    expect(await take()).toEqual([])
    await say(ok(sale.cmdId))
    expect(await take()).toHaveLength(1)
  })
  test('a channel that takes long uses up no try', async () => {
    const sale = await sold()
    await say(failed(sale.cmdId, 'MOTOR_NOT_MOVE'))
    for (let n = 0; n < 8; n += 1) {
      await refunds({ state: 'PROCESSING' })
      later(61)
    }
    const tries = async () =>
      (
        await world.rows<{ n: number }>(
          `select attempts - waited as n from refunds where order_num = $1`,
          [sale.orderNum],
        )
      )[0]?.n
    const cases = () =>
      world.rows(`select kind, state from order_cases where order_num = $1`, [sale.orderNum])
    for (let n = 0; n < 5; n += 1) {
      expect(await ends(sale.orderNum)).toMatchObject({ units: ['FAILED/PROCESSING'] })
      await refunds({ state: 'RETRY', reason: 'no money' })
      later(n < 4 ? 2000 : 0)
    }
    expect(await ends(sale.orderNum)).toMatchObject({ units: ['FAILED/FAILED'], ledger: kept })
    expect([await tries(), await cases()]).toEqual([5, [{ kind: 'REFUND_FAILED', state: 'OPEN' }]])
    later(17_000)
    expect(await refunds(), 'not before six hours, less a fifth').toBe(0)
    later(5000)
    await refunds()
    expect(await cases()).toEqual([{ kind: 'REFUND_FAILED', state: 'DONE' }])
    expect(await ends(sale.orderNum)).toMatchObject({
      label: 'REFUNDED',
      units: ['FAILED/SUCCESS'],
      refunded: 300,
    })
  })
  test('a refund the provider refused for ever is asked for again by hand, under its old number', async () => {
    const sale = await sold()
    await say(failed(sale.cmdId, 'MOTOR_NOT_MOVE'))
    for (let n = 0; n < 6; n += 1) {
      await refunds({ state: 'RETRY', reason: 'no money' })
      later(22_000)
    }
    expect(await ends(sale.orderNum)).toMatchObject({ units: ['FAILED/FAILED'], ledger: kept })
    await byHand(sale.orderNum, 'NOT_DISPENSED')
    await refunds()
    expect(await ends(sale.orderNum)).toMatchObject({
      label: 'REFUNDED',
      final: true,
      units: ['FAILED/SUCCESS'],
      refunded: 300,
      ledger: {},
    })
    expect(
      await world.rows(`select state from order_cases where order_num = $1`, [sale.orderNum]),
    ).toEqual([{ state: 'DONE' }])
  })
})

/** Sent, no word at all, given up by the clock. */
async function giveUp() {
  later(61)
  await sweepCommands(world.app)
  later(181)
  await sweepCommands(world.app)
}
test('refunds of tenants take turns: one who gives back much holds up nobody else', async () => {
  await addOrganisations(world.rows as Sql, [3, 1, 'OPERATOR', 'q'])
  const due = async (many: number, ago: number) => {
    const { orderNum } = await order([{ roadIndex: 1, count: 1 }])
    await world.rows(
      `insert into refunds (org_id, device_id, refund_no, payment_id, order_id, order_at, order_num,
        kind, amount, reason, automatic, state, next_at, created_at)
        select org_id, device_id, 'turn-' || id || '-' || n, id, order_id, order_at, order_num,
          'PAYMENT', 1, 'DUPLICATE', true, 'PENDING', $1, $1
        from payments, generate_series(1, $2::int) n where order_num = $3`,
      [new Date(world.clock.now - ago), many, orderNum],
    )
  }
  await due(20, 60_000)
  machine = await stockedMachine()
  for (const [table, key] of [
    ['devices', 'id'],
    ['lanes', 'device_id'],
    ['device_states', 'device_id'],
  ])
    await world.rows(`update ${table} set org_id = 3 where ${key} = $1`, [machine.id])
  const taken = (free: number, served: readonly string[] = []) =>
    claimPieces(world.app, refundKind(world.app, provider()), free, served)
  const [first] = await taken(1)
  await due(2, 1000)
  expect([
    first?.orgId,
    (await taken(1, [first?.turnOf as string])).map(({ orgId }) => orgId),
    (await taken(3)).map(({ orgId }) => orgId).sort(),
  ]).toEqual([2, [3], [2, 2, 3]])
  await world.rows(`delete from refunds where refund_no like 'turn-%'`)
})

test('a piece that left after its refund failed is not paid back by itself six hours later', async () => {
  const sale = await sold()
  await giveUp()
  // pieces that other tests left go with it
  const none: RefundAnswer = { state: 'RETRY', reason: 'no money' }
  for (let n = 0; n < 5; n += 1) {
    await refunds(...Array.from({ length: 8 }, () => none))
    later(n < 4 ? 2000 : 0)
  }
  expect(await ends(sale.orderNum)).toMatchObject({ units: ['VOID/FAILED'] })
  await say(ok(sale.cmdId))
  later(30_000)
  await refunds()
  expect(await ends(sale.orderNum)).toMatchObject({
    units: ['SUCCESS/FAILED'],
    refunded: 0,
    ledger: kept,
  })
})

test('the clock is set back by an hour: what left goes on to its refund, unpaid orders give their goods back', async () => {
  const sale = await sold()
  const unpaid = await order([{ roadIndex: 2, count: 1 }])
  later(-3600)
  await world.app.jobs.setRight()
  await giveUp()
  await closeUnpaid(world.app)
  await refunds()
  expect(await ends(sale.orderNum)).toMatchObject({ units: ['VOID/SUCCESS'], refunded: 300 })
  expect(
    await world.rows('select pay_state from orders where order_num = $1', [unpaid.orderNum]),
  ).toEqual([{ pay_state: 'CLOSED' }])
  later(3600)
})
const operator: Actor = {
  userId: null,
  sessionId: null,
  username: 'o',
  orgId: 2,
  home: 'OPERATOR',
  rank: 60,
  ofPlatform: false,
  role: 'ROLE_RTU_SP',
  permissions: new Set(['order:refund', 'order:read']),
  scope: { all: false, orgs: [2], ancestors: [1], devices: null, watched: null },
}
test('many small refunds ask for a proof as one large one does, also when they come at once', async () => {
  await world.rows(
    `insert into users (id, org_id, username, password_hash, real_name)
      values (77, 2, 'o', 'x', 'o')`,
  )
  await world.rows(
    `insert into settings (org_id, key, value) values (1, 'session.refundProof', '700')`,
  )
  const [open] = await world.rows<{ id: string }>(
    `insert into sessions (token_hash, user_id, org_id, ip, user_agent, expires_at)
      values ('\\x01', 77, 2, '', '', now() + interval '1 day') returning id`,
  )
  const orders: string[] = []
  for (let n = 0; n < 3; n += 1) {
    const sale = await sold()
    await say(ok(sale.cmdId))
    orders.push(sale.orderNum)
  }
  const actor: Actor = { ...operator, userId: 77, sessionId: open?.id ?? '', provenAt: new Date(0) }
  const tries = await Promise.allSettled(
    orders.map((orderNum) => byHand(orderNum, 'WRONG_ITEM', undefined, actor)),
  )
  expect(tries.map((t) => t.status).sort()).toEqual(['fulfilled', 'fulfilled', 'rejected'])
  expect(
    tries.flatMap((t) => (t.status === 'rejected' ? [(t.reason as Refusal).def.name] : [])),
  ).toEqual(['common.proofNeeded'])
  const left = orders.filter((_, n) => tries[n]?.status === 'rejected')[0] as string
  await byHand(left, 'WRONG_ITEM', undefined, { ...actor, provenAt: new Date(world.clock.now) })
  await world.rows(`delete from settings where key = 'session.refundProof'`)
})

const byHand = (orderNum: string, reason: string, unitIds?: number[], actor = operator) =>
  act(world.app, systemCaller(actor), orders.refund, (ctx) =>
    run(
      handlers.refund,
      ctx,
      Refund.parse({ orderNum, reason, ...(unitIds ? { unitIds } : { all: true }) }),
    ),
  )
const refusal = (promise: Promise<unknown>) =>
  promise.then(
    () => 'none',
    (error: unknown) => (error instanceof Refusal ? error.def.name : String(error)),
  )

describe('doors that must stay shut', () => {
  test('what the organisation set: pieces of an order, time to pay', async () => {
    const setting = (key: string, value: number) =>
      world.rows(
        `insert into settings (org_id, key, value) values (2, $1, $2) on conflict (org_id, key)
          do update set value = excluded.value`,
        [key, value],
      )
    await setting('order.maxPieces', 1)
    await setting('order.payTimeoutMachine', 7)
    settingsChanged(world.app)
    expect(await refusal(order([{ roadIndex: 1, count: 2 }]))).toBe('orders.overLimit')
    const made = await order([{ roadIndex: 1, count: 1 }])
    const [row] = await world.rows<{ minutes: number }>(
      `select extract(epoch from expire_at - created_at)::int / 60 as minutes from orders
        where order_num = $1`,
      [made.orderNum],
    )
    expect(row?.minutes).toBe(7)
    await world.rows('delete from settings where org_id = 2')
    settingsChanged(world.app)
  })
  test('ordering: price, stock, limits, state', async () => {
    expect(await refusal(order([{ roadIndex: 1, count: 1, price: 299 }]))).toBe(
      'orders.priceChanged',
    )
    expect(await refusal(order([{ roadIndex: 1, count: 6 }]))).toBe('orders.outOfStock')
    expect(await refusal(order([{ roadIndex: 9, count: 1 }]))).toBe('orders.laneNotSelling')
    await world.rows(`update lanes set restriction = 2 where device_id = $1`, [machine.id])
    expect(await refusal(order([{ roadIndex: 1, count: 3 }]))).toBe('orders.overLimit')
    await world.rows(`update lanes set status = 'FAULT' where device_id = $1`, [machine.id])
    expect(await refusal(order([{ roadIndex: 1, count: 1 }]))).toBe('orders.laneNotSelling')
    await world.rows('update device_states set online = false where device_id = $1', [machine.id])
    expect(await refusal(order([{ roadIndex: 1, count: 1 }]))).toBe('orders.deviceOffline')
    await world.rows(`update devices set lifecycle = 'PAUSED' where id = $1`, [machine.id])
    expect(await refusal(order([{ roadIndex: 1, count: 1 }]))).toBe('orders.deviceNotSelling')
  })
  describe('goods of a batch', () => {
    /** The first lane holds two boxes of it, with trace codes, and nothing else. */
    const fill = async (daysLeft: number) => {
      await add(world.rows as Sql, 'suppliers', {
        id: machine.id,
        org_id: 2,
        name: machine.rtu,
        phone: '13800138000',
      })
      const today = shanghaiDay(new Date(world.clock.now))
      const batchId = await add(world.rows as Sql, 'batches', {
        org_id: 2,
        product_id: 1,
        supplier_id: machine.id,
        batch_no: machine.rtu,
        produced_on: '2026-01-01',
        expires_on: addDays(today, daysLeft),
      })
      const codes = [1, 2].map((n) => `${machine.rtu}-CODE-${n}`)
      await world.rows(
        'insert into trace_codes (code, org_id, batch_id) select c, 2, $1 from unnest($2::text[]) c',
        [batchId, codes],
      )
      const [lane] = await world.rows<{ id: number; quantity: number }>(
        'select id, quantity from lanes where device_id = $1 and road_index = 1',
        [machine.id],
      )
      const flow = { occurredAt: new Date(world.clock.now), actorKind: 'SYSTEM' } as const
      await system(async (ctx) => {
        await moveStock(
          ctx,
          [
            { change: -5, type: 'MERCHANT_WITHDRAW', reason: 'TAKE_BACK' } as const,
            { change: 2, type: 'MERCHANT_REPLENISH', reason: 'REFILL', batchId, codes } as const,
          ].map((what) => ({ laneId: lane?.id as number, flow: { ...flow, ...what } })),
        )
        refreshDeviceCounters(ctx, [machine.id])
      })
      return { lane: lane?.id as number, codes }
    }
    const lock = async (lane: number) => {
      await world.rows(
        `update batches set status = 'RECALLED', recall_level = 'I', recalled_at = now()
          where batch_no = $1`,
        [machine.rtu],
      )
      await world.rows(`update lanes set status = 'LOCKED', lock_reason = 'RECALL' where id = $1`, [
        lane,
      ])
      await system(async (ctx) => refreshDeviceCounters(ctx, [machine.id]))
    }
    const shelf = async () =>
      (
        (await system((ctx) =>
          run(createHandlers.mobileLanes, ctx, { rtuNumber: machine.rtu }),
        )) as { list: { roadIndex: number }[] }
      ).list.map((lane) => lane.roadIndex)

    test('too near their date is neither shown nor sold, before any sweep', async () => {
      await fill(2)
      expect(await shelf()).toContain(1)
      later(86_400)
      expect(await shelf()).not.toContain(1)
      expect(await refusal(order([{ roadIndex: 1, count: 1 }]))).toBe('orders.laneNotSelling')
    })
    test('boxes leave from the front, each with its piece', async () => {
      const { codes } = await fill(100)
      const sale = await sold()
      await say(ok(sale.cmdId))
      const box = await world.rows(
        `select t.code, t.state, u.order_num from trace_codes t
          join order_units u on u.id = t.unit_id where t.code = any($1)`,
        [codes],
      )
      expect(box).toEqual([{ code: codes[0], state: 'SOLD', order_num: sale.orderNum }])
    })
    describe('that leave with their trace codes', () => {
      beforeEach(() => world.rows('update products set trace_required = true where id = 1'))
      afterEach(() => world.rows('update products set trace_required = null where id = 1'))
      const inFlow = (flow: object) => ({
        flow: {
          ...{ change: 1, type: 'MERCHANT_REPLENISH', occurredAt: new Date(world.clock.now) },
          ...{ reason: 'REFILL', actorKind: 'SYSTEM' },
          ...flow,
        } as NonNullable<Move['flow']>,
      })
      const unitsOf = (orderNum: string) => ends(orderNum).then(({ units }) => units)
      test('a piece too many: what waits is paid back and nothing is sold, until it is out', async () => {
        const { lane } = await fill(100)
        const first = await sold()
        const second = await order([{ roadIndex: 1, count: 1 }])
        await pay(second)
        await say(ok(first.cmdId))
        const count = { reason: 'COUNT_GAIN', batchId: null }
        await system((ctx) => moveStock(ctx, [{ laneId: lane, ...inFlow(count) }]))
        expect(await take()).toEqual([])
        expect(await unitsOf(first.orderNum)).toEqual(['SUCCESS'])
        expect(await unitsOf(second.orderNum)).toEqual(['VOID/PENDING'])
        await refunds()
        expect(await unitsOf(second.orderNum)).toEqual(['VOID/SUCCESS'])
        expect(
          await world.rows('select act, key from drug_guard_refusals where device_id = $1', [
            machine.id,
          ]),
        ).toEqual([{ act: 'VEND', key: 'codesApart' }])
        expect(await shelf()).not.toContain(1)
        expect(await refusal(order([{ roadIndex: 1, count: 1 }]))).toBe('orders.drugForbidden')
        const out = { change: -1, type: 'MERCHANT_WITHDRAW', reason: 'TAKE_BACK', batchId: null }
        await system((ctx) => moveStock(ctx, [{ laneId: lane, ...inFlow(out) }]))
        expect(await shelf()).toContain(1)
        expect((await sold()).cmdId).toBeDefined()
      })
      test('ordered while somebody loads: the order waits and sees both, pieces and codes', async () => {
        const { lane } = await fill(100)
        const code = `${machine.rtu}-CODE-3`
        const [batch] = await world.rows<{ id: string }>(
          `insert into trace_codes (code, org_id, batch_id) select $1, org_id, id from batches
            where batch_no = $2 returning batch_id as id`,
          [code, machine.rtu],
        )
        const [held, loaded] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
        const loading = system(async (ctx) => {
          const more = inFlow({ batchId: Number(batch?.id), codes: [code] })
          await moveStock(ctx, [{ laneId: lane, ...more }])
          held.resolve()
          await loaded.promise
        })
        await held.promise
        const { lockMs } = admissionOf(world.app)
        Object.assign(admissionOf(world.app), { lockMs: () => 10_000 })
        const buying = order([{ roadIndex: 1, count: 1 }])
        await expect
          .poll(() =>
            world.rows(`select 1 as n from pg_stat_activity
              where datname = current_database() and wait_event_type = 'Lock'`),
          )
          .toHaveLength(1)
        Object.assign(admissionOf(world.app), { lockMs })
        loaded.resolve()
        await loading
        expect(await buying).toMatchObject({ payableAmount: 300 })
      })
    })
    test('recalled: what waits is paid back, what is on its way finishes', async () => {
      const { lane, codes } = await fill(100)
      const first = await sold()
      const second = await order([{ roadIndex: 1, count: 1 }])
      await pay(second)
      await lock(lane)
      await say(ok(first.cmdId))
      expect(await take()).toEqual([])
      const units = await world.rows(
        `select order_num, vend_state, refund_state from order_units where order_num = any($1)
          order by id`,
        [[first.orderNum, second.orderNum]],
      )
      expect(units).toMatchObject([
        { vend_state: 'SUCCESS', refund_state: null },
        { vend_state: 'VOID', refund_state: 'PENDING' },
      ])
      expect(
        await world.rows(`select code from trace_codes where state = 'LOADED' and code = any($1)`, [
          codes,
        ]),
      ).toEqual([{ code: codes[1] }])
    })
  })
  test('the same client id twice, even at once, is one order', async () => {
    const clientId = randomUUID()
    const made = await Promise.all(
      [1, 2, 3].map(() => order([{ roadIndex: 1, count: 1 }], clientId)),
    )
    expect(new Set(made.map((m) => m.orderNum)).size).toBe(1)
    expect((await ends(made[0]?.orderNum as string)).lane).toBe('5/1/0')
    expect(
      await order([{ roadIndex: 1, count: 1 }], clientId.toUpperCase() as typeof clientId),
    ).toEqual(made[0])
  })
  test('a client id that is said again for other goods or another machine gets no answer', async () => {
    const clientId = randomUUID()
    await order([{ roadIndex: 1, count: 1 }], clientId)
    for (const items of [
      [{ roadIndex: 2, count: 1 }],
      [{ roadIndex: 1, count: 2 }],
      [{ roadIndex: 1, count: 1, price: 299 }],
    ])
      expect(await refusal(order(items, clientId))).toBe('common.keyReused')
    const before = machine
    machine = await stockedMachine()
    expect(await refusal(order([{ roadIndex: 1, count: 1 }], clientId))).toBe('common.keyReused')
    machine = before
  })
  test('an order for a machine that somebody is changing does not wait for the end of it', async () => {
    await world.rows('begin')
    await world.rows('select 1 from lanes where device_id = $1 for update', [machine.id])
    const began = performance.now()
    expect(await refusal(order([{ roadIndex: 1, count: 1 }]))).toMatch(/lock timeout/)
    expect(performance.now() - began).toBeLessThan(8000)
    await world.rows('rollback')
    await order([{ roadIndex: 1, count: 1 }])
  })
  test('paying: other amount, twice at once, forged', async () => {
    const made = await order([{ roadIndex: 1, count: 1 }])
    expect(await pay(made, randomUUID(), 299)).toBe('MISMATCH')
    expect((await ends(made.orderNum)).label).toBe('UNPAID')
    const results = await Promise.all([pay(made), pay(made), pay(made)])
    expect(results.sort()).toEqual(['APPLIED', 'DUPLICATE', 'DUPLICATE'])
    // what arrived with the wrong amount waits in suspense
    expect((await ends(made.orderNum)).ledger).toEqual({ ...kept, '1001': 298 + 299, '2901': -299 })
    expect(
      await refusal(
        (
          payments.simulatorNotify as unknown as {
            prepare(app: unknown, input: unknown, request: unknown): Promise<void>
          }
        ).prepare(
          world.app,
          {
            eventId: 'e',
            outTradeNo: made.outTradeNo,
            tradeNo: 't',
            amount: 300,
            paidAt: 'x',
            sign: '0'.repeat(64),
          },
          { ip: '' },
        ),
      ),
    ).toBe('payments.badSignature')
  })
  test('a machine speaks only about its own commands', async () => {
    const sale = await sold()
    const other = await stockedMachine()
    await system((ctx) =>
      recordVend(ctx, [
        {
          kind: 'result',
          deviceId: other.id,
          cmdId: sale.cmdId,
          result: 'OK',
          dropDetected: true,
          durationMs: 1,
          at: ctx.now,
        },
      ]),
    )
    expect(await ends(sale.orderNum)).toMatchObject({ units: ['SENT'], lane: '5/1/0' })
  })
  test('refund by hand: while shipping, twice at once, of another organisation', async () => {
    const sale = await sold()
    expect(await refusal(byHand(sale.orderNum, 'USER_REQUEST'))).toBe('orders.shipping')
    await say(ok(sale.cmdId))
    const stranger = {
      ...operator,
      orgId: 99,
      scope: { ...operator.scope, orgs: [99], ancestors: [] },
    }
    expect(await refusal(byHand(sale.orderNum, 'USER_REQUEST', undefined, stranger))).toBe(
      'common.notFound',
    )
    const twins = await Promise.all([
      refusal(byHand(sale.orderNum, 'QUALITY')),
      refusal(byHand(sale.orderNum, 'QUALITY')),
    ])
    expect(twins.sort()).toEqual(['common.stale', 'none'])
    await refunds()
    expect((await ends(sale.orderNum)).refunded).toBe(300)
    expect(
      await world.rows(
        `select 1 from operation_logs where action = 'orders.refund' and resource_id = $1`,
        [sale.orderNum],
      ),
    ).toHaveLength(1)
  })
})

test('an unanswered command is sent again with its id, at most three times, and never after it expired', async () => {
  const sale = await sold()
  const ids: string[] = []
  for (let second = 0; second < 70; second += 5) {
    later(5)
    ids.push(...(await take()).filter((c) => c.kind === 'vend').map((c) => c.cmdId))
  }
  expect(ids).toEqual([sale.cmdId, sale.cmdId, sale.cmdId])
})

describe('a queue that is old or long', () => {
  const tries = () =>
    order([{ roadIndex: 1, count: 1 }]).then(
      () => 'taken',
      (error: unknown) => (error as Refusal).def.name,
    )
  test('of a machine that does not answer: no new orders, what is paid is paid, its answer opens it again', async () => {
    const waiting = await order([{ roadIndex: 2, count: 1 }])
    await pay(await order([{ roadIndex: 1, count: 1 }]))
    const [sent] = await take()
    later(50)
    expect(await tries()).toBe('taken')
    later(11)
    expect(await tries()).toBe('orders.deviceBusy')
    expect(await pay(waiting)).toBe('APPLIED')
    await say(
      { kind: 'ack', cmdId: sent?.cmdId as string, ack: 'ACCEPTED' },
      ok(sent?.cmdId as string),
    )
    expect(await tries()).toBe('taken')
  })
  test('of a machine with a long queue: no new orders, however young they all are', async () => {
    machine = await stockedMachine(30)
    for (const roadIndex of [1, 2]) await pay(await order([{ roadIndex, count: 23 }]))
    const last = await order([{ roadIndex: 3, count: 2 }])
    expect(await tries()).toBe('taken')
    await pay(last)
    expect(await tries()).toBe('orders.deviceBusy')
  })
  test('of the platform: no new orders anywhere while gateways are behind or silent', async () => {
    const waiting = await order([{ roadIndex: 2, count: 1 }])
    let ahead = 0
    const real = performance.now.bind(performance)
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => real() + ahead)
    const asked = async () => {
      ahead += 1050
      await tries()
      await sleep(50)
      return tries()
    }
    await tellQueue(world.app, 6000)
    expect(await asked()).toBe('orders.vendingBusy')
    expect(await pay(waiting)).toBe('APPLIED')
    await tellQueue(world.app, 0)
    // after a while without orders the first one meets no old answer
    ahead += 3050
    expect(await tries()).toBe('taken')
    later(20)
    expect(await asked()).toBe('orders.vendingBusy')
    await leaveQueue(world.app)
    expect(await asked()).toBe('taken')
    clock.mockRestore()
  })
})

/** This small world has no month partitions. */
const broken = async () =>
  (await checkInvariants(world.app.config.databaseUrl as string)).filter(
    ({ name }) => !name.includes('month has its partition'),
  )

test('a line of the list says from which lanes its pieces come', async () => {
  const { orderNum } = await sold()
  const query = orders.list.input.parse({ keyword: orderNum })
  const answer = await system((ctx) => run(handlers.list, ctx, query))
  expect(answer).toMatchObject({ list: [{ orderNum, roads: [1] }] })
})

describe('orders that are cleaned', () => {
  const logged = (verb: 'clean' | 'restore', work: (ctx: Ctx) => Promise<unknown>) =>
    act(world.app, systemCaller(systemActor), { ...orderCleanups[verb], scope: 'system' }, work)
  const clean = (input: Record<string, unknown>) =>
    logged('clean', (ctx) => run(cleanups.clean, ctx, Clean.parse({ reason: '测试', ...input })))
  const restore = (orderNum: string) =>
    logged('restore', (ctx) => run(cleanups.restore, ctx, { orderNums: [orderNum] }))
  const listed = async (orderNum: string, more: Record<string, unknown> = {}) => {
    const answer = await system((ctx) =>
      run(handlers.list, ctx, orders.list.input.parse({ keyword: orderNum, ...more })),
    )
    return (answer as { total: number }).total
  }
  const refused = (name: string) =>
    expect.objectContaining({ def: expect.objectContaining({ name }) })
  /** All that came in goes back: nobody has paid in the end. */
  const refundedSale = async () => {
    const sale = await sold()
    await say(failed(sale.cmdId, 'MOTOR_NOT_MOVE'))
    await refunds()
    return sale.orderNum
  }
  const figures = async () => {
    const [row] = await world.rows(
      `select sum(orders)::int as orders, sum(paid)::int as paid, sum(refunded)::int as refunded,
        sum(refund_orders)::int as "refundOrders" from sales_rollups
        where device_id = $1 and grain = 'TOTAL'`,
      [machine.id],
    )
    return row
  }

  test('leave lists and figures, and come back as they were', async () => {
    const orderNum = await refundedSale()
    const before = await figures()
    expect(await clean({ orderNums: [orderNum] })).toEqual({ orders: 1, amount: 300 })
    expect(await figures()).toEqual({ orders: 0, paid: 0, refunded: 0, refundOrders: 0 })
    expect([await listed(orderNum), await listed(orderNum, { includeCleaned: true })]).toEqual([
      0, 1,
    ])
    expect(await broken()).toEqual([])
    await expect(clean({ orderNums: [orderNum] })).rejects.toEqual(refused('common.stale'))
    expect(await restore(orderNum)).toEqual({ orders: 1, amount: 300 })
    expect([await figures(), await listed(orderNum)]).toEqual([before, 1])
    expect(await broken()).toEqual([])
    await expect(restore(orderNum)).rejects.toEqual(refused('common.stale'))
    expect(
      await world.rows(
        'select action, reason from order_cleanups where order_num = $1 order by id',
        [orderNum],
      ),
    ).toEqual([
      { action: 'CLEAN', reason: '测试' },
      { action: 'RESTORE', reason: '' },
    ])
  })

  test('have no paid money: one that has is refused, with all that were named beside it', async () => {
    const dead = await refundedSale()
    const { orderNum: paid, ...payment } = await order([{ roadIndex: 2, count: 1 }])
    await pay(payment)
    await expect(clean({ orderNums: [dead, paid] })).rejects.toMatchObject({
      fields: [{ field: 'orderNums' }],
    })
    expect(await listed(dead)).toBe(1)
  })

  test('a trial counts and changes nothing; a filter takes what fits', async () => {
    const orderNum = await refundedSale()
    const day = orderNum.replace(/^(....)(..)(..).*/, '$1-$2-$3')
    const filter = { kind: 'REFUNDED', deviceId: machine.id, from: day, to: day }
    expect(await clean({ filter, dryRun: true })).toEqual({ orders: 1, amount: 300 })
    expect(await listed(orderNum)).toBe(1)
    expect(await clean({ filter })).toEqual({ orders: 1, amount: 300 })
    expect(await clean({ filter })).toEqual({ orders: 0, amount: 0 })
  })

  test('a payment that comes after all takes the order back', async () => {
    const made = await order([{ roadIndex: 1, count: 1 }])
    await clean({ orderNums: [made.orderNum] })
    expect(await pay(made)).toBe('APPLIED')
    expect(await listed(made.orderNum)).toBe(1)
    expect(await figures()).toMatchObject({ orders: 1, paid: 300 })
    expect(await broken()).toEqual([])
  })

  test('a piece that left after all costs in no figure until the order is restored', async () => {
    const sale = await sold()
    later(61)
    await sweepCommands(world.app)
    later(600)
    await sweepCommands(world.app)
    await refunds()
    expect((await ends(sale.orderNum)).refunded).toBe(300)
    await clean({ orderNums: [sale.orderNum] })
    await say(ok(sale.cmdId))
    expect((await ends(sale.orderNum)).units).toEqual(['SUCCESS/SUCCESS'])
    expect(await broken()).toEqual([])
    await restore(sale.orderNum)
    expect(await broken()).toEqual([])
  })
})

test('after everything above the books agree', async () => {
  expect(await broken()).toEqual([])
})
