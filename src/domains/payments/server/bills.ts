import { type RawBuilder, sql } from 'kysely'
import type { App, Ctx } from '../../../server/context.ts'
import { systemScope } from '../../../server/database.ts'
import { rowsOf } from '../../../server/rows.ts'
import { bySystem } from '../../../server/run.ts'
import { platformOrg } from '../../../shared/access.ts'
import { addDays, startOfDay } from '../../../shared/instants.ts'
import { feeOf } from '../../ledger/rules.ts'
import { simulator as simulated } from './receive.ts'

/** What a provider says of one payment or refund of a day. */
export type BillLine = {
  kind: 'PAY' | 'REFUND'
  /** The provider's number, of the payment or of the refund. */
  tradeNo: string
  outTradeNo: string
  /** Ours; of a refund alone. */
  refundNo: string | null
  amount: number
  /** What the provider kept; of a refund, what it gave back of that. */
  fee: number
  at: Date
  state: 'SUCCESS' | 'PROCESSING' | 'FAILED'
}
export type ProviderName = 'SIMULATOR' | 'WECHAT' | 'ALIPAY'
export type Account = { provider: ProviderName; config: string }
/** The bill of a Shanghai day; null: there is none yet. */
export type BillSource = Account & { bill(app: App, day: string): Promise<BillLine[] | null> }

/**
 * The simulated channel made its bill of what it told (its notices, each trade once) and of what it
 * was asked to give back.
 */
const simulator: BillSource = {
  provider: 'SIMULATOR',
  config: '',
  async bill(app, day) {
    const [from, until] = [startOfDay(day), startOfDay(addDays(day, 1))]
    const rows = await app.database.snapshot(
      systemScope,
      (db) => rowsOf<Omit<BillLine, 'fee' | 'state'>>(db)`
        select 'PAY' as kind, raw->>'tradeNo' as "tradeNo", min(raw->>'outTradeNo') as "outTradeNo",
          null as "refundNo", min((raw->>'amount')::bigint) as amount, min(created_at) as at
        from payment_events e where provider = 'SIMULATOR' and created_at < ${until}
          and created_at >= ${from} and coalesce(raw->>'currency', 'CNY') = 'CNY'
          and coalesce(raw->>'merchant', 'SIMULATOR') = 'SIMULATOR'
          and (raw->>'amount')::bigint > 0 and not exists (select from payment_events b
            where b.provider = 'SIMULATOR' and b.raw->>'tradeNo' = e.raw->>'tradeNo'
              and b.created_at < ${from} and b.created_at >= ${startOfDay(addDays(day, -1))})
        group by 2
        union all select 'REFUND', r.provider_refund_no, p.out_trade_no, r.refund_no, r.amount,
          r.succeeded_at
        from refunds r join payments p on p.id = r.payment_id
        where r.succeeded_at >= ${from} and r.succeeded_at < ${until} and r.amount > 0
          and p.provider = 'SIMULATOR' and r.provider_refund_no is not null`,
    )
    return rows.map((row) => ({
      ...row,
      fee: row.kind === 'PAY' ? feeOf(row.amount, simulated.feeBp) : 0,
      state: 'SUCCESS',
    }))
  },
}

/** Who is asked for bills; real channels add their accounts. */
export const billSources = async (_app: App): Promise<BillSource[]> => [simulator]

/**
 * Asks an account for its bill of a day and keeps it. Answers the number of lines, or null when
 * there is no bill yet.
 */
export async function fetchBill(app: App, source: BillSource, day: string): Promise<number | null> {
  const lines = await source.bill(app, day)
  if (lines) await bySystem(app, (ctx) => storeBill(ctx, source, day, lines))
  return lines?.length ?? null
}

/** A bill that is fetched again says what it says now; a line keeps its id. */
export async function storeBill(
  ctx: Ctx,
  { provider, config }: Account,
  day: string,
  lines: readonly BillLine[],
): Promise<void> {
  const account = sql`provider = ${provider} and config = ${config}`
  const numbers = lines.map((line) => `${line.kind} ${line.tradeNo}`)
  await sql`delete from payment_bills where ${account} and day = ${day}
    and not (kind || ' ' || trade_no = any(${numbers}::text[]))`.execute(ctx.db)
  // a line twice in one bill is one
  for (let i = 0; i < lines.length; i += 5000)
    await stored(ctx, { provider, config }, day, lines.slice(i, i + 5000)).execute(ctx.db)
  await sql`insert into payment_bill_days (provider, config, day, org_id, lines, fetched_at)
    values (${provider}, ${config}, ${day}, ${platformOrg}, ${lines.length}, ${ctx.now})
    on conflict (provider, config, day) do update
      set lines = excluded.lines, fetched_at = excluded.fetched_at`.execute(ctx.db)
}

const stored = (
  ctx: Ctx,
  { provider, config }: Account,
  day: string,
  lines: readonly BillLine[],
): RawBuilder<unknown> => sql`
    insert into payment_bills (org_id, provider, config, day, kind, trade_no, out_trade_no,
      refund_no, amount, fee, at, state, created_at)
    select distinct on (n.kind, n."tradeNo")
      coalesce(t.org_id, p.org_id, ${platformOrg}), ${provider}, ${config}, ${day}::date, n.kind,
      n."tradeNo", n."outTradeNo", n."refundNo", n.amount, n.fee, n.at, n.state,
      ${ctx.now}::timestamptz
    from jsonb_to_recordset(${JSON.stringify(lines)}::jsonb) as n(kind text, "tradeNo" text,
      "outTradeNo" text, "refundNo" text, amount bigint, fee bigint, at timestamptz, state text)
    left join payments p on p.out_trade_no = n."outTradeNo"
    left join payments t on t.provider = ${provider} and t.provider_trade_no = n."tradeNo"
      and n.kind = 'PAY'
    order by n.kind, n."tradeNo"
    on conflict (provider, config, kind, trade_no) do update set org_id = excluded.org_id,
      day = excluded.day, out_trade_no = excluded.out_trade_no, refund_no = excluded.refund_no,
      amount = excluded.amount, fee = excluded.fee, at = excluded.at, state = excluded.state`
