-- Settings with inheritance and locks, the calendar of day types, and what each process says of itself.
alter table settings
  add column locked boolean not null default false,
  add constraint settings_key check (key ~ '^[a-z]+\.[a-zA-Z0-9]+$'),
  add constraint settings_size check (pg_column_size(value) <= 4096);

-- One counter for what processes keep of settings: the values, and the tree they are inherited along.
create table settings_version (
  only_row boolean primary key default true check (only_row),
  version bigint not null default 1
);
insert into settings_version default values;
create function bump_settings_version() returns trigger language plpgsql security definer set search_path = public as $$
begin
  update settings_version set version = version + 1;
  return null;
end $$;
create trigger bump after insert or update or delete on settings for each statement execute function bump_settings_version();
create trigger bump_settings after insert or delete or update of path on organisations for each statement execute function bump_settings_version();

-- The value that counts in an organisation: of the highest organisation that locked it, else of the nearest that has one; null: nobody.
-- As the owner, because a machine's sweep and an agent's screen must find the same value whatever rows they may see.
create function app_setting(org bigint, setting text) returns jsonb
language sql stable security definer set search_path = public as $$
  select s.value from organisations o
    cross join lateral unnest(string_to_array(o.path::text, '.')) with ordinality as above(id, depth)
    join settings s on s.org_id = above.id::bigint and s.key = setting
  where o.id = org
  order by s.locked desc, case when s.locked then above.depth else -above.depth end
  limit 1
$$;

-- Days that differ from their weekday: holidays, and weekends that are worked. A year without a row is not known.
create table day_types (
  org_id bigint not null default 1 references organisations check (org_id = 1),
  day date not null,
  type text not null check (type in ('WORKDAY','HOLIDAY','MAKEUP','REST')),
  name text not null default '' check (length(name) <= 30),
  updated_at timestamptz not null default now(),
  primary key (org_id, day)
);
call app_protect('day_types', null, true);

create table process_stats (
  org_id bigint not null default 1 references organisations check (org_id = 1),
  process uuid not null,
  at timestamptz not null,
  started_at timestamptz not null,
  parts text[] not null check (parts <@ '{api,gateway,worker}' and cardinality(parts) > 0),
  version text not null check (length(version) <= 40),
  figures jsonb not null check (pg_column_size(figures) <= 4096),
  primary key (org_id, process, at)
);
create index process_stats_at on process_stats (at);
call app_protect('process_stats');

-- The server page says which migrations are in; names and dates are no secret to the application.
grant select on schema_migrations to huodao_app;
