import { sql } from 'kysely'
import type { Db } from '../../server/database.ts'
import { rowsOf } from '../../server/rows.ts'
import { shanghaiDay } from '../../shared/instants.ts'
import { counterStatements } from '../machines/server/counters.ts'

/** A batch of each of the first dozen products that an operator sells, from one of his suppliers. */
export async function seedBatches(db: Db, now: Date): Promise<void> {
  const today = shanghaiDay(now)
  await sql`
    insert into batches (org_id, product_id, supplier_id, batch_no, produced_on, expires_on,
      cost_price, created_at)
    select x.org_id, x.product_id, s.id,
      to_char(${today}::date - 70 - x.n::int, 'YYYYMMDD') || chr(64 + x.n::int),
      ${today}::date - 70 - x.n::int,
      case when x.drug then ${today}::date + 300 + 40 * x.n::int
        else ${today}::date - 9 + 13 * x.n::int end,
      x.cost_price, ${now}::timestamptz - interval '65 days' + x.n * interval '1 hour'
    from (select l.org_id, l.product_id, p.cost_price, p.drug_class <> 'NONE' as drug,
        row_number() over (partition by l.org_id order by l.product_id) as n
      from lanes l join products p on p.id = l.product_id
      where l.archived_at is null group by 1, 2, 3, 4) x
    cross join lateral (select s.id from suppliers s
      where s.org_id = x.org_id and s.status = 'ENABLED' and s.supplies_drugs = x.drug
      order by (s.id + x.n) % 2, s.id limit 1) s
    where x.n <= 12`.execute(db)
}

/** Of which batch the goods of a lane are, all the time. */
export async function batchesOfLanes(db: Db) {
  const rows = await rowsOf<{ laneId: number; id: number; batchNo: string }>(db)`
    select l.id as "laneId", b.id, b.batch_no as "batchNo" from lanes l
    join batches b on b.org_id = l.org_id and b.product_id = l.product_id
    where l.archived_at is null`
  return new Map(rows.map((row) => [row.laneId, row]))
}

/** What the history has left of them, and the recall of one that is a drug. */
export async function seedLayers(db: Db, now: Date): Promise<void> {
  await sql`with y as (
      insert into lane_layers (org_id, device_id, lane_id, pos, batch_id, qty)
      select l.org_id, l.device_id, l.id, 1, b.id, l.quantity from lanes l
      join batches b on b.org_id = l.org_id and b.product_id = l.product_id
      where l.archived_at is null and l.quantity > 0 returning lane_id, batch_id)
    update lanes l set layered = true, goods_expire_on = b.expires_on
    from y join batches b on b.id = y.batch_id where l.id = y.lane_id`.execute(db)
  await sql`update batches set status = 'RECALLED', recall_level = 'II',
      recall_no = '粤药监召〔2026〕18号', recall_reason = '标签批号印刷模糊',
      recalled_at = ${now}::timestamptz - interval '3 hours'
    where id = (select b.id from batches b join products p on p.id = b.product_id
      where p.drug_class <> 'NONE' order by b.id limit 1)`.execute(db)
  const locked = await rowsOf<{ id: number }>(db)`
    update lanes l set status = 'LOCKED', lock_reason = 'RECALL'
    where l.status = 'ENABLED' and l.id in (select y.lane_id from lane_layers y
      join batches b on b.id = y.batch_id where b.status = 'RECALLED')
    returning l.device_id as id`
  const devices = [...new Set(locked.map(({ id }) => id))]
  if (devices.length)
    for (const statement of counterStatements(devices)) await statement.execute(db)
}

/**
 * The board of that recall, and one that has ended; boxes with codes in the store and in lanes,
 * where the first sales take them.
 */
