-- What somebody or something uses comes from its own organisation or one above it: the role of a person, the type of a machine, the
-- product in a lane, the category of a product. The organisation is held while it is asked, so that it does not move away meanwhile;
-- a move holds its branch and then reads what is used there (organisations/server/removal.ts).
create function check_home_above() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  home ltree;
  above bigint;
begin
  select path into home from organisations where id = new.org_id for key share;
  case tg_table_name
    when 'devices' then select org_id into above from device_types where id = new.type_id;
    when 'lanes' then select org_id into above from products where id = new.product_id;
    when 'products' then select org_id into above from product_categories where id = new.category_id;
  end case;
  if not above::text = any(string_to_array(home::text, '.')) then
    raise exception 'organisation % is not above %: %', above, home, tg_table_name using errcode = 'check_violation';
  end if;
  return null;
end $$;
create trigger type_home after insert on devices for each row execute function check_home_above();
create trigger type_home_kept after update of org_id, type_id on devices for each row
  when (old.org_id <> new.org_id or old.type_id <> new.type_id) execute function check_home_above();
create trigger product_home after insert on lanes for each row
  when (new.product_id is not null and new.archived_at is null) execute function check_home_above();
create trigger product_home_kept after update of org_id, product_id on lanes for each row
  when (new.product_id is not null and new.archived_at is null and (old.org_id <> new.org_id or old.product_id is distinct from new.product_id))
  execute function check_home_above();
create trigger category_home after insert on products for each row execute function check_home_above();
create trigger category_home_kept after update of org_id, category_id on products for each row
  when (old.org_id <> new.org_id or old.category_id <> new.category_id) execute function check_home_above();

create or replace function check_role_home() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform from organisations where id = new.org_id for key share;
  if not exists (select from users u join organisations h on h.id = u.org_id join roles r on r.id = new.role_id join organisations o on o.id = r.org_id
      where u.id = new.user_id and u.org_id = new.org_id and o.path @> h.path
        and (r.data_scope <> 'REGION_DRUGS' or h.kind in ('PLATFORM', 'REGULATOR'))) then
    raise exception 'role % is out of place with user %', new.role_id, new.user_id using errcode = 'check_violation';
  end if;
  return new;
end $$;
