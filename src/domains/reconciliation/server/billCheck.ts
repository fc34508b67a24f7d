import { type RawBuilder, sql } from 'kysely'
import { addDays } from '../../../shared/instants.ts'
import { type Account, ofAccount } from '../../payments/server/bills.ts'
import { bookedFor, edge, type Window } from '../rules.ts'

/** The first moment of a day that is compared: without the bill of the day before nobody knows of its last minutes. */
export const beginsAt = (
  account: Account,
  window: Window,
  billType: 'TRADE' | 'SPLIT',
): RawBuilder<unknown> => sql`case when exists (select from payment_bill_days d
    where ${ofAccount('d', account)} and d.bill_type = ${billType}
      and d.day = ${addDays(window.day, -1)} and d.fetched_at is not null)
  then ${bookedFor(window).from}::timestamptz else ${window.from}::timestamptz end`

/**
 * The bill of one account against our payments and refunds that went through it. A line is found by
 * the provider's number or by ours, whatever day it lies in; `otherAmount` is the bill's. Money that
 * is in suspense by its trade is in our books. One that stands there twice, or in an earlier bill as
 * well, is doubled.
 */
export const billDifferences = (
  account: Account,
  window: Window,
  now: Date,
): RawBuilder<unknown> => {
  const of = (alias: string) => ofAccount(alias, account)
  const ours = bookedFor(window)
  const begins = beginsAt(account, window, 'TRADE')
  return sql`with line as materialized (select l.*, l.times > 1 or exists (
        select from payment_bills b where ${of('b')} and b.kind = l.kind
          and b.trade_no = l.trade_no and b.day < l.day
          and b.state = 'SUCCESS' and l.state = 'SUCCESS') as doubled
      from payment_bills l where ${of('l')} and l.day = ${window.day}),
    pay as materialized (select l.*, t.id as payment_id, t.applied, t.fee_amount,
        t.device_id, t.order_num, coalesce(t.amount, s.amount) as booked,
        -- the bill told us of it, and nobody has found out what it was for
        coalesce(not t.applied and t.order_id is null and t.refunded_amount = 0
          and t.paid_at >= ${new Date(window.until.getTime() + edge)}, false) as lost,
        n.state as named, n.device_id as named_device, n.order_num as named_order
      from line l
      left join payments t on ${of('t')} and t.provider_trade_no = l.trade_no
        and t.state = 'SUCCESS'
      left join payments n on n.out_trade_no = l.out_trade_no and ${of('n')}
      left join lateral (select e.amount from ledger_voucher_keys k
        join ledger_entries e on e.voucher_id = k.voucher_id and e.created_at = k.created_at
          and e.amount > 0
        where k.key = 'sus:' || l.provider || ':' || l.trade_no) s on true
      where l.kind = 'PAY'),
    back as materialized (select l.*, r.id as refund_id, r.device_id, r.order_num, r.created_at as asked,
        r.state as held, r.amount as booked,
        row_number() over (partition by l.refund_no order by l.at, l.trade_no) as turn
      from line l left join (select r.* from refunds r
          join payments p on p.id = r.payment_id and ${of('p')}) r on r.refund_no = l.refund_no
      where l.kind = 'REFUND')
    select org_id as "orgId", coalesce(device_id, named_device) as "deviceId",
      case when doubled then 'DUPLICATE' when lost then 'CHANNEL_ONLY' when booked is not null then case
          when state <> 'SUCCESS' then 'STATUS'
          when amount <> booked then 'AMOUNT' else 'FEE' end
        when named in ('PENDING','CLOSED') then 'STATUS'
        when named is not null then 'DUPLICATE' else 'CHANNEL_ONLY' end as kind,
      trade_no as subject, coalesce(order_num, named_order) as "orderNum",
      case when booked is null or lost then 0 when doubled then booked
        when state = 'SUCCESS' and amount = booked then fee_amount else booked end as "localAmount",
      case when doubled then amount * greatest(times, 2)
        when booked is not null and not lost and state = 'SUCCESS' and amount = booked then fee
        when state = 'SUCCESS' then amount else 0 end as "otherAmount"
    from pay where doubled or lost or case when booked is null then state = 'SUCCESS'
      else state <> 'SUCCESS' or amount <> booked or (applied and fee <> fee_amount) end
    union all
    select org_id, device_id, case when turn > 1 or doubled then 'DUPLICATE'
        when refund_id is null then 'CHANNEL_ONLY'
        when (state = 'SUCCESS') <> (held = 'SUCCESS') then 'STATUS' else 'AMOUNT' end,
      case when turn > 1 then trade_no else refund_no end, order_num,
      case when held = 'SUCCESS' and turn = 1 then booked else 0 end,
      case when doubled then amount * greatest(times, 2) when state = 'SUCCESS' then amount else 0 end
    from back where doubled or case
      when turn > 1 or refund_id is null then state = 'SUCCESS'
      -- what we still ask for is under way for a day
      when state = 'SUCCESS' and held in ('PENDING','PROCESSING') then at < ${new Date(now.getTime() - 86_400_000)}
      when state = 'PROCESSING' and held = 'SUCCESS' then at < ${new Date(now.getTime() - 86_400_000)}
      when (state = 'SUCCESS') <> (held = 'SUCCESS') then true
      else state = 'SUCCESS' and amount <> booked end
    union all
    select p.org_id, p.device_id, 'LOCAL_ONLY', p.provider_trade_no, p.order_num, p.amount, 0
    from payments p where ${of('p')} and p.state = 'SUCCESS'
      and p.paid_at >= ${begins} and p.paid_at < ${ours.until}
      and not exists (select from payment_bills l
        where ${of('l')} and l.kind = 'PAY' and l.trade_no = p.provider_trade_no)
    union all
    select r.org_id, r.device_id, 'LOCAL_ONLY', r.refund_no, r.order_num, r.amount, 0
    from refunds r join payments p on p.id = r.payment_id and ${of('p')}
    where r.state = 'SUCCESS' and r.amount > 0
      and r.succeeded_at >= ${begins} and r.succeeded_at < ${ours.until}
      and not exists (select from payment_bills l
        where l.refund_no = r.refund_no and ${of('l')})
    union all
    select d.org_id, null, 'BILL_LINE', (b.one->>'line') || ' ' || (b.one->>'why'), null, 0, 0
    from payment_bill_days d cross join lateral jsonb_array_elements(d.bad) b(one)
    where ${of('d')} and d.day = ${window.day} and d.bill_type = 'TRADE'
    union all
    select d.org_id, null, 'BILL_LINE', '…', null, 0, d.bad_lines - jsonb_array_length(d.bad)
    from payment_bill_days d
    where ${of('d')} and d.day = ${window.day} and d.bill_type = 'TRADE' and d.bad_lines > jsonb_array_length(d.bad)`
}

/** What was compared, by organisation: ours of the day, and the bill's. */
export const billTotals = (
  account: Account,
  { day, from, until }: Window,
): RawBuilder<unknown> => sql`
    select "orgId", sum("localCount")::int as "localCount",
      sum("localAmount")::bigint as "localAmount", sum("otherCount")::int as "otherCount",
      sum("otherAmount")::bigint as "otherAmount"
    from (select org_id as "orgId", 1 as "localCount", amount as "localAmount", 0 as "otherCount",
        0::bigint as "otherAmount" from payments p
      where ${ofAccount('p', account)} and state = 'SUCCESS' and paid_at >= ${from}
        and paid_at < ${until}
      union all select r.org_id, 1, -r.amount, 0, 0 from refunds r
      join payments p on p.id = r.payment_id and ${ofAccount('p', account)}
      where r.state = 'SUCCESS' and r.amount > 0 and r.succeeded_at >= ${from}
        and r.succeeded_at < ${until}
      union all select org_id, 0, 0, times, times * case when kind = 'PAY' then amount
        else -amount end
      from payment_bills l where ${ofAccount('l', account)} and l.day = ${day}
        and state = 'SUCCESS') x group by 1`
