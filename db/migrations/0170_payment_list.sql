-- What a page enters of a receiving merchant: terms, account, more secrets, whether it was verified.
alter table payment_configs drop constraint payment_configs_provider_check;
alter table payment_configs add check (provider in ('SIMULATOR','WECHAT','ALIPAY','AGGREGATOR'));
-- of a channel of our own driver alone
alter table payment_configs drop constraint payment_configs_mch_id_check;
alter table payment_configs drop constraint payment_configs_app_id_check;
alter table payment_configs alter mch_id set default '';
alter table payment_configs alter app_id set default '';
alter table payment_configs add check (case when provider in ('WECHAT','ALIPAY')
  then mch_id ~ '^[0-9A-Za-z]{1,32}$' and app_id ~ '^[0-9A-Za-z]{1,32}$'
  else mch_id = '' and app_id = '' end);
-- what was removed is kept: payments, bills and refunds still are its own
alter table payment_configs add removed_at timestamptz;
alter table payment_configs add check (removed_at is null or state = 'DISABLED');
alter table payment_configs drop constraint payment_configs_provider_mch_id_app_id_key;
create unique index payment_configs_merchant on payment_configs (provider, mch_id, app_id)
  where mch_id <> '' and removed_at is null;
drop index payment_configs_active;
create unique index payment_configs_active on payment_configs (org_id, provider)
  where state = 'ACTIVE' and mch_id <> '';

-- null: entered by the command, which asks for none
alter table payment_configs add system_id text check (system_id <> '' and length(system_id) <= 32);
create unique index payment_configs_system on payment_configs (provider, system_id)
  where removed_at is null;
alter table payment_configs add check (system_id is not null or mch_id <> '');
alter table payment_configs add user_name text not null default '' check (length(user_name) <= 40);
alter table payment_configs add sub_mch_id text not null default ''
  check (sub_mch_id ~ '^[0-9A-Za-z]{0,32}$');
-- a picture of what the channel allowed
alter table payment_configs add cap_approval text not null default ''
  check (length(cap_approval) <= 200);
alter table payment_configs add check (split_cap_bp <= 3000 or cap_approval <> '');
alter table payment_configs add collector_kind text not null default 'OPERATOR_MERCHANT'
  check (collector_kind in ('OPERATOR_MERCHANT','SUB_MERCHANT','PLATFORM_MERCHANT'));
alter table payment_configs add freeze_days int not null default 180
  check (freeze_days between 1 and 365);
alter table payment_configs add refund_fee_returned boolean not null default true;
alter table payment_configs add settle_bank text not null default ''
  check (length(settle_bank) <= 60);
alter table payment_configs add settle_holder text not null default ''
  check (length(settle_holder) <= 60);
-- sealed as the keys are; the tail is shown
alter table payment_configs add settle_account bytea;
alter table payment_configs add settle_tail text not null default '' check (length(settle_tail) <= 4);
alter table payment_configs add check ((settle_account is null) = (settle_tail = ''));
-- by name: {"desKey": {"tail": "3f9a", "at": …}}; nothing a key can be made of
alter table payment_configs add secret_tails jsonb not null default '{}'
  check (jsonb_typeof(secret_tails) = 'object');
-- of the merchant's own certificate
alter table payment_configs add cert_until timestamptz;
alter table payment_configs add tested_at timestamptz;
-- the last verification: [{"step": …, "ok": …, "note": …}]
alter table payment_configs add test_steps jsonb not null default '[]'
  check (jsonb_typeof(test_steps) = 'array');
alter table payment_configs drop constraint payment_configs_check;
-- one whose channel was changed waits for its keys
alter table payment_configs add check (provider <> 'WECHAT' or cert_serial <> '' or state <> 'ACTIVE');

-- A merchant that was paid stays what it is: its refunds and bills go to the channel it has.
alter table payment_configs add unique (id, provider);
alter table payments drop constraint payments_config_id_fkey;
alter table payments add foreign key (config_id, provider) references payment_configs (id, provider)
  not valid;
alter table payments validate constraint payments_config_id_provider_fkey;

-- A store may hang below a merchant: its machines are paid there.
alter table stores add payment_config_id bigint references payment_configs;
create index stores_config on stores (payment_config_id) where payment_config_id is not null;

-- Payments that are asked for, orders that are not over, refunds under way.
create function payment_config_unsettled(config bigint) returns boolean
language sql stable security definer set search_path = public, pg_temp as $$
  select exists (select from payments p where p.config_id = config and p.paid_at is null
      and p.state = 'PENDING')
    or exists (select from orders o join payments p on p.order_id = o.id and p.config_id = config
      where o.order_status in ('PAID','SHIPPED') and not o.excluded
        and o.org_id in (select b.id from organisations b, organisations own, payment_configs c
          where c.id = config and own.id = c.org_id and b.path <@ own.path))
    or exists (select from refunds r join payments p on p.id = r.payment_id
      where r.next_at is not null and p.config_id = config)
$$;
-- What people see of machines and orders depends on them; whether a merchant is in use does not.
create function payment_config_used(config bigint) returns boolean
language sql stable security definer set search_path = public, pg_temp as $$
  select exists (select from stores s join devices d on d.store_id = s.id
      where s.payment_config_id = config)
    or payment_config_unsettled(config)
    or exists (select from reconciliation_differences r where r.config_id = config
      and r.state in ('OPEN','HANDLING','REVIEW')
      and r.org_id in (select o.id from organisations o, organisations own, payment_configs c
        where c.id = config and own.id = c.org_id and o.path <@ own.path))
$$;
create function payment_config_paid(config bigint) returns boolean
language sql stable security definer set search_path = public, pg_temp as $$
  select exists (select from payments p where p.config_id = config)
$$;
