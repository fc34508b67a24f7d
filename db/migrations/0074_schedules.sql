-- What runs at the times of a cron line is durable work like the rest (src/server/schedules.ts), so the queue beside it goes.
create table job_schedules (
  name text primary key check (name <> '' and length(name) <= 100),
  cron text not null check (length(cron) <= 100),
  -- the next time, or the end of the lease of who runs it
  next_at timestamptz not null,
  attempts int not null default 0 check (attempts >= 0),
  -- somebody wants it now, paused or not
  by_hand boolean not null default false,
  state text not null default 'WAITING' check (state in ('WAITING','RUNNING','DONE','FAILED')),
  started_at timestamptz,
  ended_at timestamptz,
  error text not null default '' check (length(error) <= 500),
  -- whoever does not want it to be obeyed
  paused_by text
);

-- The first worker that starts writes their lines and times.
insert into job_schedules (name, cron, next_at, paused_by) select name, '', now() + interval '1 day', paused_by from job_pauses;
drop table job_pauses;
drop schema pgboss cascade;
