-- The planner gave "(select app_devices()) is null" a chance of one in 200, so every statement on machines looked as if it found one
-- row, and joins compared each with each. Asked inside the select it is a plain condition, and estimates follow the table.
create or replace procedure app_protect(tbl regclass, device_column text default null, inherited boolean default false)
language plpgsql as $$
declare
  own text := '(select app_all()) or org_id = any((select app_orgs())::bigint[])';
  dev text := format('((select app_devices() is null) or %I = any((select app_devices())::bigint[]))', coalesce(device_column, 'id'));
begin
  if device_column is not null then own := '(' || own || ') and ' || dev; end if;
  execute format('alter table %s enable row level security', tbl);
  execute format('alter table %s force row level security', tbl);
  execute format('create policy own on %s using (%s) with check (%s)', tbl, own, own);
  if inherited then
    execute format('create policy inherited on %s for select using (org_id = any((select app_ancestors())::bigint[]))', tbl);
  end if;
end $$;

do $$
declare
  old constant text := '(( SELECT app_devices() AS app_devices) IS NULL)';
  new constant text := '(SELECT app_devices() IS NULL)';
  p record;
begin
  for p in
    select pol.polname, pol.polrelid::regclass as tbl, replace(pg_get_expr(pol.polqual, pol.polrelid), old, new) as qual,
      replace(pg_get_expr(pol.polwithcheck, pol.polrelid), old, new) as checked
    from pg_policy pol join pg_class c on c.oid = pol.polrelid
    where c.relnamespace = 'public'::regnamespace and position(old in pg_get_expr(pol.polqual, pol.polrelid)) > 0
    order by pol.polrelid
  loop
    execute format('alter policy %I on %s using (%s)', p.polname, p.tbl, p.qual)
      || coalesce(' with check (' || p.checked || ')', '');
  end loop;
end $$;
