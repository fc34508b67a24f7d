-- Who sees many organisations walks the orders of all in their order: a page reads its own rows and those it skips, not all of the days.
create index orders_newest on orders (created_at desc, id desc) include (org_id, device_id, order_status) where not excluded;
