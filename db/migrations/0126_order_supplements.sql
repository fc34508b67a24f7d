-- Money of an order that nobody knows: it has no machine until somebody finds the sale.
alter table payments alter column device_id drop not null;
alter table order_cases alter column device_id drop not null;
alter table order_cases add column handled_at timestamptz;

-- What was made good: a payment once.
create table order_supplements (
  id bigint generated always as identity primary key,
  org_id bigint not null references organisations,
  device_id bigint not null references devices,
  payment_id bigint not null unique references payments,
  order_at timestamptz not null,
  order_id bigint not null,
  order_num text not null,
  -- the order was made for the payment, not only completed
  made boolean not null,
  action text not null check (action in ('VEND','REFUND')),
  amount bigint not null check (amount > 0),
  user_id bigint not null references users,
  created_at timestamptz not null,
  foreign key (org_id, order_at, order_id) references orders (org_id, created_at, id)
);
create index order_supplements_order on order_supplements (org_id, order_id);
call app_protect('order_supplements', 'device_id');
call app_append_only('order_supplements');
