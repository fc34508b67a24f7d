import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { App, Ctx } from '../../../server/context.ts'
import { onlyRow, rowsOf } from '../../../server/rows.ts'
import { bySystem } from '../../../server/run.ts'
import { clock, type Kind, type Piece } from '../../../server/work.ts'
import { addDays, shanghaiDay, startOfDay } from '../../../shared/instants.ts'
import { refundsName } from '../../orders/server/refunds.ts'
import { BadBill } from '../../payment-channels/server/bills.ts'
import { type BillRow, failed, retry } from '../../payment-channels/server/channels.ts'
import { type Connected, connectedTo } from '../../payment-channels/server/configs.ts'
import { raiseSecurity } from '../../security/server/raise.ts'
import { receive, sourceOf } from './receive.ts'

export const billsName = 'channel-bills'
type Due = Piece & { id: number; org_id: number; config_id: number; day: string }
type Sums = {
  paidRows: number
  paidAmount: number
  refundRows: number
  refundAmount: number
  feeAmount: number
  extraRows: number
}
type Checked = { state: 'DONE'; sums: Sums }

/** Rows of a bill that are held against the books in one act. */
const batch = 500
/** Rows we do not know; of more of them a person has to ask. */
const mostExtra = 500
/** A payment of the last minutes of a day may stand in the bill of the next. */
const marginMs = 600_000

/**
 * The bill of a day: what stands there and not in our books is asked of the channel and received
 * like a notice, what stands only here is told to people.
 */
export const billKind = (app: App): Kind<Due, Checked> => ({
  name: billsName,
  table: 'channel_bills',
  atOnce: 1,
  leaseSeconds: 1800,
  waits: [1800, 1800, 3600, 3600, 7200, 21_600, 43_200],
  reads: sql`to_char(t.day, 'YYYY-MM-DD') as day`,
  async do(due) {
    const connected = await connectedTo(app, due.config_id)
    if (!connected) return failed('merchant is not known')
    const file = join(app.config.dataDir, `bill-${due.id}.tmp`)
    try {
      const bill = await connected.channel.bill(due.day, file)
      if (bill.state !== 'READY') return bill
      return { state: 'DONE', sums: await compare(app, connected, due, bill.rows) }
    } catch (error) {
      if (error instanceof BadBill || error instanceof TypeError)
        return retry(`bill cannot be read (${error.message})`)
      throw error
    } finally {
      await rm(file, { force: true })
    }
  },
  async mark(ctx, due, to) {
    if (to.state === 'RETRY') {
      await sql`update channel_bills set next_at = ${to.nextAt}, last_error = ${to.reason}
        where ${due.ours}`.execute(ctx.db)
      return
    }
    const missing = to.state === 'DONE' ? await missingIn(ctx, due) : { rows: 0, amount: 0 }
    const sums = to.state === 'DONE' ? to.sums : null
    const { numAffectedRows } = await sql`update channel_bills set state = ${to.state},
      next_at = null, last_error = ${to.state === 'FAILED' ? to.reason : null},
      paid_rows = ${sums?.paidRows ?? 0}, paid_amount = ${sums?.paidAmount ?? 0},
      refund_rows = ${sums?.refundRows ?? 0}, refund_amount = ${sums?.refundAmount ?? 0},
      fee_amount = ${sums?.feeAmount ?? 0}, extra_rows = ${sums?.extraRows ?? 0},
      missing_rows = ${missing.rows} where ${due.ours}`.execute(ctx.db)
    if (!numAffectedRows) return
    if (missing.rows) await tell(ctx, due, 'BILL', { times: missing.rows, amount: missing.amount })
    if (to.state === 'FAILED') await tell(ctx, due, 'BILL_ABSENT', { reason: to.reason })
  },
})

const tell = (
  ctx: Ctx,
  { org_id: orgId, config_id: configId, day }: Due,
  why: 'BILL' | 'BILL_ABSENT' | 'BILL_ROW',
  detail: {
    times?: number
    amount?: number
    reason?: string
    tradeNo?: string
    outTradeNo?: string
  },
) =>
  raiseSecurity(ctx, {
    orgId,
    kind: why === 'BILL_ABSENT' ? 'PAYMENT_CHANNEL' : 'PAYMENT_MISMATCH',
    subject: detail.tradeNo || `${day} #${configId}`,
    detail: { why, day, ...detail },
  })

async function compare(
  app: App,
  connected: Connected,
  due: Due,
  rows: AsyncIterable<BillRow>,
): Promise<Sums> {
  const sums: Sums = {
    paidRows: 0,
    paidAmount: 0,
    refundRows: 0,
    refundAmount: 0,
    feeAmount: 0,
    extraRows: 0,
  }
  let some: BillRow[] = []
  const flush = async () => {
    const extra = await known(app, connected, due, some)
    some = []
    for (const row of extra) {
      sums.extraRows += 1
      if (sums.extraRows <= mostExtra) await askAfter(app, connected, due, row)
    }
  }
  for await (const row of rows) {
    const paid = row.kind === 'PAID'
    sums[paid ? 'paidRows' : 'refundRows'] += 1
    sums[paid ? 'paidAmount' : 'refundAmount'] += row.amount
    sums.feeAmount += paid ? row.fee : 0
    if (some.push(row) >= batch) await flush()
  }
  await flush()
  return sums
}

