import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Ctx } from '../../../server/context.ts'
import { columns } from '../../../server/shapes.ts'
import { moveStock } from '../../stock/server/move.ts'
import { addCommands, addUnits, type Lane, nextOrder, takeKey } from './create.ts'

export type TestLane = Pick<
  Lane,
  'id' | 'roadIndex' | 'productId' | 'name' | 'model' | 'img' | 'drugClass'
>

/**
 * An order of one piece for nothing, by whoever tests a machine. It is no sale: no payment, no cost
 * (the flow is a withdrawal), and `paid_at` stays empty, so that no figure counts it. Answers its
 * number; the lane is locked by the caller.
 */
export async function addTestOrder(
  ctx: Ctx,
  device: { id: number; orgId: number; rtuNumber: string; nickname: string },
  lane: TestLane,
): Promise<string> {
  const { id, orderNum } = await nextOrder(ctx)
  await takeKey(ctx, { id, orderNum }, device, randomUUID())
  const order = {
    ...{
      id,
      orderNum,
      orgId: device.orgId,
      deviceId: device.id,
      rtuNumber: device.rtuNumber,
      deviceName: device.nickname,
      createdAt: ctx.now,
    },
    ...({
      channel: 'MACHINE',
      orderType: 'TEST',
      payType: 'NONE',
      payState: 'PAID',
      orderStatus: 'PAID',
    } as const),
    ...{
      detail: `${lane.name} ${lane.model} ×1`,
      img: lane.img,
      pieces: 1,
      totalAmount: 0,
      payableAmount: 0,
      expireAt: ctx.now,
    },
  }
  await ctx.db.insertInto('orders').values(columns('orders', order)).execute()
  await addUnits(ctx, { id, orderNum, orgId: device.orgId, deviceId: device.id }, [
    { lane: { ...lane, price: 0, costPrice: 0 }, count: 1 },
  ])
  const data = JSON.stringify({ pieces: 1, total: 0, test: true })
  await sql`insert into order_events (org_id, created_at, order_id, order_at, device_id, kind, data,
    actor)
    values (${device.orgId}, ${ctx.now}, ${id}, ${ctx.now}, ${device.id}, 'CREATED', ${data},
      ${ctx.actor.username})`.execute(ctx.db)
  await moveStock(ctx, [{ laneId: lane.id, reserved: 1 }])
  await addCommands(ctx, { orgId: device.orgId, at: ctx.now, id })
  ctx.touch('orders', device.orgId)
  return orderNum
}
