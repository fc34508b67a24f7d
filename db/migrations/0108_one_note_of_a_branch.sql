-- A branch that moves is thousands of rows: their tenants are noted once, in one order. Else others wait for the counters while all of
-- it runs at the end of the transaction.
drop trigger bump on organisations;
create function bump_organisations() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform note_access(t) from unnest(case tg_op
    when 'INSERT' then array[tenant_of_path(new.path)]
    when 'DELETE' then array[tenant_of_path(old.path)]
    else array[tenant_of_path(old.path), tenant_of_path(new.path)] end) t order by t;
  perform note_access(0);
  return null;
end $$;
revoke execute on function bump_organisations() from public;
create constraint trigger bump after insert on organisations deferrable initially deferred for each row
  when (first_time('access', new.path, new.path)) execute function bump_organisations();
create constraint trigger bump_removed after delete on organisations deferrable initially deferred for each row
  when (first_time('access', old.path, old.path)) execute function bump_organisations();
create constraint trigger bump_changed after update of path, kind, status on organisations deferrable initially deferred for each row
  when ((old.path, old.kind, old.status) is distinct from (new.path, new.kind, new.status)
    and first_time('access', old.path, new.path)) execute function bump_organisations();
create or replace function bump_access() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  was jsonb := case when tg_op <> 'INSERT' then to_jsonb(old) end;
  now jsonb := case when tg_op <> 'DELETE' then to_jsonb(new) end;
  one jsonb;
begin
  foreach one in array array[was, now] loop
    continue when one is null;
    case tg_table_name
      when 'menus' then perform note_access(1);
      when 'users', 'roles' then perform note_access(tenant_of_org((one ->> 'org_id')::bigint));
      when 'role_permissions', 'role_menus' then
        perform note_access((select tenant_of_org(r.org_id) from roles r where r.id = (one ->> 'role_id')::bigint));
      when 'devices' then perform note_access(0);
      else perform note_access((select tenant_of_org(u.org_id) from users u where u.id = (one ->> 'user_id')::bigint));
    end case;
  end loop;
  return null;
end $$;
