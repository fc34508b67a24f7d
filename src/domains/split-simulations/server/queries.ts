import { sql } from 'kysely'
import { type Ctx, visible } from '../../../server/context.ts'
import type { Db } from '../../../server/database.ts'
import { exists, onlyRow, rowOf, rowsOf } from '../../../server/rows.ts'
import { shape } from '../../../server/shapes.ts'
import type { Input } from '../../../shared/contract.ts'
import { addDays, startOfDay } from '../../../shared/instants.ts'
import { SimulationRow, type splitSimulations } from '../contract.ts'
import { limits } from '../rules.ts'

/** What a simulation is asked about; kept with it. */
export type Asked = {
  from: string
  to: string
  deviceIds: number[]
  feeBp: number | null
  refundBp: number | null
  priceBp: number
}

const simulation = shape(
  SimulationRow,
  ['split_simulations', 'm'],
  {
    ...{ from: sql`m.input->>'from'`, to: sql`m.input->>'to'` },
    deviceCount: sql`jsonb_array_length(m.input->'deviceIds')`,
    feeBp: sql`(m.input->>'feeBp')::int`,
    refundBp: sql`(m.input->>'refundBp')::int`,
    priceBp: sql`(m.input->>'priceBp')::int`,
    userName: sql`coalesce(u.real_name, '')`,
    createTime: sql`m.created_at`,
    finishTime: sql`m.finished_at`,
  },
  ['can'],
)
const from = sql`split_simulations m left join users u on u.id = m.user_id`
/** Their figures are of all machines: nobody who sees some of them sees those. */
const readable = (ctx: Ctx) =>
  sql`${visible(ctx, 'm.org_id')} and ${ctx.actor.scope.devices === null}`

export const listRows = (ctx: Ctx, input: Input<typeof splitSimulations.list>) =>
  simulation.page(ctx.db, {
    from,
    countFrom: sql`split_simulations m`,
    input,
    last: sql`m.id`,
    sort: { createTime: sql`m.created_at` },
    where: [
      readable(ctx),
      input.strategyId && sql`m.strategy_id = ${input.strategyId}`,
      input.state && sql`m.state = ${input.state}`,
    ],
  })
export const row = (ctx: Ctx, id: number) =>
  simulation.one(ctx.db, sql`from ${from} where m.id = ${id} and ${readable(ctx)}`)
export const resultOf = (ctx: Ctx, id: number) =>
  rowOf<{ result: unknown }>(ctx.db)`select m.result from split_simulations m
    where m.id = ${id} and ${readable(ctx)}`

export const openCount = async (ctx: Ctx, orgId: number) =>
  (
    await onlyRow<{ n: number }>(ctx.db)`select count(*)::int as n from split_simulations m
      where m.org_id = ${orgId} and m.next_at is not null and ${readable(ctx)}`
  ).n

/** Machines of the organisation among those that are asked for; none: those of the strategy. */
export async function machinesOf(
  ctx: Ctx,
  { id, orgId }: { id: number; orgId: number },
  asked: readonly number[],
): Promise<number[]> {
  const own = sql`d.org_id = ${orgId} and ${visible(ctx, 'd.org_id', 'd.id')}`
  const ids = async (which: ReturnType<typeof sql>) =>
    (
      await rowsOf<{ id: number }>(ctx.db)`select d.id from devices d where ${own} and ${which}
        order by d.id`
    ).map((one) => one.id)
  if (asked.length) return ids(sql`d.id = any(${[...asked]}::bigint[])`)
  const bound = await ids(sql`exists (select from split_bindings b where b.device_id = d.id
    and b.strategy_id = ${id} and b.released_at is null)`)
  return bound.length ? bound : ids(sql`true`)
}

type Scope = { laneIds: number[]; categoryIds: number[]; deviceIds: number[] }
/** What was sold on these machines in these days, and whether it is what the version is for. */
export const sold = (orgId: number, { from: first, to, deviceIds }: Asked) => sql`order_units u
  where u.org_id = ${orgId} and u.created_at >= ${startOfDay(first)}
    and u.created_at < ${startOfDay(addDays(to, 1))}
    and u.device_id = any(${deviceIds}::bigint[]) and u.paid > 0
    and u.vend_state in ('SUCCESS','FAILED','VOID')`

export const countSold = async (ctx: Ctx, orgId: number, asked: Asked) =>
  (
    await onlyRow<{ n: number }>(ctx.db)`select count(*)::int as n from (
      select from ${sold(orgId, asked)} and ${visible(ctx, 'u.org_id', 'u.device_id')}
      limit ${limits.units + 1}) n`
  ).n
export const soldAny = (ctx: Ctx, orgId: number, asked: Asked) =>
  exists(ctx.db)`select from ${sold(orgId, asked)} and u.vend_state = 'SUCCESS'
    and ${visible(ctx, 'u.org_id', 'u.device_id')} limit 1`

export type Piece = {
  id: number
  orderId: number
  orderNum: string
  unitNo: number
  deviceId: number
  paid: number
  vended: boolean
  counts: boolean
  at: Date
  /** As exact as the index. */
  moment: string
  refundedAt: Date | null
}
/** The next pieces behind one, in the order of an index. */
export const nextPieces = (
  db: Db,
  orgId: number,
  asked: Asked,
  { laneIds, categoryIds, deviceIds }: Scope,
  strategyId: number,
  after: Pick<Piece, 'moment' | 'orderId' | 'unitNo'> | null,
) => {
  const scoped = laneIds.length > 0 || categoryIds.length > 0
  const counts = scoped
    ? sql`u.lane_id = any(${laneIds}::bigint[]) or exists (select from products p
          where p.id = u.product_id and p.category_id = any(${categoryIds}::bigint[]))
          and (${deviceIds.length === 0} or u.device_id = any(${deviceIds}::bigint[]))
        or exists (select from split_bindings b where b.device_id = u.device_id
          and b.strategy_id = ${strategyId} and b.released_at is null)`
    : sql`true`
  return rowsOf<Piece>(db)`select u.id, u.order_id as "orderId", u.order_num as "orderNum",
      u.unit_no as "unitNo", u.device_id as "deviceId", u.paid, u.vend_state = 'SUCCESS' as vended,
      coalesce(${counts}, false) as counts, u.created_at as at,
      u.created_at::text as moment,
      case when u.refund_state = 'SUCCESS' then coalesce((select r.succeeded_at from refunds r
        where r.unit_id = u.id), u.created_at) end as "refundedAt"
    from ${sold(orgId, asked)}
      and ${
        after
          ? sql`(u.created_at, u.order_id, u.unit_no) >
              (${after.moment}::timestamptz, ${after.orderId}::bigint, ${after.unitNo}::int)`
          : sql`true`
      }
    order by u.created_at, u.order_id, u.unit_no limit ${limits.slice}`
}
