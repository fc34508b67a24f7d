-- What a strategy is for besides the machines bound to it: lanes, or goods of categories, on some
-- machines or on all of its organisation. The closest counts: lane, then category, then machine.
alter table split_strategy_versions
  add lane_ids bigint[] not null default '{}' check (cardinality(lane_ids) <= 500),
  add category_ids bigint[] not null default '{}' check (cardinality(category_ids) <= 50),
  add device_ids bigint[] not null default '{}' check (cardinality(device_ids) <= 500),
  add check (device_ids = '{}' or category_ids <> '{}');
-- whether its newest published version is for lanes or categories: most are not
alter table split_strategies add scoped boolean not null default false;
create index split_strategies_scoped on split_strategies (org_id) where scoped;

-- Whether a published version counts at a moment: at once unless a later time was said, also when
-- the clock was set back since.
create function split_counts(valid_from timestamptz, published_at timestamptz, at timestamptz)
returns boolean language sql immutable as $$ select valid_from <= at or valid_from <= published_at $$;
-- The version under which a piece is sold at a moment; null: none. Whoever calls sees the rows.
create function split_version_of(org bigint, device bigint, lane bigint, product bigint,
  at timestamptz) returns bigint language sql stable set search_path = public, pg_temp as $$
  select id from (
    select v.id, case when lane = any(v.lane_ids) then 3
      when (v.device_ids = '{}' or device = any(v.device_ids)) and exists (select from products p
        where p.id = product and p.category_id = any(v.category_ids)) then 2 end as rank
    from split_strategies s cross join lateral (select v.* from split_strategy_versions v
      where v.strategy_id = s.id and v.state = 'PUBLISHED' and split_counts(v.valid_from, v.published_at, at)
      order by v.version_no desc limit 1) v
    where s.org_id = org and s.scoped and s.state = 'PUBLISHED'
    union all
    select v.id, 1 from split_bindings b cross join lateral (select v.id
      from split_strategy_versions v
      where v.strategy_id = b.strategy_id and v.state = 'PUBLISHED' and split_counts(v.valid_from, v.published_at, at)
      order by v.version_no desc limit 1) v
    where b.device_id = device and b.org_id = org and b.released_at is null) c
  where rank is not null order by rank desc, id desc limit 1
$$;

-- Deeds upon many machines, so that one can be taken back as a whole.
alter table split_bindings add bound_act uuid, add released_act uuid;
create index split_bindings_bound_act on split_bindings (bound_act) where bound_act is not null;
create index split_bindings_released_act on split_bindings (released_act)
  where released_act is not null;
