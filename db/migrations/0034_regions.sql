-- A drug regulator looks at machines of others. Their rows can be read and nothing else of their owners: the organisations that own them
-- are never among his own, so tables without a policy here (staff, complaints, money) stay closed whatever a query forgets.
create function app_watched() returns bigint[] language sql stable parallel safe
  as $$ select coalesce(nullif(current_setting('app.watched', true), ''), '{}')::bigint[] $$;

-- For select only: what is looked at is neither changed nor locked.
create procedure app_watch(tbl regclass, device_column text default 'device_id') language plpgsql as $$
begin
  execute format('create policy watched on %s for select using (%I = any((select app_watched())::bigint[]))', tbl, device_column);
end $$;
call app_watch('devices', 'id');
call app_watch('device_states');
call app_watch('device_configs');
call app_watch('device_shadows');
call app_watch('device_events');
call app_watch('device_faults');
call app_watch('telemetry_hours');
call app_watch('lane_floors');
call app_watch('lanes');
call app_watch('planogram_versions');
call app_watch('stock_flows');
call app_watch('orders');
call app_watch('order_keys');
call app_watch('order_units');
call app_watch('order_events');

-- What the machines are and hold, and the name of whoever owns them.
create policy watched on organisations for select using (cardinality((select app_watched())::bigint[]) > 0
  and id in (select d.org_id from devices d where d.id = any((select app_watched())::bigint[])));
create policy watched on device_types for select using (cardinality((select app_watched())::bigint[]) > 0
  and id in (select d.type_id from devices d where d.id = any((select app_watched())::bigint[])));
create policy watched on products for select using (cardinality((select app_watched())::bigint[]) > 0
  and id in (select l.product_id from lanes l where l.device_id = any((select app_watched())::bigint[])));
create policy watched on product_categories for select using (cardinality((select app_watched())::bigint[]) > 0
  and id in (select p.category_id from lanes l join products p on p.id = l.product_id where l.device_id = any((select app_watched())::bigint[])));

-- The scope crosses organisations, so it is the platform's alone. What tenants wrote before is narrowed to assigned machines.
update roles set data_scope = 'ASSIGNED_DEVICES', version = version + 1, updated_at = now() where data_scope = 'REGION_DRUGS' and org_id <> 1;
alter table roles add constraint roles_region_is_of_the_platform check (data_scope <> 'REGION_DRUGS' or org_id = 1);
