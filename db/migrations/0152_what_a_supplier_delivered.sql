-- Whoever delivers goods reads what became of them in the machines of his customers: by functions, so that the policies of tables that
-- every sale writes stay as they are. Machines and people of others are not told but by the number of the machine.
create function supplied_batches() returns setof bigint language sql stable security definer set search_path = public, pg_temp as $$
  select b.id from suppliers s join batches b on b.supplier_id = s.id where s.supplier_org_id = any(app_orgs())
$$;
create function supplied_flows(since timestamptz, until timestamptz) returns setof stock_flows
language sql stable security definer set search_path = public, pg_temp as $$
  select f.* from supplied_batches() b cross join lateral (select f.* from stock_flows f
    where f.batch_id = b and f.created_at >= since and f.created_at < until) f
$$;
create function supplied_layers(fetched_since timestamptz) returns table (org_id bigint, device_id bigint, lane_id bigint, pos int,
  batch_id bigint, qty int, told_at timestamptz, taken_at timestamptz, rtu_number text, lifecycle text, province text, city text,
  county text, road_index int, status text, lock_reason text, goods_expire_on date)
language sql stable security definer set search_path = public, pg_temp as $$
  select s.*, d.rtu_number, d.lifecycle, d.province, d.city, d.county, l.road_index, l.status, l.lock_reason, l.goods_expire_on
  from (select y.org_id, y.device_id, y.lane_id, y.pos, y.batch_id, y.qty, i.told_at, null::timestamptz as taken_at
      from lane_layers y left join expiry_items i on i.org_id = y.org_id and i.lane_id = y.lane_id and i.batch_id = y.batch_id
      where fetched_since is null and y.batch_id in (select supplied_batches())
    union all select i.org_id, i.device_id, i.lane_id, 0, i.batch_id, i.taken_qty, i.told_at, i.taken_at from expiry_items i
      where i.taken_at > fetched_since and i.batch_id in (select supplied_batches())
        and not exists (select from lane_layers y where y.lane_id = i.lane_id and y.batch_id = i.batch_id)) s
  join lanes l on l.id = s.lane_id join devices d on d.id = s.device_id
$$;
revoke execute on function supplied_batches(), supplied_flows(timestamptz, timestamptz), supplied_layers(timestamptz) from public;
grant execute on function supplied_batches(), supplied_flows(timestamptz, timestamptz), supplied_layers(timestamptz) to huodao_app;
