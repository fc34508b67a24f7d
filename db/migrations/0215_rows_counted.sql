-- Lists that grow with sales are not counted: how many rows a day of an organisation has, and what
-- they come to, is kept as they are written (decision 76). A change is a row of its own, so that no
-- two sales wait for each other; a sweep adds them up. Those of organisation 0 are of all of them.
create table row_counts (
  org_id bigint not null,
  list text not null,
  day date not null,
  kind text not null,
  rows bigint not null,
  amount bigint not null,
  refunded bigint not null,
  cost bigint not null,
  primary key (org_id, list, day, kind)
);
call app_protect('row_counts');
create table row_count_changes (
  org_id bigint not null,
  list text not null,
  day date not null,
  kind text not null,
  rows bigint not null,
  amount bigint not null,
  refunded bigint not null,
  cost bigint not null
);
create index row_count_changes_org on row_count_changes (org_id, list, day);
call app_protect('row_count_changes');
-- of all machines of an organisation: whoever sees some is told none
create policy whole on row_counts as restrictive using ((select app_devices()) is null);
create policy whole on row_count_changes as restrictive using ((select app_devices()) is null);

-- `kind` and `sums` are made of columns of r; they change where `changes` is said
create procedure app_counted(list regclass, kind text, sums text[], changes boolean)
language plpgsql as $$
declare
  said text := format($r$r.org_id, '%s', (r.created_at at time zone 'Asia/Shanghai')::date, %s$r$,
    list, kind);
  figures text := array_to_string(sums, ', ');
  old_row text := regexp_replace(said, '\mr\.', 'old.', 'g');
  new_row text := regexp_replace(said, '\mr\.', 'new.', 'g');
  was text := regexp_replace(figures, '\mr\.', 'old.', 'g');
  is_now text := regexp_replace(figures, '\mr\.', 'new.', 'g');
begin
  execute format($f$create function %I() returns trigger language plpgsql
    security definer set search_path = public, pg_temp as $b$
    begin
      insert into row_count_changes
        select %s, count(*), sum(%s) from added r group by 1, 3, 4;
      return null;
    end $b$ $f$, 'count_' || list, said, array_to_string(sums, '), sum('));
  execute format('create trigger counted after insert on %s referencing new table as added
    for each statement execute function %I()', list, 'count_' || list);
  if not changes then return; end if;
  execute format($f$create function %I() returns trigger language plpgsql
    security definer set search_path = public, pg_temp as $b$
    begin
      insert into row_count_changes values (%s, -1, -(%s)), (%s, 1, %s);
      return null;
    end $b$ $f$, 'recount_' || list, old_row, replace(was, ', ', '), -('), new_row, is_now);
  execute format('create trigger recounted after update on %s for each row
    when ((%s, %s) is distinct from (%s, %s)) execute function %I()',
    list, old_row, was, new_row, is_now, 'recount_' || list);
end $$;
call app_counted('orders', $$case when r.excluded then '-' else '' end || r.order_status$$,
  '{r.paid_amount,r.refunded_amount,r.cost_amount}', true);
call app_counted('stock_flows', $$r.type || '.' || r.reason$$, '{r.change_total,0,0}', false);
call app_counted('ledger_entries', 'r.voucher_type', '{0,0,0}', false);
call app_counted('operation_logs', 'r.level', '{0,0,0}', false);
call app_counted('split_orders', 'r.state', '{0,0,0}', true);
drop procedure app_counted(regclass, text, text[], boolean);

-- What they must say; no screen reads it.
create view row_count_facts as
  select r.org_id, r.list, d.day, r.kind, count(*) as rows, sum(r.amount) as amount,
    sum(r.refunded) as refunded, sum(r.cost) as cost
  from (select org_id, created_at, 'orders' as list,
        case when excluded then '-' else '' end || order_status as kind, paid_amount as amount,
        refunded_amount as refunded, cost_amount as cost from orders
      union all select org_id, created_at, 'stock_flows', type || '.' || reason, change_total, 0, 0
        from stock_flows
      union all select org_id, created_at, 'ledger_entries', voucher_type, 0, 0, 0
        from ledger_entries
      union all select org_id, created_at, 'operation_logs', level, 0, 0, 0 from operation_logs
      union all select org_id, created_at, 'split_orders', state, 0, 0, 0 from split_orders) r
  cross join lateral (select (r.created_at at time zone 'Asia/Shanghai')::date as day) d
  group by 1, 2, 3, 4;
revoke all on row_count_facts from huodao_app;
insert into row_counts select * from row_count_facts;
insert into row_counts select 0, list, day, kind, sum(rows), sum(amount), sum(refunded), sum(cost)
  from row_count_facts group by 2, 3, 4;
