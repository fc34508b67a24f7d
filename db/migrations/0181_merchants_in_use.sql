-- A merchant stays while a published strategy collects with it, or money in suspense lies with it: what
-- people see of strategies and entries depends on them, whether it is in use does not.
create or replace function payment_config_used(config bigint) returns boolean
language sql stable security definer set search_path = public, pg_temp as $$
  select exists (select from stores s join devices d on d.store_id = s.id
      where s.payment_config_id = config)
    or payment_config_unsettled(config)
    or exists (select from reconciliation_differences r where r.config_id = config
      and r.state in ('OPEN','HANDLING','REVIEW')
      and r.org_id in (select o.id from organisations o, organisations own, payment_configs c
        where c.id = config and own.id = c.org_id and o.path <@ own.path))
    or exists (select from split_strategies s join lateral (select v.config_id
        from split_strategy_versions v where v.strategy_id = s.id and v.state = 'PUBLISHED'
        order by v.version_no desc limit 1) v on v.config_id = config
      where s.state = 'PUBLISHED'
        and s.org_id in (select o.id from organisations o, organisations own, payment_configs c
          where c.id = config and own.id = c.org_id and o.path <@ own.path))
    or exists (select from ledger_accounts a where a.config_id = config and a.code = '2901'
      and (select coalesce(sum(e.amount), 0) from ledger_entries e where e.account_id = a.id) <> 0)
$$;
