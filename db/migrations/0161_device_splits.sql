-- The strategy that counted when a piece was sold; null: none.
alter table order_units add split_version_id bigint;

-- A machine that goes leaves the strategy of its owner: whoever writes the column need not know.
create function drop_binding() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update split_bindings set released_at = greatest(now(), bound_at)
    where device_id = new.id and released_at is null;
  return null;
end $$;
revoke execute on function drop_binding() from public;
create trigger drop_binding after update of org_id on devices
  for each row when (old.org_id <> new.org_id) execute function drop_binding();
