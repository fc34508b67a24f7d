import { type RawBuilder, sql } from 'kysely'
import { platformOrg } from '../../../shared/access.ts'
import { largestCarry } from '../../splits/rules.ts'
import type { DifferenceKind, Inner, Part, Window } from '../rules.ts'

/**
 * What must agree on a day, part by part. Each query names what does not: whose it is, its subject,
 * and both figures. Rows of the day are read by partition, and what belongs to each by its index
 * (`lateral`): nobody knows how large a day is before it is analysed, so what one query gathers is
 * never joined with what another gathers, which may be compared each with each. Nothing is locked.
 */

/** `since`: the moment of the oldest order that the day's money is about. */
export type Span = Window & { since: Date }
type Check = {
  part: Inner
  kind: DifferenceKind
  sql: (span: Span) => RawBuilder<unknown>
}
const at = (column: string, { from, until }: { from: Date; until: Date }) =>
  sql`${sql.ref(column)} >= ${from} and ${sql.ref(column)} < ${until}`

/** Orders that were made on the day, or that its money is about. */
const touched = (span: Span) => sql`touched as materialized (
    select org_id, created_at as at, id from orders where ${at('created_at', span)}
    union select org_id, order_at, order_id from payments
      where ${at('paid_at', span)} and order_id is not null
    union select org_id, order_at, order_id from refunds
      where ${at('succeeded_at', span)} and order_id is not null),
  o as materialized (select o.* from orders o
    join touched t on t.org_id = o.org_id and t.at = o.created_at and t.id = o.id
    where o.created_at >= ${span.since} and o.created_at < ${span.until})`

const piecesOf = (span: Span) => sql`order_units u
    where u.org_id = o.org_id and u.created_at = o.created_at and u.order_id = o.id
      and u.created_at >= ${span.since} and u.created_at < ${span.until}`

/** What the voucher of that key books, of that day or of any. */
const bookedAs = (key: RawBuilder<unknown>, day?: Window) => sql`lateral (
    select sum(e.amount) filter (where e.amount > 0) as amount from ledger_voucher_keys k
    join ledger_entries e on e.voucher_id = k.voucher_id and e.created_at = k.created_at
    where k.key = ${key} ${day ? sql`and ${at('k.created_at', day)}` : sql``})`

/**
 * What bills corrected of the fee of `p`, by its vouchers, and of what its refunds would have brought
 * back of it.
 */
const fixedFees = sql`lateral (select coalesce(sum(x.returned), 0)::bigint as returned,
      coalesce(sum(x.returned - coalesce((select sum(e.amount) from ledger_voucher_keys k
        join ledger_entries e on e.voucher_id = k.voucher_id and e.created_at = k.created_at
        join ledger_accounts a on a.id = e.account_id and a.code = '1001'
        where k.key = 'fee:' || p.id || ':' || x.id), 0)), 0)::bigint as amount
    from payment_fee_fixes x where x.payment_id = p.id)`

/** Vouchers of the day by what they book. */
const booked = (span: Span) => sql`booked as materialized (
    select k.key, k.org_id, min(e.order_num) as order_num,
      sum(e.amount) filter (where e.amount > 0) as amount, sum(e.amount) as balance
    from ledger_voucher_keys k
    join ledger_entries e on e.voucher_id = k.voucher_id and ${at('e.created_at', span)}
    where ${at('k.created_at', span)} group by 1, 2)`

const columns = (
  alias: string,
  subject: RawBuilder<unknown>,
  local: RawBuilder<unknown>,
  other: RawBuilder<unknown>,
) => sql`${sql.ref(`${alias}.org_id`)} as "orgId", ${sql.ref(`${alias}.device_id`)} as "deviceId",
    ${subject} as subject, ${sql.ref(`${alias}.order_num`)} as "orderNum",
    (${local})::bigint as "localAmount", coalesce(${other}, 0)::bigint as "otherAmount"`

