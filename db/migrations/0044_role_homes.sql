-- Whoever holds a role stands in its organisation or below, and a region is held in the platform or in a regulator's organisation only:
-- what assign.ts and users/rules.ts decide, held for whatever else writes here. Moves of organisations are checked by their verb.
create function check_role_home() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if not exists (select from users u join organisations h on h.id = u.org_id join roles r on r.id = new.role_id join organisations o on o.id = r.org_id
      where u.id = new.user_id and u.org_id = new.org_id and o.path @> h.path
        and (r.data_scope <> 'REGION_DRUGS' or h.kind in ('PLATFORM', 'REGULATOR'))) then
    raise exception 'role % is out of place with user %', new.role_id, new.user_id using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger role_home before insert or update of user_id, role_id, org_id on user_roles for each row execute function check_role_home();
