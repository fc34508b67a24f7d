-- Referrers as parties of split strategies (decision 78). Where a party is one number, an
-- organisation is its id and a referrer his id below nothing.
alter table split_parties alter party_org_id drop not null,
  add referrer_id bigint references referrers,
  add check (num_nonnulls(party_org_id, referrer_id) = 1),
  add check ((kind = 'REFERRER') = (referrer_id is not null)),
  add check (referrer_id is null or not is_collector),
  drop constraint split_parties_kind_check,
  add constraint split_parties_kind_check check (kind in
    ('PLATFORM','AGENT','OPERATOR','SPONSOR','LANE_TENANT','REFERRER'));
create unique index split_parties_referrer on split_parties (referrer_id, version_id)
  where referrer_id is not null;

-- these grow with sales: what is there has an organisation, so nothing is read again
alter table split_shares alter party_org_id drop not null,
  add referrer_id bigint references referrers,
  add check (num_nonnulls(party_org_id, referrer_id) = 1) not valid;
alter table split_debts alter party_org_id drop not null,
  add referrer_id bigint references referrers,
  add check (num_nonnulls(party_org_id, referrer_id) = 1) not valid;
alter table split_carries drop constraint split_carries_pkey,
  alter party_org_id drop not null,
  add referrer_id bigint references referrers,
  add check (num_nonnulls(party_org_id, referrer_id) = 1),
  add unique nulls not distinct (strategy_id, collector_org_id, party_org_id, referrer_id);

-- What referrers are owed (2004) and owe (1102) lies at their organisation, on accounts of their
-- own: nothing that asks what the organisation has finds it.
alter table ledger_accounts add referrer_id bigint references referrers,
  add party bigint not null generated always as (coalesce(-referrer_id, org_id)) stored,
  drop constraint ledger_accounts_org_id_code_config_id_key,
  add unique nulls not distinct (party, code, config_id),
  add check ((referrer_id is not null) = (code in ('1102','2004'))),
  drop constraint ledger_accounts_code_check,
  add constraint ledger_accounts_code_check check (code in ('1001','1003','1101','1102','2001',
    '2002','2003','2004','2101','2102','2201','2202','2301','2302','2901'));
create index ledger_accounts_org on ledger_accounts (org_id, code, config_id);
alter table ledger_balances add referrer_id bigint references referrers,
  add party bigint not null generated always as (coalesce(-referrer_id, org_id)) stored,
  -- what of sales was given to a referrer, less what went back
  add earned bigint not null default 0,
  drop constraint ledger_balances_pkey,
  add primary key (party, code),
  add check ((referrer_id is not null) = (code in ('1102','2004'))),
  drop constraint ledger_balances_code_check,
  add constraint ledger_balances_code_check check (code in ('1101','1102','2002','2003','2004'));
create index ledger_balances_org on ledger_balances (org_id);

-- As before, with the balances of referrers, and what they earned; rows of balances are locked by
-- party and code.
create or replace function check_voucher_balance() returns trigger language plpgsql
  security definer set search_path = public, pg_temp as $$
declare bad bigint;
begin
  select voucher_id into bad from written group by voucher_id having sum(amount) <> 0 limit 1;
  if bad is not null then
    raise exception 'voucher % does not balance', bad using errcode = 'check_violation';
  end if;
  if exists (select from written w join ledger_accounts a on a.id = w.account_id
    where a.code in ('1101','1102','2002','2003','2004')) then
    insert into ledger_balances (org_id, code, referrer_id, balance)
      select a.org_id, a.code, a.referrer_id, 0
      from written w join ledger_accounts a on a.id = w.account_id
      where a.code in ('1101','1102','2002','2003','2004')
      group by a.party, a.code, a.org_id, a.referrer_id order by a.party, a.code
      on conflict do nothing;
    perform from ledger_balances b where (b.party, b.code) in (
      select a.party, a.code from written w join ledger_accounts a on a.id = w.account_id)
      order by b.party, b.code for no key update;
    update ledger_balances b set balance = b.balance + n.change, earned = b.earned + n.earned from (
      select a.party, a.code,
        sum(case when a.code in ('1101','1102') then w.amount else -w.amount end) as change,
        coalesce(-sum(w.amount) filter (where a.referrer_id is not null
          and w.voucher_type in ('V3','V7')), 0) as earned
      from written w join ledger_accounts a on a.id = w.account_id group by 1, 2) n
    where n.party = b.party and n.code = b.code;
  end if;
  return null;
