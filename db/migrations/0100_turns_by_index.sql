-- Of each organisation the first pieces that are due, without reading the others (src/server/work.ts).
create index alert_outbox_turns on alert_outbox (org_id, next_at, id) where next_at is not null and batch is null;
create index jobs_turns on jobs (org_id, next_at, id) where next_at is not null;
create index lane_copy_targets_turns on lane_copy_targets (org_id, next_at, copy_id, device_id) where next_at is not null;
create index log_checks_turns on log_checks (org_id, next_at, id) where next_at is not null;
create index price_schedules_turns on price_schedules (org_id, next_at, id) where next_at is not null;
create index sms_codes_turns on sms_codes (org_id, next_at, id) where next_at is not null;
create index way_changes_turns on way_changes (org_id, next_at, id) where next_at is not null;
