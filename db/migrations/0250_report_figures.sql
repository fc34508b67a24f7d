-- Figures of reports (decision 84): fees and pieces that left beside what a machine sold, what each
-- product brought in, and the same by way to pay. They are written by the act that causes them.
alter table sales_rollups add column vended int not null default 0,
  add column fee bigint not null default 0;
alter table product_rollups add column orders int not null default 0,
  add column vended int not null default 0,
  add column paid bigint not null default 0,
  add column refunded bigint not null default 0,
  add column refund_orders int not null default 0,
  add column fee bigint not null default 0;

create table pay_rollups (
  org_id bigint not null,
  device_id bigint not null,
  pay_type text not null,
  day date not null,
  orders int not null default 0,
  pieces int not null default 0,
  vended int not null default 0,
  turnover bigint not null default 0,
  paid bigint not null default 0,
  refunded bigint not null default 0,
  refund_orders int not null default 0,
  cost bigint not null default 0,
  fee bigint not null default 0,
  primary key (device_id, day, pay_type, org_id)
);
create index pay_rollups_org on pay_rollups (org_id, day);
call app_protect('pay_rollups', 'device_id');

-- What the days that are over come to: of an organisation by day, by hour and by way to pay (then
-- device_id is 0), of a machine by month. Nothing of it is written by a sale of today.
create table sales_folds (
  org_id bigint not null,
  grain text not null check (grain in ('DAY','HOUR','PAY','MONTH')),
  day date not null,
  device_id bigint not null,
  hour int not null,
  pay_type text not null,
  -- machines that sold something
  devices int not null default 0,
  orders int not null default 0,
  pieces int not null default 0,
  vended int not null default 0,
  turnover bigint not null default 0,
  paid bigint not null default 0,
  refunded bigint not null default 0,
  refund_orders int not null default 0,
  cost bigint not null default 0,
  fee bigint not null default 0,
  primary key (org_id, grain, day, device_id, hour, pay_type)
);
call app_protect('sales_folds', 'device_id');

-- The first day that is not folded yet.
create table sales_folded (
  one boolean primary key default true check (one),
  until date not null
);
insert into sales_folded (until) values ('2000-01-01');
revoke insert, update, delete on sales_folds, sales_folded from huodao_app;

-- What the figures must say; no screen reads it.
create view sales_facts with (security_invoker = true) as
  select org_id, device_id, pay_type, paid_at as at, 1 as orders, pieces, 0 as vended,
    total_amount as turnover, paid_amount as paid, 0::bigint as refunded, 0 as refund_orders,
    0::bigint as cost, 0::bigint as fee
  from orders where paid_at is not null and not excluded
  union all
  select o.org_id, o.device_id, o.pay_type, o.paid_at, 0, 0, 0, 0, 0, 0, 0, 0,
    p.fee_amount - coalesce((select sum(f.after_fee - f.before_fee) from payment_fee_fixes f
      where f.payment_id = p.id), 0)::bigint
  from payments p join orders o on o.org_id = p.org_id and o.created_at = p.order_at
    and o.id = p.order_id
  where p.applied and not o.excluded
  union all
  select o.org_id, o.device_id, o.pay_type, f.created_at, 0, 0, 0, 0, 0, 0, 0, 0,
    f.after_fee - f.before_fee - f.returned
  from payment_fee_fixes f join payments p on p.id = f.payment_id and p.applied
  join orders o on o.org_id = p.org_id and o.created_at = p.order_at and o.id = p.order_id
  where not o.excluded
  union all
  select u.org_id, u.device_id, o.pay_type, u.finished_at, 0, 0, 1, 0, 0, 0, 0, u.cost, 0
  from order_units u join orders o on o.org_id = u.org_id and o.created_at = u.created_at
    and o.id = u.order_id
  -- nobody bought a test
  where u.vend_state = 'SUCCESS' and not o.excluded and o.order_type <> 'TEST'
  union all
  select r.org_id, r.device_id, o.pay_type, r.succeeded_at, 0, 0, 0, 0, 0, r.amount,
    (row_number() over (partition by r.org_id, r.order_id order by r.succeeded_at, r.id) = 1)::int,
    0, coalesce(b.amount, r.amount) - r.amount
  from refunds r join orders o on o.org_id = r.org_id and o.created_at = r.order_at
    and o.id = r.order_id
  left join (select k.key, -sum(e.amount) as amount from ledger_voucher_keys k
    join ledger_entries e on e.voucher_id = k.voucher_id and e.created_at = k.created_at
    join ledger_accounts a on a.id = e.account_id and a.code = '1001'
    where k.key like 'rf:%' group by k.key) b on b.key = 'rf:' || r.refund_no
  where r.state = 'SUCCESS' and r.kind = 'UNIT' and r.amount > 0 and not o.excluded;