export async function seedRecalls(db: Db, now: Date): Promise<void> {
  await sql`insert into recalls (org_id, batch_id, level, recall_no, reason, recalled_by,
      recalled_at, due_at)
    select b.org_id, b.id, b.recall_level, b.recall_no, b.recall_reason, (select u.id from users u
        where u.org_id = b.org_id order by u.id limit 1),
      b.recalled_at, b.recalled_at + interval '2 days'
    from batches b where b.status = 'RECALLED'`.execute(db)
  await sql`insert into device_shadows (device_id, kind, org_id, wanted, wanted_at, delivered,
      applied, answered_at)
    select x.device_id, 'RECALLS', x.org_id, 1, x.recalled_at, x.known, x.known,
      case when x.known = 1 then x.recalled_at + interval '40 seconds' end
    from (select y.device_id, y.org_id, r.recalled_at,
        (row_number() over (order by y.device_id) % 3 <> 0)::int as known
      from recalls r join lane_layers y on y.batch_id = r.batch_id group by 1, 2, 3) x`.execute(db)
  await sql`insert into recall_devices (recall_id, device_id, org_id, version, lanes, pieces)
    select r.id, y.device_id, y.org_id, 1, count(*), sum(y.qty)
    from recalls r join lane_layers y on y.batch_id = r.batch_id group by 1, 2, 3`.execute(db)
  await sql`insert into recall_people (recall_id, user_id, org_id, told_at)
    select distinct r.id, u.id, u.org_id, r.recalled_at from recalls r
    join recall_devices v on v.recall_id = r.id
    join device_assignments a on a.device_id = v.device_id and a.kind = 'REPLENISHER'
      and a.to_at is null
    join users u on u.id = a.user_id`.execute(db)
  // one that is over: the goods were found good, what was damaged was destroyed before a witness
  await sql`with b as (select b.id, b.org_id, x.url as licence, (array(select u.id from users u
        where u.org_id = b.org_id order by u.id limit 2)) as people
      from batches b left join lateral (select p.url from uploads p where p.org_id = b.org_id
        and p.kind = 'IMAGE' order by p.id limit 1) x on true
      where b.status = 'NORMAL' and (select count(*) from users u where u.org_id = b.org_id) > 1
      order by b.org_id = (select u.org_id from users u where u.username = 'operator') desc, b.id
      limit 1),
    r as (insert into recalls (org_id, batch_id, level, recall_no, reason, recalled_by,
        recalled_at, due_at, destroyed_qty, asked_by, asked_at, end_reason, ended_by, ended_at)
      select org_id, id, 'I', '粤药监召〔2026〕11号', '外包装破损', people[1],
        ${now}::timestamptz - interval '20 days', ${now}::timestamptz - interval '19 days',
        case when licence is null then 0 else 6 end,
        people[1], ${now}::timestamptz - interval '20 hours' - interval '19 days',
        '复检合格，破损的已销毁', people[2], ${now}::timestamptz - interval '19 days' from b
      returning id, org_id)
    insert into recall_destructions (org_id, recall_id, qty, done_by, witness_id, photos, remark,
      created_at)
    select r.org_id, r.id, 6, b.people[1], b.people[2], array[b.licence], '送危废处置中心',
      ${now}::timestamptz - interval '19 days' from r, b where b.licence is not null`.execute(db)
  await seedCodes(db, now)
  await codeLanes(db, now)
}

/** The number of a box as 码上放心 writes it: twenty digits. */
const code = (n: string) => sql`'8158' || lpad((${sql.raw(n)})::text, 16, '0')`

async function seedCodes(db: Db, now: Date): Promise<void> {
  const ago = (interval: string) => sql`${now}::timestamptz - ${interval}::interval`
  // in the store
  await sql`insert into trace_codes (code, org_id, batch_id, created_at)
    select ${code('b.id * 10000 + g')}, b.org_id, b.id, ${ago('30 days')}
    from (select b.* from batches b join products p on p.id = b.product_id
      where b.status = 'NORMAL' and (p.drug_class <> 'NONE'
        or b.org_id = (select u.org_id from users u where u.username = 'operator'))
      order by p.drug_class = 'NONE' desc, b.id limit 5) b,
      generate_series(1, 12) g`.execute(db)
  // in front of what lies in some lanes: they are sold first
  const lanes = await rowsOf<Loaded>(db)`
    with l as (
      select l.id, l.org_id, l.device_id, d.rtu_number, l.road_index, l.product_id, p.name,
        l.quantity, l.last_flow_seq, y.batch_id, y.pos, b.batch_no
      from lanes l join devices d on d.id = l.device_id join products p on p.id = l.product_id
      join lane_layers y on y.lane_id = l.id join batches b on b.id = y.batch_id
      where p.drug_class <> 'NONE' and p.trace_required = false and l.status = 'ENABLED'
        and b.status = 'NORMAL'
        and l.quantity + 3 <= l.capacity and b.received_qty is null
      order by l.device_id desc, l.id limit 4),
    codes as (insert into trace_codes (code, org_id, batch_id, created_at)
      select ${code('l.batch_id * 10000 + 8000 + l.id % 500 * 3 + g')}, b.org_id, b.id,
        ${ago('9 days')}
      from l join batches b on b.id = l.batch_id, generate_series(1, 3) g
      returning code, batch_id),
    own as (select l.*, array(select ${code('l.batch_id * 10000 + 8000 + l.id % 500 * 3 + g')}
        from generate_series(1, 3) g) as codes from l),
    y as (insert into lane_layers (org_id, device_id, lane_id, pos, batch_id, qty, coded)
      select org_id, device_id, id, pos - 1, batch_id, 3, true from own),
    moved as (update lanes t set quantity = t.quantity + 3, last_flow_seq = t.last_flow_seq + 1
      from own where t.id = own.id)
    select id, org_id as "orgId", device_id as "deviceId", rtu_number, road_index, product_id, name,
      quantity, last_flow_seq + 1 as seq, batch_id, batch_no, codes from own`
  await writeFlows(
    db,
    now,
    lanes.map((lane) => ({ ...lane, change: 3 })),
  )
  for (const statement of counterStatements([...new Set(lanes.map((l) => l.deviceId))]))
    await statement.execute(db)
}