/** Marks what both sides say; answers the rows that our books do not say. */
const known = (app: App, { merchant }: Connected, due: Due, rows: readonly BillRow[]) =>
  bySystem(app, async (ctx) => {
    const of = (kind: BillRow['kind']) => rows.filter((row) => row.kind === kind)
    const paid = await rowsOf<{ tradeNo: string; amount: number }>(ctx.db)`
      update payments set bill_id = ${due.id} where config_id = ${merchant.id}
        and state = 'SUCCESS' and provider = ${merchant.provider}
        and provider_trade_no = any(${of('PAID').map((row) => row.tradeNo)}::text[])
      returning provider_trade_no as "tradeNo", amount`
    const refunded = await rowsOf<{ refundNo: string; amount: number; state: string }>(ctx.db)`
      select r.refund_no as "refundNo", r.amount, r.state from refunds r
      join payments p on p.id = r.payment_id and p.config_id = ${merchant.id}
      where r.refund_no = any(${of('REFUND').map((row) => row.refundNo)}::text[])`
    const sums = new Map(paid.map((row) => [row.tradeNo, row.amount]))
    const given = new Map(refunded.map((row) => [row.refundNo, row]))
    return rows.filter((row) =>
      row.kind === 'PAID'
        ? sums.get(row.tradeNo) !== row.amount
        : given.get(row.refundNo)?.amount !== row.amount ||
          given.get(row.refundNo)?.state !== 'SUCCESS',
    )
  })

/** A bill is a hint: what it says counts when the channel says it again, signed. */
async function askAfter(
  app: App,
  { merchant, channel }: Connected,
  due: Due,
  row: BillRow,
): Promise<void> {
  if (row.kind === 'REFUND') {
    await bySystem(app, async (ctx) => {
      const { numAffectedRows } = await sql`update refunds r set next_at = ${clock(app)}
        from payments p where r.refund_no = ${row.refundNo} and r.amount = ${row.amount}
          and r.state = 'PROCESSING' and p.id = r.payment_id
          and p.config_id = ${merchant.id}`.execute(ctx.db)
      if (!numAffectedRows)
        await tell(ctx, due, 'BILL_ROW', {
          tradeNo: row.tradeNo,
          outTradeNo: row.outTradeNo,
          amount: row.amount,
        })
      ctx.afterCommit(() => app.jobs.poke(refundsName))
    })
    return
  }
  const fact = await channel.query(row.outTradeNo)
  if ('reason' in fact) throw new Error(`payment of a bill: ${fact.reason}`)
  await bySystem(app, async (ctx) => {
    if (fact.state === 'PAID' && fact.notice.tradeNo === row.tradeNo) {
      await receive(ctx, sourceOf(merchant), fact.notice)
      await sql`update payments set bill_id = ${due.id} where config_id = ${merchant.id}
        and provider_trade_no = ${row.tradeNo} and amount = ${row.amount}`.execute(ctx.db)
      if (fact.notice.amount === row.amount) return
    }
    await tell(ctx, due, 'BILL_ROW', {
      tradeNo: row.tradeNo,
      outTradeNo: row.outTradeNo,
      amount: row.amount,
    })
  })
}

/** Paid in our books until shortly before the day's end, and in no bill so far. */
const missingIn = (ctx: Ctx, { config_id: configId, day }: Due) =>
  onlyRow<{ rows: number; amount: number }>(ctx.db)`
    select count(*)::int as rows, coalesce(sum(amount), 0)::bigint as amount from payments
    where config_id = ${configId} and state = 'SUCCESS' and bill_id is null
      and paid_at >= ${startOfDay(addDays(day, -1))}
      and paid_at < ${new Date(startOfDay(addDays(day, 1)).getTime() - marginMs)}`

/** Yesterday's bill of each merchant that was paid or may have been; channels make them by ten. */
export const askForBills = (app: App): Promise<void> =>
  bySystem(app, async (ctx) => {
    const day = addDays(shanghaiDay(ctx.now), -1)
    await sql`insert into channel_bills (org_id, config_id, day, next_at, created_at)
      select org_id, id, ${day}::date, ${clock(app)}, ${ctx.now} from payment_configs c
      where state in ('ACTIVE', 'ERROR') or exists (select from payments p
        where p.config_id = c.id and p.paid_at >= ${startOfDay(day)})
      on conflict (config_id, day) do nothing`.execute(ctx.db)
    ctx.afterCommit(() => app.jobs.poke(billsName))
  })
