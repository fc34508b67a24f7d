-- What is kept of a tenant's settings holds until his counter moves, or the platform's, whose settings count for all.
drop trigger bump on settings;
drop trigger bump_settings on organisations;
drop function bump_settings_version();
drop table settings_version;
create table settings_versions (
  tenant_id bigint primary key,
  version bigint not null default 1
);
create function note_settings(tenant bigint) returns void language plpgsql security definer set search_path = public, pg_temp as $$
declare
  noted text := coalesce(current_setting('app.settings_noted', true), '');
begin
  -- once in a transaction
  if tenant is null or noted like '%,' || tenant || ',%' then return; end if;
  insert into settings_versions (tenant_id) values (tenant)
    on conflict (tenant_id) do update set version = settings_versions.version + 1;
  perform set_config('app.settings_noted', noted || ',' || tenant || ',', true);
end $$;
create function bump_settings() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if tg_op <> 'INSERT' then perform note_settings(tenant_of_org(old.org_id)); end if;
  if tg_op <> 'DELETE' then perform note_settings(tenant_of_org(new.org_id)); end if;
  return null;
end $$;
create function bump_settings_moved() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform note_settings(t) from unnest(array[tenant_of_path(old.path), tenant_of_path(new.path)]) t order by t;
  return null;
end $$;
revoke execute on function note_settings(bigint), bump_settings(), bump_settings_moved() from public;

-- True once in a transaction: what comes to a trigger by the thousand leaves one event for its end.
create function first_time(what text, one ltree, other ltree) returns boolean language plpgsql as $$
declare
  had text := coalesce(current_setting('app.first_' || what, true), '');
  now text := tenant_of_path(one) || '>' || tenant_of_path(other);
begin
  if had like '%,' || now || ',%' then return false; end if;
  perform set_config('app.first_' || what, had || ',' || now || ',', true);
  return true;
end $$;
create constraint trigger bump after insert or update or delete
  on settings deferrable initially deferred for each row execute function bump_settings();
-- a new one has no values yet that anybody keeps
create constraint trigger bump_settings after update of path on organisations deferrable initially deferred for each row
  when (old.path <> new.path and first_time('settings', old.path, new.path)) execute function bump_settings_moved();

-- How many organisations stand with this one below one child of the platform; none do with the platform itself.
create function organisations_of_tenant(place ltree) returns bigint
  language sql stable parallel safe security definer set search_path = public, pg_temp as
$$ select count(*) from organisations where nlevel(place) > 1 and path <@ subpath(place, 0, least(nlevel(place), 2)) $$;
