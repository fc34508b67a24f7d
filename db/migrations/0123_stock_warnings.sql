-- Lanes that run out, written where lanes change (decision 52). What a lane that sells is short of:
-- the same as lanes/rules.ts and the counters of its machine.
create function lane_shortage(archived timestamptz, product bigint, status text, sellable int,
  warn int) returns text language sql immutable return case
  when archived is null and product is not null and status = 'ENABLED' then case
    when sellable <= 0 then 'SOLD_OUT' when sellable <= warn then 'LOW' end end;

create table stock_warnings (
  id bigint generated always as identity primary key,
  org_id bigint not null references organisations,
  device_id bigint not null references devices,
  lane_id bigint not null references lanes on delete cascade,
  kind text not null check (kind in ('SOLD_OUT','LOW','COUNT')),
  opened_at timestamptz not null default now(),
  closed_at timestamptz check (closed_at >= opened_at)
);
create unique index stock_warnings_open on stock_warnings (lane_id, kind) where closed_at is null;
create index stock_warnings_listed on stock_warnings (org_id, opened_at, id) include (kind, device_id)
  where closed_at is null;
create index stock_warnings_device on stock_warnings (org_id, device_id, opened_at);
call app_protect('stock_warnings', 'device_id');

-- When people last heard of the warnings of a machine.
create table stock_warning_calls (
  org_id bigint not null references organisations,
  device_id bigint not null references devices,
  told_at timestamptz not null,
  primary key (org_id, device_id)
);
call app_protect('stock_warning_calls', 'device_id');

create function note_stock_warning() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  kinds text[] := array_remove(array[
    lane_shortage(new.archived_at, new.product_id, new.status,
      new.quantity - new.reserved - new.failed_hold, new.warn_qty),
    case when new.archived_at is null and new.failed_hold > 0 then 'COUNT' end], null);
begin
  update stock_warnings set closed_at = greatest(now(), opened_at)
    where lane_id = new.id and closed_at is null and kind <> all(kinds);
  insert into stock_warnings (org_id, device_id, lane_id, kind)
    select new.org_id, new.device_id, new.id, k from unnest(kinds) k
    on conflict (lane_id, kind) where closed_at is null do nothing;
  return null;
end $$;
revoke execute on function note_stock_warning() from public;

create trigger stock_warning after insert on lanes for each row
  when (new.product_id is not null) execute function note_stock_warning();
-- Each sale asks this, so it calls nothing: whether one of the answers may be another one now.
create trigger stock_warning_kept after update of quantity, reserved, failed_hold, warn_qty, status,
  product_id, archived_at on lanes for each row
  when ((old.quantity - old.reserved - old.failed_hold <= 0)
      <> (new.quantity - new.reserved - new.failed_hold <= 0)
    or (old.quantity - old.reserved - old.failed_hold <= old.warn_qty)
      <> (new.quantity - new.reserved - new.failed_hold <= new.warn_qty)
    or (old.failed_hold > 0) <> (new.failed_hold > 0)
    or (old.status = 'ENABLED') <> (new.status = 'ENABLED')
    or (old.product_id is null) <> (new.product_id is null)
    or (old.archived_at is null) <> (new.archived_at is null))
  execute function note_stock_warning();

insert into stock_warnings (org_id, device_id, lane_id, kind)
  select l.org_id, l.device_id, l.id, k.kind from lanes l cross join lateral (values
    (lane_shortage(l.archived_at, l.product_id, l.status,
      l.quantity - l.reserved - l.failed_hold, l.warn_qty)),
    (case when l.archived_at is null and l.failed_hold > 0 then 'COUNT' end)) k (kind)
  where k.kind is not null;
