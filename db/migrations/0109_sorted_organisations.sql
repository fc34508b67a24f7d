-- Whose rows somebody sees is looked up in the sorted array of his organisations, not compared with one after the other: a tenant has
-- thousands, and what walked organisations or people for each row of a page cost their square. A few are compared: that is faster. As the
-- test of a null, it is not counted as one organisation among all: estimates follow the table.
create or replace procedure app_protect(tbl regclass, device_column text default null, inherited boolean default false)
language plpgsql as $$
declare
  own text := '(select app_all())
    or nullif(case when (select cardinality(app_orgs()) > 32)
      then (select app_orgs())[width_bucket(org_id, (select app_orgs()))] = org_id
      else org_id = any((select app_orgs())::bigint[]) end, false) is not null';
  dev text := format('((select app_devices() is null) or %I = any((select app_devices())::bigint[]))', coalesce(device_column, 'id'));
begin
  if device_column is not null then own := '(' || own || ') and ' || dev; end if;
  execute format('alter table %s enable row level security', tbl);
  execute format('create policy own on %s using (%s) with check (%s)', tbl, own, own);
  if inherited then
    execute format('create policy inherited on %s for select using (org_id = any((select app_ancestors())::bigint[]))', tbl);
  end if;
end $$;

do $$
declare
  old constant text := '\((org_id|id) = ANY \(\( SELECT app_orgs\(\) AS app_orgs\)::bigint\[\]\)\)';
  new constant text := '(nullif(case when (select cardinality(app_orgs()) > 32)
    then (select app_orgs())[width_bucket(\1, (select app_orgs()))] = \1
    else \1 = any((select app_orgs())::bigint[]) end, false) is not null)';
  p record;
begin
  for p in
    select pol.polname, pol.polrelid::regclass as tbl, regexp_replace(pg_get_expr(pol.polqual, pol.polrelid), old, new, 'g') as qual,
      regexp_replace(pg_get_expr(pol.polwithcheck, pol.polrelid), old, new, 'g') as checked
    from pg_policy pol join pg_class c on c.oid = pol.polrelid
    where c.relnamespace = 'public'::regnamespace and pg_get_expr(pol.polqual, pol.polrelid) ~ old
    order by pol.polrelid
  loop
    execute format('alter policy %I on %s using (%s)', p.polname, p.tbl, p.qual) || coalesce(' with check (' || p.checked || ')', '');
  end loop;
end $$;
