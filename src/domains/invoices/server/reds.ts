import { sql } from 'kysely'
import type { App, Ctx } from '../../../server/context.ts'
import { rowsOf } from '../../../server/rows.ts'
import { bySystem } from '../../../server/run.ts'
import { bi, say } from '../../../shared/text.ts'
import { notify } from '../../notices/server/notify.ts'
import { redReason } from '../rules.ts'

/**
 * Money of an order went back: each invoice that it stands on is looked at, once for a refund. One
 * statement in the transaction of the refund, which holds the order; whoever issues holds it too.
 */
export const noteRefund = (ctx: Ctx, orgId: number, orderNum: string, refundNo: string): void =>
  ctx.later(sql`insert into invoice_reds (invoice_id, org_id, refund_no, created_at)
    select x.invoice_id, x.org_id, ${refundNo}, ${ctx.now}::timestamptz from invoice_items x
    where x.org_id = ${orgId} and x.source = 'ORDERS' and x.source_no = ${orderNum} and x.live
    on conflict (invoice_id, refund_no) do nothing`)

/** So many refunds are looked at in one act. */
const atOnce = 200
type Made = { id: number; no: string; orgId: number; issuer: number }

/**
 * An invoice that says more than was left after a refund wants a red one: its issuer is told. One
 * that was not issued yet cannot be, and needs none.
 */
export async function openReds(app: App): Promise<void> {
  await bySystem(app, async (ctx) => {
    const made = await rowsOf<Made>(ctx.db)`with seen as (update invoice_reds
        set done_at = ${ctx.now} where (invoice_id, refund_no) in (select invoice_id, refund_no
          from invoice_reds where done_at is null order by created_at limit ${atOnce}
          for update skip locked)
        returning invoice_id)
      update invoices i set state = 'RED_PENDING', reason = ${say(redReason, 'zh-CN')},
        next_at = null, version = i.version + 1
      where i.state in ('ISSUED','SENT') and i.id in (select invoice_id from seen)
        and exists (select from invoice_items x join invoice_sources s
            on s.org_id = x.org_id and s.source = x.source and s.source_no = x.source_no
          join order_keys k on k.order_num = x.source_no
          join orders o on o.org_id = k.org_id and o.created_at = k.created_at and o.id = k.order_id
          where x.invoice_id = i.id and x.live
            and s.invoiced > o.paid_amount - o.refunded_amount)
      returning i.id, i.request_no as no, i.org_id as "orgId", i.issuer_org_id as issuer`
    for (const { no, issuer } of made)
      await notify(ctx, {
        ...{ kind: 'SYSTEM', permission: 'invoice:issue', orgId: issuer, orAbove: true },
        link: `/finance/invoice-enterprise?requestNo=${no}`,
        title: bi(`发票待红冲：${no}`, `An invoice wants a red one: ${no}`),
        body: redReason,
      })
    if (made.length)
      ctx.touch(
        'invoices',
        made.flatMap(({ orgId, issuer }) => [orgId, issuer]),
      )
  })
}
