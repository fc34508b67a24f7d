-- A drug's generic name, as its package and the law call it; whoever looks for it finds every brand.
alter table products add column generic_name text not null default '' check (length(generic_name) <= 60);
drop index products_text;
create index products_text on products using gin ((name || ' ' || generic_name || ' ' || model || ' ' || coalesce(barcode, '')) gin_trgm_ops);
create or replace function app_search(what text, q text) returns setof bigint
language plpgsql stable security definer set search_path = public, pg_temp as $$
declare pattern text := '%' || replace(replace(replace(q, '\', '\\'), '%', '\%'), '_', '\_') || '%';
begin
  case what
    when 'devices' then return query select id from devices where (rtu_number || ' ' || nickname) ilike pattern limit 20000;
    when 'products' then return query select id from products
      where (name || ' ' || generic_name || ' ' || model || ' ' || coalesce(barcode, '')) ilike pattern limit 20000;
    else raise exception 'unknown search %', what;
  end case;
end $$;

-- People hear 30, 7 and 1 days before a supplier's licence ends, and when it has: for which date, and of how many days, they were told last.
alter table suppliers add column licence_told_for date, add column licence_told_days int;
create index suppliers_licence on suppliers (licence_until) where licence_until is not null and status = 'ENABLED';

-- From how many days before their date goods count as near it where they lie, for whoever delivers them: rules of his customers are not his
-- to read, what they come to for his own goods is.
create function supplied_near_days() returns table (org_id bigint, product_id bigint, of_product int, of_category int)
language sql stable security definer set search_path = public, pg_temp as $$
  select x.org_id, x.product_id, (select e.days from expiry_days e
      where e.product_id = x.product_id and e.org_id::text = any(a.above)
      order by array_position(a.above, e.org_id::text) desc limit 1),
    (select e.days from expiry_days e where e.category_id = p.category_id and e.org_id::text = any(a.above)
      order by array_position(a.above, e.org_id::text) desc limit 1)
  from (select distinct y.org_id, b.product_id from suppliers s join batches b on b.supplier_id = s.id
      join lane_layers y on y.batch_id = b.id where s.supplier_org_id = any(app_orgs())) x
  join products p on p.id = x.product_id join organisations o on o.id = x.org_id
  cross join lateral (select string_to_array(o.path::text, '.') as above) a
$$;
revoke execute on function supplied_near_days() from public;
grant execute on function supplied_near_days() to huodao_app;
