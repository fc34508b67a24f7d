-- What the drug guard asks for (decision 56), and what it refused.
alter table devices add column licence_until date;
comment on column devices.licence_until is 'Last day of the drug licence; null: nobody has said';
alter table products add column special_compound boolean not null default false;
comment on column products.special_compound is 'Compound preparation with special drugs: never sold without a pharmacist';

-- A pharmacist who is there for the machines of a store. Consultations will write it.
create table pharmacist_duties (
  org_id bigint not null references organisations,
  store_id bigint not null,
  user_id bigint not null references users,
  seen_at timestamptz not null,
  primary key (org_id, store_id, user_id),
  foreign key (store_id, org_id) references stores (id, org_id) on delete cascade
);
create index pharmacist_duties_user on pharmacist_duties (user_id);
call app_protect('pharmacist_duties');

-- Evidence: one row for each machine, product, rule, act and person within an hour, of buyers within a day.
create table drug_guard_refusals (
  id bigint generated always as identity primary key,
  org_id bigint not null references organisations,
  device_id bigint not null references devices,
  road int,
  product_id bigint references products on delete set null,
  product_name text not null,
  drug_class text not null,
  rule int not null check (rule between 1 and 8),
  key text not null check (length(key) <= 40),
  act text not null check (act in ('PLACE','COPY','PRICE','RESTOCK','CHECKOUT','VEND','NIGHTLY','MODE')),
  user_id bigint references users,
  who text not null default '' check (length(who) <= 60),
  span timestamptz not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  times int not null default 1 check (times >= 1)
);
create unique index drug_guard_refusals_once on drug_guard_refusals
  (org_id, device_id, coalesce(product_id, 0), key, act, coalesce(user_id, 0), span);
create index drug_guard_refusals_org on drug_guard_refusals (org_id, last_at desc, id desc);
create index drug_guard_refusals_device on drug_guard_refusals (device_id, last_at desc, id desc);
create index drug_guard_refusals_product on drug_guard_refusals (product_id, last_at desc, id desc);
create index drug_guard_refusals_user on drug_guard_refusals (user_id) where user_id is not null;
call app_protect('drug_guard_refusals', 'device_id');
call app_watch('drug_guard_refusals');

-- Who wants another way of dispensing; somebody else agrees.
create table dispensing_mode_changes (
  id bigint generated always as identity primary key,
  org_id bigint not null references organisations,
  device_id bigint not null references devices,
  mode_from text not null check (mode_from in ('UNATTENDED','PHARMACIST','MEDICAL')),
  mode_to text not null check (mode_to in ('UNATTENDED','PHARMACIST','MEDICAL')),
  reason text not null check (length(reason) between 1 and 200),
  state text not null default 'WAITING' check (state in ('WAITING','DONE','REFUSED')),
  asked_by bigint not null references users,
  asked_at timestamptz not null,
  decided_by bigint references users,
  decided_at timestamptz,
  lanes int check (lanes >= 0),
  check (mode_from <> mode_to),
  check ((state = 'WAITING') = (decided_by is null) and (decided_by is null) = (decided_at is null)),
  check (decided_by <> asked_by or state = 'REFUSED')
);
create unique index dispensing_mode_changes_open on dispensing_mode_changes (device_id) where state = 'WAITING';
create index dispensing_mode_changes_org on dispensing_mode_changes (org_id, id desc);
create index dispensing_mode_changes_device on dispensing_mode_changes (device_id, id desc);
create index dispensing_mode_changes_asked on dispensing_mode_changes (asked_by);
create index dispensing_mode_changes_decided on dispensing_mode_changes (decided_by) where decided_by is not null;
call app_protect('dispensing_mode_changes', 'device_id');
