-- What is due of shares is noted one way (decision 82): each of the four changes writes what a share
-- came to before it and after it. Nothing joins the rows before to those after: what did not change
-- comes to nothing, and a plan that was made for one order is good for five hundred.
drop trigger note_due_new on split_units;
drop trigger note_due_back on split_units;
drop trigger note_channel on split_units;
drop trigger note_due on split_orders;
drop trigger note_channel on split_orders;
drop trigger note_channel on split_shares;
drop view split_due_moved;
drop view split_due_facts;
drop function note_due_pieces();
drop function note_due_orders();
drop function note_channel_orders();
drop function note_channel_shares();
drop function note_channel_backs();
drop function split_due_moves(text, boolean);
drop function split_parts(bigint, bigint[], bigint);

-- Where a share stands: with its order. One that a channel pays is done as soon as it was paid; one
-- that nobody was paid when its order was done is the ledger's and comes to no bank by itself.
create function split_due_place(state text, mode text, by_channel boolean, paid boolean)
returns table (mode text, done boolean) language sql immutable as $$
  select case when d.done and by_channel and not paid then 'LEDGER' else $2 end,
    d.done or by_channel and paid
  from (select split_due_done($1) as done) d where d.done is not null
$$;

-- What organisations get of a piece, and where that stands: less the fee where its collector bears
-- it. A referrer's share is on no calendar of theirs.
create function split_due_lines(split bigint, version bigint, state text, mode text, gives bigint[],
  fee bigint)
returns table (org_id bigint, mode text, done boolean, amount bigint) language sql stable as $$
  select p.party_org_id, d.mode, d.done,
    $5[p.party_no] - case when p.is_collector and v.fee_mode = 'AFTER' then $6 else 0 end
  from split_strategy_versions v join split_parties p on p.version_id = v.id
  cross join lateral (select $4 = 'CHANNEL' and not p.is_collector as by_channel) c
  cross join lateral split_due_place($3, $4, c.by_channel, case when c.by_channel then exists (
    select from split_shares h where h.split_id = $1 and h.party_no = p.party_no
      and h.state = 'PAID') else false end) d
  where v.id = $2 and p.party_org_id is not null
$$;

create function note_due_pieces() returns trigger language plpgsql
security definer set search_path = public, pg_temp as $$
begin
  if tg_op = 'INSERT' then
    insert into split_dues (org_id, config_id, mode, done, day, amount)
    select l.org_id, s.config_id, l.mode, l.done, split_due_day(s.due_at), sum(l.amount)
    from now_is n join split_orders s on s.id = n.split_id
    cross join lateral split_due_lines(s.id, s.version_id, s.state, s.mode, n.gives, n.fee) l
    where n.back_at is null group by 1, 2, 3, 4, 5;
  else
    insert into split_dues (org_id, config_id, mode, done, day, amount)
    select l.org_id, s.config_id, l.mode, l.done, split_due_day(s.due_at), sum(n.sign * l.amount)
    from (select -1 as sign, * from was union all select 1, * from now_is) n
    join split_orders s on s.id = n.split_id
    cross join lateral split_due_lines(s.id, s.version_id, s.state, s.mode, n.gives, n.fee) l
    where n.back_at is null group by 1, 2, 3, 4, 5 having sum(n.sign * l.amount) <> 0;
  end if;
  return null;
end $$;
revoke execute on function note_due_pieces() from public;
create trigger note_due_new after insert on split_units
  referencing new table as now_is for each statement execute function note_due_pieces();
create trigger note_due_back after update on split_units
  referencing old table as was new table as now_is
  for each statement execute function note_due_pieces();

create function note_due_orders() returns trigger language plpgsql
security definer set search_path = public, pg_temp as $$
begin
  -- a sale touches its rows, no more
  if not exists (select id, state, due_at, mode from now_is
    except select id, state, due_at, mode from was) then
    return null;
  end if;
  insert into split_dues (org_id, config_id, mode, done, day, amount)
  select l.org_id, n.config_id, l.mode, l.done, split_due_day(n.due_at), sum(n.sign * l.amount)
  from (select -1 as sign, * from was union all select 1, * from now_is) n
  join split_units u on u.split_id = n.id and u.back_at is null
  cross join lateral split_due_lines(n.id, n.version_id, n.state, n.mode, u.gives, u.fee) l
  group by 1, 2, 3, 4, 5 having sum(n.sign * l.amount) <> 0;
  return null;
end $$;
revoke execute on function note_due_orders() from public;
create trigger note_due after update on split_orders
  referencing old table as was new table as now_is
  for each statement execute function note_due_orders();

create function note_due_shares() returns trigger language plpgsql
security definer set search_path = public, pg_temp as $$
begin
  if not exists (select split_id, party_no, state = 'PAID' from now_is
    except select split_id, party_no, state = 'PAID' from was) then
    return null;
  end if;
  insert into split_dues (org_id, config_id, mode, done, day, amount)
  select h.party_org_id, s.config_id, d.mode, d.done, split_due_day(s.due_at),
    sum(h.sign * u.gives[h.party_no])
  from (select -1 as sign, * from was union all select 1, * from now_is) h
  join split_orders s on s.id = h.split_id and s.mode = 'CHANNEL'
  join split_units u on u.split_id = s.id and u.back_at is null
  cross join lateral split_due_place(s.state, s.mode, true, h.state = 'PAID') d
  where not h.is_collector and h.party_org_id is not null
  group by 1, 2, 3, 4, 5 having sum(h.sign * u.gives[h.party_no]) <> 0;
  return null;
end $$;
revoke execute on function note_due_shares() from public;
create trigger note_due after update on split_shares
  referencing old table as was new table as now_is
  for each statement execute function note_due_shares();

-- What the lines of `split_dues` must say: for comparison, never for screens.
create view split_due_facts with (security_invoker = true) as
  select l.org_id, s.config_id, l.mode, l.done, split_due_day(s.due_at) as day, l.amount
  from split_orders s join split_units u on u.split_id = s.id and u.back_at is null
  cross join lateral split_due_lines(s.id, s.version_id, s.state, s.mode, u.gives, u.fee) l;

-- What of the money that a party is owed (2002) the platform does not pay out: shares of orders that
-- are not done, and what merchants of others collected and neither paid on through a channel nor
-- settled to its bank. It takes the place of `ledger_held_back` less `ledger_settled`.
create function ledger_not_payable(org bigint) returns bigint language plpgsql stable
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
      where o.org_id = org and c.org_id <> 1)
      - (select coalesce(-sum(f.amount), 0) from fund_flows f
      join ledger_voucher_keys k on k.key = 'st:' || f.config_id || ':' || f.flow_no
      where f.org_id = org and org <> 1 and f.kind = 'SETTLE'));
end $$;
revoke execute on function ledger_not_payable(bigint) from public;
grant execute on function ledger_not_payable(bigint) to huodao_app;
drop function ledger_held_back(bigint);
drop function ledger_settled(bigint);
