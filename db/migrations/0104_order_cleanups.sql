-- Orders that were taken out of lists and figures, or back into them: by whom, when, why. Nobody (a
-- payment that came after all) has no user.
create table order_cleanups (
  id bigint generated always as identity primary key,
  org_id bigint not null references organisations,
  device_id bigint not null references devices,
  order_at timestamptz not null,
  order_id bigint not null,
  order_num text not null,
  action text not null check (action in ('CLEAN','RESTORE')),
  reason text not null default '' check (action = 'RESTORE' or reason <> ''),
  user_id bigint references users,
  created_at timestamptz not null,
  foreign key (org_id, order_at, order_id) references orders (org_id, created_at, id)
);
create index order_cleanups_order on order_cleanups (org_id, order_id, id desc);
call app_protect('order_cleanups', 'device_id');
call app_append_only('order_cleanups');

-- What may be cleaned and what was, in the order of the list, without a look at the sales between.
create index orders_free on orders (org_id, created_at desc, id desc) include (device_id, order_type)
  where pay_state = 'PAID' and paid_amount = 0;
create index orders_excluded on orders (org_id, created_at desc, id desc) include (device_id)
  where excluded;
