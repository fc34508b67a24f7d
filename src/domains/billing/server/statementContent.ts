import type { Db } from '../../../server/database.ts'
import { onlyRow, rowsOf } from '../../../server/rows.ts'
import { addDays, startOfDay } from '../../../shared/instants.ts'
import { sideOf, statementCodes } from '../rules.ts'
import type { Content } from '../statementContract.ts'

/** So many lines of a kind stand in a statement. */
const most = 200

/** Days from `first` to the one before `next`; a month is read from figures of months. */
export type Span = { first: string; next: string; grain: 'DAY' | 'MONTH' }
export const monthOf = (month: string): Span => ({
  first: `${month}-01`,
  next: `${addDays(`${month}-01`, 31).slice(0, 7)}-01`,
  grain: 'MONTH',
})

type Opening = { code: (typeof statementCodes)[number]; fen: number }
type Move = Content['accounts'][number]['moves'][number] & { code: Opening['code'] }

/**
 * What a party had, got and gave in that time, from its entries: whoever asks sees everything, in
 * one snapshot. Reads all of them, so it is work, and no screen waits for it.
 */
export async function contentOf(db: Db, orgId: number, span: Span): Promise<Content> {
  const { first, next, grain } = span
  const [from, to] = [startOfDay(first), startOfDay(next)]
  const org = await onlyRow<{ name: string; code: string }>(db)`
    select name, coalesce(code, '') as code from organisations where id = ${orgId}`
  // days that were summed, and what came behind the last of them
  const openings = await rowsOf<Opening>(db)`
    select a.code, (coalesce((select sum(d.debit - d.credit) from ledger_days d
          where d.org_id = a.org_id and d.code = a.code and d.day <= closed.day), 0)
        + coalesce((select sum(e.amount) from ledger_entries e where e.account_id = a.id
          and e.created_at < ${from} and e.created_at >= coalesce((closed.day + 1)::timestamp
            at time zone 'Asia/Shanghai', '-infinity')), 0))::bigint as fen
    from ledger_accounts a cross join lateral (select max(d.day) as day from ledger_days d
      where d.org_id = a.org_id and d.code = a.code and d.day < ${first}::date) closed
    where a.org_id = ${orgId} and a.code = any(${[...statementCodes]}::text[])`
  const moves = await rowsOf<Move>(db)`
    select a.code, e.voucher_type as type, count(*)::int as count,
      coalesce(sum(e.amount) filter (where e.amount > 0), 0)::bigint as debit,
      coalesce(-sum(e.amount) filter (where e.amount < 0), 0)::bigint as credit
    from ledger_entries e join ledger_accounts a on a.id = e.account_id
    where a.org_id = ${orgId} and a.code = any(${[...statementCodes]}::text[])
      and e.created_at >= ${from} and e.created_at < ${to}
    group by 1, 2 order by 1, length(e.voucher_type), 2`
  const strategies = await rowsOf<Content['strategies'][number]>(db)`
    select s.name, v.version_no as "versionNo", v.mode, p.ratio_bp as "ratioBp",
      p.is_collector as "isCollector"
    from split_parties p join split_strategy_versions v on v.id = p.version_id
    join split_strategies s on s.id = v.strategy_id
    where p.party_org_id = ${orgId} and v.state = 'PUBLISHED' and exists (
      select from split_days d where d.strategy_id = v.strategy_id and d.version_id = v.id
        and d.day >= ${first}::date and d.day < ${next}::date)
    order by s.name, v.version_no limit ${most}`
  const sales = await onlyRow<Content['sales']>(db)`
    select coalesce(sum(price), 0)::bigint as price, coalesce(sum(fee), 0)::bigint as fee,
      coalesce(sum(refundment), 0)::bigint as refundment,
      coalesce(sum(orders), 0)::int as orders,
      coalesce(sum(refund_orders), 0)::int as "refundOrders"
    from bill_days where org_id = ${orgId} and grain = ${grain}
      and day >= ${first}::date and day < ${next}::date`
  const withdrawals = await rowsOf<{
    no: string
    requestedAt: Date
    paidAt: Date | null
    amount: number
    state: string
  }>(
    db,
  )`select withdrawal_no as no, requested_at as "requestedAt", paid_at as "paidAt", amount, state
    from withdrawals where org_id = ${orgId} and referrer_id is null and (requested_at >= ${from} and requested_at < ${to}
      or paid_at >= ${from} and paid_at < ${to}) order by requested_at, id limit ${most}`
  const debts = await rowsOf<{ orderNum: string; createdAt: Date; amount: number; rest: number }>(
    db,
  )`select order_num as "orderNum", created_at as "createdAt", amount, rest from split_debts
    where party_org_id = ${orgId} and created_at >= ${from} and created_at < ${to}
    order by created_at, id limit ${most}`
  return {
    orgName: org.name,
    orgCode: org.code,
    accounts: statementCodes.flatMap((code) => {
      const own = moves.filter((move) => move.code === code)
      const before = openings.find((one) => one.code === code)
      if (!before && !own.length) return []
      const opening = (before?.fen ?? 0) * sideOf(code) || 0
      const change = own.reduce((sum, { debit, credit }) => sum + debit - credit, 0)
      return {
        ...{ code, opening, closing: opening + change * sideOf(code) },
        moves: own.map(({ code: _, ...move }) => move),
      }
    }),
    strategies,
    sales,
    withdrawals: withdrawals.map(({ requestedAt, paidAt, ...row }) => ({
      ...row,
      requestedAt: requestedAt.toISOString(),
      paidAt: paidAt?.toISOString() ?? null,
    })),
    debts: debts.map(({ createdAt, ...row }) => ({ ...row, createdAt: createdAt.toISOString() })),
  }
}
