select set_config('app.all', 'on', true);

-- Who bought packs of drugs with special compounds, one row a pack (decision 56): at most so many
-- for one person and day, wherever he buys them. What counts is said by the pack's state.
create table special_purchases (
  order_id bigint not null,
  unit_no integer not null,
  org_id bigint not null references organisations,
  device_id bigint not null references devices,
  -- where the order and its pieces lie
  order_at timestamptz not null,
  -- the day it counts for: that of its last try
  day date not null,
  -- a keyed digest of the number of the card: the same person, and nobody can tell who
  person bytea not null check (length(person) = 32),
  -- name and number as people may see them, and sealed as they were said
  buyer text not null check (length(buyer) between 1 and 60),
  card text not null check (length(card) = 18),
  sealed bytea not null,
  primary key (order_id, unit_no)
);
call app_protect('special_purchases', 'device_id');
call app_watch('special_purchases');
create index special_purchases_person on special_purchases (person, day);
create index special_purchases_org on special_purchases (org_id, order_at);
create index special_purchases_device on special_purchases (device_id, order_at);

-- Packs of these people that count for a day, whoever sold them: who sells sees only his own. What
-- did not leave, was not paid in time or was paid back does not count.
create function special_packs(people bytea[], on_day date) returns table (person bytea, packs integer)
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  earliest timestamptz;
  latest timestamptz;
begin
  select min(x.order_at), max(x.order_at) into earliest, latest from special_purchases x
  where x.person = any(people) and x.day = on_day;
  if earliest is null then return; end if;
  -- the months are said as constants, so that no others are opened
  return query execute format('select s.person, count(*)::int from special_purchases s
    join orders o on o.org_id = s.org_id and o.created_at = s.order_at and o.id = s.order_id
    join order_units u on u.org_id = s.org_id and u.created_at = s.order_at
      and u.order_id = s.order_id and u.unit_no = s.unit_no
    where s.person = any($1) and s.day = $2
      and o.created_at between %1$L and %2$L and u.created_at between %1$L and %2$L
      and o.pay_state <> ''CLOSED'' and u.vend_state not in (''FAILED'', ''VOID'')
      and u.refund_state is distinct from ''SUCCESS''
    group by s.person', earliest, latest) using people, on_day;
end $$;
