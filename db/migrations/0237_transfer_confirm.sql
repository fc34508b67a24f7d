-- WeChat pays a withdrawal when its payee says yes: on a page of ours that a code leads to, with what
-- the channel gave for it when it took the transfer.
alter table withdrawals
  add column confirm_package text not null default '' check (length(confirm_package) <= 2000),
  add column confirm_hash bytea unique check (length(confirm_hash) = 32);
