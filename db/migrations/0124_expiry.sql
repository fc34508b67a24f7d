-- From how many days before their date goods count as near it: of a product, or of all in a category. What an organisation says holds
-- for machines below it, too, until somebody nearer says otherwise.
create table expiry_days (
  id bigint generated always as identity primary key,
  org_id bigint not null references organisations,
  product_id bigint references products on delete cascade,
  category_id bigint references product_categories on delete cascade,
  days int not null check (days between 1 and 720),
  check (num_nonnulls(product_id, category_id) = 1)
);
create index expiry_days_org on expiry_days (org_id);
create unique index expiry_days_product on expiry_days (product_id, org_id) where product_id is not null;
create unique index expiry_days_category on expiry_days (category_id, org_id) where category_id is not null;
call app_protect('expiry_days', null, true);

-- Of a batch in a lane near its date: when people were told to fetch it, and when they did.
create table expiry_items (
  org_id bigint not null references organisations,
  device_id bigint not null references devices,
  lane_id bigint not null references lanes on delete cascade,
  batch_id bigint not null references batches on delete cascade,
  told_at timestamptz,
  taken_at timestamptz,
  taken_qty int not null default 0 check (taken_qty >= 0),
  primary key (org_id, lane_id, batch_id)
);
create index expiry_items_batch on expiry_items (batch_id);
create index expiry_items_taken on expiry_items (org_id, taken_at desc) where taken_at is not null;
call app_protect('expiry_items', 'device_id');
call app_watch('expiry_items');

-- Goods that left because of their date, and others that people were told of.
create function note_taken_goods() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if new.reason = 'EXPIRED' then
    insert into expiry_items (org_id, device_id, lane_id, batch_id) values (new.org_id, new.device_id, new.lane_id, new.batch_id)
      on conflict do nothing;
  end if;
  update expiry_items set told_at = null, taken_at = new.created_at, taken_qty = taken_qty - new.change_total
    where org_id = new.org_id and lane_id = new.lane_id and batch_id = new.batch_id;
  return null;
end $$;
revoke execute on function note_taken_goods() from public;
create trigger taken_goods after insert on stock_flows for each row
  when (new.batch_id is not null and new.type = 'MERCHANT_WITHDRAW') execute function note_taken_goods();