end $$;

-- As before, for parties as numbers.
drop function ledger_hold(bigint[]);
create function ledger_hold(parties bigint[]) returns table (party bigint, owed bigint)
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if not (app_all() or coalesce(parties <@ app_orgs(), false)) then
    raise exception 'balances of others are not held' using errcode = 'insufficient_privilege';
  end if;
  perform from ledger_balances b
    where b.party = any(parties) and b.code in ('1101','1102','2002','2004')
    order by b.party, b.code for no key update;
  return query select b.party, b.balance from ledger_balances b
    where b.party = any(parties) and b.code in ('2002','2004');
end $$;
revoke execute on function ledger_hold(bigint[]) from public;
grant execute on function ledger_hold(bigint[]) to huodao_app;

-- What is settled to organisations: a referrer's share is on no calendar of theirs.
create or replace function split_parts(version bigint, gives bigint[], fee bigint)
returns table (org_id bigint, amount bigint) language sql stable as $$
  select p.party_org_id, gives[p.party_no]
    - case when p.is_collector and v.fee_mode = 'AFTER' then fee else 0 end
  from split_parties p join split_strategy_versions v on v.id = p.version_id
  where p.version_id = version and p.party_org_id is not null
$$;

-- Whether versions or accounts name a referrer, also those that whoever asks does not see.
create function referrer_used(referrer bigint) returns boolean
language sql stable security definer set search_path = public, pg_temp as $$
  select exists (select from referrers r where r.id = referrer
    and (app_all() or r.org_id = any(app_orgs()))
    and (exists (select from split_parties p where p.referrer_id = r.id)
      or exists (select from ledger_accounts a where a.referrer_id = r.id)))
$$;
revoke execute on function referrer_used(bigint) from public;
grant execute on function referrer_used(bigint) to huodao_app;
create index ledger_accounts_referrer on ledger_accounts (referrer_id)
  where referrer_id is not null;

-- Who may have a share of the sales of an organisation: referrers of it and of those above, as far
-- as whoever asks sees them, and those that the strategy named before.
create function split_referrers(org bigint, strategy bigint, today date)
returns table (id bigint, name text, default_bp int, ended boolean)
language sql stable security definer set search_path = public, pg_temp as $$
  select r.id, r.referrer_name, r.default_bp,
    r.status = 'DISABLED' or coalesce(r.valid_until < today, false)
  from organisations o join organisations a on a.path @> o.path join referrers r on r.org_id = a.id
  where o.id = org and (app_all() or org = any(app_orgs()))
    and (app_all() or r.org_id = any(app_orgs()) or exists (select from split_parties p
      join split_strategy_versions v on v.id = p.version_id
      where p.referrer_id = r.id and v.strategy_id = strategy and v.org_id = org))
  order by r.referrer_name, r.id
$$;
revoke execute on function split_referrers(bigint, bigint, date) from public;
grant execute on function split_referrers(bigint, bigint, date) to huodao_app;

-- The referrers of a version who were disabled since, or whose time is over.
create function split_ended(said_by bigint, today date) returns text[]
language sql stable security definer set search_path = public, pg_temp as $$
  select coalesce(array_agg(p.name order by p.party_no), '{}')
  from split_parties p join referrers r on r.id = p.referrer_id
  where p.version_id = said_by and (app_all() or p.org_id = any(app_orgs()))
    and (r.status = 'DISABLED' or r.valid_until < today)
$$;
revoke execute on function split_ended(bigint, date) from public;
grant execute on function split_ended(bigint, date) to huodao_app;

-- A bill says what was given of its sales to anybody; what a party is given, only of organisations.
create or replace view bill_share_facts with (security_invoker = true) as
  select e.org_id, o.org_id as owner_id, o.device_id, coalesce(p.config_id, 0) as config_id,
    p.provider, o.pay_type, o.created_at as order_at, e.created_at as at, -e.amount as share,
    a.referrer_id
  from ledger_entries e
  join ledger_accounts a on a.id = e.account_id and a.code in ('1101','1102','2002','2004')
  join payments p on p.order_id = e.order_id and p.applied
  join orders o on o.org_id = p.org_id and o.created_at = p.order_at and o.id = p.order_id
  where e.voucher_type in ('V2','V3','V6','V7');
