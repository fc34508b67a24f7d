-- What is cached of an actor holds until a counter of his moves: his tenant's, or everybody's (the platform's own id). Zero: those who look
-- at machines of all. They move at the end of a transaction: one that runs long holds nobody up, one that is undone moves nothing.
create table access_versions (
  tenant_id bigint primary key,
  version bigint not null default 1
);
create function note_access(tenant bigint) returns void language plpgsql security definer set search_path = public, pg_temp as $$
declare
  noted text := coalesce(current_setting('app.access_noted', true), '');
begin
  -- once in a transaction
  if tenant is null or noted like '%,' || tenant || ',%' then return; end if;
  insert into access_versions (tenant_id) values (tenant)
    on conflict (tenant_id) do update set version = access_versions.version + 1;
  perform set_config('app.access_noted', noted || ',' || tenant || ',', true);
end $$;
create function tenant_of_path(path ltree) returns bigint language sql immutable as
$$ select split_part(path::text, '.', least(nlevel(path), 2))::bigint $$;
create function tenant_of_org(org bigint) returns bigint language sql stable security definer set search_path = public, pg_temp as
$$ select tenant_of_path(path) from organisations where id = org $$;

create function bump_access() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  was jsonb := case when tg_op <> 'INSERT' then to_jsonb(old) end;
  now jsonb := case when tg_op <> 'DELETE' then to_jsonb(new) end;
  one jsonb;
begin
  foreach one in array array[was, now] loop
    continue when one is null;
    case tg_table_name
      when 'menus' then perform note_access(1);
      when 'organisations' then
        perform note_access(tenant_of_path((one ->> 'path')::ltree));
        perform note_access(0);
      when 'users', 'roles' then perform note_access(tenant_of_org((one ->> 'org_id')::bigint));
      when 'role_permissions', 'role_menus' then
        perform note_access((select tenant_of_org(r.org_id) from roles r where r.id = (one ->> 'role_id')::bigint));
      when 'devices' then perform note_access(0);
      else perform note_access((select tenant_of_org(u.org_id) from users u where u.id = (one ->> 'user_id')::bigint));
    end case;
  end loop;
  return null;
end $$;
revoke execute on function note_access(bigint), tenant_of_org(bigint), bump_access() from public;

drop trigger bump on users;
drop trigger bump on organisations;
drop trigger bump on roles;
drop trigger bump on user_roles;
drop trigger bump on role_permissions;
drop trigger bump on menus;
drop trigger bump on role_menus;
drop trigger bump on second_factors;
drop trigger bump on devices;
drop trigger bump on device_assignments;
drop function bump_access_version();
drop table access_version;
create constraint trigger bump after insert or delete
  or update of org_id, username, real_name, avatar, title, region_code, status, must_change_password, phone, deleted_at
  on users deferrable initially deferred for each row execute function bump_access();
create constraint trigger bump after insert or delete or update of path, kind, status
  on organisations deferrable initially deferred for each row execute function bump_access();
create constraint trigger bump after insert or update or delete
  on roles deferrable initially deferred for each row execute function bump_access();
create constraint trigger bump after insert or update or delete
  on user_roles deferrable initially deferred for each row execute function bump_access();
create constraint trigger bump after insert or update or delete
  on role_permissions deferrable initially deferred for each row execute function bump_access();
create constraint trigger bump after insert or update or delete
  on menus deferrable initially deferred for each row execute function bump_access();
create constraint trigger bump after insert or update or delete
  on role_menus deferrable initially deferred for each row execute function bump_access();
create constraint trigger bump after insert or delete or update of confirmed_at
  on second_factors deferrable initially deferred for each row execute function bump_access();
-- a regulator sees the drug machines of his region, whoever owns them
create constraint trigger bump after insert
  on devices deferrable initially deferred for each row when (new.kind = 'DRUG') execute function bump_access();
create constraint trigger bump_drugs after delete
  on devices deferrable initially deferred for each row when (old.kind = 'DRUG') execute function bump_access();
create constraint trigger bump_moved after update of kind, county
  on devices deferrable initially deferred for each row
  when (('DRUG' in (old.kind, new.kind)) and (old.kind, old.county) is distinct from (new.kind, new.county)) execute function bump_access();
create constraint trigger bump after insert or update or delete
  on device_assignments deferrable initially deferred for each row execute function bump_access();

-- The same of the settings: their one counter moves at the end.
create or replace function bump_settings_version() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if current_setting('app.settings_noted', true) = 'yes' then return null; end if;
  update settings_version set version = version + 1;
  perform set_config('app.settings_noted', 'yes', true);
  return null;
end $$;
drop trigger bump on settings;
drop trigger bump_settings on organisations;
create constraint trigger bump after insert or update or delete
  on settings deferrable initially deferred for each row execute function bump_settings_version();
create constraint trigger bump_settings after insert or delete or update of path
  on organisations deferrable initially deferred for each row execute function bump_settings_version();
