import { sql } from 'kysely'
import type { Db } from '../../server/database.ts'
import { dayMs, shanghaiDay, startOfDay } from '../../shared/instants.ts'
import { dice, lanesOfMachine, type Size } from './world.ts'

/**
 * Sales by their number, in the order of time: order `n` is the same whatever comes before it. What
 * goes on from one part to the next (what lanes sold, what strategies shared out, ids) is kept in
 * temporary tables. Everything of a part is made of four temporary tables, in one transaction.
 */
export type Span = { readonly size: Size; readonly now: Date }

/** Hours between which a tenth of a day's sales lies. */
const hours = [0, 7.5, 9, 10.5, 12, 13, 15, 17, 18.5, 20.5, 24]
/** So many are sold of a lane before somebody fills it up again. */
const refillAfter = 10

/** What part of a day's sales lies before this hour. */
const partOfDay = (hour: number): number => {
  const at = Math.max(
    0,
    hours.findLastIndex((from) => from <= hour),
  )
  const [from = 0, to = 24] = hours.slice(at, at + 2)
  return (at + (hour - from) / (to - from)) / (hours.length - 1)
}

/** The day of the first sale, and how many days of sales there are until a quarter of an hour ago. */
export function timesOf({ size, now }: Span): { first: Date; days: number } {
  const today = startOfDay(shanghaiDay(now))
  const hour = (now.getTime() - 15 * 60_000 - today.getTime()) / 3_600_000
  return {
    first: new Date(today.getTime() - (size.days - 1) * dayMs),
    days: size.days - 1 + (hour > 0 ? partOfDay(hour) : 0),
  }
}

export async function startSales(db: Db): Promise<void> {
  await sql`create temporary table scale_ids as select
    (select coalesce(max(id), 0) from orders) as orders,
    (select coalesce(max(id), 0) from payments) as payments,
    (select coalesce(max(id), 0) from order_units) as units,
    (select coalesce(max(id), 0) from stock_flows) as flows,
    (select coalesce(max(id), 0) from split_orders) as splits,
    (select coalesce(max(voucher_id), 0) from ledger_voucher_keys) as vouchers`.execute(db)
  await sql`create temporary table scale_shared as
    select strategy_id, 0::bigint as base from scale_machines
    where strategy_id is not null group by 1`.execute(db)
  await sql`insert into ledger_accounts (org_id, code)
    select o.id, c.code from scale_orgs o cross join (values ('1001'), ('2001'), ('2002')) c(code)
    union select 1, '2002' on conflict (party, code, config_id) do nothing`.execute(db)
  await sql`create temporary table scale_accounts as select id, org_id, code from ledger_accounts
    where config_id is null and code in ('1001','2001','2002')`.execute(db)
  await sql`analyze scale_accounts`.execute(db)
  await sql`insert into stock_flows (org_id, created_at, id, waste_num, device_id, rtu_number, lane_id,
      lane_seq, cargo_road, product_id, product_name, type, reason, before_total, change_total,
      after_total, actor_kind, occurred_at)
    select m.org_id, d.created_at, i.flows + row_number() over w,
      to_char(d.created_at, 'YYYYMMDD') || lpad((i.flows + row_number() over w)::text, 12, '0'),
      m.id, m.rtu_number, l.id, 1, l.road, l.product_id, l.name, 'MERCHANT_REPLENISH', 'REFILL', 0,
      l.capacity, l.capacity, 'SYSTEM', d.created_at
    from scale_lanes l join scale_machines m on m.no = l.no join devices d on d.id = m.id
    cross join scale_ids i window w as (order by l.id)`.execute(db)
  await sql`update scale_ids set flows = flows + (select count(*) from scale_lanes)`.execute(db)
}

/** Sales `from` to `to`, counted from 1. */
export async function fillSales(db: Db, span: Span, from: number, to: number): Promise<void> {
  await makeSales(db, span, from, to)
  await writeGoods(db)
  await writeMoney(db, span)
  await writeShares(db, span)
  await writeVouchers(db)
  await sql`update scale_ids i set units = i.units + (select count(*) from su),
    flows = i.flows + (select count(*) from sf), splits = i.splits + (select count(*) from ss),
    vouchers = i.vouchers + (select count(*) from sv)`.execute(db)
  await sql`update scale_lanes l set sold = l.sold + n.sold from (select lane_id, count(*) as sold
    from su where left_it group by 1) n where n.lane_id = l.id`.execute(db)
  await sql`update scale_shared s set base = n.base from (select strategy_id, max(until) as base
    from sg group by 1) n where n.strategy_id = s.strategy_id`.execute(db)
}

