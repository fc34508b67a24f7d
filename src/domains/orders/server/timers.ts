import { sql } from 'kysely'
import type { App, Ctx } from '../../../server/context.ts'
import { systemScope } from '../../../server/database.ts'
import { rowsOf } from '../../../server/rows.ts'
import { eachFree } from '../../../server/run.ts'
import { within } from '../../../server/within.ts'
import { clock } from '../../../server/work.ts'
import { refreshDeviceCounters } from '../../machines/server/counters.ts'
import { checksName, closeGrace } from '../../payment-channels/rules.ts'
import { moveStock } from '../../stock/server/move.ts'
import { coolDown, timers } from '../rules.ts'
import { liesAt, places, type Unpaid } from './rows.ts'
import { type Fact, settle } from './settle.ts'
import { uncountUnpaid } from './unpaid.ts'

/**
 * What the clock says about commands: overdue results, commands given up (semantics 3.2). Up to 200
 * at a time.
 */
export async function sweepCommands(app: App): Promise<number> {
  const now = app.now()
  const ago = (seconds: number) => new Date(now.getTime() - seconds * 1000)
  const rows = await app.database.readSame(
    systemScope,
    (db) => rowsOf<{ cmdId: string; orgId: number; what: 'overdue' | 'gone' | 'unsent' }>(db)`
      select c.cmd_id as "cmdId", c.org_id as "orgId", case when c.state = 'WAIT' then 'unsent'
        when c.state = 'UNKNOWN' then 'gone' else 'overdue' end as what
      from vend_commands c join device_states s on s.device_id = c.device_id
      where (c.state in ('SENT','ACKED') and c.issued_at <= ${ago(timers.overdue)})
         or (c.state = 'UNKNOWN' and c.unknown_at <= case
           when s.online then ${ago(timers.unknown)}::timestamptz
           else ${ago(timers.offlineWait)}::timestamptz end)
         or (c.state = 'WAIT' and c.created_at <= ${ago(timers.offlineWait)})
      order by c.created_at limit 200`,
  )
  const happened = (what: (typeof rows)[number]['what']): Fact['what'] =>
    what === 'overdue' ? { kind: what } : { kind: 'abandoned', sent: what === 'gone' }
  await eachFree(app, rows, (ctx, due) =>
    settle(
      ctx,
      due.map(({ cmdId, what }) => ({ cmdId, at: ctx.now, what: happened(what) })),
    ),
  )
  return rows.length
}

/** Closes orders nobody paid in time and gives their stock back. */
export async function closeUnpaid(app: App): Promise<number> {
  const now = app.now()
  const behind = new Date(now.getTime() - closeGrace * 1000)
  const columns = sql`org_id as "orgId", created_at as "createdAt", id, device_id as "deviceId"`
  const rows = await app.database.readSame(
    systemScope,
    (db) =>
      rowsOf<Unpaid>(
        db,
      )`select ${columns} from orders o where pay_state = 'UNPAID' and expire_at <= ${now}
        -- its channel is asked first, and closes it (decision 54)
        and (expire_at <= ${behind} or not exists (select from payments p
          where p.order_id = o.id and p.state = 'PENDING' and p.next_at is not null))
        order by id limit 100`,
  )
  let closed = 0
  await eachFree(app, rows, async (ctx, due) => {
    const moments = due.map((row) => row.createdAt)
    const mine = await rowsOf<Unpaid>(ctx.db)`
      select ${columns} from orders where pay_state = 'UNPAID' and expire_at <= ${ctx.now}
        and id = any(${due.map((row) => row.id)}::bigint[]) and ${within('created_at', moments)}
      order by id for no key update skip locked`
    await closeOrders(ctx, mine, 'CLOSED')
    closed += mine.length
  })
  return closed
}

/**
 * Unpaid orders that the caller has locked. The payment is closed with its order; what arrives
 * later goes back.
 */
export async function closeOrders(
  ctx: Ctx,
  unpaid: readonly Unpaid[],
  kind: 'CLOSED' | 'CLOSED_EARLY',
): Promise<void> {
  if (!unpaid.length) return
  const ids = unpaid.map((o) => o.id)
  await sql`update orders o
    set pay_state = 'CLOSED', order_status = 'CLOSED', closed_at = ${ctx.now}
    from ${places(unpaid)} where ${liesAt('o')} and o.pay_state = 'UNPAID'`.execute(ctx.db)
  // what a channel may still take is closed there, too
  const closed = await rowsOf<{ configId: number | null }>(ctx.db)`
    update payments set state = 'CLOSED', attempts = 0,
      next_at = case when config_id is not null then ${clock(ctx.app)} end
    where order_id = any(${ids}::bigint[]) and state = 'PENDING' returning config_id as "configId"`
  if (closed.some(({ configId }) => configId !== null))
    ctx.afterCommit(() => ctx.app.jobs.poke(checksName))
  // who held goods or a place that others asked for leaves as much of it to them for a while
  const until = new Date(ctx.now.getTime() + coolDown * 1000)
  const units = await rowsOf<{ laneId: number }>(ctx.db)`
    with released as (
      update order_units u set hold = 'RELEASED' from ${places(unpaid)}
      where ${liesAt('u', 'order_id')} and u.hold = 'HELD' returning u.lane_id, u.order_id
    ), lost as (
      insert into unpaid_losses (order_id, lane_id, org_id, device_id, address, pieces, until)
      select r.order_id, r.lane_id, h.org_id, h.device_id, h.address, count(*),
        ${until}::timestamptz
      from released r join unpaid_holds h on h.order_id = r.order_id
      where h.wanted and h.address <> '' group by 1, 2, 3, 4, 5
      union all
      select order_id, null, org_id, device_id, address, 1, ${until}::timestamptz from unpaid_holds
      where order_id = any(${ids}::bigint[]) and place_wanted and address <> ''
    )
    select lane_id as "laneId" from released`
  await sql`insert into order_events (org_id, created_at, order_id, order_at, device_id, kind)
    select "orgId", ${ctx.now}::timestamptz, id, "createdAt", "deviceId", ${kind}
    from jsonb_to_recordset(${JSON.stringify(unpaid)}::jsonb) as n("orgId" bigint,
      "createdAt" timestamptz, id bigint, "deviceId" bigint)`.execute(ctx.db)
  const moves = units.map((unit) => ({ laneId: unit.laneId, reserved: -1 }))
  const { deviceIds } = await moveStock(ctx, moves)
  refreshDeviceCounters(ctx, deviceIds)
  uncountUnpaid(ctx, ids, false)
  ctx.touch('orders', unpaid)
}
