import type { App } from '../../../server/context.ts'
import { rowsOf } from '../../../server/rows.ts'
import { bySystem } from '../../../server/run.ts'
import { bi } from '../../../shared/text.ts'
import { notify } from '../../notices/server/notify.ts'

type Made = { id: number; no: string; orgId: number; issuer: number }

/** What was given back after its invoice was issued wants a red one: its issuer is told. */
export async function openReds(app: App): Promise<void> {
  await bySystem(app, async (ctx) => {
    const made = await rowsOf<Made>(ctx.db)`update invoices i
      set state = 'RED_PENDING', version = i.version + 1
      where i.state in ('ISSUED','SENT') and i.id in (select x.invoice_id from refunds r
        join invoice_items x on x.source_id = r.order_id
        join orders o on o.org_id = x.org_id and o.created_at = x.source_at and o.id = x.source_id
        join invoice_sources s on s.source = 'ORDERS' and s.source_id = x.source_id
        where r.succeeded_at > ${new Date(ctx.now.getTime() - 86_400_000)}
          and s.invoiced > o.paid_amount - o.refunded_amount)
      returning i.id, i.request_no as no, i.org_id as "orgId", i.issuer_org_id as issuer`
    for (const { no, issuer } of made)
      await notify(ctx, {
        ...{ kind: 'SYSTEM', permission: 'invoice:issue', orgId: issuer, orAbove: true },
        link: `/finance/invoice-enterprise?requestNo=${no}`,
        title: bi(`发票待红冲：${no}`, `An invoice wants a red one: ${no}`),
        body: bi('开票后发生退款', 'Some of it was given back after it was issued'),
      })
    if (made.length)
      ctx.touch(
        'invoices',
        made.flatMap(({ orgId, issuer }) => [orgId, issuer]),
      )
  })
}

export async function registerInvoiceJobs(app: App): Promise<void> {
  app.jobs.every('invoice-reds', 60_000, () => openReds(app))
}
