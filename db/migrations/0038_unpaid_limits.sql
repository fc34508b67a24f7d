-- Orders that wait for their money hold stock, and whoever makes them has proven nothing: how many are open is counted by machine,
-- address and consumer, and each count is a limit (orders/server/unpaid.ts). A hold lives as long as its order is unpaid.
select set_config('app.all', 'on', true);

-- Subjects cross organisations (an address buys anywhere), so nobody owns a row; only the system reads them.
create table unpaid_counts (
  subject text primary key check (length(subject) between 3 and 140),
  open int not null check (open >= 0),
  -- the limit as it was last applied
  most int not null check (most >= 1),
  -- orders of this subject that were paid, less those that ran out: a shared address that buys may hold more at once
  credit int not null default 0 check (credit between 0 and 200),
  touched_at timestamptz not null
);
create index unpaid_counts_idle on unpaid_counts (touched_at) where open = 0;

create table unpaid_holds (
  order_id bigint primary key,
  org_id bigint not null references organisations,
  device_id bigint not null references devices,
  order_at timestamptz not null,
  address text not null check (length(address) <= 64),
  subjects text[] not null
);
create index unpaid_holds_org on unpaid_holds (org_id, order_at);
create index unpaid_holds_device on unpaid_holds (device_id, order_at);
call app_protect('unpaid_holds', 'device_id');

select set_config('app.all', '', true);
