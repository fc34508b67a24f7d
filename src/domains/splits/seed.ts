import { sql } from 'kysely'
import type { Db } from '../../server/database.ts'
import { dayMs } from '../../shared/instants.ts'

const days = 3
/**
 * Sales of the last days are sold under what counts for their pieces; the product shares them out
 * when it starts, as it does every five seconds.
 */
export async function seedSplits(db: Db, now: Date): Promise<void> {
  const since = new Date(now.getTime() - days * dayMs)
  await sql`update order_units u set split_version_id = split_version_of(u.org_id, u.device_id,
      u.lane_id, u.product_id, u.created_at) where u.created_at >= ${since}`.execute(db)
  await sql`insert into split_orders (org_id, device_id, order_id, order_at, order_num, split_no,
      strategy_id, version_id, mode, config_id, paid, fee, touched_at, created_at)
    select u.org_id, u.device_id, u.order_id, u.created_at, u.order_num,
      u.order_num || '-S' || row_number() over (partition by u.order_id order by v.id),
      v.strategy_id, v.id,
      case when v.config_id is distinct from p.config_id then 'LEDGER' else v.mode end, p.config_id,
      u.paid,
      round(u.paid * p.fee_amount::numeric / p.amount), o.final_at, p.paid_at
    from (select org_id, created_at, order_id, device_id, order_num, version, sum(paid) as paid
      from (select u.*, coalesce(split_version_id,
          min(split_version_id) over (partition by order_id)) as version
        from order_units u where u.created_at >= ${since}) u
      where version is not null group by 1, 2, 3, 4, 5, 6) u
    join split_strategy_versions v on v.id = u.version
    join orders o on o.org_id = u.org_id and o.created_at = u.created_at and o.id = u.order_id
    join payments p on p.order_id = u.order_id and p.applied and p.state = 'SUCCESS'
    where u.paid > 0`.execute(db)
}
