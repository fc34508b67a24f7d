import { sql } from 'kysely'
import type { App, Ctx } from '../../../server/context.ts'
import { rowsOf } from '../../../server/rows.ts'
import { clock, type Kind, type Piece } from '../../../server/work.ts'
import { lockOrders } from '../../orders/server/rows.ts'
import { closeOrders } from '../../orders/server/timers.ts'
import { checkAfter, checksName, checkWaits } from '../../payment-channels/rules.ts'
import { type Fault, type Notice, retry } from '../../payment-channels/server/channels.ts'
import { type Connected, connectedTo } from '../../payment-channels/server/configs.ts'
import { raiseSecurity } from '../../security/server/raise.ts'
import { receive, type Source, sourceOf } from './receive.ts'

type Due = Piece & {
  id: number
  org_id: number
  device_id: number
  order_id: number
  order_at: Date
  order_num: string
  out_trade_no: string
  provider: 'WECHAT' | 'ALIPAY'
  config_id: number
  state: 'PENDING' | 'SUCCESS' | 'CLOSED'
  created_at: Date
  expire_at: Date
}
type Seen =
  | { state: 'PAID'; notice: Notice; from: Source }
  /** Not paid, and nobody can pay any more. */
  | { state: 'CLOSED' }
  /** Not paid yet. */
  | { state: 'OPEN' }
  /** Its merchant has other keys, and nobody has verified them yet. */
  | { state: 'HELD' }
/** Whoever verifies the keys wakes it. */
const heldSeconds = 900

/**
 * Payments of channels are asked after until they are paid or closed: word of a channel may be lost.
 * At the end of its time an order is closed at its channel first, so that what was paid at the last
 * moment still counts; one that was closed here before is closed there, too.
 */
export const checkKind = (app: App): Kind<Due, Seen> => ({
  name: checksName,
  table: 'payments',
  planned: true,
  atOnce: 8,
  leaseSeconds: 60,
  waits: checkWaits,
  reads: sql`(select o.expire_at from orders o where o.org_id = t.org_id
    and o.created_at = t.order_at and o.id = t.order_id) as expire_at`,
  async do(due) {
    const connected = await connectedTo(app, due.config_id)
    return connected ? look(app, connected, due) : { state: 'HELD' }
  },
  async mark(ctx, due, to) {
    if (to.state === 'HELD') {
      await sql`update payments set attempts = 0,
        next_at = ${clock(app)} + make_interval(secs => ${heldSeconds}) where ${due.ours}`.execute(
        ctx.db,
      )
      return
    }
    if (to.state === 'OPEN') {
      const age = (ctx.now.getTime() - due.created_at.getTime()) / 1000
      const left = (due.expire_at.getTime() - ctx.now.getTime()) / 1000
      const seconds = left > 0 ? Math.min(checkAfter(age), left + 1) : checkAfter(age)
      await sql`update payments set attempts = 0,
        next_at = ${clock(app)} + make_interval(secs => ${seconds}) where ${due.ours}`.execute(
        ctx.db,
      )
      return
    }
    // orders before payments, everywhere
    await lockOrders(ctx, [{ orgId: due.org_id, at: due.order_at, id: due.order_id }])
    if (to.state === 'RETRY') {
      await sql`update payments set next_at = ${to.nextAt} where ${due.ours}`.execute(ctx.db)
      return
    }
    if (to.state === 'CLOSED') await closeHere(ctx, due)
    const { numAffectedRows } = await sql`update payments set next_at = null
      where id = ${due.id} and next_at is not null`.execute(ctx.db)
    if (to.state === 'PAID') await receive(ctx, to.from, to.notice)
    if (to.state === 'FAILED' && numAffectedRows)
      await raiseSecurity(ctx, {
        orgId: due.org_id,
        kind: 'PAYMENT_CHANNEL',
        subject: due.order_num,
        deviceId: due.device_id,
        detail: {
          why: 'CHECK',
          provider: due.provider,
          outTradeNo: due.out_trade_no,
          orderNum: due.order_num,
          reason: to.reason,
        },
      })
  },
})

async function look(
  app: App,
  { merchant, channel }: Connected,
  { out_trade_no: outTradeNo, state, expire_at: expireAt }: Due,
): Promise<Seen | Fault> {
  const fact = await channel.query(outTradeNo)
  if (fact.state === 'PAID') return { state: 'PAID', notice: fact.notice, from: sourceOf(merchant) }
  if ('reason' in fact) return fact
  if (fact.state === 'CLOSED') return { state: 'CLOSED' }
  const over = expireAt.getTime() <= app.now().getTime()
  // a code that nobody scanned is unknown there and ends by itself at the end of its time
  if (fact.state === 'ABSENT') return { state: over ? 'CLOSED' : 'OPEN' }
  if (state === 'PENDING' && !over) return { state: 'OPEN' }
  const closed = await channel.close(outTradeNo)
  if ('reason' in closed) return closed
  if (closed.state === 'PAID') return retry('paid at the last moment')
  return closed.state === 'ABSENT' && !over ? { state: 'OPEN' } : { state: 'CLOSED' }
}

/** Nobody can pay it there, nor anywhere else, any more. */
async function closeHere(ctx: Ctx, due: Due): Promise<void> {
  const unpaid = await rowsOf<Parameters<typeof closeOrders>[1][number]>(ctx.db)`
    select org_id as "orgId", created_at as "createdAt", id, device_id as "deviceId"
    from orders where org_id = ${due.org_id} and created_at = ${due.order_at}
      and id = ${due.order_id} and pay_state = 'UNPAID' and expire_at <= ${ctx.now}
      -- the other channel it could be paid by is asked, too
      and not exists (select from payments p where p.order_id = orders.id and p.id <> ${due.id}
        and p.state = 'PENDING' and p.next_at is not null)`
  await closeOrders(ctx, unpaid, 'CLOSED')
}
