-- Money of parties: accounts of a merchant's configuration, and balances that have a limit
-- (decision 64).
select set_config('app.all', 'on', true);

-- Channel money and suspense lie at a merchant: null is the simulator, and every other account.
alter table ledger_accounts add config_id bigint references payment_configs;
alter table ledger_accounts drop constraint ledger_accounts_org_id_code_key;
alter table ledger_accounts add unique nulls not distinct (org_id, code, config_id);
alter table ledger_accounts add check (config_id is null or code in ('1001','2901'));

-- what merchants took before
create temporary table moved on commit drop as
  select k.voucher_id, p.config_id from payments p
    join ledger_voucher_keys k on k.key in ('in:' || p.id, 'fee:' || p.id, 'sus:' || p.id,
      'susa:' || p.id) where p.config_id is not null
  union all select k.voucher_id, p.config_id from refunds r join payments p on p.id = r.payment_id
    join ledger_voucher_keys k on k.key in ('rf:' || r.refund_no, 'susr:' || r.refund_no)
    where p.config_id is not null;
insert into ledger_accounts (org_id, code, config_id)
  select distinct e.org_id, a.code, m.config_id from moved m
  join ledger_entries e on e.voucher_id = m.voucher_id
  join ledger_accounts a on a.id = e.account_id and a.code in ('1001','2901');
alter table ledger_entries disable trigger append_only;
update ledger_entries e set account_id = n.id from moved m, ledger_accounts a, ledger_accounts n
  where e.voucher_id = m.voucher_id and a.id = e.account_id and a.code in ('1001','2901')
    and n.org_id = a.org_id and n.code = a.code and n.config_id = m.config_id;
alter table ledger_entries enable trigger append_only;

-- the closing of a merchant's channel money on a day is the sum of these up to it
alter table ledger_days add config_id bigint references payment_configs;
alter table ledger_days drop constraint ledger_days_pkey;
alter table ledger_days add unique nulls not distinct (org_id, day, code, config_id);
delete from ledger_days d where code in ('1001','2901') and exists (select from ledger_accounts a
  where a.org_id = d.org_id and a.code = d.code and a.config_id is not null);
insert into ledger_days (org_id, day, code, config_id, debit, credit)
  select e.org_id, (e.created_at at time zone 'Asia/Shanghai')::date, a.code, a.config_id,
    coalesce(sum(e.amount) filter (where e.amount > 0), 0),
    coalesce(-sum(e.amount) filter (where e.amount < 0), 0)
  from ledger_entries e join ledger_accounts a on a.id = e.account_id
  where a.code in ('1001','2901') and exists (select from ledger_accounts m
      where m.org_id = a.org_id and m.code = a.code and m.config_id is not null)
    and (e.created_at at time zone 'Asia/Shanghai')::date <= (select max(day) from ledger_days)
  group by 1, 2, 3, 4;

-- What a party is owed, what of it is on its way to him, and what he owes: never below nothing.
-- No sale touches one of these rows. Other accounts are summed by day.
create table ledger_balances (
  org_id bigint not null references organisations,
  code text not null check (code in ('1101','2002','2003')),
  -- of its own side: what is owed to the party, or by it
  balance bigint not null check (balance >= 0),
  primary key (org_id, code)
);
call app_protect('ledger_balances');
revoke insert, update, delete, truncate on ledger_balances from huodao_app;

-- Every statement that writes entries leaves each of its vouchers balanced and no party below
-- nothing; rows of balances are locked by organisation and code.
create or replace function check_voucher_balance() returns trigger language plpgsql
  security definer set search_path = public, pg_temp as $$
declare bad bigint;
begin
  select voucher_id into bad from written group by voucher_id having sum(amount) <> 0 limit 1;
  if bad is not null then
    raise exception 'voucher % does not balance', bad using errcode = 'check_violation';
  end if;
  if exists (select from written w join ledger_accounts a on a.id = w.account_id
    where a.code in ('1101','2002','2003')) then
    insert into ledger_balances (org_id, code, balance)
      select distinct a.org_id, a.code, 0 from written w join ledger_accounts a on a.id = w.account_id
      where a.code in ('1101','2002','2003') order by 1, 2 on conflict do nothing;
    perform from ledger_balances b where (b.org_id, b.code) in (
      select a.org_id, a.code from written w join ledger_accounts a on a.id = w.account_id)
      order by b.org_id, b.code for no key update;
    update ledger_balances b set balance = b.balance + n.change from (
      select a.org_id, a.code, sum(case a.code when '1101' then w.amount else -w.amount end) as change
      from written w join ledger_accounts a on a.id = w.account_id group by 1, 2) n
    where n.org_id = b.org_id and n.code = b.code;
  end if;
  return null;
end $$;

select set_config('app.all', '', true);
