import { sql } from 'kysely'
import { type Ctx, may, visible } from '../../../server/context.ts'
import { onlyRow, rowsOf } from '../../../server/rows.ts'
import { shape } from '../../../server/shapes.ts'
import type { Input, Output } from '../../../shared/contract.ts'
import { type stockWarnings, WarningRow, type warningKinds } from '../contract.ts'
import { lastingMs } from '../rules.ts'

type Contract = typeof stockWarnings

/** Machines in the store room or sold are not missed (as on the home page). */
export const inUse = sql`d.lifecycle in ('OPERATING', 'PAUSED')`
export const warned = sql`stock_warnings w join devices d on d.id = w.device_id
  join lanes l on l.id = w.lane_id`
const replenishing = sql`a.device_id = w.device_id and a.kind = 'REPLENISHER' and a.to_at is null`

/**
 * The product's mean takings at this machine over the two weeks before the lane ran short, shared
 * by the lanes that hold it: days that it was sold out do not lower it.
 */
const began = sql`(w.opened_at at time zone 'Asia/Shanghai')::date`
export const lossPerDay = sql`(select case when ${began} - min(r.day) >= 2 then (sum(r.turnover)
    / (${began} - min(r.day)) / (select count(*) from lanes x where x.device_id = l.device_id
      and x.product_id = l.product_id and x.archived_at is null))::bigint end
  from product_rollups r where r.device_id = l.device_id and r.product_id = l.product_id
    and r.org_id = w.org_id and r.day >= ${began} - 14 and r.day < ${began})`

const listed = (ctx: Ctx) =>
  shape(WarningRow, ['stock_warnings', 'w'], {
    rtuNumber: sql`d.rtu_number`,
    nickname: sql`d.nickname`,
    roadIndex: sql`l.road_index`,
    productName: sql`coalesce(p.name, '')`,
    quantity: sql`l.quantity`,
    reserved: sql`l.reserved`,
    failedHold: sql`l.failed_hold`,
    sellable: sql`l.quantity - l.reserved - l.failed_hold`,
    roadCapacity: sql`l.capacity`,
    warnQty: sql`l.warn_qty`,
    openTime: sql`w.opened_at`,
    lossPerDay: may(ctx, 'dashboard:money') ? lossPerDay : sql`null`,
    replenishers: sql`(select coalesce(array_agg(u.real_name order by a.id), '{}')
      from device_assignments a join users u on u.id = a.user_id
      where ${replenishing} and ${visible(ctx, 'a.org_id')})`,
    notifyTime: sql`(select c.told_at from stock_warning_calls c where c.org_id = w.org_id
      and c.device_id = w.device_id and c.told_at >= w.opened_at)`,
  })

export const list = (ctx: Ctx, input: Input<Contract['list']>) =>
  listed(ctx).page(ctx.db, {
    from: sql`${warned} left join products p on p.id = l.product_id`,
    countFrom: warned,
    where: [
      sql`w.closed_at is null`,
      visible(ctx, 'w.org_id', 'w.device_id'),
      inUse,
      input.kind && sql`w.kind = ${input.kind}`,
      input.deviceId && sql`w.device_id = ${input.deviceId}`,
      input.productId && sql`l.product_id = ${input.productId}`,
      input.categoryId &&
        sql`l.product_id in (select id from products where category_id = ${input.categoryId})`,
      input.region && sql`${input.region} in (d.province, d.city, d.county)`,
      input.userId &&
        sql`exists (select from device_assignments a
          where ${replenishing} and a.user_id = ${input.userId} and ${visible(ctx, 'a.org_id')})`,
      input.lasting &&
        sql`w.opened_at <= ${new Date(ctx.now.getTime() - lastingMs[input.lasting])}`,
    ],
    sort: {
      openTime: sql`w.opened_at`,
      sellable: sql`l.quantity - l.reserved - l.failed_hold`,
      rtuNumber: sql`d.rtu_number`,
    },
    filled: ['openTime', 'sellable', 'rtuNumber'],
    wideSorts: [],
    last: sql`w.id`,
    input,
  })

/** There are no more warnings than lanes. */
export const stats = (ctx: Ctx) =>
  onlyRow<Output<Contract['stats']>>(ctx.db)`select count(*) as all,
      count(*) filter (where w.kind = 'SOLD_OUT') as "soldOut",
      count(*) filter (where w.kind = 'LOW') as low, count(*) filter (where w.kind = 'COUNT') as count
    from stock_warnings w join devices d on d.id = w.device_id
    where w.closed_at is null and ${visible(ctx, 'w.org_id', 'w.device_id')} and ${inUse}`

export type Machine = { id: number; orgId: number; rtuNumber: string; nickname: string }
/** Those of these machines that the actor sees. */
export const machines = (ctx: Ctx, ids: readonly number[]) =>
  rowsOf<Machine>(ctx.db)`select d.id, d.org_id as "orgId", d.rtu_number as "rtuNumber", d.nickname
    from devices d where d.id = any(${[...ids]}::bigint[]) and ${visible(ctx, 'd.org_id', 'd.id')}
    order by d.id`

export type Lane = {
  deviceId: number
  kind: (typeof warningKinds)[number]
  road: number
  product: string
}
export const shortLanes = (ctx: Ctx, deviceIds: readonly number[]) =>
  rowsOf<Lane>(ctx.db)`select w.device_id as "deviceId", w.kind, l.road_index as road,
      coalesce(p.name, '') as product
    from stock_warnings w join lanes l on l.id = w.lane_id left join products p on p.id = l.product_id
    where w.closed_at is null and w.device_id = any(${[...deviceIds]}::bigint[])
      and ${visible(ctx, 'w.org_id', 'w.device_id')}
    order by array_position(array['SOLD_OUT','LOW','COUNT'], w.kind), l.road_index`