/** `so` are orders, `su` their pieces, `sf` the flows of lanes. */
async function makeSales(db: Db, span: Span, from: number, to: number): Promise<void> {
  const { size, now } = span
  const { first, days } = timesOf(span)
  const table = (name: string, text: ReturnType<typeof sql>) =>
    sql`create temporary table ${sql.table(name)} on commit drop as ${text}`.execute(db)
  await table(
    'so',
    sql`select n, i.orders + n as id, i.payments + n as payment_id,
      to_char(at at time zone 'Asia/Shanghai', 'YYYYMMDD') || lpad((i.orders + n)::text, 12, '0') as num,
      at, m.no, m.id as device_id, m.org_id, m.rtu_number, m.nickname, m.drop_sensor, m.version_id,
      m.strategy_id, m.parties, m.bounds, closed, pieces, n > ${size.orders - size.unsplit}::int as open,
      not closed and pieces = 1 and ${sql.raw(dice('n', 5))} < 0.004
        and at < ${new Date(now.getTime() - 3 * dayMs)}::timestamptz as returned,
      case when ${sql.raw(dice('n', 6))} < 0.68 then 'WECHAT' else 'ALIPAY' end as pay_type
    from (select n, ${sql.raw(dice('n', 1))} as m, ${sql.raw(dice('n', 2))} < 0.03 as closed,
        case when ${sql.raw(dice('n', 3))} < 0.82 then 1 when ${sql.raw(dice('n', 3))} < 0.95 then 2
          else 3 end as pieces,
        date_trunc('milliseconds', ${first}::timestamptz + make_interval(days => day,
          secs => 3600 * (h[tenth + 1] + (part - tenth) * (h[tenth + 2] - h[tenth + 1])))) as at
      from (select *, least(9, floor(part))::int as tenth from (select n, floor(x)::int as day,
          (x - floor(x)) * 10 as part, ${hours}::float8[] as h
        from (select n, (n - 0.5) * ${days}::float8 / ${size.orders}::int as x
          from generate_series(${from}::int, ${to}::int) n) x) x) x) s
    join scale_machines m on m.no = floor(${size.machines}::int * power(s.m, 1.6))::int cross join scale_ids i`,
  )
  await sql`analyze so`.execute(db)
  await table(
    'su',
    sql`with p as materialized (
      select o.*, unit_no, ${sql.raw(dice('(o.n * 8 + unit_no)', 7))} as fate,
        floor(${lanesOfMachine}::int * ${sql.raw(dice('(o.n * 8 + unit_no)', 8))})::int as place
      from so o cross join generate_series(1, o.pieces) unit_no)
    select u.*, i.units + row_number() over (order by n, unit_no) as id,
      not closed and not failed as left_it,
      case when not closed and not failed then sold + row_number() over (
        partition by lane_id, not closed and not failed order by finished, n, unit_no) end as sale
    from (select p.n, p.id as order_id, p.num, p.at, p.org_id, p.device_id, p.rtu_number, p.drop_sensor,
        p.version_id, p.closed, p.returned, p.unit_no, l.id as lane_id, l.road, l.product_id, l.name,
        l.model, l.img, l.drug_class, l.price, l.cost, l.capacity, l.sold,
        p.at + interval '6 seconds' * (1 + p.unit_no) as finished,
        not p.closed and not p.returned and p.fate < 0.012 as failed
      from p join scale_lanes l on l.no = p.no and l.place = p.place) u
    cross join scale_ids i`,
  )
  await sql`analyze su`.execute(db)
  await table(
    'sf',
    sql`select f.*, i.flows + row_number() over (order by made, lane_id, seq) as id
    from (select lane_id, finished as made, id as unit_id, -1 as change,
        capacity - (sale - 1) % ${refillAfter}::int as before,
        sale + 1 + (sale - 1) / ${refillAfter}::int as seq
      from su where left_it
      union all select lane_id, finished + interval '1 millisecond', null, ${refillAfter}::int,
        capacity - ${refillAfter}::int, sale + 1 + sale / ${refillAfter}::int
      from su where left_it and sale % ${refillAfter}::int = 0) f cross join scale_ids i`,
  )
  await sql`create index on sf (unit_id)`.execute(db)
  await table(
    'sm',
    sql`select order_id, sum(price)::bigint as total, (sum(price)::bigint * 60 + 5000) / 10000 as fee,
      coalesce(sum(price) filter (where failed), 0)::bigint as failed, bool_or(failed) as any_failed,
      max(finished) as finished, coalesce(sum(cost) filter (where left_it), 0) as cost,
      (array_agg(name || ' ' || model order by unit_no))[1] as detail,
      (array_agg(img order by unit_no))[1] as img
    from su group by 1`,
  )
  await sql`create unique index on sm (order_id)`.execute(db)
  await sql`analyze sf, sm`.execute(db)
}

