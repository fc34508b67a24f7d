-- Bills read figures, never orders: what machines took, gave back and paid in fees, by day and by
-- month, kept in the transaction that moves the money (decision 65).
select set_config('app.all', 'on', true);

create table bill_days (
  org_id bigint not null,
  device_id bigint not null,
  grain text not null check (grain in ('DAY','MONTH')),
  -- of a month its first
  day date not null check (grain = 'DAY' or extract(day from day) = 1),
  -- the merchant's configuration; 0 is the simulator
  config_id bigint not null,
  provider text not null,
  pay_type text not null,
  -- on the day on which it happened
  price bigint not null default 0,
  refundment bigint not null default 0,
  fee bigint not null default 0,
  -- of pending split, given to parties
  split bigint not null default 0,
  orders int not null default 0,
  refund_orders int not null default 0,
  -- the same on the day of its order
  ordered_price bigint not null default 0,
  ordered_refundment bigint not null default 0,
  ordered_fee bigint not null default 0,
  ordered_split bigint not null default 0,
  ordered_orders int not null default 0,
  ordered_refund_orders int not null default 0,
  primary key (device_id, grain, day, config_id, provider, pay_type, org_id),
  check ((config_id = 0) = (provider = 'SIMULATOR'))
);
create index bill_days_org on bill_days (org_id, grain, day);
call app_protect('bill_days', 'device_id');

-- Of it, what each party was given.
create table bill_shares (
  -- the party; owner_id is the organisation of the order
  org_id bigint not null,
  owner_id bigint not null,
  device_id bigint not null,
  grain text not null check (grain in ('DAY','MONTH')),
  day date not null check (grain = 'DAY' or extract(day from day) = 1),
  config_id bigint not null,
  provider text not null,
  pay_type text not null,
  share bigint not null default 0,
  ordered_share bigint not null default 0,
  primary key (device_id, grain, day, config_id, provider, pay_type, owner_id, org_id)
);
create index bill_shares_org on bill_shares (org_id, grain, day);
call app_protect('bill_shares', 'device_id');

-- What the figures must say, from orders, refunds and the ledger: for comparison, never for screens.
-- The channel's fee is given back by what a refund books less than its amount.
create view bill_facts with (security_invoker = true) as
  select o.org_id, o.device_id, coalesce(p.config_id, 0) as config_id, p.provider, o.pay_type,
    o.created_at as order_at, o.paid_at as at, p.amount as price, 0::bigint as refundment,
    p.fee_amount as fee, 1 as orders, 0 as refund_orders
  from payments p join orders o on o.org_id = p.org_id and o.created_at = p.order_at
    and o.id = p.order_id
  where p.applied
  union all
  select r.org_id, r.device_id, coalesce(p.config_id, 0), p.provider, o.pay_type, o.created_at,
    r.succeeded_at, 0, r.amount, b.amount - r.amount, 0,
    (row_number() over (partition by r.org_id, r.order_id order by r.succeeded_at, r.id) = 1)::int
  from refunds r join payments p on p.id = r.payment_id and p.applied
  join orders o on o.org_id = r.org_id and o.created_at = r.order_at and o.id = r.order_id
  left join lateral (select -sum(e.amount) as amount from ledger_voucher_keys k
    join ledger_entries e on e.voucher_id = k.voucher_id and e.created_at = k.created_at
    join ledger_accounts a on a.id = e.account_id and a.code = '1001'
    where k.key = 'rf:' || r.refund_no) b on true
  where r.state = 'SUCCESS' and r.kind = 'UNIT' and r.amount > 0;

create view bill_share_facts with (security_invoker = true) as
  select e.org_id, o.org_id as owner_id, o.device_id, coalesce(p.config_id, 0) as config_id,
    p.provider, o.pay_type, o.created_at as order_at, e.created_at as at, -e.amount as share
  from ledger_entries e join ledger_accounts a on a.id = e.account_id and a.code in ('1101','2002')
  join payments p on p.order_id = e.order_id and p.applied
  join orders o on o.org_id = p.org_id and o.created_at = p.order_at and o.id = p.order_id
  where e.voucher_type in ('V3','V6','V7');

insert into bill_days (org_id, device_id, grain, day, config_id, provider, pay_type, price,
    refundment, fee, orders, refund_orders, ordered_price, ordered_refundment, ordered_fee,
    ordered_orders, ordered_refund_orders)
  select org_id, device_id, grain, day, config_id, provider, pay_type,
    coalesce(sum(price) filter (where not ordered), 0),
    coalesce(sum(refundment) filter (where not ordered), 0),
    coalesce(sum(fee) filter (where not ordered), 0),
    coalesce(sum(orders) filter (where not ordered), 0),
    coalesce(sum(refund_orders) filter (where not ordered), 0),
    coalesce(sum(price) filter (where ordered), 0),
    coalesce(sum(refundment) filter (where ordered), 0),
    coalesce(sum(fee) filter (where ordered), 0),
    coalesce(sum(orders) filter (where ordered), 0),
    coalesce(sum(refund_orders) filter (where ordered), 0)
  from (select f.*, ordered, grain, date_trunc(grain, (case when ordered then f.order_at else f.at end)
      at time zone 'Asia/Shanghai')::date as day
    from bill_facts f cross join (values (true), (false)) o(ordered)
    cross join (values ('DAY'), ('MONTH')) g(grain)) x
  group by 1, 2, 3, 4, 5, 6, 7;

select set_config('app.all', '', true);