-- By piece: fees go to the pieces of their order by what each was paid.
create view product_facts with (security_invoker = true) as
  with sold as (
    select u.org_id, u.device_id, u.product_id, u.order_id, o.created_at, u.unit_no, u.list_price,
      u.paid, u.cost, u.vend_state, u.finished_at, o.paid_at, o.order_type,
      sum(u.paid) over (partition by u.org_id, u.order_id order by u.unit_no) as upto,
      sum(u.paid) over (partition by u.org_id, u.order_id) as whole
    from order_units u join orders o on o.org_id = u.org_id and o.created_at = u.created_at
      and o.id = u.order_id
    where not o.excluded)
  select org_id, device_id, product_id, paid_at as at,
    (row_number() over (partition by org_id, order_id, product_id order by unit_no) = 1)::int
      as orders,
    1 as pieces, 0 as vended, list_price as turnover, paid, 0::bigint as refunded,
    0 as refunded_pieces, 0 as refund_orders, 0::bigint as cost, 0::bigint as fee
  from sold where paid_at is not null
  union all
  select org_id, device_id, product_id, finished_at, 0, 0, 1, 0, 0, 0, 0, 0, cost, 0
  from sold where vend_state = 'SUCCESS' and order_type <> 'TEST'
  union all
  select s.org_id, s.device_id, s.product_id, f.at, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    (floor(f.fee * upto / whole) - floor(f.fee * (upto - paid) / whole))::bigint
  from sold s join (
    select p.org_id, p.order_at, p.order_id, o.paid_at as at,
      p.fee_amount - coalesce((select sum(x.after_fee - x.before_fee) from payment_fee_fixes x
        where x.payment_id = p.id), 0) as fee
    from payments p join orders o on o.org_id = p.org_id and o.created_at = p.order_at
      and o.id = p.order_id where p.applied
    union all
    select p.org_id, p.order_at, p.order_id, x.created_at, x.after_fee - x.before_fee - x.returned
    from payment_fee_fixes x join payments p on p.id = x.payment_id and p.applied
  ) f on f.org_id = s.org_id and f.order_at = s.created_at and f.order_id = s.order_id
  where whole > 0
  union all
  select r.org_id, r.device_id, u.product_id, r.succeeded_at, 0, 0, 0, 0, 0, r.amount, 1,
    (row_number() over (partition by r.org_id, r.order_id, u.product_id
      order by r.succeeded_at, r.id) = 1)::int, 0, coalesce(b.amount, r.amount) - r.amount
  from refunds r join order_units u on u.org_id = r.org_id and u.created_at = r.order_at
    and u.id = r.unit_id
  join orders o on o.org_id = r.org_id and o.created_at = r.order_at and o.id = r.order_id
  left join (select k.key, -sum(e.amount) as amount from ledger_voucher_keys k
    join ledger_entries e on e.voucher_id = k.voucher_id and e.created_at = k.created_at
    join ledger_accounts a on a.id = e.account_id and a.code = '1001'
    where k.key like 'rf:%' group by k.key) b on b.key = 'rf:' || r.refund_no
  where r.state = 'SUCCESS' and r.kind = 'UNIT' and r.amount > 0 and not o.excluded;

-- What the folds must say of the days before `until`.
create view sales_fold_facts with (security_invoker = true) as
  with f as (select s.*, (s.at at time zone 'Asia/Shanghai')::date as day,
      extract(hour from s.at at time zone 'Asia/Shanghai')::int as hour
    from sales_facts s
    where s.at < (select until::timestamp at time zone 'Asia/Shanghai' from sales_folded))
  select org_id, g.grain, g.day, g.device_id, g.hour, g.pay_type,
    case when g.grain = 'DAY' then (sum(orders) > 0)::int else 0 end as devices,
    sum(orders) as orders, sum(pieces) as pieces, sum(vended) as vended, sum(turnover) as turnover,
    sum(paid) as paid, sum(refunded) as refunded, sum(refund_orders) as refund_orders,
    sum(cost) as cost, sum(fee) as fee
  from f cross join lateral (values ('DAY', day, 0, -1, ''), ('HOUR', day, 0, hour, ''),
      ('PAY', day, 0, -1, pay_type),
      ('MONTH', date_trunc('month', day)::date, device_id, -1, '')) g(grain, day, device_id, hour,
      pay_type)
  where g.grain <> 'MONTH' or g.day < (select date_trunc('month', until) from sales_folded)
  group by f.org_id, f.device_id, g.grain, g.day, g.device_id, g.hour, g.pay_type;
revoke all on sales_fold_facts from huodao_app;

-- Adds up days that are over, from the figures of machines: those of these organisations, or of
-- all. Whoever writes such a day later waits for whoever adds it up, and adds it up again.
create function app_fold_sales(first date, last date, orgs bigint[]) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  done date;
  own bigint[] := coalesce(orgs, array(select id from organisations));
  since timestamptz;
  till timestamptz;
