-- What of the money that a party is owed (2002) the platform does not pay out: shares of orders that
-- are not done, and what a merchant of somebody else collected: it never lay with the platform.
-- A party sees no orders of others, so this says the sum, and of its own alone. The second part
-- reads a row for each machine and month.
create function ledger_not_yet(org bigint) returns bigint language plpgsql stable
security definer set search_path = public, pg_temp as $$
begin
  if not (app_all() or coalesce(org = any(app_orgs()), false)) then
    raise exception 'what others may have is not said' using errcode = 'insufficient_privilege';
  end if;
  return greatest(0, (select coalesce(sum(u.gives[h.party_no]
        - case when h.is_collector and v.fee_mode = 'AFTER' then u.fee else 0 end), 0)
      from split_orders s join split_shares h on h.split_id = s.id and h.party_org_id = org
      join split_units u on u.split_id = s.id and u.back_at is null
      join split_strategy_versions v on v.id = s.version_id
      left join payment_configs c on c.id = s.config_id
      where s.state in ('READY','SPLITTING','PARTIAL') and (c.id is null or c.org_id = 1)))
    + greatest(0, (select coalesce(sum(b.share), 0) from bill_shares b
      join payment_configs c on c.id = b.config_id
      where b.org_id = org and b.grain = 'MONTH' and c.org_id <> 1));
end $$;
revoke execute on function ledger_not_yet(bigint) from public;
grant execute on function ledger_not_yet(bigint) to huodao_app;