type Loaded = { deviceId: number; quantity: number; seq: number } & Record<string, unknown>
/** Apart: their trigger looks for the codes. `quantity`: before them. */
async function writeFlows(db: Db, now: Date, flows: readonly (Loaded & { change: number })[]) {
  await sql`insert into stock_flows (org_id, created_at, id, waste_num, device_id, rtu_number,
      lane_id, lane_seq, cargo_road, product_id, product_name, type, reason, before_total,
      change_total, after_total, actor_kind, occurred_at, batch_id, batch_no, codes)
    select "orgId", ${now}::timestamptz, n.id, to_char(${now}::timestamptz
        at time zone 'Asia/Shanghai', 'YYYYMMDD') || lpad(n.id::text, 12, '0'),
      "deviceId", rtu_number, x.id, seq, road_index, product_id, name,
      case when change > 0 then 'MERCHANT_REPLENISH' else 'MERCHANT_WITHDRAW' end,
      case when change > 0 then 'REFILL' else 'TAKE_BACK' end, quantity, change, quantity + change,
      'SYSTEM', ${now}::timestamptz, batch_id, batch_no, codes
    from (select nextval('stock_flows_id_seq') as id, i from
        generate_series(1, ${flows.length}::int) i) n
    join jsonb_to_recordset(${JSON.stringify(flows.map((flow, i) => ({ ...flow, i: i + 1 })))}::jsonb)
      as x(i int, id bigint, "orgId" bigint, "deviceId" bigint, rtu_number text, road_index int,
        product_id bigint, name text, quantity int, change int, seq bigint, batch_id bigint,
        batch_no text, codes text[]) using (i)
    order by i`.execute(db)
}

/**
 * Goods whose boxes have codes: taken out, scanned and put back. Not in the first lane of them, nor
 * where somebody doubts them: these are not sold.
 */
async function codeLanes(db: Db, now: Date): Promise<void> {
  const lanes = await rowsOf<Loaded & { codes: string[] }>(db)`
    with l as (
      select l.id, l.org_id, l.device_id, d.rtu_number, l.road_index, l.product_id, p.name,
        l.quantity, l.last_flow_seq, y.batch_id, b.batch_no, b.org_id as batch_org,
        sum(l.quantity) over (partition by y.batch_id order by l.id) - l.quantity as before
      from lanes l join devices d on d.id = l.device_id join products p on p.id = l.product_id
      join lane_layers y on y.lane_id = l.id join batches b on b.id = y.batch_id
      where p.drug_class <> 'NONE' and p.trace_required is null and b.status = 'NORMAL'
        and l.lock_reason is distinct from 'TRACE_CODE' and l.id > (select min(f.id) from lanes f
          where f.product_id = p.id and f.status = 'ENABLED' and f.quantity > 0)),
    own as (select l.*, array(select ${code('l.batch_id * 10000 + 100 + l.before + g')}
        from generate_series(1, l.quantity) g) as codes from l),
    made as (insert into trace_codes (code, org_id, batch_id, created_at)
      select c, batch_org, batch_id, ${now}::timestamptz - interval '9 days'
      from own cross join unnest(codes) c),
    coded as (update lane_layers y set coded = true from own where y.lane_id = own.id),
    moved as (update lanes t set last_flow_seq = t.last_flow_seq + 2 from own where t.id = own.id)
    select id, org_id as "orgId", device_id as "deviceId", rtu_number, road_index, product_id, name,
      quantity, last_flow_seq + 1 as seq, batch_id, batch_no, codes from own order by id`
  await writeFlows(
    db,
    now,
    lanes.flatMap((lane) => [
      { ...lane, change: -lane.quantity, codes: null },
      { ...lane, quantity: 0, seq: lane.seq + 1, change: lane.quantity },
    ]),
  )
}
