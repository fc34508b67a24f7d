import { sql } from 'kysely'
import type { Ctx } from '../../../server/context.ts'
import { within } from '../../../server/within.ts'

/**
 * What a sale says to the shares: one statement with its payment, one when it is over. Before the
 * ledger, in the order of locks.
 */
type Order = { orgId: number; at: Date; id: number }
type Paid = { paid: number; fee: number; configId: number | null }

/**
 * An order was paid: the share of each strategy that its pieces were sold under waits until all of
 * them are final. Pieces without one go with the first.
 */
export function noteSplit(ctx: Ctx, { orgId, at, id }: Order, { paid, fee, configId }: Paid): void {
  if (paid > 0)
    ctx.later(sql`insert into split_orders (org_id, device_id, order_id, order_at, order_num,
        split_no, strategy_id, version_id, mode, config_id, paid, fee, created_at)
      select u.org_id, u.device_id, u.order_id, u.created_at, u.order_num,
        u.order_num || '-S' || row_number() over (order by v.id), v.strategy_id, v.id,
        -- only the merchant of the strategy was asked to keep the money for its parties
        case when v.config_id is distinct from ${configId}::bigint then 'LEDGER' else v.mode end,
        ${configId}::bigint, u.paid, round(u.paid * ${fee}::numeric / ${paid}::bigint),
        ${ctx.now}::timestamptz
      from (select org_id, created_at, order_id, device_id, order_num, version, sum(paid) as paid
        from (select u.*, coalesce(split_version_id, min(split_version_id) over ()) as version
          from order_units u where u.org_id = ${orgId} and ${within('u.created_at', [at])}
            and u.order_id = ${id}) u
        where version is not null group by 1, 2, 3, 4, 5, 6) u
      join split_strategy_versions v on v.id = u.version
      where u.paid > 0 order by v.id on conflict (order_id, version_id) do nothing`)
}

/** Orders are over, or money of one that was over went back: the loop looks at them. */
export function touchSplits(ctx: Ctx, orderIds: readonly number[]): void {
  if (orderIds.length)
    ctx.later(sql`update split_orders set touched_at = ${ctx.now}
      where order_id = any(${[...orderIds]}::bigint[]) and state not in ('RETURNED','CLOSED')`)
}
