-- Days that are over, added up further (decision 92): of all organisations together as organisation
-- 0, which the platform reads, and by product. What machines sold in the running month is added up
-- until the last day that is over.
create table product_folds (
  org_id bigint not null,
  -- DAY of all organisations together, MONTH of each
  grain text not null check (grain in ('DAY','MONTH')),
  day date not null,
  product_id bigint not null,
  orders int not null default 0,
  pieces int not null default 0,
  vended int not null default 0,
  turnover bigint not null default 0,
  paid bigint not null default 0,
  refunded bigint not null default 0,
  refund_orders int not null default 0,
  refunded_pieces int not null default 0,
  cost bigint not null default 0,
  fee bigint not null default 0,
  primary key (org_id, grain, day, product_id)
);
call app_protect('product_folds');
-- of all machines of an organisation: whoever sees some is told none
create policy whole on product_folds as restrictive using ((select app_devices()) is null);
revoke insert, update, delete on product_folds from huodao_app;

-- What the folds must say of the days before `until`; no screen reads it.
create or replace view sales_fold_facts with (security_invoker = true) as
  with f as (select s.*, (s.at at time zone 'Asia/Shanghai')::date as day,
      extract(hour from s.at at time zone 'Asia/Shanghai')::int as hour
    from sales_facts s
    where s.at < (select until::timestamp at time zone 'Asia/Shanghai' from sales_folded))
  select g.org_id, g.grain, g.day, g.device_id, g.hour, g.pay_type,
    case when g.grain = 'DAY' then (sum(orders) > 0)::int else 0 end as devices,
    sum(orders) as orders, sum(pieces) as pieces, sum(vended) as vended, sum(turnover) as turnover,
    sum(paid) as paid, sum(refunded) as refunded, sum(refund_orders) as refund_orders,
    sum(cost) as cost, sum(fee) as fee
  from f cross join lateral (values (org_id, 'DAY', day, 0, -1, ''), (0, 'DAY', day, 0, -1, ''),
      (org_id, 'HOUR', day, 0, hour, ''), (0, 'HOUR', day, 0, hour, ''),
      (org_id, 'PAY', day, 0, -1, pay_type), (0, 'PAY', day, 0, -1, pay_type),
      (org_id, 'MONTH', date_trunc('month', day)::date, device_id, -1, '')) g(org_id, grain, day,
      device_id, hour, pay_type)
  group by f.org_id, f.device_id, g.org_id, g.grain, g.day, g.device_id, g.hour, g.pay_type;
create view product_fold_facts with (security_invoker = true) as
  select g.org_id, g.grain, g.day, f.product_id, sum(orders) as orders, sum(pieces) as pieces,
    sum(vended) as vended, sum(turnover) as turnover, sum(paid) as paid, sum(refunded) as refunded,
    sum(refund_orders) as refund_orders, sum(refunded_pieces) as refunded_pieces,
    sum(cost) as cost, sum(fee) as fee
  from (select p.*, (p.at at time zone 'Asia/Shanghai')::date as day from product_facts p
    where p.at < (select until::timestamp at time zone 'Asia/Shanghai' from sales_folded)) f
  cross join lateral (values (0::bigint, 'DAY', day),
      (org_id, 'MONTH', date_trunc('month', day)::date)) g(org_id, grain, day)
  group by 1, 2, 3, 4;
revoke all on product_fold_facts from huodao_app;

-- What these organisations come to, to the figures of all of them, or from them.
create function app_fold_all(first date, last date, orgs bigint[], sign int) returns void
language sql security definer set search_path = public, pg_temp as $$
  insert into sales_folds as z (org_id, grain, day, device_id, hour, pay_type, devices, orders,
      pieces, vended, turnover, paid, refunded, refund_orders, cost, fee)
    select 0, grain, day, 0, hour, pay_type, sign * sum(devices), sign * sum(orders),
      sign * sum(pieces), sign * sum(vended), sign * sum(turnover), sign * sum(paid),
      sign * sum(refunded), sign * sum(refund_orders), sign * sum(cost), sign * sum(fee)
    from sales_folds where org_id = any(orgs) and grain in ('DAY','HOUR','PAY')
      and day between first and last group by grain, day, hour, pay_type
  on conflict (org_id, grain, day, device_id, hour, pay_type) do update set
    devices = z.devices + excluded.devices, orders = z.orders + excluded.orders,
    pieces = z.pieces + excluded.pieces, vended = z.vended + excluded.vended,
    turnover = z.turnover + excluded.turnover, paid = z.paid + excluded.paid,
    refunded = z.refunded + excluded.refunded,
    refund_orders = z.refund_orders + excluded.refund_orders, cost = z.cost + excluded.cost,
    fee = z.fee + excluded.fee
$$;

-- What is added up by product, anew from the figures of machines; under the lock of its caller.
create function app_fold_goods(first date, last date, until date) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  own bigint[] := array(select id from organisations);
  since date := date_trunc('month', first);
  till date := least(date_trunc('month', last) + interval '1 month', until);
