import { sql } from 'kysely'
import type { Db } from '../../server/database.ts'
import { forecastStatement } from './server/forecasts.ts'

/**
 * Visits of the last two weeks, as the flows of the demo business tell them; one that waits for an
 * operator, and what is still missing at the emptiest machines of an operator on a pick list.
 */
export async function seedReplenishment(db: Db, now: Date): Promise<void> {
  await sql`
    with flow as (
      select f.org_id, f.device_id, f.lane_id, f.cargo_road, f.product_id, f.actor_id,
        f.occurred_at, f.before_total, f.change_total, count(*) filter (where f.late) over (
          partition by f.device_id order by f.occurred_at, f.id) as nth
      from (select *, coalesce(occurred_at - lag(occurred_at) over (partition by device_id
          order by occurred_at, id) > interval '30 minutes', true) as late
        from stock_flows where reason = 'REFILL' and actor_kind = 'USER' and actor_id is not null
          and occurred_at > ${now}::timestamptz - interval '14 days'
          and created_at > ${now}::timestamptz - interval '15 days') f),
    visit as (
      select org_id, device_id, nth, min(actor_id) as user_id, min(occurred_at) as started_at,
        max(occurred_at) as ended_at, sum(change_total) as added
      from flow group by org_id, device_id, nth),
    made as (
      insert into replenishment_visits (client_id, org_id, device_id, user_id, source, state,
        started_at, submitted_at, posted_at, added)
      select gen_random_uuid(), org_id, device_id, user_id,
        case when device_id % 3 = 0 then 'PHONE' else 'PANEL' end, 'POSTED',
        started_at - interval '4 minutes', ended_at + interval '2 minutes',
        ended_at + interval '2 minutes', added
      from visit returning id, device_id, started_at)
    insert into replenishment_items (org_id, device_id, visit_id, lane_id, road_index, product_id,
      done_at, added_qty, state, before_qty, after_qty)
    select f.org_id, f.device_id, m.id, f.lane_id, min(f.cargo_road), min(f.product_id),
      max(f.occurred_at), sum(f.change_total), 'POSTED', min(f.before_total),
      min(f.before_total) + sum(f.change_total)
    from flow f join visit v on v.device_id = f.device_id and v.nth = f.nth
    join made m on m.device_id = f.device_id
      and m.started_at = v.started_at - interval '4 minutes'
    group by f.org_id, f.device_id, m.id, f.lane_id`.execute(db)
  await sql`
    with visit as (
      insert into replenishment_visits (client_id, org_id, device_id, user_id, source, state,
        started_at, submitted_at)
      select gen_random_uuid(), a.org_id, a.device_id, a.user_id, 'PHONE', 'SUBMITTED',
        ${now}::timestamptz - interval '3 hours', ${now}::timestamptz - interval '2 hours'
      from device_assignments a join device_states s on s.device_id = a.device_id
      where a.kind = 'REPLENISHER' and a.to_at is null and s.lanes_low > 0
      order by a.id limit 1 returning *)
    insert into replenishment_items (org_id, device_id, visit_id, lane_id, road_index, product_id,
      counted_qty, counted_at, done_at, added_qty)
    select v.org_id, v.device_id, v.id, l.id, l.road_index, l.product_id, l.quantity,
      v.started_at, v.started_at + interval '10 minutes', l.capacity - l.quantity
    from visit v join lanes l on l.device_id = v.device_id and l.archived_at is null
      and l.product_id is not null and l.capacity > l.quantity`.execute(db)
  // what two phones found does not fit to what the lanes are
  await sql`
    with visit as (select v.*, row_number() over (order by v.posted_at desc) as nth
      from replenishment_visits v where v.source = 'PHONE' and v.state = 'POSTED'
        and v.org_id = (select u.org_id from users u where u.username = 'replenisher')
      order by v.posted_at desc limit 2),
    lane as (select distinct on (v.id) v.id as visit_id, v.org_id, v.device_id, v.nth,
        v.posted_at, i.lane_id, i.road_index, i.product_id, i.after_qty
      from visit v join replenishment_items i on i.visit_id = v.id order by v.id, i.road_index),
    partly as (update replenishment_visits v set state = 'PARTIAL', door_seconds = 540,
        checks = '{CLEAN,SCREEN}' from lane where v.id = lane.visit_id)
    insert into visit_conflicts (org_id, device_id, visit_id, lane_id, road_index, product_id,
      kind, error, counted_qty, counted_at, added_qty, system_qty, diff_before, diff_after,
      default_at, created_at)
    select org_id, device_id, visit_id, lane_id, road_index, product_id,
      case nth when 1 then 'VEND_NEAR' else 'PRODUCT_CHANGED' end,
      case nth when 1 then 'vendNear' else 'productChanged' end,
      case nth when 1 then greatest(after_qty - 1, 0) end, case nth when 1 then posted_at end,
      case nth when 1 then 0 else 3 end, after_qty, case nth when 1 then 0 end,
      case nth when 1 then -1 end,
      case nth when 1 then ${now}::timestamptz + interval '20 hours' end,
      ${now}::timestamptz - interval '40 minutes'
    from lane`.execute(db)
  await sql`
    with emptiest as (select device_id, org_id from (select s.device_id, s.org_id, row_number()
        over (partition by s.org_id order by s.lanes_sold_out desc, s.device_id) as nth
        from device_states s where s.lanes_sold_out > 0) s where nth <= 3),
    wanted as (select l.*, l.capacity - l.quantity as planned from lanes l
      join emptiest using (device_id, org_id) where l.archived_at is null
        and l.product_id is not null and l.capacity > l.quantity),
    list as (insert into pick_lists (org_id, user_id, devices, pieces, created_at)
      select w.org_id, (select min(u.id) from users u where u.org_id = w.org_id),
        count(distinct w.device_id), sum(w.planned), ${now}::timestamptz - interval '1 hour'
      from wanted w group by w.org_id returning id, org_id)
    insert into pick_list_items (org_id, pick_list_id, device_id, lane_id, product_id, planned)
    select w.org_id, list.id, w.device_id, w.id, w.product_id, w.planned
    from wanted w join list using (org_id)`.execute(db)
  await forecastStatement(
    now,
    sql`select id from devices where lifecycle in ('OPERATING','PAUSED')`,
  ).execute(db)
}
