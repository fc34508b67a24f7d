import { type RawBuilder, sql } from 'kysely'
import { dayMs } from '../../../shared/instants.ts'
import { type Account, ofAccount } from '../../payments/server/bills.ts'
import { atConfig } from '../../payments/server/splitBills.ts'
import { bookedFor, type Window } from '../rules.ts'
import { beginsAt } from './billCheck.ts'

/**
 * The bill of shares of an account against the shares that our books say its channel paid, and what
 * came back of them. A line is found by our number and its receiver, whatever day it lies in. What we
 * still ask for is under way for a day, unless nobody asks any more.
 */
export const splitDifferences = (
  account: Account,
  window: Window,
  now: Date,
): RawBuilder<unknown> => {
  const of = (alias: string) => ofAccount(alias, account)
  const ours = bookedFor(window)
  const begins = beginsAt(account, window, 'SPLIT')
  const late = (at: string) => sql`${sql.ref(at)} < ${new Date(now.getTime() - dayMs)}`
  const otherAmount = sql`case when doubled then amount * greatest(times, 2)
    when state = 'SUCCESS' then amount else 0 end`
  const itsDay = sql`${of('d')} and d.day = ${window.day} and d.bill_type = 'SPLIT'`
  return sql`with line as materialized (select l.*, l.times > 1 or exists (
        select from split_bills b where ${of('b')} and b.kind = l.kind
          and b.request_no = l.request_no and b.receiver_hash = l.receiver_hash
          and b.day < l.day and b.state = 'SUCCESS' and l.state = 'SUCCESS') as doubled
      from split_bills l where ${of('l')} and l.day = ${window.day}),
    paid as materialized (select l.*, q.id as request_id, s.device_id, s.order_num,
        q.state as asked, q.next_at, h.party_no, h.state as held, h.sent,
        h.sent_no = l.request_no as same, p.id is not null as fits
      from line l
      left join split_requests q on q.request_no = l.request_no and q.kind = 'SPLIT'
        and ${atConfig('q', account)}
      left join split_orders s on s.id = q.split_id
      left join payments p on p.order_id = s.order_id and p.applied
        and p.provider_trade_no = l.trade_no
      left join lateral (select h.* from split_shares h
        join split_receivers r on r.id = h.receiver_id and r.account_hash = l.receiver_hash
        where h.split_id = q.split_id
        order by h.sent_no = l.request_no desc limit 1) h on true
      where l.kind = 'SPLIT'),
    back as materialized (select l.*, r.id as return_id, r.device_id, s.order_num,
        r.state as held, r.came, r.next_at
      from line l
      left join split_returns r on r.return_no = l.request_no and ${atConfig('r', account)}
      left join split_orders s on s.id = r.split_id
      where l.kind = 'RETURN')
    select org_id as "orgId", device_id as "deviceId", case
        when doubled or not same and held = 'PAID' then 'DUPLICATE'
        when request_id is null then 'CHANNEL_ONLY'
        when party_no is null or not fits then 'SPLIT'
        when not same or held <> 'PAID' or state <> 'SUCCESS' then 'STATUS' else 'AMOUNT' end as kind,
      request_no || '/' || coalesce(party_no::text, 'x' || left(encode(receiver_hash, 'hex'), 7))
        as subject, order_num as "orderNum",
      case when held = 'PAID' then sent else 0 end as "localAmount", ${otherAmount} as "otherAmount"
    from paid where doubled or case
      when state <> 'SUCCESS' then coalesce(same and held = 'PAID', false)
        and (state = 'FAILED' or ${late('at')})
      when request_id is null or party_no is null or not fits or not same then true
      when held = 'SENDING' then next_at is null or ${late('at')}
      else held <> 'PAID' or amount <> sent end
    union all
    select org_id, device_id, case when doubled then 'DUPLICATE'
        when return_id is null then 'CHANNEL_ONLY'
        when held <> 'DONE' or state <> 'SUCCESS' then 'STATUS' else 'AMOUNT' end,
      request_no || '/R', order_num, case when held = 'DONE' then came else 0 end, ${otherAmount}
    from back where doubled or case
      when state <> 'SUCCESS' then coalesce(held = 'DONE', false)
        and (state = 'FAILED' or ${late('at')})
      when return_id is null then true
      when held = 'SENDING' then next_at is null or ${late('at')}
      else held <> 'DONE' or amount <> came end
    union all
    select q.org_id, q.device_id, 'LOCAL_ONLY', q.request_no || '/' || h.party_no, s.order_num,
      h.sent, 0
    from split_requests q join split_orders s on s.id = q.split_id
    join split_shares h on h.split_id = q.split_id and h.sent_no = q.request_no
      and h.state = 'PAID'
    join split_receivers r on r.id = h.receiver_id
    where ${atConfig('q', account)} and q.kind = 'SPLIT' and q.state = 'DONE'
      and q.done_at >= ${begins} and q.done_at < ${ours.until}
      and not exists (select from split_bills l where ${of('l')} and l.kind = 'SPLIT'
        and l.request_no = q.request_no and l.receiver_hash = r.account_hash)
    union all
    select b.org_id, b.device_id, 'LOCAL_ONLY', b.return_no || '/R', s.order_num, b.came, 0
    from split_returns b join split_orders s on s.id = b.split_id
    where ${atConfig('b', account)} and b.state = 'DONE'
      and b.done_at >= ${begins} and b.done_at < ${ours.until}
      and not exists (select from split_bills l where ${of('l')} and l.kind = 'RETURN'
        and l.request_no = b.return_no)
    union all
    select d.org_id, null, 'BILL_LINE', 'SPLIT ' || (n.one->>'line') || ' ' || (n.one->>'why'),
      null, 0, 0
    from payment_bill_days d cross join lateral jsonb_array_elements(d.bad) n(one)
    where ${itsDay}
    union all
    select d.org_id, null, 'BILL_LINE', 'SPLIT …', null, 0,
      d.bad_lines - jsonb_array_length(d.bad)
    from payment_bill_days d where ${itsDay} and d.bad_lines > jsonb_array_length(d.bad)`
}

/** Shares that our books say were paid on that day less what came back, and the bill's. */
export const splitTotals = (
  account: Account,
  { day, from, until }: Window,
): RawBuilder<unknown> => sql`
    select "orgId", sum("localCount")::int as "localCount",
      sum("localAmount")::bigint as "localAmount", sum("otherCount")::int as "otherCount",
      sum("otherAmount")::bigint as "otherAmount"
    from (select q.org_id as "orgId", 1 as "localCount", h.sent as "localAmount",
        0 as "otherCount", 0::bigint as "otherAmount"
      from split_requests q join split_shares h on h.split_id = q.split_id
        and h.sent_no = q.request_no and h.state = 'PAID'
      where ${atConfig('q', account)} and q.kind = 'SPLIT' and q.state = 'DONE'
        and q.done_at >= ${from} and q.done_at < ${until}
      union all select b.org_id, 1, -b.came, 0, 0 from split_returns b
      where ${atConfig('b', account)} and b.state = 'DONE' and b.done_at >= ${from}
        and b.done_at < ${until}
      union all select l.org_id, 0, 0, l.times,
        l.times * case when l.kind = 'SPLIT' then l.amount else -l.amount end
      from split_bills l where ${ofAccount('l', account)} and l.day = ${day}
        and l.state = 'SUCCESS') x group by 1`
