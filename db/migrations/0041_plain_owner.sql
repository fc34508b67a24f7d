-- The owner of the tables may be any role, and the server may sign in as one that owns nothing.

-- Row policies bind the application role. Forced on an owner who is no superuser they blinded the very functions that run as the
-- owner because they must see everything: checks passed and counts were 0. One behaviour, whoever the owner is.
do $$
declare tbl regclass;
begin
  for tbl in select oid::regclass from pg_class where relnamespace = 'public'::regnamespace and relforcerowsecurity loop
    execute format('alter table %s no force row level security', tbl);
  end loop;
end $$;
create or replace procedure app_protect(tbl regclass, device_column text default null, inherited boolean default false)
language plpgsql as $$
declare
  own text := '(select app_all()) or org_id = any((select app_orgs())::bigint[])';
  dev text := format('((select app_devices() is null) or %I = any((select app_devices())::bigint[]))', coalesce(device_column, 'id'));
begin
  if device_column is not null then own := '(' || own || ') and ' || dev; end if;
  execute format('alter table %s enable row level security', tbl);
  execute format('create policy own on %s using (%s) with check (%s)', tbl, own, own);
  if inherited then
    execute format('create policy inherited on %s for select using (org_id = any((select app_ancestors())::bigint[]))', tbl);
  end if;
end $$;

-- Databases installed by a superuser hold these functions with a clause that nobody else may write; see migrate.ts.
do $$
declare f oid;
begin
  for f in select oid from pg_proc where pronamespace = 'public'::regnamespace and proconfig::text like '%app.all=%' loop
    execute regexp_replace(pg_get_functiondef(f), '\n SET "?app"?\."?all"? TO ''on''', '');
  end loop;
end $$;

-- Temporary tables come before everything that is not named otherwise: who may make one could put words into the owner's mouth.
do $$
declare f regprocedure;
begin
  for f in select oid::regprocedure from pg_proc where pronamespace = 'public'::regnamespace and prosecdef loop
    execute format('alter function %s set search_path = public, pg_temp', f);
  end loop;
end $$;

-- What the server did as the owner of the tables: months are made and, past every retention, dropped.
create function app_make_month(parent regclass, month date) returns void
language plpgsql security definer set search_path = public, pg_temp set timezone = 'UTC' as $$
declare name text := parent || to_char(month, '_YYYYMM');
begin
  if not exists (select from pg_class where oid = parent and relkind = 'p' and relnamespace = 'public'::regnamespace) or month <> date_trunc('month', month)
  then raise exception '% of % is no month of facts', month, parent; end if;
  perform pg_advisory_xact_lock(hashtextextended('huodao_partitions', 0));
  if to_regclass(name) is not null then return; end if;
  execute format('create table %I partition of %s for values from (%L) to (%L)', name, parent, month::timestamptz, (month + interval '1 month')::timestamptz);
  -- rows are reached through the parent, whose row policies apply; never directly
  execute format('revoke all on %I from huodao_app', name);
end $$;

-- The checkpoint comes, the seals and the month go. 180 days: less than the shortest retention, whatever the server asks for.
create function app_drop_log_month(month text, checkpoint log_checkpoints) returns void
language plpgsql security definer set search_path = public, pg_temp set timezone = 'UTC' set lock_timeout = '5s' as $$
declare until timestamptz := (select substring(pg_get_expr(c.relpartbound, c.oid) from 'TO \(''([^'']+)''\)') from pg_inherits i
  join pg_class c on c.oid = i.inhrelid where i.inhparent = 'operation_logs'::regclass and c.relname = month);
begin
  if until is null or until > now() - interval '180 days' then raise exception '% is no month of the log that may go', month; end if;
  if checkpoint.seq is not null then
    insert into log_checkpoints select (checkpoint).*;
    alter table operation_log_seals disable trigger append_only;
    delete from operation_log_seals where seq <= checkpoint.seq;
    alter table operation_log_seals enable trigger append_only;
  end if;
  execute format('drop table %I', month);
end $$;
revoke execute on function app_make_month, app_drop_log_month from public;
grant execute on function app_make_month, app_drop_log_month to huodao_app;
grant usage, select on all sequences in schema pgboss to huodao_app;

-- What this database is and which key its secrets were made with. Null: not said yet, the first start says it.
create table installation (
  only_row boolean primary key default true check (only_row),
  demo boolean,
  key_check text check (key_check ~ '^[0-9a-f]{64}$'),
  installed_at timestamptz not null default now(),
  -- written by the probe of health, which asks whether the database takes writes
  probed_at timestamptz
);
revoke insert, delete on installation from huodao_app;
-- The demo is known by its thirteen people; a business that was installed before has others.
insert into installation (demo) select case when count(*) = 0 then null else count(*) filter (where username in ('admin','agent','operator','replenisher',
  'repairer','sponsor','finance','campus','hospital','supplier','tenant','regulator')) = 12 end from users;
