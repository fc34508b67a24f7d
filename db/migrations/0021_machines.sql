-- Machines as the platform wants them (settings, planogram), what it tells them to do, and what it knows about them beside their own words.

-- Sales stop while it is set; orders that were made before are completed.
alter table devices add column locked boolean not null default false;

-- Settings of a machine, one row per version, never changed. No row: the defaults of its type.
create table device_configs (
  device_id bigint not null references devices,
  config_version int not null check (config_version >= 1),
  org_id bigint not null references organisations,
  temp_min numeric(4,1) check (temp_min between -30 and 60),
  temp_max numeric(4,1) check (temp_max between -30 and 60),
  hum_min numeric(4,1) not null check (hum_min between 0 and 100),
  hum_max numeric(4,1) not null check (hum_max between 0 and 100),
  limit_per_order int not null check (limit_per_order between 0 and 999),
  limit_per_day int not null check (limit_per_day between 0 and 999),
  doc jsonb not null,
  by_user bigint references users,
  created_at timestamptz not null,
  primary key (device_id, config_version),
  -- a type without cooling has no temperature limits
  check ((temp_min is null) = (temp_max is null)),
  check (temp_min <= temp_max),
  check (hum_min <= hum_max)
);
create index device_configs_org on device_configs (org_id);
call app_protect('device_configs', 'device_id');
call app_append_only('device_configs');

-- Desired state: which version of what a machine should have, was sent, runs, has refused.
create table device_shadows (
  device_id bigint not null references devices,
  kind text not null check (kind in ('CONFIG','PLANOGRAM')),
  org_id bigint not null references organisations,
  wanted int not null check (wanted >= 0),
  delivered int not null default 0 check (delivered >= 0),
  -- as the machine says it
  applied int not null default 0 check (applied >= 0),
  refused int not null default 0 check (refused >= 0),
  reason text not null default '' check (length(reason) <= 200),
  -- of the wanted version since the machine said hello
  sends int not null default 0 check (sends >= 0),
  wanted_at timestamptz not null,
  delivered_at timestamptz,
  answered_at timestamptz,
  state text not null generated always as (case when wanted = 0 or applied = wanted then 'APPLIED' when refused = wanted then 'REFUSED' when delivered = wanted then 'DELIVERED' else 'PENDING' end) stored,
  primary key (device_id, kind)
);
create index device_shadows_org on device_shadows (org_id, kind, state);
create index device_shadows_due on device_shadows (device_id) where state in ('PENDING','DELIVERED');
call app_protect('device_shadows', 'device_id');

-- What people tell machines to do at once. Never queued for a machine that is away.
create table device_commands (
  cmd_id uuid primary key,
  org_id bigint not null references organisations,
  device_id bigint not null references devices,
  type text not null check (type in ('REBOOT','LOCK','UNLOCK','QUERY','DOOR')),
  state text not null default 'WAITING' check (state in ('WAITING','SENT','ACKED','DONE','FAILED','EXPIRED')),
  reason text not null default '' check (length(reason) <= 200),
  issued_by bigint references users,
  issued_at timestamptz not null,
  expire_at timestamptz not null,
  sends int not null default 0 check (sends >= 0),
  sent_at timestamptz,
  acked_at timestamptz,
  finished_at timestamptz,
  check (expire_at > issued_at),
  check ((state in ('DONE','FAILED','EXPIRED')) = (finished_at is not null))
);
create index device_commands_device on device_commands (device_id, issued_at desc);
create index device_commands_org on device_commands (org_id, issued_at desc);
create index device_commands_open on device_commands (device_id) where state in ('WAITING','SENT','ACKED');
call app_protect('device_commands', 'device_id');

-- What the platform knows beside the words of the machine: connection, commands, settings, owner, prices.
create sequence device_events_id_seq;
create table device_events (
  org_id bigint not null,
  created_at timestamptz not null,
  id bigint not null default nextval('device_events_id_seq'),
  device_id bigint not null,
  kind text not null check (kind ~ '^[A-Z][A-Z_]{1,39}$'),
  data jsonb not null default '{}',
  user_id bigint,
  actor text not null default '' check (length(actor) <= 60),
  primary key (org_id, created_at, id)
) partition by range (created_at);
alter sequence device_events_id_seq owned by device_events.id;
create index device_events_device on device_events (device_id, created_at);
create table device_events_default partition of device_events default;
revoke all on device_events_default from huodao_app;
call app_protect('device_events', 'device_id');
call app_append_only('device_events');

-- Measurements by the hour of their receipt, kept in the transaction that stores them; days and months are drawn from here.
create table telemetry_hours (
  device_id bigint not null references devices,
  hour timestamptz not null,
  org_id bigint not null references organisations,
  temp_min numeric(4,1),
  temp_max numeric(4,1),
  temp_sum numeric(9,1) not null default 0,
  temp_count int not null default 0 check (temp_count >= 0),
  hum_min numeric(4,1),
  hum_max numeric(4,1),
  hum_sum numeric(9,1) not null default 0,
  hum_count int not null default 0 check (hum_count >= 0),
  rsrp_sum int not null default 0,
  rsrp_count int not null default 0 check (rsrp_count >= 0),
  primary key (device_id, hour),
  check ((temp_count > 0) = (temp_min is not null and temp_max is not null)),
  check ((hum_count > 0) = (hum_min is not null and hum_max is not null))
);
create index telemetry_hours_org on telemetry_hours (org_id, hour);
call app_protect('telemetry_hours', 'device_id');

-- Machines that have lanes want their planogram; row policies hold for the owner too.
select set_config('app.all', 'on', true);
insert into device_shadows (device_id, kind, org_id, wanted, wanted_at)
select id, 'PLANOGRAM', org_id, planogram_version, now() from devices where planogram_version > 0 and lifecycle not in ('SOLD','SCRAPPED');
select set_config('app.all', '', true);
