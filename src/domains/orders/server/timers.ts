import { sql } from 'kysely'
import type { App } from '../../../server/context.ts'
import { bySystem } from '../../../server/run.ts'
import { refreshDeviceCounters } from '../../lanes/server/counters.ts'
import { moveStock } from '../../stock/server/move.ts'
import { timers } from '../rules.ts'
import { type Fact, settle } from './settle.ts'

/** What the clock says about commands: overdue results, commands given up (semantics 3.2). Up to 200 at a time. */
export async function sweepCommands(app: App): Promise<number> {
  return bySystem(app, async (ctx) => {
    const ago = (seconds: number) => new Date(ctx.now.getTime() - seconds * 1000)
    const { rows } = await sql<{ cmd_id: string; what: 'overdue' | 'gone' | 'unsent' }>`
      select c.cmd_id, case when c.state = 'WAIT' then 'unsent' when c.state = 'UNKNOWN' then 'gone' else 'overdue' end as what
      from vend_commands c join device_states s on s.device_id = c.device_id
      where (c.state in ('SENT','ACKED') and c.issued_at <= ${ago(timers.overdue)})
         or (c.state = 'UNKNOWN' and c.unknown_at <= case when s.online then ${ago(timers.unknown)}::timestamptz else ${ago(timers.offlineWait)}::timestamptz end)
         or (c.state = 'WAIT' and c.created_at <= ${ago(timers.offlineWait)})
      order by c.created_at limit 200`.execute(ctx.db)
    await settle(
      ctx,
      rows.map(
        (row): Fact => ({
          cmdId: row.cmd_id,
          at: ctx.now,
          what: row.what === 'overdue' ? { kind: 'overdue' } : { kind: 'abandoned', sent: row.what === 'gone' },
        }),
      ),
    )
    return rows.length
  })
}

/** Closes orders nobody paid in time and gives their stock back. The payment is closed with its order. */
export async function closeUnpaid(app: App): Promise<number> {
  return bySystem(app, async (ctx) => {
    const { rows: orders } = await sql<{ org_id: number; created_at: Date; id: number; device_id: number }>`
      select org_id, created_at, id, device_id from orders where pay_state = 'UNPAID' and expire_at <= ${ctx.now} order by id limit 100 for no key update skip locked`.execute(
      ctx.db,
    )
    if (!orders.length) return 0
    const json = JSON.stringify(orders.map((o) => ({ ...o, created_at: o.created_at.toISOString() })))
    await sql`update orders o set pay_state = 'CLOSED', order_status = 'CLOSED', closed_at = ${ctx.now}
      from jsonb_to_recordset(${json}::jsonb) as n(org_id bigint, created_at timestamptz, id bigint)
      where o.org_id = n.org_id and o.created_at = n.created_at and o.id = n.id and o.pay_state = 'UNPAID'`.execute(ctx.db)
    await sql`update payments set state = 'CLOSED' where order_id = any(${orders.map((o) => o.id)}::bigint[]) and state = 'PENDING'`.execute(ctx.db)
    const { rows: units } = await sql<{ lane_id: number }>`
      update order_units u set hold = 'RELEASED' from jsonb_to_recordset(${json}::jsonb) as n(org_id bigint, created_at timestamptz, id bigint)
      where u.org_id = n.org_id and u.created_at = n.created_at and u.order_id = n.id and u.hold = 'HELD' returning u.lane_id`.execute(ctx.db)
    await sql`insert into order_events (org_id, created_at, order_id, order_at, device_id, kind)
      select org_id, ${ctx.now}::timestamptz, id, created_at, device_id, 'CLOSED' from jsonb_to_recordset(${json}::jsonb) as n(org_id bigint, created_at timestamptz, id bigint, device_id bigint)`.execute(
      ctx.db,
    )
    const { deviceIds } = await moveStock(
      ctx,
      units.map((unit) => ({ laneId: unit.lane_id, reserved: -1 })),
    )
    await refreshDeviceCounters(ctx, deviceIds)
    ctx.touch(
      'orders',
      orders.map((o) => o.org_id),
    )
    return orders.length
  })
}
