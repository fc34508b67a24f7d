-- Boxes of a machine are a page of their own: found by it and in their order, however many it has sold. It is the machine that a box lies
-- in, or that sold it, then with the organisation of that time; whose row it is says org_id, as before.
alter table trace_codes add column machine_id bigint references devices, add column sold_org_id bigint;
alter table trace_codes disable trigger sold_once;
update trace_codes t set machine_id = l.device_id from lanes l where l.id = t.lane_id;
update trace_codes t set machine_id = e.device_id, sold_org_id = e.org_id from trace_events e
  where e.code = t.code and e.event = 'SALE' and t.state = 'SOLD';
alter table trace_codes enable trigger sold_once;
alter table trace_codes add constraint trace_codes_machine
  check ((machine_id is not null) = (state in ('LOADED','SOLD')) and (sold_org_id is not null) = (state = 'SOLD'));
create index trace_codes_of_machine on trace_codes (machine_id, created_at desc, code desc) where machine_id is not null;

-- As in 0148_codes_in_order.sql, without asking for lanes and sales of each box.
drop policy watched on trace_codes;
create policy watched on trace_codes for select using (machine_id = any((select app_watched())::bigint[]));

-- As in 0136_trace_events.sql; a box keeps the machine that sells it.
create or replace function move_codes() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  moved int;
begin
  if new.change_total > 0 then
    update trace_codes t set state = 'LOADED', lane_id = new.lane_id, pos = n.pos, machine_id = new.device_id
    from (select code, row_number() over (order by place)
        + coalesce((select max(pos) from trace_codes where lane_id = new.lane_id), 0) as pos
      from unnest(new.codes) with ordinality as c(code, place)) n
    where t.code = n.code and t.batch_id = new.batch_id and t.state in ('IN_STOCK', 'WITHDRAWN');
  else
    update trace_codes set state = case new.type when 'CUSTOMER_TAKE' then 'SOLD' else 'WITHDRAWN' end,
      lane_id = null, pos = null, unit_id = case new.type when 'CUSTOMER_TAKE' then new.unit_id end,
      machine_id = case new.type when 'CUSTOMER_TAKE' then new.device_id end,
      sold_org_id = case new.type when 'CUSTOMER_TAKE' then new.org_id end
    where code = any(new.codes) and lane_id = new.lane_id and state = 'LOADED';
  end if;
  get diagnostics moved = row_count;
  if moved <> cardinality(new.codes) then
    raise exception 'a trace code of flow % is not where it was', new.id
      using errcode = 'check_violation', constraint = 'trace_codes_moved';
  end if;
  if new.type = 'CUSTOMER_TAKE' then
    insert into trace_events (code, event, org_id, device_id, cargo_road, unit_id, order_num, at)
    select code, 'SALE', new.org_id, new.device_id, new.cargo_road, new.unit_id, new.order_num, new.created_at
    from unnest(new.codes) as code;
  end if;
  return null;
end $$;
