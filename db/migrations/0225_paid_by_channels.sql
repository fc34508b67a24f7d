-- What channels paid is no longer owed by others (decision 70): the figures of 0195 took the place of
-- a function that 0185 had taught it, so whoever was paid through a channel could not withdraw as much
-- of what the platform owes.
create or replace function ledger_not_yet(org bigint) returns bigint language plpgsql stable
security definer set search_path = public, pg_temp as $$
begin
  if not (app_all() or coalesce(org = any(app_orgs()), false)) then
    raise exception 'what others may have is not said' using errcode = 'insufficient_privilege';
  end if;
  return greatest(0, (select coalesce(sum(d.amount), 0) from split_dues d
      left join payment_configs c on c.id = d.config_id
      where d.org_id = org and not d.done and (c.id is null or c.org_id = 1))
      -- an order stays open while one of its parties waits: those that were paid have it
      - (select coalesce(sum(u.gives[h.party_no]), 0) from split_orders s
      join split_shares h on h.split_id = s.id and h.party_org_id = org and h.state = 'PAID'
      join split_units u on u.split_id = s.id and u.back_at is null
      left join payment_configs c on c.id = s.config_id
      where s.state = 'PARTIAL' and (c.id is null or c.org_id = 1)))
    + greatest(0, (select coalesce(sum(b.share), 0) from bill_shares b
      join payment_configs c on c.id = b.config_id
      where b.org_id = org and b.grain = 'MONTH' and c.org_id <> 1)
      - (select coalesce(sum(o.amount), 0) from split_outs o
      join payment_configs c on c.id = o.config_id
      where o.org_id = org and c.org_id <> 1));
end $$;
