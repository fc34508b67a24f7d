import { sql } from 'kysely'
import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, found } from '../../../server/context.ts'
import { rowOf } from '../../../server/rows.ts'
import { within } from '../../../server/within.ts'
import { common, fieldRefusal, Refusal, reject } from '../../../shared/errors.ts'
import { say } from '../../../shared/text.ts'
import { missingPictures, uploadedBy } from '../../files/server/pictures.ts'
import { orderErrors, type orders } from '../contract.ts'
import { giverRefusal, resolvable } from '../rules.ts'
import * as q from './queries.ts'
import { chooseLanes, giversOf, vendAgain } from './revend.ts'
import { lockOrders, relabel, type Unit } from './rows.ts'
import { settle } from './settle.ts'
import { salesAgain } from './specials.ts'

/** A piece that did not leave, or of which nothing is known, put right by a person. */

type Contract = typeof orders

async function lockedPiece(ctx: Ctx, input: { orderNum: string; unitId: number }) {
  const row = found(await q.visibleOrder(ctx, input.orderNum))
  const { orders: locked, units } = await lockOrders(ctx, [
    { orgId: row.orgId, at: new Date(row.createTime), id: row.id },
  ])
  const order = found(locked[0])
  return { order, units, unit: found(units.find(({ id }) => id === input.unitId)) }
}

export const vendLanes: Handlers<Contract>['vendLanes'] = async (ctx, { orderNum, unitId }) => {
  const row = found(await q.visibleOrder(ctx, orderNum))
  const at = new Date(row.createTime)
  const unit = found(
    await rowOf<Pick<Unit, 'id' | 'orderId' | 'unitNo' | 'drugClass' | 'productId' | 'laneId'>>(
      ctx.db,
    )`select id, order_id as "orderId", unit_no as "unitNo", drug_class as "drugClass",
      product_id as "productId", lane_id as "laneId" from order_units u
      where u.org_id = ${row.orgId} and ${within('u.created_at', [at])} and u.order_id = ${row.id}
        and u.id = ${unitId}`,
  )
  const lanes = await giversOf(ctx, [row.deviceId], [unit.productId])
  const sale = (await salesAgain(ctx, [unit], false)).get(unitId)
  const list = lanes
    .filter(({ orgId }) => orgId === row.orgId)
    .map((lane) => {
      const refusal = giverRefusal(lane, sale)
      const { id, road, available } = lane
      const same = id === unit.laneId
      return { id, road, available, same, refusal: refusal && say(refusal.text, ctx.lang) }
    })
    .toSorted((a, b) => Number(b.same) - Number(a.same) || a.road - b.road)
  return { list }
}

export const vend: Handlers<Contract>['vend'] = async (ctx, input) => {
  const { order, units, unit } = await lockedPiece(ctx, input)
  if (order.orderType === 'TEST') throw new Refusal(orderErrors.notPaid)
  // somebody was a moment earlier
  if (unit.vendState === 'WAIT' && unit.attempt > 1) throw new Refusal(common.stale)
  const lanes = await giversOf(ctx, [order.deviceId], [unit.productId], sql`for no key update of l`)
  const before = { vendState: unit.vendState, road: unit.road }
  const sale = (await salesAgain(ctx, [unit], true)).get(unit.id)
  await vendAgain(ctx, chooseLanes([{ order, unit, laneId: input.laneId, sale }], lanes))
  relabel(ctx, [order], units)
  ctx.audit({
    id: order.orderNum,
    orgId: order.orgId,
    before,
    after: { units: [unit.unitNo], road: unit.road, attempt: unit.attempt },
  })
  return q.orderDetail(ctx, found(await q.visibleOrder(ctx, input.orderNum)))
}

export const resolve: Handlers<Contract>['resolve'] = async (ctx, input) => {
  const { order, unit } = await lockedPiece(ctx, input)
  const command = await rowOf<{ cmdId: string; unknownAt: Date | null }>(
    ctx.db,
  )`select cmd_id as "cmdId", unknown_at as "unknownAt" from vend_commands
    where unit_id = ${unit.id} and attempt = ${unit.attempt}`
  // the machine, or somebody else, said it a moment earlier
  if (['SUCCESS', 'FAILED', 'VOID'].includes(unit.vendState)) throw new Refusal(common.stale)
  reject(resolvable({ ...unit, unknownAt: command?.unknownAt ?? null }, ctx.now))
  const { cmdId } = found(command)
  const { dispensed, evidence, images } = input
  if ((await missingPictures(ctx, images, uploadedBy(ctx))).length)
    throw fieldRefusal(common.notFound, 'images')
  await settle(ctx, [{ cmdId, at: ctx.now, what: { kind: 'resolved', dispensed } }])
  await sql`insert into vend_resolutions (org_id, device_id, order_at, order_id, order_num, unit_id,
    cmd_id, dispensed, evidence, images, user_id, created_at)
    values (${order.orgId}, ${order.deviceId}, ${order.createdAt}, ${order.id}, ${order.orderNum},
      ${unit.id}, ${cmdId}::uuid, ${dispensed}, ${evidence}, ${images}, ${ctx.actor.userId},
      ${ctx.now})`.execute(ctx.db)
  const after = { units: [unit.unitNo], dispensed, evidence, images: images.length }
  ctx.audit({ id: order.orderNum, orgId: order.orgId, after })
  return q.orderDetail(ctx, found(await q.visibleOrder(ctx, input.orderNum)))
}
