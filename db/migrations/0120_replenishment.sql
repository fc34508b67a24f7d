-- Pick lists: what somebody takes along for several machines. It fixes the plan of the visits.
create table pick_lists (
  id bigint generated always as identity primary key,
  org_id bigint not null references organisations,
  user_id bigint references users,
  devices int not null check (devices > 0),
  pieces int not null check (pieces >= 0),
  created_at timestamptz not null
);
create index pick_lists_org on pick_lists (org_id, created_at desc, id desc);
call app_protect('pick_lists');

create table pick_list_items (
  org_id bigint not null references organisations,
  pick_list_id bigint not null references pick_lists on delete cascade,
  device_id bigint not null references devices,
  lane_id bigint not null references lanes,
  product_id bigint not null references products,
  planned int not null check (planned > 0),
  primary key (pick_list_id, lane_id)
);
create index pick_list_items_org on pick_list_items (org_id, pick_list_id);
call app_protect('pick_list_items', 'device_id');

-- Somebody at a machine: what he counted, put in and took out. Its items become flows when it is
-- posted, each lane for itself.
create table replenishment_visits (
  id bigint generated always as identity primary key,
  client_id uuid not null unique,
  org_id bigint not null references organisations,
  device_id bigint not null references devices,
  user_id bigint not null references users,
  source text not null check (source in ('PANEL','PHONE','LANE','CORRECTION')),
  state text not null default 'DRAFT'
    check (state in ('DRAFT','SUBMITTED','POSTED','PARTIAL','REJECTED','CANCELLED')),
  pick_list_id bigint references pick_lists,
  started_at timestamptz not null,
  submitted_at timestamptz,
  posted_at timestamptz,
  last_seq int not null default 0 check (last_seq >= 0),
  added int not null default 0 check (added >= 0),
  withdrawn int not null default 0 check (withdrawn >= 0),
  counted int not null default 0 check (counted >= 0),
  gained int not null default 0 check (gained >= 0),
  lost int not null default 0 check (lost >= 0),
  diff_cost bigint not null default 0,
  reason text not null default '' check (length(reason) <= 200),
  check ((state in ('POSTED','PARTIAL')) = (posted_at is not null)),
  check (state in ('DRAFT','CANCELLED') or submitted_at is not null),
  check (source <> 'CORRECTION' or reason <> '')
);
create unique index replenishment_visits_draft on replenishment_visits (device_id, user_id) where state = 'DRAFT';
create index replenishment_visits_org on replenishment_visits (org_id, started_at desc, id desc);
create index replenishment_visits_device on replenishment_visits (device_id, started_at desc, id desc);
create index replenishment_visits_user on replenishment_visits (user_id, started_at desc, id desc);
create index replenishment_visits_posted on replenishment_visits (device_id, posted_at desc) where posted_at is not null;
create index replenishment_visits_open on replenishment_visits (started_at) where state = 'DRAFT';
create index replenishment_visits_differ on replenishment_visits (org_id, started_at desc, id desc) where gained + lost > 0;
call app_protect('replenishment_visits', 'device_id');

create table replenishment_items (
  id bigint generated always as identity primary key,
  org_id bigint not null references organisations,
  device_id bigint not null references devices,
  visit_id bigint not null references replenishment_visits on delete cascade,
  lane_id bigint not null references lanes,
  road_index int not null,
  product_id bigint not null references products,
  counted_qty int check (counted_qty between 0 and 999),
  counted_at timestamptz,
  done_at timestamptz not null,
  added_qty int not null default 0 check (added_qty between 0 and 999),
  withdrawn_qty int not null default 0 check (withdrawn_qty between 0 and 999),
  withdraw_reason text check (withdraw_reason in ('TAKE_BACK','WASTE','EXPIRED','RECALL')),
  batch_id bigint references batches,
  codes text[] not null default '{}' check (cardinality(codes) <= 999),
  state text not null default 'PENDING' check (state in ('PENDING','POSTED','REJECTED')),
  error text,
  before_qty int,
  difference int not null default 0,
  after_qty int,
  unique (visit_id, lane_id),
  check ((counted_qty is null) = (counted_at is null)),
  check (withdrawn_qty = 0 or withdraw_reason is not null),
  check (counted_qty is not null or difference = 0),
  check ((state = 'REJECTED') = (error is not null)),
  check ((state = 'POSTED') = (after_qty is not null)),
  check (state <> 'POSTED' or after_qty = before_qty + difference - withdrawn_qty + added_qty)
);
create index replenishment_items_org on replenishment_items (org_id, visit_id);
create index replenishment_items_counted on replenishment_items (lane_id, counted_at desc)
  where state = 'POSTED' and counted_at is not null;
call app_protect('replenishment_items', 'device_id');

-- What a phone says of a visit, in its order: operations, never quantities to set. Each once.
create table visit_ops (
  op_id uuid primary key,
  org_id bigint not null references organisations,
  device_id bigint not null references devices,
  visit_id bigint not null references replenishment_visits,
  client_seq int not null check (client_seq > 0),
  kind text not null check (kind in ('COUNT','ADD','WITHDRAW','CLEAR')),
  lane_id bigint not null references lanes,
  payload jsonb not null,
  made_at timestamptz not null,
  received_at timestamptz not null,
  result text not null check (result in ('APPLIED','CONFLICT','REJECTED')),
  reason text,
  unique (visit_id, client_seq)
);
create index visit_ops_org on visit_ops (org_id, visit_id, client_seq);
call app_protect('visit_ops', 'device_id');
call app_append_only('visit_ops');

-- When a machine will have sold out a product, from the last fourteen days; written by a sweep and
-- by whoever fills it, so that a list is sorted by it without a look at sales.
create table sell_out_forecasts (
  device_id bigint primary key references devices on delete cascade,
  org_id bigint not null references organisations,
  sells_out_at timestamptz,
  days int not null check (days between 0 and 14),
  computed_at timestamptz not null
);
create index sell_out_forecasts_org on sell_out_forecasts (org_id, sells_out_at);
call app_protect('sell_out_forecasts', 'device_id');

-- Lanes somebody has to count.
create index lanes_to_count on lanes (org_id, device_id)
  where archived_at is null and (failed_hold > 0 or lock_reason = 'COUNT_NEEDED');

-- Which visit explains a flow.
alter table stock_flows add column visit_item_id bigint;