async function writeGoods(db: Db): Promise<void> {
  await sql`insert into order_keys (order_num, order_id, org_id, device_id, created_at)
    select num, id, org_id, device_id, at from so order by id`.execute(db)
  await sql`insert into orders (org_id, created_at, id, order_num, device_id, rtu_number, device_name,
      consumer, channel, order_type, pay_type, pay_state, order_status, fail_reason, detail, img,
      pieces, total_amount, payable_amount, paid_amount, refunded_amount, cost_amount, expire_at,
      paid_at, closed_at, final_at)
    select org_id, at, id, num, device_id, rtu_number, nickname,
      'wx-' || lpad((hashint8extended(id, 9) & 65535)::text, 6, '0'), 'MACHINE', 'SCAN', pay_type, state,
      case when state in ('CLOSED', 'REFUNDED') then state when drop_sensor then 'SUCCESS'
        else 'SHIPPED' end,
      case when any_failed then case when drop_sensor then 'NO_DROP' else 'MOTOR_NOT_MOVE' end end,
      detail || ' ×1' || case when pieces > 1 then ' +' || pieces - 1 else '' end, img, pieces, total,
      total, case when closed then 0 else total end, refunded, cost, at + interval '3 minutes',
      case when not closed then at + interval '7 seconds' end,
      case when closed then at + interval '181 seconds' end,
      case when not closed then finished + interval '2 seconds' end
    from (select *, case when closed then 'CLOSED' when refunded = 0 then 'PAID'
        when refunded = total then 'REFUNDED' else 'PART_REFUNDED' end as state
      from (select o.*, m.total, m.any_failed, m.detail, m.img, m.cost, m.finished,
          case when o.returned then m.total else m.failed end as refunded
        from so o join sm m on m.order_id = o.id) x) x order by id`.execute(db)
  await sql`insert into stock_flow_keys (unit_id, flow_id, org_id)
    select u.id, f.id, u.org_id from sf f join su u on u.id = f.unit_id order by u.id`.execute(db)
  await sql`insert into stock_flows (org_id, created_at, id, waste_num, device_id, rtu_number, lane_id,
      lane_seq, cargo_road, product_id, product_name, type, reason, before_total, change_total,
      after_total, unit_id, order_num, actor_kind, occurred_at)
    select m.org_id, f.made, f.id,
      to_char(f.made at time zone 'Asia/Shanghai', 'YYYYMMDD') || lpad(f.id::text, 12, '0'), m.id,
      m.rtu_number, f.lane_id, f.seq, l.road, l.product_id, l.name,
      case when f.change < 0 then 'CUSTOMER_TAKE' else 'MERCHANT_REPLENISH' end,
      case when f.change < 0 then 'SALE' else 'REFILL' end, f.before, f.change, f.before + f.change,
      f.unit_id, u.num, case when f.change < 0 then 'DEVICE' else 'SYSTEM' end, f.made
    from sf f join scale_lanes l on l.id = f.lane_id join scale_machines m on m.no = l.no
    left join su u on u.id = f.unit_id order by f.id`.execute(db)
  await sql`insert into order_units (org_id, created_at, id, order_id, order_num, unit_no, device_id,
      lane_id, road, product_id, product_name, model, drug_class, img, list_price, discount, paid, cost,
      attempt, vend_state, hold, fail_reason, drop_confirmed, sent_at, acked_at, finished_at, flow_id,
      refund_state, split_version_id)
    select u.org_id, u.at, u.id, u.order_id, u.num, u.unit_no, u.device_id, u.lane_id, u.road,
      u.product_id, u.name, u.model, u.drug_class, u.img, u.price, 0, u.price, u.cost, 1,
      case when u.closed then 'WAIT' when u.failed then 'FAILED' else 'SUCCESS' end,
      case when u.left_it then 'CONSUMED' when u.failed and u.drop_sensor then 'COUNTED'
        else 'RELEASED' end,
      case when u.failed then case when u.drop_sensor then 'NO_DROP' else 'MOTOR_NOT_MOVE' end end,
      u.left_it and u.drop_sensor, case when not u.closed then u.finished - interval '4.5 seconds' end,
      case when not u.closed then u.finished - interval '4.1 seconds' end,
      case when not u.closed then u.finished end, f.id,
      case when u.failed or u.returned then 'SUCCESS' end, u.version_id
    from su u left join sf f on f.unit_id = u.id order by u.id`.execute(db)
}

