import { type RawBuilder, sql } from 'kysely'
import { addDays } from '../../../shared/instants.ts'
import { type Account, ofAccount } from '../../payments/server/bills.ts'
import { ledgerAt } from '../../payments/server/funds.ts'
import { atConfig } from '../../payments/server/splitBills.ts'
import { edge, type Window } from '../rules.ts'

/**
 * Channel money of our ledger with the balance of the channel, by what moved on a day: the opening of
 * its flow and what we booked must come to its closing. What is booked about another day counts for
 * that day (`fact_day`); what one side has on this day and the other on another is on its way. Before
 * the first flow that is kept the whole ledger is the opening.
 */
export const fundDifferences = (
  account: Account,
  { day, from, until }: Window,
): RawBuilder<unknown> => {
  const of = (alias: string) => ofAccount(alias, account)
  const kept = (other: string) => sql`exists (select from payment_bill_days d where ${of('d')}
    and d.bill_type = 'FUND' and d.day = ${other}::date and d.fetched_at is not null)`
  const here = (at: RawBuilder<unknown>) => sql`(${at} >= ${from} and ${at} < ${until})`
  // a flow names a share by our number or by the channel's of its detail, which the bill of shares says
  const sharesOf = (kind: string) => sql`select f.out_no union all select l.request_no
    from split_bills l where ${of('l')} and l.kind = ${kind} and l.detail_no <> ''
      and l.detail_no = f.trade_no`
  // when what a line is about was booked: its payment, its refund, the withdrawal; null: not yet
  const about = sql`left join payments p on ${of('p')} and f.kind in ('PAY','FEE')
        and p.provider_trade_no = f.trade_no and p.state = 'SUCCESS'
      left join order_supplements s on s.payment_id = p.id and f.kind = 'FEE'
      left join lateral (select r.succeeded_at, b.applied from refunds r
        join payments b on b.id = r.payment_id and ${of('b')}
        where f.kind in ('REFUND','FEE_BACK') and r.state = 'SUCCESS'
          and (r.refund_no = f.out_no or r.provider_refund_no = f.trade_no
            or b.provider_trade_no = f.trade_no and r.amount = abs(f.amount))
        order by r.refund_no = f.out_no desc, abs(extract(epoch from r.succeeded_at - f.at))
        limit 1) r on true
      left join withdrawals w on f.kind = 'TRANSFER' and w.withdrawal_no = f.out_no
        and w.state = 'PAID' and w.config_id is not distinct from ${account.configId}::bigint
      left join lateral (select q.done_at from split_requests q
        where f.kind = 'SPLIT' and q.state = 'DONE' and ${atConfig('q', account)}
          and q.request_no in (${sharesOf('SPLIT')}) limit 1) q on true
      left join lateral (select b.done_at from split_returns b
        where f.kind = 'SPLIT_BACK' and b.state = 'DONE' and ${atConfig('b', account)}
          and b.return_no in (${sharesOf('RETURN')}) limit 1) b on true`
  const bookedAt = sql`case f.kind when 'PAY' then p.paid_at
        when 'FEE' then case when p.applied then coalesce(s.created_at, p.paid_at) end
        when 'REFUND' then r.succeeded_at when 'FEE_BACK' then case when r.applied then r.succeeded_at end
        when 'TRANSFER' then w.paid_at when 'SPLIT' then q.done_at when 'SPLIT_BACK' then b.done_at end`
  // the channel charges for money in suspense, and gives it back with it; our books do not
  const unbooked = sql`(f.kind = 'FEE' and not p.applied or f.kind = 'FEE_BACK' and not r.applied)`
  const paid = sql`case when p.applied and s.payment_id is null then array['PAY','FEE']
        else array['PAY'] end`
  const facts = sql`select p.provider_trade_no as trade_no, ''::text as out_no, ${paid} as kinds,
        p.paid_at as at, p.amount - case when p.applied and s.payment_id is null then p.fee_amount
          else 0 end as amount, false as several
      from payments p left join order_supplements s on s.payment_id = p.id
      where ${of('p')} and p.state = 'SUCCESS' and ${here(sql`p.paid_at`)}
      union all select p.provider_trade_no, '', array['FEE'], s.created_at, -p.fee_amount, false
      from order_supplements s join payments p on p.id = s.payment_id and p.applied and ${of('p')}
      where ${here(sql`s.created_at`)}
      union all select '', r.refund_no, case when p.applied then array['REFUND','FEE_BACK']
        else array['REFUND'] end, r.succeeded_at, null, p.applied and exists (select from refunds o
          where o.payment_id = p.id and o.id <> r.id)
      from refunds r join payments p on p.id = r.payment_id and ${of('p')}
      where r.state = 'SUCCESS' and r.amount > 0 and ${here(sql`r.succeeded_at`)}
      union all select '', w.withdrawal_no, array['TRANSFER'], w.paid_at, -w.amount, false
      from withdrawals w
      where w.state = 'PAID' and w.config_id is not distinct from ${account.configId}::bigint
        and w.provider = ${account.provider} and ${here(sql`w.paid_at`)}
      union all select '', q.request_no, array['SPLIT'], q.done_at, -sum(h.sent), false
      from split_requests q join split_shares h on h.split_id = q.split_id
        and h.sent_no = q.request_no and h.state = 'PAID'
      where q.kind = 'SPLIT' and q.state = 'DONE' and ${atConfig('q', account)}
        and ${here(sql`q.done_at`)} group by q.request_no, q.done_at
      union all select '', b.return_no, array['SPLIT_BACK'], b.done_at, b.came, false
      from split_returns b
      where b.state = 'DONE' and ${atConfig('b', account)} and ${here(sql`b.done_at`)}`
  const itsLines = (what: RawBuilder<unknown>, also = sql``) => sql`select ${what}
        from fund_flows f where x.trade_no <> '' and f.trade_no = x.trade_no
          and f.kind = any(x.kinds) and ${of('f')} ${also}
      union all select ${what} from fund_flows f where x.out_no <> '' and f.out_no = x.out_no
          and f.kind = any(x.kinds) and ${of('f')} ${also}
      union all select ${what} from split_bills l join fund_flows f on f.trade_no = l.detail_no
          and f.out_no <> x.out_no and f.kind = any(x.kinds) and ${of('f')} ${also}
        where l.request_no = x.out_no and l.detail_no <> '' and ${of('l')}`
  // a refund in the last minutes, as it is booked
  const refund = sql`(select sum(e.amount) from ledger_voucher_keys k
        join ledger_entries e on e.voucher_id = k.voucher_id and e.created_at = k.created_at
        join ledger_accounts a on a.id = e.account_id and a.code = '1001'
        where k.key in ('rf:' || x.out_no, 'susr:' || x.out_no))`
  return sql`with bill as (select d.* from payment_bill_days d where ${of('d')} and d.day = ${day}
      and d.bill_type = 'FUND' and d.closing is not null),
    line as materialized (select f.amount, ${bookedAt} as booked, ${unbooked} as unbooked
      from fund_flows f ${about} where ${of('f')} and f.day = ${day}),
    booked as (select coalesce(sum(e.amount), 0) as amount from ledger_entries e
      join ledger_accounts a on a.id = e.account_id and a.code = '1001'
        and a.config_id is not distinct from ${account.configId}::bigint
      left join ledger_voucher_keys k on k.voucher_id = e.voucher_id and k.fact_day is not null
      where ${here(sql`e.created_at`)} and (k.fact_day is null or k.fact_day = ${day})),
    about_it as (select coalesce(sum(e.amount), 0) as amount from ledger_voucher_keys k
      join ledger_entries e on e.voucher_id = k.voucher_id and e.created_at = k.created_at
      join ledger_accounts a on a.id = e.account_id and a.code = '1001'
        and a.config_id is not distinct from ${account.configId}::bigint
      where k.fact_day = ${day} and not ${here(sql`k.created_at`)}),
    fact as materialized (${facts}),
    elsewhere as (select coalesce(sum(l.amount), 0) as amount from fact x
      cross join lateral (${itsLines(sql`f.amount`, sql`and f.day <> ${day}`)}) l),
    coming as (select coalesce(sum(coalesce(x.amount, ${refund})), 0) as amount from fact x
      where (not ${kept(addDays(day, 1))} and x.at >= ${new Date(until.getTime() - edge)}
          or not ${kept(addDays(day, -1))} and x.at < ${new Date(from.getTime() + edge)})
        and not exists (${itsLines(sql`1`)})),
    -- which refund of a trade gets the odd fen of its fee hangs on their order: the channel's may be
    -- another than ours, and the days they were booked on others
    odd as (select coalesce(sum(l.amount - b.amount), 0) as amount from fact x
      cross join lateral (select sum(n.amount) as amount from (${itsLines(sql`f.amount`)}) n) l
      cross join lateral (select ${refund} as amount) b
      where x.several and abs(l.amount - b.amount) = 1),
    before as (select case when p.closing is not null then p.closing
        when exists (select from payment_bill_days d where ${of('d')} and d.bill_type = 'FUND'
          and d.day < ${day} and d.fetched_at is not null) then b.opening
        else ${ledgerAt(account, addDays(day, -1))}
          - (select coalesce(sum(amount), 0) from line where booked < ${from}) end as opening
      from bill b left join payment_bill_days p on ${of('p')} and p.bill_type = 'FUND'
        and p.day = ${addDays(day, -1)} and p.fetched_at is not null),
    ours as (select b.opening + k.amount + i.amount - e.amount - c.amount + r.amount
        + (select coalesce(sum(amount), 0) from line
          where unbooked or booked < ${from} or booked >= ${until}) as closing
      from before b, booked k, about_it i, elsewhere e, coming c, odd r)
    select b.org_id as "orgId", null::bigint as "deviceId", 'BALANCE' as kind, '1001' as subject,
      null::text as "orderNum", o.closing::bigint as "localAmount", b.closing as "otherAmount"
    from bill b, ours o where o.closing <> b.closing
    union all
    select d.org_id, null, 'BILL_LINE', (n.one->>'line') || ' ' || (n.one->>'why'), null, 0, 0
    from payment_bill_days d cross join lateral jsonb_array_elements(d.bad) n(one)
    where ${of('d')} and d.day = ${day} and d.bill_type = 'FUND'
    union all
    select d.org_id, null, 'BILL_LINE', '…', null, 0, d.bad_lines - jsonb_array_length(d.bad)
    from payment_bill_days d where ${of('d')} and d.day = ${day} and d.bill_type = 'FUND'
      and d.bad_lines > jsonb_array_length(d.bad)`
}

/** What we booked of channel money on that day, and what the channel moved. */
export const fundTotals = (
  account: Account,
  { day, from, until }: Window,
): RawBuilder<unknown> => sql`
    select ${account.orgId}::bigint as "orgId", l.n::int as "localCount", l.amount as "localAmount",
      f.n::int as "otherCount", f.amount as "otherAmount"
    from (select count(*) as n, coalesce(sum(e.amount), 0)::bigint as amount from ledger_entries e
        join ledger_accounts a on a.id = e.account_id and a.code = '1001'
          and a.config_id is not distinct from ${account.configId}::bigint
        where e.created_at >= ${from} and e.created_at < ${until}) l,
      (select count(*) as n, coalesce(sum(amount), 0)::bigint as amount from fund_flows f
        where ${ofAccount('f', account)} and f.day = ${day}) f`