const checks: readonly Check[] = [
  {
    part: 'ORDERS',
    kind: 'ORDER_AMOUNT',
    sql: (span) => sql`with ${touched(span)}
      select ${columns(
        'o',
        sql`o.order_num`,
        sql`case when o.total_amount is distinct from n.list then o.total_amount
          when o.payable_amount <> n.paid then o.payable_amount
          when o.discount_amount <> n.discount then o.discount_amount
          when o.pieces <> n.units then o.pieces else o.cost_amount end`,
        sql`case when o.total_amount is distinct from n.list then n.list
          when o.payable_amount <> n.paid then n.paid
          when o.discount_amount <> n.discount then n.discount
          when o.pieces <> n.units then n.units else n.cost end`,
      )}
      from o cross join lateral (select count(*) as units, sum(list_price) as list,
        sum(discount) as discount, sum(paid) as paid,
        coalesce(sum(cost) filter (where vend_state = 'SUCCESS'), 0) as cost
        from ${piecesOf(span)}) n
      where (o.pieces, o.total_amount, o.discount_amount, o.payable_amount, o.cost_amount)
        is distinct from (n.units::int, n.list::bigint, n.discount::bigint, n.paid::bigint,
          n.cost::bigint)`,
  },
  {
    part: 'ORDERS',
    kind: 'ORDER_REFUNDED',
    sql: (span) => sql`with ${touched(span)}
      select ${columns('o', sql`o.order_num`, sql`o.refunded_amount`, sql`n.amount`)}
      from o cross join lateral (select sum(r.amount) as amount from refunds r
        where r.order_id = o.id and r.state = 'SUCCESS' and r.kind = 'UNIT') n
      where o.refunded_amount <> coalesce(n.amount, 0)`,
  },
  {
    part: 'ORDERS',
    kind: 'ORDER_PAYMENT',
    sql: (span) => sql`with ${touched(span)}
      select ${columns('o', sql`o.order_num`, sql`o.paid_amount`, sql`p.amount`)}
      from o left join payments p on p.order_id = o.id and p.applied
      where o.paid_amount <> coalesce(p.amount, 0)
        or o.paid_amount <> case when o.pay_state in ('UNPAID','CLOSED') then 0
          else o.payable_amount end`,
  },
  {
    part: 'ORDERS',
    kind: 'ORDER_FINAL',
    sql: (span) => sql`with ${touched(span)}
      select ${columns('o', sql`o.order_num`, sql`case when o.final_at is null then 1 else 0 end`, sql`n.pieces`)}
      from o cross join lateral (select count(*) as pieces from ${piecesOf(span)}
        and case when o.order_type = 'TEST' then u.vend_state not in ('SUCCESS','FAILED','VOID')
          else u.vend_state <> 'SUCCESS' and u.refund_state is distinct from 'SUCCESS' end) n
      where (o.final_at is not null)
        <> (o.pay_state not in ('UNPAID','CLOSED') and n.pieces = 0)`,
  },
  {
    part: 'PAYMENTS',
    kind: 'PAYMENT_LEDGER',
    // money that waited in suspense came in as an order's on a later day
    sql: (span) => sql`
      select ${columns('p', sql`p.out_trade_no`, sql`p.amount`, sql`coalesce(i.amount, s.amount)`)}
      from payments p left join ${bookedAs(sql`'in:' || p.id`, span)} i on p.applied
      left join ${bookedAs(sql`'sus:' || p.id`, span)} s on true
      where ${at('p.paid_at', span)} and p.state = 'SUCCESS'
        and p.amount <> coalesce(i.amount, s.amount, 0)`,
  },
  {
    part: 'PAYMENTS',
    kind: 'FEE_LEDGER',
    // money that waited in suspense has its fee on the day on which it found its order
    sql: (span) => sql`
      select ${columns('p', sql`p.out_trade_no`, sql`p.fee_amount`, sql`coalesce(b.amount, 0) + f.amount`)}
      from payments p left join ${bookedAs(sql`'fee:' || p.id`)} b on true
      cross join ${fixedFees} f
      where ${at('p.paid_at', span)} and p.state = 'SUCCESS'
        and p.fee_amount <> coalesce(b.amount, 0) + f.amount`,
  },
  {
    part: 'PAYMENTS',
    kind: 'LEDGER_PAYMENT',
    sql: (span) => sql`with ${booked(span)}
      select b.org_id as "orgId", null::bigint as "deviceId", b.key as subject,
        b.order_num as "orderNum", 0::bigint as "localAmount", b.amount::bigint as "otherAmount"
      from booked b left join payments p on p.id = substring(b.key from '\\d+$')::bigint
        and p.state = 'SUCCESS' and case when b.key like 'in:%' then p.applied else not p.applied
          or exists (select from ledger_voucher_keys k where k.key = 'susa:' || p.id) end
      where b.key ~ '^(in|sus):\\d+$' and p.id is null`,
  },
  {
    part: 'PAYMENTS',
    kind: 'PAYMENT_REFUNDED',
    sql: (span) => sql`with p as materialized (select p.* from payments p where p.id in (
        select id from payments where ${at('paid_at', span)}
        union select payment_id from refunds where ${at('succeeded_at', span)}))
      select ${columns('p', sql`p.out_trade_no`, sql`p.refunded_amount`, sql`n.amount`)}
      from p cross join lateral (select sum(r.amount) as amount from refunds r
        where r.payment_id = p.id and r.state = 'SUCCESS') n
      where p.refunded_amount <> coalesce(n.amount, 0)`,
  },
  {
    part: 'REFUNDS',
    kind: 'REFUND_UNBOOKED',
    sql: (span) => sql`
      select ${columns('r', sql`r.refund_no`, sql`r.amount`, sql`0`)}
      from refunds r join payments p on p.id = r.payment_id
      cross join ${bookedAs(refundKey, span)} b
      where ${at('r.succeeded_at', span)} and r.state = 'SUCCESS' and r.amount > 0
        and b.amount is null`,
  },
  {
    // the fee comes back in shares that are whole only over all refunds of a payment
    part: 'REFUNDS',
    kind: 'REFUND_LEDGER',
    sql: (span) => sql`with p as materialized (select * from payments where id in (
        select payment_id from refunds where ${at('succeeded_at', span)} and amount > 0))
      select ${columns(
        'p',
        sql`p.out_trade_no`,
        sql`n.back - case when p.applied then div(p.fee_amount * n.back, p.amount) - f.returned else 0 end`,
        sql`n.amount`,
      )}
      from p cross join ${fixedFees} f cross join lateral (select count(*) = count(b.amount) as whole,
        sum(r.amount) as back, sum(b.amount) as amount
        from refunds r cross join ${bookedAs(refundKey)} b
        where r.payment_id = p.id and r.state = 'SUCCESS' and r.amount > 0) n
      where n.whole and n.amount <> n.back - case when p.applied
        then div(p.fee_amount * n.back, p.amount) - f.returned else 0 end`,
  },
  {
    part: 'REFUNDS',
    kind: 'LEDGER_REFUND',
    sql: (span) => sql`with ${booked(span)}
      select b.org_id as "orgId", null::bigint as "deviceId", b.key as subject,
        b.order_num as "orderNum", 0::bigint as "localAmount", b.amount::bigint as "otherAmount"
      from booked b left join refunds r
        on r.refund_no = substring(b.key from ':(.*)$') and r.state = 'SUCCESS'
      where b.key ~ '^(rf|susr):' and r.id is null`,
  },
  {
    part: 'REFUNDS',
    kind: 'REFUND_PIECE',
    sql: (span) => sql`
      select ${columns('r', sql`r.refund_no`, sql`r.amount`, sql`case when u.refund_state = 'SUCCESS' then u.paid end`)}
      from refunds r left join order_units u on u.org_id = r.org_id and u.created_at = r.order_at
        and u.id = r.unit_id and u.created_at >= ${span.since} and u.created_at < ${span.until}
      where ${at('r.succeeded_at', span)} and r.kind = 'UNIT'
        and (u.refund_state is distinct from 'SUCCESS' or u.paid <> r.amount)`,
  },
  {
    part: 'STOCK',
    kind: 'PIECE_FLOW',
    // pieces and flows of the day in one heap: a lane may have sold ten thousand
    sql: (span) => sql`with u as (
        select id, max(org_id) as org_id, max(device_id) as device_id, max(order_num) as order_num,
          max(unit_no) as unit_no, min(lane_id) = max(lane_id) as one_lane, max(said) as said,
          max(flow_id) as flow_id, sum(pieces) as pieces
        from (select id, org_id, device_id, order_num, unit_no, lane_id, flow_id as said,
            null::bigint as flow_id, 0 as pieces from order_units
          where ${at('finished_at', span)} and vend_state = 'SUCCESS' and kind = 'LANE'
            and created_at >= ${lately(span)} and created_at < ${span.until}
          union all select unit_id, null, null, null, null, lane_id, null, id, -change_total
          from stock_flows where ${at('created_at', span)} and unit_id is not null) x
        group by id having count(unit_no) > 0)
      select ${columns('u', sql`u.order_num || '-' || u.unit_no`, sql`1`, sql`u.pieces`)}
      from u left join stock_flow_keys k on k.unit_id = u.id
      where u.pieces <> 1 or not u.one_lane or u.flow_id is distinct from k.flow_id
        or u.said is distinct from k.flow_id`,
  },
  {
    part: 'STOCK',
    kind: 'FLOW_PIECE',
    sql: (span) => sql`
      select ${columns('f', sql`f.waste_num`, sql`0`, sql`-f.change_total`)}
      from stock_flows f left join order_keys k on k.order_num = f.order_num
      left join order_units u on u.org_id = k.org_id and u.created_at = k.created_at
        and u.order_id = k.order_id and u.id = f.unit_id
      where ${at('f.created_at', span)} and f.unit_id is not null
        and u.vend_state is distinct from 'SUCCESS'`,
  },
  {
    part: 'STOCK',
    kind: 'FLOW_CHAIN',
    sql: (span) => sql`with f as materialized (select f.*,
        lag(after_total) over lane as day_before, lag(lane_seq) over lane as seq_before
        from stock_flows f where ${at('f.created_at', span)}
        window lane as (partition by lane_id order by lane_seq))
      select ${columns('f', sql`f.waste_num`, sql`f.before_total`, sql`coalesce(f.day_before, p.after_total)`)}
      from f left join lateral (select after_total from stock_flows p
        where p.lane_id = f.lane_id and p.lane_seq = f.lane_seq - 1
          and f.seq_before is null limit 1) p on true
      where f.before_total <> coalesce(f.day_before, p.after_total, 0)
        or f.seq_before is not null and f.lane_seq <> f.seq_before + 1
        or f.seq_before is null and f.lane_seq > 1 and p.after_total is null`,
  },
  {
    part: 'STOCK',
    kind: 'LANE_QUANTITY',
    sql: () => sql`
      select ${columns('l', lane, sql`l.quantity`, sql`f.after_total`)}
      from (select l.*, null::text as order_num, d.rtu_number from lanes l
        join devices d on d.id = l.device_id) l
      left join lateral (select after_total from stock_flows f
        where f.lane_id = l.id order by lane_seq desc limit 1) f on true
      where l.quantity <> coalesce(f.after_total, 0)`,
  },
  {
    part: 'STOCK',
    kind: 'LANE_HOLDS',
    sql: () => sql`
      select ${columns('l', lane, sql`l.reserved + l.failed_hold`, sql`n.held + n.failed`)}
      from (select l.*, null::text as order_num, d.rtu_number from lanes l
        join devices d on d.id = l.device_id) l
      left join (select lane_id, count(*) filter (where hold = 'HELD') as held,
        count(*) filter (where hold = 'FAILED_HOLD') as failed from (
          select lane_id, hold from order_units where hold in ('HELD','FAILED_HOLD')
          union all select lane_id, hold from vend_commands where hold = 'FAILED_HOLD') h
        group by 1) n on n.lane_id = l.id
      where (l.reserved, l.failed_hold) is distinct
        from (coalesce(n.held, 0)::int, coalesce(n.failed, 0)::int)`,
  },
  {
    part: 'LEDGER',
    kind: 'VOUCHER_BALANCE',
    sql: (span) => sql`with ${booked(span)}
      select b.org_id as "orgId", null::bigint as "deviceId", b.key as subject,
        b.order_num as "orderNum", b.amount::bigint as "localAmount",
        (b.amount - b.balance)::bigint as "otherAmount"
      from booked b where b.balance <> 0`,
  },
  {
    // days that were summed, and what was booked since
    part: 'LEDGER',
    kind: 'PARTY_BALANCE',
    sql: () => sql`with summed as (select coalesce(max(day), '2000-01-01') as day
        from reconciliation_runs where org_id = ${platformOrg} and part = 'LEDGER'),
      truth as (select org_id, code,
        sum(case when code in ('1101','1102') then amount else -amount end) as balance from (
          select d.org_id, d.code, d.debit - d.credit as amount from ledger_days d, summed
          where d.day <= summed.day and d.code in ('1101','1102','2002','2003','2004','2005')
          union all select a.org_id, a.code, e.amount from ledger_accounts a
          join ledger_entries e on e.account_id = a.id and e.created_at
            >= (select (day + 1)::timestamp at time zone 'Asia/Shanghai' from summed)
          where a.code in ('1101','1102','2002','2003','2004','2005')) x group by 1, 2)
      select coalesce(b.org_id, t.org_id) as "orgId", null::bigint as "deviceId",
        coalesce(b.org_id, t.org_id) || ' ' || coalesce(b.code, t.code) as subject,
        null::text as "orderNum", coalesce(b.balance, 0)::bigint as "localAmount",
        coalesce(t.balance, 0)::bigint as "otherAmount"
      from (select org_id, code, sum(balance) as balance from ledger_balances group by 1, 2) b
      full join truth t on t.org_id = b.org_id and t.code = b.code
      where coalesce(b.balance, 0) <> coalesce(t.balance, 0)`,
  },
  {
    // by whole yuan: what somebody explained is not found again for a fen more
    part: 'LEDGER',
    kind: 'CARRY',
    sql: () => sql`select c.org_id as "orgId", null::bigint as "deviceId",
        t.name || ' #' || c.strategy_id || '/' || c.collector_org_id || '/'
          || coalesce(c.party_org_id, -c.referrer_id) as subject, null::text as "orderNum",
        (c.carry / ${largestCarry}::bigint * 100)::bigint as "localAmount", 0::bigint as "otherAmount"
      from split_carries c join split_strategies t on t.id = c.strategy_id
      where abs(c.carry) >= ${largestCarry}`,
  },
]
const refundKey = sql`case when p.applied then 'rf:' else 'susr:' end || r.refund_no`
/** A machine and its lane, as people say it; a lane of before has its own number. */
const lane = sql`l.rtu_number || '/' || l.road_index || case when l.archived_at is null then ''
  else '#' || l.id end`

