-- A phone tells of a visit hours later: when the server heard of it, when its data were taken
-- along, how far its clock was off, how long the door stood open.
alter table replenishment_visits
  add column opened_at timestamptz,
  add column finished_at timestamptz,
  add column pack_at timestamptz,
  add column clock_offset_ms bigint not null default 0,
  add column door_seconds int check (door_seconds >= 0),
  add column board_replaced boolean not null default false,
  add column checks text[] not null default '{}'
    check (checks <@ array['DROP_BOX','CLEAN','SCREEN','TEMPERATURE']);

alter table visit_ops drop constraint visit_ops_kind_check;
alter table visit_ops add constraint visit_ops_kind_check
  check (kind in ('COUNT','ADD','WITHDRAW','CLEAR','FAULT'));

-- What a phone did that fits no more to what the lane is: somebody says what became of the goods.
create table visit_conflicts (
  id bigint generated always as identity primary key,
  org_id bigint not null references organisations,
  device_id bigint not null references devices,
  visit_id bigint not null references replenishment_visits,
  lane_id bigint not null references lanes,
  road_index int not null,
  product_id bigint not null references products,
  kind text not null
    check (kind in ('PRODUCT_CHANGED','LANE_REBUILT','VEND_NEAR','TO_COUNT','TRACE_CODE')),
  -- name of the rule that was broken, see errors.ts
  error text,
  counted_qty int check (counted_qty between 0 and 999),
  counted_at timestamptz,
  added_qty int not null default 0 check (added_qty between 0 and 999),
  withdrawn_qty int not null default 0 check (withdrawn_qty between 0 and 999),
  withdraw_reason text,
  batch_id bigint references batches,
  codes text[] not null default '{}' check (cardinality(codes) <= 999),
  -- what the books said
  system_qty int,
  -- of a sale near the count: the difference if the piece was taken before it, and after it
  diff_before int,
  diff_after int,
  state text not null default 'OPEN' check (state in ('OPEN','SETTLED')),
  choice text,
  reason text not null default '' check (length(reason) <= 200),
  settled_by bigint references users,
  settled_at timestamptz,
  default_at timestamptz,
  created_at timestamptz not null,
  check ((state = 'SETTLED') = (settled_at is not null)),
  check ((state = 'SETTLED') = (choice is not null)),
  check ((kind = 'VEND_NEAR') = (diff_before is not null)),
  check ((diff_before is null) = (diff_after is null)),
  check ((kind = 'VEND_NEAR') = (default_at is not null))
);
create unique index visit_conflicts_open on visit_conflicts (visit_id, lane_id, kind) where state = 'OPEN';
create index visit_conflicts_org on visit_conflicts (org_id, created_at desc, id desc);
create index visit_conflicts_device on visit_conflicts (device_id, created_at desc, id desc);
create index visit_conflicts_lane on visit_conflicts (lane_id) where state = 'OPEN';
create index visit_conflicts_visit on visit_conflicts (visit_id);
create index visit_conflicts_due on visit_conflicts (default_at) where state = 'OPEN';
call app_protect('visit_conflicts', 'device_id');

create table visit_photos (
  id uuid primary key,
  org_id bigint not null references organisations,
  device_id bigint not null references devices,
  visit_id bigint not null references replenishment_visits,
  lane_id bigint references lanes,
  img text not null,
  created_at timestamptz not null
);
create index visit_photos_org on visit_photos (org_id, created_at);
create index visit_photos_visit on visit_photos (visit_id, created_at);
create index visit_photos_made on visit_photos (created_at);
call app_protect('visit_photos', 'device_id');
