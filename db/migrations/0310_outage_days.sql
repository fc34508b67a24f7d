-- How often and how long a machine was silent, by owner and Shanghai day (decision 95): written when
-- it is heard again, or handed over. The outage that goes on stands in device_states.
create table outage_days (
  device_id bigint not null references devices on delete cascade,
  org_id bigint not null references organisations,
  day date not null,
  -- outages that began on this day
  times int not null default 0 check (times >= 0),
  seconds int not null default 0 check (seconds >= 0),
  primary key (device_id, day, org_id)
);
create index outage_days_org on outage_days (org_id, day);
call app_protect('outage_days', 'device_id');
revoke insert, update, delete on outage_days from huodao_app;

-- The days of a time, and how long of each it was.
create function app_days_of(from_at timestamptz, until_at timestamptz)
returns table (day date, seconds int) language sql immutable parallel safe as $$
  select d::date, extract(epoch from least(until_at, (d + interval '1 day') at time zone 'Asia/Shanghai')
      - greatest(from_at, d at time zone 'Asia/Shanghai'))::int
  from generate_series(date_trunc('day', from_at at time zone 'Asia/Shanghai'),
    until_at at time zone 'Asia/Shanghai', interval '1 day') d
  where from_at <= until_at
$$;

create function keep_outage() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  -- a former owner's part of it was written when he gave it away
  since timestamptz := greatest(old.offline_since, (select max(upper(h.valid))
    from device_owner_history h where h.device_id = old.device_id and not upper_inf(h.valid)
      and h.org_id <> old.org_id));
begin
  insert into outage_days as o (device_id, org_id, day, times, seconds)
    select old.device_id, old.org_id, d.day, (row_number() over (order by d.day) = 1)::int, d.seconds
    from app_days_of(since, case when new.online then new.last_seen_at else now() end) d
    on conflict (device_id, day, org_id) do update
      set times = o.times + excluded.times, seconds = o.seconds + excluded.seconds;
  return null;
end $$;
create trigger keep_outage after update on device_states for each row
  when (not old.online and old.offline_since is not null
    and (new.online or new.org_id <> old.org_id))
  execute function keep_outage();

-- what was silent before there was this
insert into outage_days (device_id, org_id, day, times, seconds)
  select e.device_id, e.org_id, d.day,
    count(*) filter (where d.day = (e.created_at at time zone 'Asia/Shanghai')::date),
    least(86400, sum(d.seconds))
  from (select e.*, lead(e.kind) over w as next, lead(e.created_at) over w as until
    from device_events e where e.kind in ('ONLINE','OFFLINE')
    window w as (partition by e.device_id, e.org_id order by e.created_at, e.id)) e
  cross join lateral app_days_of(e.created_at, e.until) d
  where e.kind = 'OFFLINE' and e.next = 'ONLINE' group by 1, 2, 3;
