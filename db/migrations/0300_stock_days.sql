-- What came into machines and left them, by product and day (decision 94). Each statement that
-- writes flows adds rows of its own, so that no two sales wait for each other; a worker adds them up.
create table stock_days (
  org_id bigint not null,
  device_id bigint not null,
  product_id bigint not null,
  day date not null,
  replenished int not null default 0,
  taken int not null default 0,
  withdrawn int not null default 0,
  primary key (device_id, product_id, day, org_id)
);
create index stock_days_org on stock_days (org_id, day);
call app_protect('stock_days', 'device_id');
create table stock_day_changes (like stock_days including defaults);
create index stock_day_changes_org on stock_day_changes (org_id, day);
call app_protect('stock_day_changes', 'device_id');

-- What the figures must say; no screen reads it.
create view stock_day_facts with (security_invoker = true) as
  select f.org_id, f.device_id, f.product_id, d.day,
    case f.type when 'MERCHANT_REPLENISH' then f.change_total else 0 end as replenished,
    case f.type when 'CUSTOMER_TAKE' then -f.change_total else 0 end as taken,
    case f.type when 'MERCHANT_WITHDRAW' then -f.change_total else 0 end as withdrawn
  from stock_flows f
  cross join lateral (values ((f.created_at at time zone 'Asia/Shanghai')::date)) d(day);

create function note_stock_day() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into stock_day_changes
    select org_id, device_id, product_id, (created_at at time zone 'Asia/Shanghai')::date,
      coalesce(sum(change_total) filter (where type = 'MERCHANT_REPLENISH'), 0),
      coalesce(-sum(change_total) filter (where type = 'CUSTOMER_TAKE'), 0),
      coalesce(-sum(change_total) filter (where type = 'MERCHANT_WITHDRAW'), 0)
    from added group by 1, 2, 3, 4;
  return null;
end $$;
revoke execute on function note_stock_day() from public;
create trigger stock_day after insert on stock_flows referencing new table as added
  for each statement execute function note_stock_day();

insert into stock_days select org_id, device_id, product_id, day, sum(replenished), sum(taken),
    sum(withdrawn)
  from stock_day_facts group by 1, 2, 3, 4;