/** A piece may leave, or say so, weeks after it was bought. */
const lately = ({ from }: Span) => new Date(from.getTime() - 62 * 86_400_000)

export const checksOf = (part: Part): readonly Check[] => checks.filter((c) => c.part === part)
/** Kinds that say how things are now, not what happened on a day. */
export const present: readonly DifferenceKind[] = [
  ...(['LANE_QUANTITY', 'LANE_HOLDS', 'PARTY_BALANCE', 'CARRY'] as const),
]

/** What of the day was compared, by organisation. */
export const totals: Readonly<Record<Inner, (span: Span) => RawBuilder<unknown>>> = {
  ORDERS: (span) => sql`select org_id as "orgId", count(*)::int as "localCount",
      coalesce(sum(paid_amount), 0)::bigint as "localAmount", sum(pieces)::int as "otherCount",
      0::bigint as "otherAmount" from orders where ${at('created_at', span)} group by 1`,
  PAYMENTS: (span) => sql`select org_id as "orgId", count(*)::int as "localCount",
      sum(amount)::bigint as "localAmount", count(*) filter (where applied)::int as "otherCount",
      coalesce(sum(amount) filter (where applied), 0)::bigint as "otherAmount"
      from payments where ${at('paid_at', span)} and state = 'SUCCESS' group by 1`,
  REFUNDS: (span) => sql`select org_id as "orgId", count(*)::int as "localCount",
      sum(amount)::bigint as "localAmount", 0 as "otherCount", 0::bigint as "otherAmount"
      from refunds where ${at('succeeded_at', span)} group by 1`,
  STOCK: (span) => sql`select org_id as "orgId", count(*)::int as "localCount",
      coalesce(sum(change_total), 0)::bigint as "localAmount",
      count(unit_id)::int as "otherCount", 0::bigint as "otherAmount"
      from stock_flows where ${at('created_at', span)} group by 1`,
  LEDGER: (span) => sql`select org_id as "orgId", count(*)::int as "localCount",
      coalesce(sum(amount) filter (where amount > 0), 0)::bigint as "localAmount",
      count(*)::int as "otherCount",
      coalesce(-sum(amount) filter (where amount < 0), 0)::bigint as "otherAmount"
      from ledger_entries where ${at('created_at', span)} group by 1`,
}
