-- A day of somebody who fills machines: the order he gave it, and what lies in his car.
create table route_plans (
  user_id bigint not null references users on delete cascade,
  day date not null,
  org_id bigint not null references organisations,
  device_ids bigint[] not null default '{}' check (cardinality(device_ids) <= 60),
  -- product and how many of it were loaded; those that are not named are there
  loaded jsonb not null default '{}' check (jsonb_typeof(loaded) = 'object'),
  updated_at timestamptz not null,
  primary key (user_id, day)
);
create index route_plans_org on route_plans (org_id, day);
call app_protect('route_plans');

-- A machine that was left out that day, and why.
create table route_skips (
  user_id bigint not null references users on delete cascade,
  day date not null,
  device_id bigint not null references devices,
  org_id bigint not null references organisations,
  reason text not null check (reason in ('NO_ACCESS','OFFLINE','NO_GOODS','OTHER')),
  remark text not null default '' check (length(remark) <= 200),
  at timestamptz not null,
  primary key (user_id, day, device_id)
);
create index route_skips_org on route_skips (org_id, device_id, day);
call app_protect('route_skips', 'device_id');

-- Days are looked at once more after they are over, then they go.
create index route_plans_day on route_plans (day);
create index route_skips_day on route_skips (day);
