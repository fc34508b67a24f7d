import { type RawBuilder, sql } from 'kysely'
import type { Ctx } from '../../../server/context.ts'

/**
 * Writes what device_states says about lanes and faults anew. Called last in a transaction (lock
 * order: lanes before states). The rows are locked first: a statement that waits for a lock still
 * counts lanes as they were before the wait.
 */
export function refreshDeviceCounters(ctx: Pick<Ctx, 'later'>, deviceIds: readonly number[]): void {
  if (deviceIds.length)
    for (const statement of counterStatements([...new Set(deviceIds)])) ctx.later(statement)
}

export function counterStatements(ids: readonly number[]): RawBuilder<unknown>[] {
  const locked = sql`select 1 from device_states where device_id = any(${[...ids]}::bigint[])
    order by device_id for no key update`
  const counted = sql`
    update device_states s set lanes_total = n.total, lanes_sold_out = n.sold_out,
      lanes_low = n.low, lanes_free = n.free, stock = n.stock, capacity = n.capacity,
      fault_count = n.faults
    from (
      select d.id,
        count(l.id) as total,
        count(*) filter (where l.status = 'ENABLED' and l.product_id is not null
          and l.quantity - l.reserved - l.failed_hold <= 0) as sold_out,
        count(*) filter (where l.status = 'ENABLED' and l.product_id is not null
          and l.quantity - l.reserved - l.failed_hold between 1 and l.warn_qty) as low,
        count(*) filter (where l.status = 'ENABLED' and l.product_id is null) as free,
        coalesce(sum(l.quantity), 0) as stock,
        coalesce(sum(l.capacity) filter (where l.product_id is not null), 0) as capacity,
        (select count(*) from device_faults f
          where f.device_id = d.id and f.closed_at is null) as faults
      from unnest(${[...ids]}::bigint[]) as d(id) left
      join lanes l on l.device_id = d.id and l.archived_at is null and l.status <> 'MERGED'
      group by d.id
    ) n
    where s.device_id = n.id
      and (s.lanes_total, s.lanes_sold_out, s.lanes_low, s.lanes_free, s.stock, s.capacity,
        s.fault_count)
      is distinct from (n.total, n.sold_out, n.low, n.free, n.stock, n.capacity, n.faults)`
  return [locked, counted]
}