begin
  delete from product_folds where org_id = 0 and grain = 'DAY' and day between first and last;
  delete from product_folds where org_id = any(own) and grain = 'MONTH' and day between since and last;
  insert into product_folds (org_id, grain, day, product_id, orders, pieces, vended, turnover, paid,
      refunded, refund_orders, refunded_pieces, cost, fee)
    select 0, 'DAY', day, product_id, sum(orders), sum(pieces), sum(vended), sum(turnover), sum(paid),
      sum(refunded), sum(refund_orders), sum(refunded_pieces), sum(cost), sum(fee)
    from product_rollups where org_id = any(own) and day between first and last group by 3, 4
    union all
    select org_id, 'MONTH', date_trunc('month', day)::date, product_id, sum(orders), sum(pieces),
      sum(vended), sum(turnover), sum(paid), sum(refunded), sum(refund_orders), sum(refunded_pieces),
      sum(cost), sum(fee)
    from product_rollups where org_id = any(own) and day >= since and day < till group by 1, 3, 4;
end $$;

create or replace function app_fold_sales(first date, last date, orgs bigint[]) returns void
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
  if orgs is null then
    delete from sales_folds where org_id = 0 and day between first and last;
  else
    perform app_fold_all(first, last, own, -1);
  end if;
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
  perform app_fold_all(first, last, own, 1);
  if orgs is null then perform app_fold_goods(first, last, done); end if;
  -- months of which some day was added up, the running one until the first that is not
  first := date_trunc('month', first);
  last := least(date_trunc('month', last) + interval '1 month', done)::date;
  delete from sales_folds where org_id = any(own) and grain = 'MONTH' and day >= first and day < last;
  insert into sales_folds select org_id, 'MONTH',
      date_trunc('month', at at time zone 'Asia/Shanghai')::date, device_id, -1, '', 0, sum(orders),
      sum(pieces), sum(vended), sum(turnover), sum(paid), sum(refunded), sum(refund_orders),
      sum(cost), sum(fee)
    from sales_rollups where org_id = any(own) and grain = 'DAY'
      and at >= first::timestamp at time zone 'Asia/Shanghai'
      and at < last::timestamp at time zone 'Asia/Shanghai' group by 1, 3, 4;
end $$;

-- What is written into days that are over, to the figures of its goods. Whoever adds days up waits,
-- and has it among the figures of machines then.
create function app_fold_products(late jsonb) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  done date;
begin
  select until into done from sales_folded for update;
  insert into product_folds as z (org_id, grain, day, product_id, orders, pieces, vended, turnover,
      paid, refunded, refund_orders, refunded_pieces, cost, fee)
    select g.org_id, g.grain, g.day, x."productId", coalesce(sum(orders), 0),
      coalesce(sum(pieces), 0), coalesce(sum(vended), 0), coalesce(sum(turnover), 0),
      coalesce(sum(paid), 0), coalesce(sum(refunded), 0), coalesce(sum("refundOrders"), 0),
      coalesce(sum("refundedPieces"), 0), coalesce(sum(cost), 0), coalesce(sum(fee), 0)
    from jsonb_to_recordset(late) as x("orgId" bigint, "productId" bigint, day date, orders int,
      pieces int, vended int, turnover bigint, paid bigint, refunded bigint, "refundOrders" int,
      "refundedPieces" int, cost bigint, fee bigint)
    cross join lateral (values (0::bigint, 'DAY', x.day),
      (x."orgId", 'MONTH', date_trunc('month', x.day)::date)) g(org_id, grain, day)
    where x.day < done group by 1, 2, 3, 4 order by 1, 2, 3, 4
  on conflict (org_id, grain, day, product_id) do update set orders = z.orders + excluded.orders,
    pieces = z.pieces + excluded.pieces, vended = z.vended + excluded.vended,
    turnover = z.turnover + excluded.turnover, paid = z.paid + excluded.paid,
    refunded = z.refunded + excluded.refunded,
    refund_orders = z.refund_orders + excluded.refund_orders,
    refunded_pieces = z.refunded_pieces + excluded.refunded_pieces, cost = z.cost + excluded.cost,
    fee = z.fee + excluded.fee;
end $$;

-- What was added up before.
select app_fold_all('2000-01-01', until - 1, array(select id from organisations), 1) from sales_folded;
select app_fold_goods('2000-01-01', until - 1, until) from sales_folded;
insert into sales_folds select org_id, 'MONTH', date_trunc('month', until)::date, device_id, -1, '', 0,
    sum(orders), sum(pieces), sum(vended), sum(turnover), sum(paid), sum(refunded),
    sum(refund_orders), sum(cost), sum(fee)
  from sales_folded, sales_rollups where grain = 'DAY'
    and at >= date_trunc('month', until)::timestamp at time zone 'Asia/Shanghai'
    and at < until::timestamp at time zone 'Asia/Shanghai' group by 1, 3, 4;