/** `sr` are refunds, each with the part of the fee that came back with it. */
async function writeMoney(db: Db, { now }: Span): Promise<void> {
  await sql`create temporary table sr on commit drop as
    select u.*, num || '-0' || unit_no as refund_no,
      m.fee * (sum(u.price) over w)::bigint / m.total
        - m.fee * ((sum(u.price) over w)::bigint - u.price) / m.total as share,
      u.finished + case when u.returned then interval '2 days' else interval '0' end as asked
    from su u join sm m on m.order_id = u.order_id where u.failed or u.returned
    window w as (partition by u.order_id order by u.unit_no)`.execute(db)
  await sql`insert into payments (id, org_id, device_id, order_id, order_at, order_num, out_trade_no,
      provider, provider_trade_no, amount, fee_amount, refunded_amount, state, applied, paid_at,
      created_at)
    select o.payment_id, o.org_id, o.device_id, o.id, o.at, o.num, 'HD' || o.num, 'SIMULATOR',
      case when not o.closed then '4200' || o.num end, m.total, case when o.closed then 0 else m.fee end,
      case when o.returned then m.total else m.failed end,
      case when o.closed then 'CLOSED' else 'SUCCESS' end, not o.closed,
      case when not o.closed then o.at + interval '7 seconds' end, o.at
    from so o join sm m on m.order_id = o.id order by o.id`.execute(db)
  // what the channel told of the last days: its bills say the same
  await sql`insert into payment_events (org_id, payment_id, provider, event_id, kind, raw, outcome,
      created_at)
    select o.org_id, o.payment_id, 'SIMULATOR', 'scale-' || o.num, 'PAID', jsonb_build_object(
      'eventId', 'scale-' || o.num, 'outTradeNo', 'HD' || o.num, 'tradeNo', '4200' || o.num, 'amount',
      m.total, 'paidAt', o.at + interval '7 seconds'), 'APPLIED', o.at + interval '7 seconds'
    from so o join sm m on m.order_id = o.id
    where not o.closed and o.at >= ${new Date(now.getTime() - 5 * dayMs)}`.execute(db)
  await sql`insert into refunds (org_id, device_id, refund_no, payment_id, order_id, order_at, order_num,
      unit_id, unit_no, kind, amount, reason, automatic, state, attempts, provider_refund_no,
      created_at, succeeded_at)
    select r.org_id, r.device_id, r.refund_no, o.payment_id, o.id, o.at, o.num, r.id, r.unit_no, 'UNIT',
      r.price, case when r.returned then 'QUALITY' else 'NOT_DISPENSED' end, not r.returned, 'SUCCESS', 1,
      'SIM' || r.refund_no, r.asked, r.asked + interval '2 seconds'
    from sr r join so o on o.id = r.order_id order by r.id`.execute(db)
}

/**
 * `ss` are orders that are shared out, `sg` their pieces: so that each party has its ratio of all
 * pieces so far to the fen. What a party gets of a piece is the step of its share of that sum.
 */
