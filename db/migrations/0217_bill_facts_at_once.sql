-- What refunds booked is summed once for all of them: refund by refund, the nightly comparison read
-- all entries of the ledger for each (it plans for hash joins), 90 seconds for two months of the demo.
create or replace view bill_facts with (security_invoker = true) as
  select o.org_id, o.device_id, coalesce(p.config_id, 0) as config_id, p.provider, o.pay_type,
    o.created_at as order_at, o.paid_at as at, p.amount as price, 0::bigint as refundment,
    p.fee_amount - coalesce((select sum(f.after_fee - f.before_fee) from payment_fee_fixes f
      where f.payment_id = p.id), 0)::bigint as fee, 1 as orders, 0 as refund_orders
  from payments p join orders o on o.org_id = p.org_id and o.created_at = p.order_at
    and o.id = p.order_id
  where p.applied
  union all
  select r.org_id, r.device_id, coalesce(p.config_id, 0), p.provider, o.pay_type, o.created_at,
    r.succeeded_at, 0, r.amount, b.amount - r.amount, 0,
    (row_number() over (partition by r.org_id, r.order_id order by r.succeeded_at, r.id) = 1)::int
  from refunds r join payments p on p.id = r.payment_id and p.applied
  join orders o on o.org_id = r.org_id and o.created_at = r.order_at and o.id = r.order_id
  left join (select k.key, -sum(e.amount) as amount from ledger_voucher_keys k
    join ledger_entries e on e.voucher_id = k.voucher_id and e.created_at = k.created_at
    join ledger_accounts a on a.id = e.account_id and a.code = '1001'
    where k.key like 'rf:%' group by k.key) b on b.key = 'rf:' || r.refund_no
  where r.state = 'SUCCESS' and r.kind = 'UNIT' and r.amount > 0
  union all
  select o.org_id, o.device_id, coalesce(p.config_id, 0), p.provider, o.pay_type, o.created_at,
    f.created_at, 0, 0, f.after_fee - f.before_fee - f.returned, 0, 0
  from payment_fee_fixes f join payments p on p.id = f.payment_id and p.applied
  join orders o on o.org_id = p.org_id and o.created_at = p.order_at and o.id = p.order_id;