begin
  select until into done from sales_folded for update;
  last := least(last, done - 1);
  if first > last then return; end if;
  since := first::timestamp at time zone 'Asia/Shanghai';
  till := (last + 1)::timestamp at time zone 'Asia/Shanghai';
  delete from sales_folds where org_id = any(own) and grain in ('DAY','HOUR','PAY')
    and day between first and last;
  insert into sales_folds select org_id, grain, (at at time zone 'Asia/Shanghai')::date, 0,
      case grain when 'DAY' then -1
        else extract(hour from at at time zone 'Asia/Shanghai')::int end, '',
      case grain when 'DAY' then count(*) filter (where orders > 0) else 0 end, sum(orders),
      sum(pieces), sum(vended), sum(turnover), sum(paid), sum(refunded), sum(refund_orders),
      sum(cost), sum(fee)
    from sales_rollups where org_id = any(own) and grain in ('DAY','HOUR') and at >= since
      and at < till group by org_id, grain, at;
  insert into sales_folds select org_id, 'PAY', day, 0, -1, pay_type, 0, sum(orders), sum(pieces),
      sum(vended), sum(turnover), sum(paid), sum(refunded), sum(refund_orders), sum(cost), sum(fee)
    from pay_rollups where org_id = any(own) and day between first and last
    group by org_id, day, pay_type;
  -- months that are over, of which some day was added up
  first := date_trunc('month', first);
  last := least(date_trunc('month', last) + interval '1 month', date_trunc('month', done))::date;
  delete from sales_folds where org_id = any(own) and grain = 'MONTH' and day >= first and day < last;
  insert into sales_folds select org_id, 'MONTH',
      date_trunc('month', at at time zone 'Asia/Shanghai')::date, device_id, -1, '', 0, sum(orders),
      sum(pieces), sum(vended), sum(turnover), sum(paid), sum(refunded), sum(refund_orders),
      sum(cost), sum(fee)
    from sales_rollups where org_id = any(own) and grain = 'DAY'
      and at >= first::timestamp at time zone 'Asia/Shanghai'
      and at < last::timestamp at time zone 'Asia/Shanghai' group by 1, 3, 4;
end $$;

-- Adds up at most a month of days more, and the last ones once more; says whether there are others.
create function app_fold_sales_until(day date) returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  done date;
  upto date;
begin
  select until into done from sales_folded for update;
  if done = '2000-01-01' then
    select (min(at) at time zone 'Asia/Shanghai')::date into done from sales_rollups
      where grain = 'DAY';
    if done is null then return false; end if;
  end if;
  upto := least(day, done + 31);
  if upto > done then update sales_folded set until = upto; end if;
  perform app_fold_sales(done - 2, greatest(upto, done) - 1, null);
  return upto < day;
end $$;

-- What was sold before there were these columns.
update sales_rollups r set vended = f.vended, fee = f.fee
  from (select org_id, device_id, g.grain, g.at, sum(vended) as vended, sum(fee) as fee
    from sales_facts s cross join lateral (values ('HOUR', date_trunc('hour', s.at)),
      ('DAY', date_trunc('day', s.at at time zone 'Asia/Shanghai') at time zone 'Asia/Shanghai'),
      ('TOTAL', '2000-01-01T00:00:00Z'::timestamptz)) g(grain, at) group by 1, 2, 3, 4) f
  where r.org_id = f.org_id and r.device_id = f.device_id and r.grain = f.grain and r.at = f.at;
insert into sales_rollups (org_id, device_id, grain, at, vended, fee)
  select org_id, device_id, g.grain, g.at, sum(vended), sum(fee)
  from sales_facts s cross join lateral (values ('HOUR', date_trunc('hour', s.at)),
    ('DAY', date_trunc('day', s.at at time zone 'Asia/Shanghai') at time zone 'Asia/Shanghai'),
    ('TOTAL', '2000-01-01T00:00:00Z'::timestamptz)) g(grain, at) group by 1, 2, 3, 4
  on conflict do nothing;
insert into product_rollups as r (org_id, device_id, product_id, day, orders, vended, paid, refunded,
    refund_orders, fee)
  select org_id, device_id, product_id, (at at time zone 'Asia/Shanghai')::date, sum(orders),
    sum(vended), sum(paid), sum(refunded), sum(refund_orders), sum(fee)
  from product_facts group by 1, 2, 3, 4
  on conflict (device_id, product_id, day, org_id) do update set orders = excluded.orders,
    vended = excluded.vended, paid = excluded.paid, refunded = excluded.refunded,
    refund_orders = excluded.refund_orders, fee = excluded.fee;
insert into pay_rollups select org_id, device_id, pay_type, (at at time zone 'Asia/Shanghai')::date,
    sum(orders), sum(pieces), sum(vended), sum(turnover), sum(paid), sum(refunded),
    sum(refund_orders), sum(cost), sum(fee)
  from sales_facts group by 1, 2, 3, 4;
