-- What is due of shares that a channel pays is said share by share (decision 70). 0195 says it by
-- order, and runs after this file where both are new: names that it makes are not used here but in
-- bodies that are read when they run.

-- Where the share of an order of a channel stands instead of where its order does: one that was paid
-- is done before its order is; one that nobody was paid when its order was done is the ledger's and
-- comes to no bank by itself.
create function split_due_moves(state text, paid boolean)
returns table (mode text, done boolean, sign int) language sql immutable as $$
  select x.* from (values ('CHANNEL', false, -1), ('CHANNEL', true, 1)) x
    where paid and state in ('READY','SPLITTING','PARTIAL')
  union all select x.* from (values ('CHANNEL', true, -1), ('LEDGER', true, 1)) x
    where not paid and state in ('DONE','RETURNING')
$$;

-- What stays with its collector is where its order is.
create function note_channel_orders() returns trigger language plpgsql
security definer set search_path = public, pg_temp as $$
begin
  if not exists (select from was w join now_is n using (id) where 'CHANNEL' in (w.mode, n.mode)
    and (w.state, w.due_at, w.mode) is distinct from (n.state, n.due_at, n.mode)) then
    return null;
  end if;
  insert into split_dues (org_id, config_id, mode, done, day, amount)
  select h.party_org_id, o.config_id, m.mode, m.done, split_due_day(o.due_at),
    sum(o.sign * m.sign * u.gives[h.party_no])
  from (select n.id, n.config_id, x.* from was w join now_is n using (id)
      cross join lateral (values (-1, w.state, w.due_at, w.mode), (1, n.state, n.due_at, n.mode))
        x(sign, state, due_at, mode)
      where x.mode = 'CHANNEL'
        and (w.state, w.due_at, w.mode) is distinct from (n.state, n.due_at, n.mode)) o
  join split_shares h on h.split_id = o.id and not h.is_collector
  cross join lateral split_due_moves(o.state, h.state = 'PAID') m
  join split_units u on u.split_id = o.id and u.back_at is null
  group by 1, 2, 3, 4, 5 having sum(o.sign * m.sign * u.gives[h.party_no]) <> 0;
  return null;
end $$;
revoke execute on function note_channel_orders() from public;
create trigger note_channel after update on split_orders
  referencing old table as was new table as now_is
  for each statement execute function note_channel_orders();

create function note_channel_shares() returns trigger language plpgsql
security definer set search_path = public, pg_temp as $$
begin
  if not exists (select from was w join now_is n using (split_id, party_no)
    where (w.state = 'PAID') <> (n.state = 'PAID')) then
    return null;
  end if;
  insert into split_dues (org_id, config_id, mode, done, day, amount)
  select h.party_org_id, s.config_id, m.mode, m.done, split_due_day(s.due_at),
    sum(h.sign * m.sign * u.gives[h.party_no])
  from (select n.split_id, n.party_no, n.party_org_id, x.*
      from was w join now_is n using (split_id, party_no)
      cross join lateral (values (-1, w.state = 'PAID'), (1, n.state = 'PAID')) x(sign, paid)
      where not n.is_collector and (w.state = 'PAID') <> (n.state = 'PAID')) h
  join split_orders s on s.id = h.split_id and s.mode = 'CHANNEL'
  cross join lateral split_due_moves(s.state, h.paid) m
  join split_units u on u.split_id = s.id and u.back_at is null
  group by 1, 2, 3, 4, 5 having sum(h.sign * m.sign * u.gives[h.party_no]) <> 0;
  return null;
end $$;
revoke execute on function note_channel_shares() from public;
create trigger note_channel after update on split_shares
  referencing old table as was new table as now_is
  for each statement execute function note_channel_shares();

create function note_channel_backs() returns trigger language plpgsql
security definer set search_path = public, pg_temp as $$
begin
  insert into split_dues (org_id, config_id, mode, done, day, amount)
  select h.party_org_id, s.config_id, m.mode, m.done, split_due_day(s.due_at),
    -sum(m.sign * n.gives[h.party_no])
  from now_is n join was w using (unit_id)
  join split_orders s on s.id = n.split_id and s.mode = 'CHANNEL'
  join split_shares h on h.split_id = s.id and not h.is_collector
  cross join lateral split_due_moves(s.state, h.state = 'PAID') m
  where n.back_at is not null and w.back_at is null
  group by 1, 2, 3, 4, 5 having sum(m.sign * n.gives[h.party_no]) <> 0;
  return null;
end $$;
revoke execute on function note_channel_backs() from public;
create trigger note_channel after update on split_units
  referencing old table as was new table as now_is
  for each statement execute function note_channel_backs();

-- What the lines of `split_dues` must say beside those of `split_due_facts`: for comparison.
create view split_due_moved with (security_invoker = true) as
  select h.party_org_id as org_id, s.config_id, m.mode, m.done,
    (s.due_at at time zone 'Asia/Shanghai')::date as day, m.sign * u.gives[h.party_no] as amount
  from split_orders s join split_shares h on h.split_id = s.id and not h.is_collector
  cross join lateral split_due_moves(s.state, h.state = 'PAID') m
  join split_units u on u.split_id = s.id and u.back_at is null
  where s.mode = 'CHANNEL';

-- What of the money that a party is owed (2002) the platform does not pay out: shares of orders that
-- are not done, and what merchants of others collected. What channels paid is in neither: it is not
-- owed any more. `ledger_not_yet`, which this takes the place of, knew no channels.
create function ledger_held_back(org bigint) returns bigint language plpgsql stable
security definer set search_path = public, pg_temp as $$
begin
  if not (app_all() or coalesce(org = any(app_orgs()), false)) then
    raise exception 'what others may have is not said' using errcode = 'insufficient_privilege';
  end if;
  return greatest(0, (select coalesce(sum(d.amount), 0) from split_dues d
      left join payment_configs c on c.id = d.config_id
      where d.org_id = org and not d.done and (c.id is null or c.org_id = 1)))
    + greatest(0, (select coalesce(sum(b.share), 0) from bill_shares b
      join payment_configs c on c.id = b.config_id
      where b.org_id = org and b.grain = 'MONTH' and c.org_id <> 1)
      - (select coalesce(sum(o.amount), 0) from split_outs o
      join payment_configs c on c.id = o.config_id
      where o.org_id = org and c.org_id <> 1));
end $$;
revoke execute on function ledger_held_back(bigint) from public;
grant execute on function ledger_held_back(bigint) to huodao_app;
