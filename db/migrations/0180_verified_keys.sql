-- The channel has answered to the keys that are there, and signed it: until then they credit nothing.
alter table payment_configs add verified_at timestamptz;
update payment_configs set verified_at = coalesce(tested_at, created_at)
  where state <> 'UNTESTED' and (tested_at is not null or system_id is null);
-- a page could stop one that was never verified
update payment_configs set state = 'UNTESTED'
  where verified_at is null and removed_at is null and state <> 'UNTESTED';
alter table payment_configs add check (state <> 'ACTIVE' or verified_at is not null);

-- A merchant belongs to whoever has shown that its keys are his (and `UNTESTED` is who never did); a
-- stranger who enters its number keeps nobody from it.
drop index payment_configs_merchant;
create unique index payment_configs_merchant on payment_configs (org_id, provider, mch_id, app_id)
  where mch_id <> '' and removed_at is null;
create unique index payment_configs_verified on payment_configs (provider, mch_id, app_id)
  where mch_id <> '' and removed_at is null and state <> 'UNTESTED';

-- payments under way at a merchant
create index payments_pending on payments (config_id)
  where config_id is not null and state = 'PENDING';
