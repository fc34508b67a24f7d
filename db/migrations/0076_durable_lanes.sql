-- Machines of a copy and timed prices as durable work (src/server/work.ts).
select set_config('app.all', 'on', true);

alter table lane_copy_targets add column next_at timestamptz;
update lane_copy_targets set next_at = now() where state in ('WAITING','UNDOING');
alter table lane_copy_targets add check (state not in ('WAITING','UNDOING') or next_at is not null);
drop index lane_copy_targets_open;
create index lane_copy_targets_due on lane_copy_targets (next_at) where next_at is not null;

-- run_at stays what a person asked for
alter table price_schedules add column next_at timestamptz;
update price_schedules set next_at = run_at where state = 'WAITING';
alter table price_schedules add check (state <> 'WAITING' or next_at is not null);
drop index price_schedules_due;
create index price_schedules_due on price_schedules (next_at) where next_at is not null;

select set_config('app.all', '', true);
