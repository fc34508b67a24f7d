-- Exports and checks of the log as durable work (src/server/work.ts): the lease is next_at, whose it is says attempts.
select set_config('app.all', 'on', true);

alter table jobs drop column lease, drop column heartbeat_at, add column next_at timestamptz;
update jobs set next_at = now() where state in ('QUEUED','RUNNING');
alter table jobs add check (state not in ('QUEUED','RUNNING') or next_at is not null);
drop index jobs_open;
create index jobs_due on jobs (next_at) where next_at is not null;

alter table log_checks drop column updated_at, add column next_at timestamptz, add column attempts int not null default 0;
update log_checks set next_at = now() where state in ('WAITING','RUNNING');
alter table log_checks add check (state not in ('WAITING','RUNNING') or next_at is not null);

select set_config('app.all', '', true);
