-- Who held goods that others asked for, and did not pay, leaves as many pieces of that lane to others for a while: otherwise his
-- next order takes them at the moment his last one is closed, and one address keeps a lane for as long as it asks
-- (orders/server/unpaid.ts).
select set_config('app.all', 'on', true);

-- Somebody of another address asked for what this order holds, and did not get it.
alter table unpaid_holds add column wanted boolean not null default false;

create table unpaid_losses (
  order_id bigint not null,
  lane_id bigint not null references lanes,
  org_id bigint not null references organisations,
  device_id bigint not null references devices,
  address text not null check (length(address) between 1 and 64),
  pieces int not null check (pieces > 0),
  until timestamptz not null,
  primary key (order_id, lane_id)
);
create index unpaid_losses_org on unpaid_losses (org_id, until);
create index unpaid_losses_device on unpaid_losses (device_id, address);
create index unpaid_losses_until on unpaid_losses (until);
call app_protect('unpaid_losses', 'device_id');

select set_config('app.all', '', true);
