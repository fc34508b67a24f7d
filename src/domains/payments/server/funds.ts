import { type RawBuilder, sql } from 'kysely'
import type { App, Ctx } from '../../../server/context.ts'
import { systemScope } from '../../../server/database.ts'
import { onlyRow, rowOf, rowsOf } from '../../../server/rows.ts'
import { bySystem } from '../../../server/run.ts'
import { addDays, startOfDay } from '../../../shared/instants.ts'
import { bankOut, feeOf } from '../../ledger/rules.ts'
import { post } from '../../ledger/server/post.ts'
import type { BadLine, FundLine } from '../../payment-channels/server/channels.ts'
import {
  type Account,
  begin,
  beginFetch,
  type Fetch,
  type Kept,
  ofAccount,
  type Sheet,
  simulatedBill,
  written,
} from './bills.ts'
import { missingFunds } from './faults.ts'
import { simulator } from './receive.ts'
import { simulatedShares } from './splitBills.ts'

/**
 * Fund flows: what moved on a merchant's account, kept line by line beside its trades. What lay there
 * before and after a day is what its lines say of themselves, in whatever order they stand.
 */
type Rows = AsyncIterable<FundLine | BadLine> | Iterable<FundLine | BadLine>

/**
 * The balance after the last moment fits the one before the first and the sum between them; a flow in
 * which they do not, or with lines that say nothing, has no balance.
 */
