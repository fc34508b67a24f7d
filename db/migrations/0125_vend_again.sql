-- A piece that did not leave is vended again by a new command. What the attempt before may have
-- taken out of its lane stays held there until somebody counts, or the machine says that nothing
-- left; the piece's own hold is that of the last attempt.
alter table vend_commands add column hold text
  check (hold in ('FAILED_HOLD','COUNTED','RELEASED'));
create index vend_commands_held on vend_commands (lane_id) where hold = 'FAILED_HOLD';

-- A person's word about a piece whose machine is silent, and on what it rests.
create table vend_resolutions (
  id bigint generated always as identity primary key,
  org_id bigint not null references organisations,
  device_id bigint not null references devices,
  order_at timestamptz not null,
  order_id bigint not null,
  order_num text not null,
  unit_id bigint not null,
  cmd_id uuid not null unique references vend_commands,
  dispensed boolean not null,
  evidence text not null default '' check (length(evidence) <= 200),
  images text[] not null default '{}' check (cardinality(images) <= 5),
  user_id bigint not null references users,
  created_at timestamptz not null,
  check (evidence <> '' or cardinality(images) > 0)
);
create index vend_resolutions_order on vend_resolutions (org_id, order_id);
call app_protect('vend_resolutions', 'device_id');
call app_append_only('vend_resolutions');

-- The work list: what is open, by organisation and by machine; what an order has open.
create index order_cases_open on order_cases (org_id, created_at desc, id desc) include (device_id)
  where state <> 'DONE';
create index order_cases_device on order_cases (device_id, created_at desc, id desc);
create index order_cases_order on order_cases (order_id) where state <> 'DONE';
