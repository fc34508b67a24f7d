select set_config('app.all', 'on', true);

-- What a machine said of a piece that the books have put back waits in its case for the count of
-- this lane.
alter table order_cases add lane_id bigint references lanes;
alter table order_cases add cmd_id uuid;
update order_cases c set lane_id = v.lane_id, cmd_id = v.cmd_id from vend_commands v
  where c.kind = 'UNKNOWN_RESULT' and c.state <> 'DONE' and v.unit_id = c.unit_id
    and v.attempt = (select max(attempt) from vend_commands w where w.unit_id = c.unit_id);
create index order_cases_parked on order_cases (lane_id) where lane_id is not null and state <> 'DONE';

select set_config('app.all', '', true);
