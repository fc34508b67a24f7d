import { sql } from 'kysely'
import type { App, Ctx } from '../../../server/context.ts'
import { systemScope } from '../../../server/database.ts'
import { bySystem } from '../../../server/run.ts'
import { addressOf } from '../../../shared/address.ts'
import type { Input } from '../../../shared/contract.ts'
import { refreshDeviceCounters } from '../../lanes/server/counters.ts'
import { raiseSecurity } from '../../security/server/raise.ts'
import { cachedSetting } from '../../settings/server/values.ts'
import { moveStock } from '../../stock/server/move.ts'
import type { orders } from '../contract.ts'
import { timers } from '../rules.ts'
import { type Fact, settle } from './settle.ts'
import { givingWay, type Short, uncountUnpaid } from './unpaid.ts'

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

/** Closes orders nobody paid in time and gives their stock back. */
export async function closeUnpaid(app: App): Promise<number> {
  return bySystem(app, async (ctx) => {
    const { rows } = await sql<Unpaid>`
      select org_id, created_at, id, device_id from orders where pay_state = 'UNPAID' and expire_at <= ${ctx.now} order by id limit 100 for no key update skip locked`.execute(
      ctx.db,
    )
    await closeOrders(ctx, rows, 'CLOSED')
    return rows.length
  })
}

export type Unpaid = { org_id: number; created_at: Date; id: number; device_id: number }

/** Unpaid orders that the caller has locked. The payment is closed with its order; what arrives later goes back. */
export async function closeOrders(ctx: Ctx, unpaid: readonly Unpaid[], kind: 'CLOSED' | 'CLOSED_EARLY'): Promise<void> {
  if (!unpaid.length) return
  const ids = unpaid.map((o) => o.id)
  const json = JSON.stringify(unpaid.map((o) => ({ ...o, created_at: o.created_at.toISOString() })))
  await sql`update orders o set pay_state = 'CLOSED', order_status = 'CLOSED', closed_at = ${ctx.now}
    from jsonb_to_recordset(${json}::jsonb) as n(org_id bigint, created_at timestamptz, id bigint)
    where o.org_id = n.org_id and o.created_at = n.created_at and o.id = n.id and o.pay_state = 'UNPAID'`.execute(ctx.db)
  await sql`update payments set state = 'CLOSED' where order_id = any(${ids}::bigint[]) and state = 'PENDING'`.execute(ctx.db)
  const { rows: units } = await sql<{ lane_id: number }>`
    update order_units u set hold = 'RELEASED' from jsonb_to_recordset(${json}::jsonb) as n(org_id bigint, created_at timestamptz, id bigint)
    where u.org_id = n.org_id and u.created_at = n.created_at and u.order_id = n.id and u.hold = 'HELD' returning u.lane_id`.execute(ctx.db)
  await sql`insert into order_events (org_id, created_at, order_id, order_at, device_id, kind)
    select org_id, ${ctx.now}::timestamptz, id, created_at, device_id, ${kind} from jsonb_to_recordset(${json}::jsonb) as n(org_id bigint, created_at timestamptz, id bigint, device_id bigint)`.execute(
    ctx.db,
  )
  const { deviceIds } = await moveStock(
    ctx,
    units.map((unit) => ({ laneId: unit.lane_id, reserved: -1 })),
  )
  refreshDeviceCounters(ctx, deviceIds)
  uncountUnpaid(ctx, ids, false)
  ctx.touch(
    'orders',
    unpaid.map((o) => o.org_id),
  )
}

/** What makes room and is worth the look: the machine is at its limit, or a wanted lane is short while others hold pieces of it. */
type Look = { device_id: number; org_id: number; full: boolean; lanes: Short[]; sells: boolean }

/**
 * Before an order is made: where its goods are held by orders that had their time to pay, those are closed early. Where there
 * are none, one order of the address that holds most gives way. Whoever pays one of them after all finds the way of every late
 * payment: his money goes back.
 */
export async function makeRoom(app: App, input: Input<typeof orders.mobileOrder>, request: { readonly ip: string }): Promise<void> {
  const look = await app.database.readSame(systemScope, async (db) => {
    const wanted = JSON.stringify(input.items.map((item) => ({ road: item.roadIndex, n: item.count, price: item.price })))
    const { rows } = await sql<Look>`
      with w as (select * from jsonb_to_recordset(${wanted}::jsonb) as w(road int, n int, price bigint))
      select d.id as device_id, d.org_id, coalesce(c.open >= c.most, false) as full, (
        select coalesce(jsonb_agg(jsonb_build_object('lane', l.id, 'missing', w.n - (l.quantity - l.reserved - l.failed_hold))), '[]')
        from w join lanes l on l.device_id = d.id and l.road_index = w.road and l.archived_at is null
        where l.reserved > 0 and l.quantity - l.reserved - l.failed_hold < w.n) as lanes,
        not exists (select from w where not exists (select from lanes l where l.device_id = d.id and l.road_index = w.road
          and l.archived_at is null and l.status = 'ENABLED' and l.price = w.price)) as sells
      from devices d left join unpaid_counts c on c.subject = 'm|' || d.id where d.rtu_number = ${input.rtuNumber}`.execute(db)
    return rows[0]
  })
  if (!look || (!look.full && look.lanes.length === 0)) return
  const seconds = await cachedSetting(app, look.org_id, 'order.holdSeconds')
  await bySystem(app, async (ctx) => {
    const { rows } = await sql<Unpaid>`
      select o.org_id, o.created_at, o.id, o.device_id from unpaid_holds h
      join orders o on o.org_id = h.org_id and o.created_at = h.order_at and o.id = h.order_id
      where h.device_id = ${look.device_id} and h.order_at <= ${new Date(ctx.now.getTime() - seconds * 1000)} and o.pay_state = 'UNPAID'
        and (${look.full} or exists (select from order_units u where u.org_id = o.org_id and u.created_at = o.created_at
          and u.order_id = o.id and u.hold = 'HELD' and u.lane_id = any(${look.lanes.map((short) => short.lane)}::bigint[])))
      order by o.id limit 100 for no key update of o skip locked`.execute(ctx.db)
    await closeOrders(ctx, rows, 'CLOSED_EARLY')
    // what cannot be sold moves nobody
    if (rows.length || !look.sells) return
    const buyer = { deviceId: look.device_id, consumer: input.consumer, address: addressOf(request.ip) }
    const giving = await givingWay(ctx, buyer, look.lanes)
    if (!giving) return
    await closeOrders(ctx, [giving], 'CLOSED_EARLY')
    await raiseSecurity(ctx, {
      orgId: giving.org_id,
      kind: 'STOCK_HOARDED',
      subject: input.rtuNumber,
      deviceId: giving.device_id,
      detail: { address: giving.address, orders: giving.orders },
    })
  })
}