async function writeShares(db: Db, { now }: Span): Promise<void> {
  await sql`create temporary table ss on commit drop as
    select o.*, m.total, m.fee as paid_fee, m.finished + interval '2 seconds' as over,
      m.failed = m.total as all_failed,
      i.splits + row_number() over (order by o.n) as split_id,
      (date_trunc('day', m.finished at time zone 'Asia/Shanghai') + interval '26 hours')
        at time zone 'Asia/Shanghai' as due
    from so o join sm m on m.order_id = o.id cross join scale_ids i
    where o.version_id is not null and not o.closed`.execute(db)
  await sql`analyze ss, sr`.execute(db)
  await sql`create temporary table sg on commit drop as
    select g.*, array(select g.until * g.bounds[p + 1] / 10000 - g.until * g.bounds[p] / 10000
        - ((g.until - g.base) * g.bounds[p + 1] / 10000 - (g.until - g.base) * g.bounds[p] / 10000)
      from generate_series(1, cardinality(g.parties)) p) as gives
    from (select x.*, s.base + sum(x.base) over (
        partition by x.strategy_id order by x.n, x.unit_no)::bigint as until
      from (select s.split_id, s.n, s.org_id, s.order_id, s.num, s.strategy_id, s.parties, s.bounds,
          s.returned, s.over, s.unit_id, s.unit_no, s.price, s.part as fee, s.price - s.part as base
        from (select s.*, u.order_id, u.unit_no, u.id as unit_id, u.price, s.left_fee
              * (sum(u.price) over w)::bigint / s.sold
              - s.left_fee * ((sum(u.price) over w)::bigint - u.price) / s.sold as part
          from (select s.*, s.total - coalesce(r.failed, 0) as sold,
              s.paid_fee - coalesce(r.share, 0) as left_fee
            from ss s left join (select order_id, sum(price)::bigint as failed,
              sum(share)::bigint as share from sr
              where failed group by 1) r on r.order_id = s.id
            where not s.open and not s.all_failed) s
          join su u on u.order_id = s.id and u.left_it
          window w as (partition by s.id order by u.unit_no)) s) x
      join scale_shared s on s.strategy_id = x.strategy_id) g`.execute(db)
  await sql`analyze sg`.execute(db)
  await sql`insert into split_orders (id, org_id, device_id, order_id, order_at, order_num, split_no,
      strategy_id, version_id, mode, paid, fee, state, due_at, accrued_at, done_at, touched_at,
      created_at)
    select s.split_id, s.org_id, s.device_id, s.id, s.at, s.num, s.num || '-S1', s.strategy_id,
      s.version_id, 'LEDGER', s.total, case when s.open then s.paid_fee else coalesce(g.fee, 0) end,
      case when s.open then 'WAIT' when s.all_failed then 'CLOSED' when s.returned then 'RETURNED'
        when s.due < ${now} then 'DONE' else 'READY' end,
      case when not s.open and not s.all_failed then s.due end,
      case when not s.open then s.over + interval '5 seconds' end,
      case when not s.open and not s.all_failed and s.due < ${now} then s.due + interval '3 seconds' end,
      case when s.open then s.over end, s.at + interval '7 seconds'
    from ss s left join (select split_id, sum(fee) as fee from sg group by 1) g using (split_id)
    order by s.split_id`.execute(db)
  await sql`insert into split_units (org_id, split_id, unit_id, unit_no, paid, fee, base, gives, carries,
      back_at)
    select org_id, split_id, unit_id, unit_no, price, fee, base, gives,
      array(select until * (bounds[p + 1] - bounds[p])
        - 10000 * (until * bounds[p + 1] / 10000 - until * bounds[p] / 10000)
        from generate_series(1, cardinality(parties)) p),
      case when returned then over + interval '2 days 5 seconds' end
    from sg order by unit_id`.execute(db)
  await sql`insert into split_shares (org_id, split_id, party_no, party_org_id, is_collector, given,
      returned)
    select org_id, split_id, p.no, max(parties[p.no]), p.no = 1, sum(gives[p.no]),
      sum(case when returned then gives[p.no] else 0 end)
    from sg cross join lateral generate_series(1, cardinality(parties)) p(no)
    group by org_id, split_id, p.no order by split_id, p.no`.execute(db)
}

