import { randomUUID } from 'node:crypto'
import type { Ctx } from '../../../server/context.ts'
import { moveStock } from '../../stock/server/move.ts'
import { addCommands, addUnits, type Lane, nextOrder } from './create.ts'

export type TestLane = Pick<Lane, 'id' | 'roadIndex' | 'productId' | 'name' | 'model' | 'img' | 'drugClass'>

/**
 * An order of one piece for nothing, by whoever tests a machine. It is no sale: no payment, no cost (the flow is a withdrawal),
 * and `paid_at` stays empty, so that no figure counts it. Answers its number; the lane is locked by the caller.
 */
export async function addTestOrder(ctx: Ctx, device: { id: number; orgId: number; rtuNumber: string; nickname: string }, lane: TestLane): Promise<string> {
  const { id, orderNum } = await nextOrder(ctx)
  await ctx.db
    .insertInto('order_keys')
    .values({ order_num: orderNum, client_id: randomUUID(), order_id: id, org_id: device.orgId, device_id: device.id, created_at: ctx.now })
    .execute()
  await ctx.db
    .insertInto('orders')
    .values({
      org_id: device.orgId,
      created_at: ctx.now,
      id,
      order_num: orderNum,
      device_id: device.id,
      rtu_number: device.rtuNumber,
      device_name: device.nickname,
      consumer: '',
      channel: 'MACHINE',
      order_type: 'TEST',
      pay_type: 'NONE',
      pay_state: 'PAID',
      order_status: 'PAID',
      detail: `${lane.name} ${lane.model} ×1`,
      img: lane.img,
      pieces: 1,
      total_amount: 0,
      payable_amount: 0,
      expire_at: ctx.now,
    })
    .execute()
  await addUnits(ctx, { id, orderNum, orgId: device.orgId, deviceId: device.id }, [{ lane: { ...lane, price: 0, costPrice: 0 }, count: 1 }])
  await ctx.db
    .insertInto('order_events')
    .values({
      org_id: device.orgId,
      created_at: ctx.now,
      order_id: id,
      order_at: ctx.now,
      device_id: device.id,
      kind: 'CREATED',
      data: JSON.stringify({ pieces: 1, total: 0, test: true }),
      actor: ctx.actor.username,
    })
    .execute()
  await moveStock(ctx, [{ laneId: lane.id, reserved: 1 }])
  await addCommands(ctx, { orgId: device.orgId, at: ctx.now, id })
  ctx.touch('orders', device.orgId)
  return orderNum
}
