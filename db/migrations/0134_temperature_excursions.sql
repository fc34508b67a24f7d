-- A machine that was outside its limits, or told nothing of its temperature: what its goods went through, and what a person
-- decided about them. The curve grows by one point a minute and is frozen when it is over.
create table temperature_excursions (
  id bigint generated always as identity primary key,
  org_id bigint not null references organisations,
  device_id bigint not null references devices,
  kind text not null check (kind in ('OUTSIDE','UNKNOWN')),
  from_at timestamptz not null,
  to_at timestamptz,
  temp_min numeric(4,1),
  temp_max numeric(4,1),
  limit_low numeric(4,1),
  limit_high numeric(4,1),
  sampled_at timestamptz not null,
  curve jsonb not null default '[]' check (jsonb_typeof(curve) = 'array'),
  locked_at timestamptz,
  lanes jsonb not null default '[]' check (jsonb_typeof(lanes) = 'array'),
  decision text check (decision in ('RELEASED','SCRAPPED')),
  reason text not null default '' check (length(reason) <= 200),
  decided_by bigint references users,
  decided_at timestamptz,
  check (to_at >= from_at),
  check ((decision is null) = (decided_by is null) and (decision is null) = (decided_at is null)),
  check (decision is distinct from 'RELEASED' or to_at is not null)
);
create unique index temperature_excursions_open on temperature_excursions (device_id) where to_at is null;
create index temperature_excursions_org on temperature_excursions (org_id, from_at desc, id desc);
create index temperature_excursions_device on temperature_excursions (device_id, from_at desc, id desc);
create index temperature_excursions_undecided on temperature_excursions (device_id) where locked_at is not null and decision is distinct from 'RELEASED';
create index temperature_excursions_decided on temperature_excursions (decided_by) where decided_by is not null;
call app_protect('temperature_excursions', 'device_id');
call app_watch('temperature_excursions');

create function keep_excursion() returns trigger language plpgsql as $$
begin
  raise exception 'excursion % is over', old.id using errcode = 'check_violation', constraint = 'temperature_excursions_frozen';
end $$;
create trigger frozen before update on temperature_excursions for each row
  when (old.to_at is not null and (new.to_at is distinct from old.to_at or new.from_at <> old.from_at or new.curve <> old.curve
    or new.temp_min is distinct from old.temp_min or new.temp_max is distinct from old.temp_max or new.lanes <> old.lanes))
  execute function keep_excursion();

create index products_cold on products (id) where store_temp_max <= 8;