async function writeVouchers(db: Db): Promise<void> {
  await sql`create temporary table sv on commit drop as
    select x.*, i.vouchers + row_number() over (order by at, key) as id from (
      select 'in:' || o.payment_id as key, 'V1' as type, o.org_id, o.at + interval '7 seconds' as at,
        o.id as order_id, o.num, array[o.org_id, o.org_id] as orgs, array['1001','2001'] as codes,
        array[m.total, -m.total]::bigint[] as amounts
      from so o join sm m on m.order_id = o.id where not o.closed
      union all select 'fee:' || o.payment_id, 'V2', o.org_id, o.at + interval '7 seconds', o.id,
        o.num, array[o.org_id, o.org_id], array['2001','1001'], array[m.fee, -m.fee]::bigint[]
      from so o join sm m on m.order_id = o.id where not o.closed and m.fee > 0
      union all select 'rf:' || refund_no, 'V6', org_id, asked + interval '2 seconds', order_id, num,
        array[org_id, org_id], array['2001','1001'], array[price - share, share - price]::bigint[]
      from sr
      union all select 'al:' || num || ':' || unit_no, 'V3', org_id, over + interval '5 seconds',
        order_id, num, org_id || parties,
        '2001'::text || array_fill('2002'::text, array[cardinality(parties)]),
        base || array(select -g from unnest(gives) with ordinality x(g, i) order by i)
      from sg
      union all select 'sr:' || num || '-0' || unit_no || ':' || parties[p], 'V7', org_id,
        over + interval '2 days 5 seconds', order_id, num, array[parties[p], org_id],
        array['2002','2001'], array[gives[p], -gives[p]]
      from sg cross join lateral generate_series(1, cardinality(parties)) p where returned) x
    cross join scale_ids i`.execute(db)
  await sql`insert into ledger_voucher_keys (key, voucher_id, org_id, created_at)
    select key, id, org_id, at from sv order by id`.execute(db)
  await sql`insert into ledger_entries (org_id, created_at, voucher_id, voucher_type, account_id,
      amount, order_id, order_num)
    select e.org, v.at, v.id, v.type, a.id, e.amount, v.order_id, v.num
    from sv v cross join lateral unnest(v.orgs, v.codes, v.amounts) e(org, code, amount)
    join scale_accounts a on a.org_id = e.org and a.code = e.code
    where e.amount <> 0 order by v.id`.execute(db)
}

/** What lanes hold, what parties are owed, carries of strategies, and where ids go on. */
export async function endSales(db: Db, { orders }: Size): Promise<void> {
  await sql`insert into ledger_balances (org_id, code, balance)
    select a.org_id, a.code, -sum(e.amount) from ledger_entries e
    join ledger_accounts a on a.id = e.account_id and a.code = '2002' group by 1, 2
    on conflict (party, code) do update set balance = excluded.balance`.execute(db)
  await sql`update lanes l set quantity = s.capacity - s.sold % ${refillAfter}::int,
      last_flow_seq = s.sold + 1 + s.sold / ${refillAfter}::int
    from scale_lanes s where s.id = l.id`.execute(db)
  await sql`insert into split_carries (org_id, strategy_id, collector_org_id, party_org_id, carry)
    select v.org_id, v.strategy_id, v.org_id, p.party_org_id,
      sum(u.base * p.ratio_bp - 10000 * u.gives[p.party_no])
    from split_units u join split_orders s on s.id = u.split_id
    join split_strategy_versions v on v.id = s.version_id join scale_orgs g on g.id = v.org_id
    join split_parties p on p.version_id = v.id
    where u.back_at is null group by 1, 2, 3, 4`.execute(db)
  await sql`select setval(pg_get_serial_sequence('organisations', 'id'), max(id)) from organisations`.execute(
    db,
  )
  await sql`select setval(pg_get_serial_sequence('devices', 'id'), max(id)) from devices`.execute(
    db,
  )
  await sql`select setval(pg_get_serial_sequence('payments', 'id'), ${orders}::bigint + payments),
    setval(pg_get_serial_sequence('split_orders', 'id'), splits),
    setval('orders_id_seq', ${orders}::bigint + orders),
    setval('order_num_seq', ${orders}::bigint + orders), setval('order_units_id_seq', units),
    setval('stock_flows_id_seq', flows), setval('ledger_vouchers_id_seq', vouchers)
    from scale_ids`.execute(db)
}