export function balancesOf() {
  let [sum, first, last] = [0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  let [before, after] = [new Set<number>(), new Set<number>()]
  return {
    see({ at, amount, balance }: Pick<FundLine, 'at' | 'amount' | 'balance'>): void {
      const moment = at.getTime()
      sum += amount
      if (moment < first) [first, before] = [moment, new Set()]
      if (moment === first) before.add(balance - amount)
      if (moment > last) [last, after] = [moment, new Set()]
      if (moment === last) after.add(balance)
    },
    said(): { opening: number; closing: number } | null {
      const closing = [...after].find((one) => before.has(one - sum))
      return closing === undefined ? null : { opening: closing - sum, closing }
    },
  }
}

function fundSheet(account: Account, day: string): Sheet<FundLine> {
  const balances = balancesOf()
  return {
    table: 'fund_flows',
    store(ctx, { orgId, provider, configId }, _day, { fetchNo }, lines): RawBuilder<unknown> {
      for (const line of lines) balances.see(line)
      return sql`insert into fund_flows as l (org_id, provider, config_id, day, flow_no, kind,
          trade_no, out_no, amount, balance, at, fetch_no, created_at)
        select ${orgId}::bigint, ${provider}, ${configId}::bigint, ${day}::date, n."flowNo", n.kind,
          n."tradeNo", n."outNo", n.amount, n.balance, n.at, ${fetchNo}::int, ${ctx.now}::timestamptz
        from (select distinct on ("flowNo") * from jsonb_to_recordset(${JSON.stringify(lines)}::jsonb)
          as r("flowNo" text, kind text, "tradeNo" text, "outNo" text, amount bigint, balance bigint,
            at timestamptz) order by "flowNo") n
        order by n."flowNo" on conflict (provider, config_id, day, flow_no) do update
          set kind = excluded.kind, trade_no = excluded.trade_no, out_no = excluded.out_no,
            amount = excluded.amount, balance = excluded.balance, at = excluded.at,
            fetch_no = excluded.fetch_no`
    },
    whole(badLines) {
      const said = badLines ? null : balances.said()
      if (said) return sql`opening = ${said.opening}, closing = ${said.closing}`
      // a day on which nothing moved ends as the one before it
      const carried = sql`(select p.closing from payment_bill_days p where ${ofAccount('p', account)}
        and p.bill_type = 'FUND' and p.day = ${addDays(day, -1)}
        and not exists (select from fund_flows f where ${ofAccount('f', account)} and f.day = ${day}))`
      return sql`opening = ${carried}, closing = ${carried}`
    },
  }
}

export async function keepFunds(
  app: App,
  account: Account,
  day: string,
  rows: Rows,
  begun?: Fetch,
): Promise<Kept> {
  const fetch = begun ?? (await beginFetch(app, account, day, false, 'FUND'))
  return written(fundSheet(account, day), account, day, rows, fetch, (act) => bySystem(app, act))
}
/** What somebody uploaded: all of it in the act, or the flow that was there. */
export async function replaceFunds(
  ctx: Ctx,
  account: Account,
  day: string,
  rows: Rows,
): Promise<Kept> {
  const fetch = await begin(ctx, account, day, false, 'FUND')
  return written(fundSheet(account, day), account, day, rows, fetch, (act) => act(ctx))
}

/**
 * A flow does not say whose it is: one of trades none of which is this merchant's is another's. One
 * without trades says nothing about it.
 */
export async function isForeign(
  app: App,
  account: Account,
  rows: readonly (FundLine | BadLine)[],
): Promise<boolean> {
  const trades = rows.flatMap((row) => (row.kind === 'PAY' ? [row.tradeNo] : []))
  if (!trades.length) return false
  const own = await app.database.read(
    systemScope,
    (db) => rowOf(db)`select 1 from payments p where ${ofAccount('p', account)}
        and p.provider_trade_no = any(${trades}::text[])
      union all select 1 from payment_bills l where ${ofAccount('l', account)}
        and l.trade_no = any(${trades}::text[]) limit 1`,
  )
  return own === undefined
}

/** What the ledger has of channel money of an account at the end of a day. */
export const ledgerAt = (account: Account, day: string): RawBuilder<number> =>
  sql<number>`(select coalesce(sum(d.debit - d.credit), 0)::bigint from ledger_days d
    where d.code = '1001' and d.config_id is not distinct from ${account.configId}::bigint
      and d.day <= ${day}::date)`

/** The simulated channel's account: its trades with their fees, what came back, what it paid out. */
export async function* simulatedFunds(
  app: App,
  account: Account,
  day: string,
): AsyncGenerator<FundLine> {
  let { balance } = await app.database.read(
    systemScope,
    (db) => onlyRow<{ balance: number }>(db)`select coalesce((select p.closing
        from payment_bill_days p where ${ofAccount('p', account)} and p.bill_type = 'FUND'
          and p.day < ${day} and p.closing is not null order by p.day desc limit 1),
      ${ledgerAt(account, addDays(day, -1))})::bigint as balance`,
  )
  const from = startOfDay(day)
  const until = startOfDay(addDays(day, 1))
  const shares = new Map(
    (
      await app.database.read(
        systemScope,
        (db) => rowsOf<{ no: string; amount: number; total: number; before: number }>(db)`
          select r.refund_no as no, r.amount, p.amount as total, coalesce((select sum(b.amount)
            from refunds b where b.payment_id = r.payment_id and b.state = 'SUCCESS'
              and (b.succeeded_at, b.id) < (r.succeeded_at, r.id)), 0)::bigint as before
          from refunds r join payments p on p.id = r.payment_id and p.provider = 'SIMULATOR'
          where r.succeeded_at >= ${from} and r.succeeded_at < ${until} and r.amount > 0`,
      )
    ).map(({ no, amount, total, before }) => {
      const back = (sum: number) => Math.floor((feeOf(total, simulator.feeBp) * sum) / total)
      return [no, back(before + amount) - back(before)]
    }),
  )
  const paidOut = await app.database.read(
    systemScope,
    (db) => rowsOf<{ no: string; amount: number; at: Date }>(db)`
      select t.withdrawal_no as no, t.amount, w.paid_at as at from simulated_transfers t
      join withdrawals w on w.withdrawal_no = t.withdrawal_no and w.state = 'PAID'
      where t.state = 'SUCCESS' and w.paid_at >= ${from} and w.paid_at < ${until}`,
  )
  const lines: Omit<FundLine, 'balance'>[] = [
    ...missingFunds(day),
    ...paidOut.map(({ no, amount, at }) => ({
      ...{ kind: 'TRANSFER' as const, flowNo: `T${no}`, tradeNo: '', outNo: no },
      ...{ amount: -amount, at },
    })),
  ]
  const seen = new Set<string>()
  for await (const line of simulatedBill(app, day)) {
    const { kind, tradeNo, state, refundNo } = line
    if (state !== 'SUCCESS' || seen.has(`${kind} ${tradeNo}`)) continue
    seen.add(`${kind} ${tradeNo}`)
    lines.push(...fundLines(line, shares.get(refundNo ?? '')))
  }
  for await (const { kind, requestNo, receiver, amount, at, state } of simulatedShares(app, day)) {
    const no = `${kind} ${requestNo} ${receiver}`
    if (state !== 'SUCCESS' || seen.has(no)) continue
    seen.add(no)
    const paid = kind === 'SPLIT'
    lines.push({
      ...{ kind: paid ? 'SPLIT' : 'SPLIT_BACK', tradeNo: '', outNo: requestNo },
      ...{ flowNo: no.replaceAll(' ', '-').slice(0, 128), amount: paid ? -amount : amount, at },
    })
  }
  lines.sort((a, b) => a.at.getTime() - b.at.getTime())
  for (const line of lines) {
    balance += line.amount
    yield { ...line, balance }
  }
}

type Trade = { kind: string; tradeNo: string; outTradeNo: string; refundNo: string | null } & {
  amount: number
  fee: number
  at: Date
}
/** What a line of a bill moved. */
export function fundLines(
  { kind, tradeNo, outTradeNo, refundNo, amount, fee, at }: Trade,
  back = 0,
): Omit<FundLine, 'balance'>[] {
  const paid = kind === 'PAY'
  const of = { tradeNo, outNo: refundNo ?? outTradeNo, at }
  const money = { ...of, flowNo: `${kind} ${tradeNo}`.replace(' ', '-').slice(0, 128) }
  const cost = paid ? -fee : back
  return [
    { ...money, kind: paid ? 'PAY' : 'REFUND', amount: paid ? amount : -amount },
    ...(cost === 0
      ? []
      : [
          {
            ...money,
            flowNo: `F${money.flowNo}`.slice(0, 128),
            kind: paid ? ('FEE' as const) : ('FEE_BACK' as const),
            amount: cost,
          },
        ]),
  ]
}

/**
 * Money that went to its collector's bank (V5), as far as he is owed it; what he is not owed yet is
 * tried again the next time, and meanwhile the balance says so.
 */
export async function importSettlements(app: App, account: Account, since: string): Promise<void> {
  const { configId, orgId } = account
  const lines = await app.database.aside(
    (db) => rowsOf<{ flowNo: string; amount: number; day: string }>(db)`
      select f.flow_no as "flowNo", -f.amount as amount, to_char(f.day, 'YYYY-MM-DD') as day
      from fund_flows f where ${ofAccount('f', account)} and f.kind = 'SETTLE' and f.amount < 0
        and f.day >= ${since}::date and not exists (select from ledger_voucher_keys k
          where k.key = 'st:' || ${configId ?? 0}::bigint || ':' || f.flow_no)
      order by f.at, f.id limit 200`,
  )
  for (const { flowNo, amount, day } of lines)
    await bySystem(app, async (ctx) => {
      const held = await rowOf<{ owed: number }>(ctx.db)`
        select owed from ledger_hold(${[orgId]}::bigint[])`
      if ((held?.owed ?? 0) < amount) return
      const of = { orgId, orderId: null, orderNum: null, configId }
      post(ctx, [bankOut({ settleNo: flowNo, day }, amount, of)])
    })
}
