import { type RawBuilder, sql } from 'kysely'
import { type Ctx, visible } from '../../../server/context.ts'
import { onlyRow } from '../../../server/rows.ts'

type Reached = { devices: number; lanes: number; raised: number; lowered: number }

const following = (ctx: Ctx, ids: readonly number[], price: number): RawBuilder<unknown> =>
  sql`from lanes l join devices d on d.id = l.device_id join products p on p.id = l.product_id
    where l.product_id = any(${[...ids]}::bigint[]) and l.archived_at is null
      and d.lifecycle not in ('SOLD', 'SCRAPPED') and (l.price, l.retail_price) <> (${price}, ${price})
      and ${visible(ctx, 'l.org_id', 'l.device_id')}`

/** The lanes that would take the usual price, and which of them cost more or less then. */
export const lanesReached = (ctx: Ctx, ids: readonly number[], price: number) =>
  onlyRow<Reached>(ctx.db)`select count(distinct l.device_id)::int as devices,
    count(*)::int as lanes, count(*) filter (where l.price < ${price})::int as raised,
    count(*) filter (where l.price > ${price})::int as lowered
    ${following(ctx, ids, price)}`

/**
 * One price change for each machine, as if it had been asked for there for now: it keeps the rules
 * of lanes, names those it leaves out, and stands among the changes of the machine.
 */
export async function lanesFollow(ctx: Ctx, ids: readonly number[], price: number): Promise<void> {
  await sql`insert into price_schedules (org_id, device_id, user_id, by_name, run_at, next_at,
      created_at, lanes)
    select l.org_id, l.device_id, ${ctx.actor.userId}, ${ctx.actor.username}, ${ctx.now},
      ${ctx.now}, ${ctx.now}, jsonb_agg(jsonb_build_object('laneId', l.id, 'road', l.road_index,
        'productId', l.product_id, 'productName', p.name, 'from', l.price,
        'price', ${price}::bigint, 'retailPrice', ${price}::bigint) order by l.road_index)
    ${following(ctx, ids, price)} group by l.org_id, l.device_id`.execute(ctx.db)
  ctx.afterCommit(() => ctx.app.jobs.poke('price-schedules'))
}
