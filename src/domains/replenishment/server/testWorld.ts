import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { openWorld, rowId, widenLimits, worldNow } from '../../../../test/support/world.ts'
import { checkInvariants } from '../../../server/invariants.ts'
import type { CallInput } from '../../../shared/contract.ts'
import { refreshDeviceCounters } from '../../machines/server/counters.ts'
import type { VendFact, VendOut } from '../../machines/server/vending.ts'
import { orders } from '../../orders/contract.ts'
import { recordVend, takeCommands } from '../../orders/server/vend.ts'
import { payments } from '../../payments/contract.ts'
import { simulatorSign } from '../../payments/server/verbs.ts'
import { moveStock } from '../../stock/server/move.ts'
import { replenishment } from '../contract.ts'

/** Goods in lanes of one machine, a customer, the machine's word, and people who fill it. */
export type Floor = Awaited<ReturnType<typeof openFloor>>
/** Lanes that hold something, by their road. */
export const laneOf = { 1: rowId('OWN', 1), 2: rowId('OWN', 2), 8: rowId('OWN', 4) } as const
export type Road = keyof typeof laneOf
export const machine = rowId('OWN', 1)

export async function openFloor() {
  let now = worldNow.getTime()
  const world = await openWorld({ now: () => new Date(now) })
  await widenLimits(world)
  const operator = await world.login('ROLE_RTU_SP')
  const replenisher = await world.login('ROLE_RTU_REPLENISHER')
  const lane = async (road: Road) => {
    const [row] = await world.sql<{ q: number; r: number; h: number; status: string }>(
      `select quantity as q, reserved as r, failed_hold as h, status from lanes where id = $1`,
      [laneOf[road]],
    )
    return row as { q: number; r: number; h: number; status: string }
  }
  const start = async (token = replenisher, more: object = {}) => {
    const answer = await world.call(
      replenishment.start,
      { deviceId: machine, clientId: randomUUID(), ...more },
      { token },
    )
    expect(answer.body).toMatchObject({ state: 'DRAFT' })
    return answer.body as { id: number; clientId: string }
  }
  const save = (
    id: number,
    items: CallInput<typeof replenishment.saveItems>['items'],
    token = replenisher,
    sentAt?: string,
  ) => world.call(replenishment.saveItems, { id, items, ...(sentAt ? { sentAt } : {}) }, { token })
  const submit = (id: number, token = replenisher) =>
    world.call(replenishment.submit, { id }, { token })
  return {
    ...world,
    world,
    operator,
    replenisher,
    lane,
    start,
    save,
    submit,
    now: () => new Date(now),
    later: (seconds: number) => {
      now += seconds * 1000
    },
    /** The lane holds that many and owes nothing. */
    async hold(road: Road, quantity: number) {
      await world.sql(
        `update order_units set hold = 'RELEASED' where lane_id = $1
        and hold in ('HELD','FAILED_HOLD')`,
        [laneOf[road]],
      )
      await world.sql(
        `update lanes set reserved = 0, failed_hold = 0, status = 'ENABLED', lock_reason = null
          where id = $1`,
        [laneOf[road]],
      )
      const { q } = await lane(road)
      const change = quantity - q
      const [type, reason] =
        change > 0
          ? (['MERCHANT_REPLENISH', 'REFILL'] as const)
          : (['MERCHANT_WITHDRAW', 'TAKE_BACK'] as const)
      await world.system(async (ctx) => {
        if (change)
          await moveStock(ctx, [
            {
              laneId: laneOf[road],
              flow: { change, type, reason, occurredAt: ctx.now, actorKind: 'SYSTEM' },
            },
          ])
        refreshDeviceCounters(ctx, [machine])
      })
      now += 1000
    },
    /** Somebody pays for one piece. */
    async buy(road: Road) {
      const ordered = await world.call(orders.mobileOrder, {
        rtuNumber: 'OWN0001',
        items: [{ roadIndex: road, count: 1, price: 250 }],
        payType: 'WECHAT',
        clientId: randomUUID(),
        consumer: '',
      })
      expect(ordered.status, JSON.stringify(ordered.body)).toBe(200)
      const notice = {
        eventId: randomUUID(),
        outTradeNo: ordered.body.outTradeNo,
        tradeNo: randomUUID(),
        amount: ordered.body.payableAmount,
        paidAt: new Date(now).toISOString(),
      }
      await world.call(payments.simulatorNotify, {
        ...notice,
        sign: simulatorSign(world.app.config.simPayKey, notice),
      })
      return ordered.body.orderNum as string
    },
    /** What leaves for the machine now. */
    take: async () => (await takeCommands(world.app, [machine]))[0] as VendOut,
    say: (out: VendOut, result: Extract<VendFact, { kind: 'result' }>['result']) =>
      world.system((ctx) =>
        recordVend(ctx, [
          {
            kind: 'result',
            deviceId: out.deviceId,
            cmdId: out.cmdId,
            result,
            dropDetected: result === 'OK',
            durationMs: 900,
            at: new Date(now),
          },
        ]),
      ),
    /** Flows of the lane since that moment, as `reason change`. */
    flows: async (road: Road, since: Date) =>
      (
        await world.sql<{ said: string }>(
          `select reason || ' ' || change_total as said from stock_flows
            where lane_id = $1 and created_at >= $2 order by lane_seq`,
          [laneOf[road], since],
        )
      ).map((row) => row.said),
    agrees: async () => expect(await checkInvariants(world.ownerUrl)).toEqual([]),
  }
}
