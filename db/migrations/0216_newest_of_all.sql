-- Who sees those of many organisations walks the newest of all (as orders_newest): by the
-- organisation's index he would sort all that they have.
create index split_orders_newest on split_orders (created_at desc, id desc);
create index split_debts_newest on split_debts (created_at desc, id desc);
create index login_attempts_newest on login_attempts (created_at desc, id desc);
