import { sql } from 'kysely'
import { type Ctx, may, visible } from '../../../server/context.ts'
import { type Counted, countedDays, saysOnly } from '../../../server/counted.ts'
import { all, matches } from '../../../server/lists.ts'
import { shape } from '../../../server/shapes.ts'
import type { Input } from '../../../shared/contract.ts'
import { addDays, shanghaiDay } from '../../../shared/instants.ts'
import { delivers } from '../../accounts/rules.ts'
import { FlowRow, type stock } from '../contract.ts'
import { flowRange } from '../rules.ts'

type FlowQuery = Input<(typeof stock)['flows']>

const delivered = (ctx: Ctx, input: FlowQuery) => {
  const { from, until } = flowRange(input, ctx.now)
  return sql`supplied_flows(${from}, ${until}) f`
}

const flow = (ctx: Ctx) =>
  shape(FlowRow, ['stock_flows', 'f'], {
    nickname: sql`coalesce((select d.nickname from devices d where d.id = f.device_id), '')`,
    // the check of the table names them by type
    reason: sql`f.reason`,
    beforeChangeTotal: sql`f.before_total`,
    changeTotal: sql`f.change_total`,
    afterChangeTotal: sql`f.after_total`,
    codes: may(ctx, 'trace-code:read') ? sql`coalesce(f.codes, '{}')` : sql`'{}'::text[]`,
    ...(delivers(ctx.actor.home) && { orderNum: sql`null` }),
    visitId: sql`(select i.visit_id from replenishment_items i where i.id = f.visit_item_id)`,
    actorName: sql`u.real_name`,
    occurTime: sql`f.occurred_at`,
    createTime: sql`f.created_at`,
  })

/** Flows of a box are flows of its batch; who looks at machines of others sees no more than these. */
const ofBox = (ctx: Ctx, code: string) =>
  ctx.actor.scope.watched
    ? sql`f.codes @> array[${code}]`
    : sql`f.batch_id = any(array(select t.batch_id from trace_codes t where t.code = ${code}))
        and f.codes @> array[${code}]`

function conditions(ctx: Ctx, input: FlowQuery, org = 'f.org_id') {
  const { from, until } = flowRange(input, ctx.now)
  return [
    sql`f.created_at >= ${from} and f.created_at < ${until}`,
    !delivers(ctx.actor.home) && visible(ctx, org, 'f.device_id'),
    input.type && sql`f.type = ${input.type}`,
    input.reason && sql`f.reason = ${input.reason}`,
    input.deviceId && sql`f.device_id = ${input.deviceId}`,
    input.rtuNumber && delivers(ctx.actor.home)
      ? sql`strpos(lower(f.rtu_number), lower(${input.rtuNumber})) > 0`
      : matches('devices', 'f.device_id', input.rtuNumber),
    input.cargoRoad && sql`f.cargo_road = ${input.cargoRoad}`,
    input.productId && sql`f.product_id = ${input.productId}`,
    matches('products', 'f.product_id', input.keyword),
    // of people and orders that are not told nothing is found
    (input.actorId || input.orderNum) && delivers(ctx.actor.home) && sql`false`,
    input.actorId &&
      sql`f.actor_kind = 'USER'
        and f.actor_id = (select u.id from users u where u.id = ${input.actorId})`,
    input.orderNum && sql`f.order_num = ${input.orderNum}`,
    input.wasteNum && sql`f.waste_num = ${input.wasteNum}`,
    input.batchNo &&
      sql`f.batch_id is not null and strpos(lower(f.batch_no), lower(${input.batchNo})) > 0`,
    input.traceCode && sql`${ofBox(ctx, input.traceCode)}`,
  ]
}

/** The counts of the same flows, while the filter says nothing else. */
function counted(ctx: Ctx, input: FlowQuery): Counted | null {
  if (delivers(ctx.actor.home) || !saysOnly(input, ['from', 'to', 'type', 'reason'])) return null
  const { from, until } = flowRange(input, ctx.now)
  const kind = [
    input.type && sql`starts_with(c.kind, ${`${input.type}.`})`,
    input.reason && sql`split_part(c.kind, '.', 2) = ${input.reason}`,
  ]
  return {
    ...{ list: 'stock_flows', ctx, kinds: all(kind) },
    ...{ from: shanghaiDay(from), to: addDays(shanghaiDay(until), -1) },
  }
}

/**
 * Each organisation's newest rows come from its own (org_id, created_at) index and are merged; one
 * scan over many organisations could not use that order. Under the lateral, an organisation reads
 * at most the rows up to this page, and is asked for by itself whether it is one of the actor's: in
 * its rows each of thousands would go through the list of all of them.
 */
export function flowPage(ctx: Ctx, input: FlowQuery) {
  const where = conditions(ctx, input)
  if (delivers(ctx.actor.home))
    return flow(ctx).page(ctx.db, {
      from: sql`${delivered(ctx, input)} left join users u on false`,
      countFrom: delivered(ctx, input),
      where,
      sort: { createTime: sql`f.created_at` },
      filled: ['createTime'],
      last: sql`f.id`,
      input,
    })
  const direction = input.sort === 'createTime' ? sql`asc` : sql`desc`
  const known = counted(ctx, input)
  return flow(ctx).page(ctx.db, {
    from: (bounds, depth) => sql`organisations o cross join lateral (
      select f.* from stock_flows f
      where f.org_id = o.id and ${all([...conditions(ctx, input, 'o.id'), bounds])}
      order by f.created_at ${direction}, f.id ${direction} limit ${depth}) f
      left join users u on u.id = f.actor_id and f.actor_kind = 'USER'`,
    countFrom: sql`stock_flows f`,
    where,
    grows: true,
    counted: known && { ...known, by: 'createTime' },
    sort: { createTime: sql`f.created_at` },
    filled: ['createTime'],
    last: sql`f.id`,
    input,
  })
}

export async function flowSums(
  ctx: Ctx,
  input: FlowQuery,
): Promise<{ plus: number; minus: number }> {
  const known = counted(ctx, input)
  const added = sql`case when starts_with(c.kind, 'MERCHANT_REPLENISH.') then 'plus' else 'minus' end`
  const kinds = known && (await countedDays(ctx.db, known, added))
  if (kinds) {
    const of = (name: string) => kinds.find(({ day }) => day === name)?.amount ?? 0
    return { plus: of('plus'), minus: of('minus') }
  }
  const { rows } = await sql<{ plus: number; minus: number }>`
    select coalesce(sum(f.change_total) filter (where f.change_total > 0), 0) as plus,
      coalesce(sum(f.change_total) filter (where f.change_total < 0), 0) as minus
    from ${delivers(ctx.actor.home) ? delivered(ctx, input) : sql`stock_flows f`}
    where ${all(conditions(ctx, input))}`.execute(ctx.db)
  return rows[0] ?? { plus: 0, minus: 0 }
}
