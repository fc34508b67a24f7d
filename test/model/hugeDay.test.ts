import { afterAll, beforeAll, expect, test } from 'vitest'
import { verifyDay } from '../../src/domains/reconciliation/server/run.ts'
import { withClient } from '../../src/server/catalogue.ts'
import { openWorld, place, rowId, type World } from '../support/world.ts'

/**
 * A day of few machines that sell much, as the planner meets it: its statistics are those of the
 * day before, and everything of the day hangs on some lanes.
 */
const orders = Number(process.env.HUGE_DAY_ORDERS ?? 20_000)
const day = '2026-11-21'
let world: World
beforeAll(async () => {
  world = await openWorld()
  await world.sql('analyze')
  await withClient(world.ownerUrl, async (owner) => {
    await owner.query(`select set_config('app.all', 'on', false)`)
    // a day of triggers would take minutes
    await owner.query('set session_replication_role = replica')
    for (const text of sold) await owner.query(text)
  })
}, 600_000)
afterAll(() => world?.close())

/** One in twenty is closed unpaid, of another a piece stays in the machine and its money goes back. */
const sold = [
  `create temp table o as select n, 1000000 + n as id, case when n % 2 = 0 then ${place.OWN}
      else ${place.SIBLING} end as org, case when n % 2 = 0 then ${rowId('OWN', 1)}
      else ${rowId('SIBLING', 1)} end as device, 1 + n / 2 % 2 as pieces,
      n % 20 = 0 as closed, n % 20 = 3 as failed,
      timestamptz '2026-11-20T17:00Z' + n * interval '20 hours' / ${orders} as at,
      '20261121' || lpad(n::text, 12, '0') as num
    from generate_series(1, ${orders}) n`,
  `create temp table u as select o.*, unit_no, 2000000 + n * 2 + unit_no as unit_id,
      device + unit_no - 1 as lane, case when closed then 'VOID'
        when failed and unit_no = 1 then 'FAILED' else 'SUCCESS' end as vend
    from o cross join generate_series(1, pieces) unit_no`,
  `create temp table f as select u.*, 5000000 + row_number() over (order by n, unit_no) as flow_id,
      row_number() over (partition by lane order by n, unit_no) as nth,
      count(*) over (partition by lane) as all_of_lane
    from u where vend = 'SUCCESS'`,
  `insert into orders (org_id, created_at, id, order_num, device_id, rtu_number, device_name, channel,
      order_type, pay_type, pay_state, order_status, detail, img, pieces, total_amount,
      payable_amount, paid_amount, refunded_amount, cost_amount, expire_at, paid_at, closed_at,
      final_at)
    select org, at, id, num, device, 'x', 'x', 'MACHINE', 'SCAN', 'WECHAT',
      case when closed then 'CLOSED' when not failed then 'PAID' when pieces = 1 then 'REFUNDED'
        else 'PART_REFUNDED' end,
      case when closed then 'CLOSED' else 'SUCCESS' end, 'x', 'x', pieces, pieces * 250,
      pieces * 250, case when closed then 0 else pieces * 250 end,
      case when failed then 250 else 0 end,
      case when closed then 0 else pieces - failed::int end * 100, at + interval '3 minutes',
      case when not closed then at end, case when closed then at end,
      case when not closed then at end
    from o`,
  `insert into order_keys (order_num, order_id, org_id, device_id, created_at)
    select num, id, org, device, at from o`,
  `insert into order_units (org_id, created_at, id, order_id, order_num, unit_no, device_id, lane_id,
      road, product_id, product_name, model, drug_class, img, list_price, discount, paid, cost,
      vend_state, hold, finished_at, flow_id, refund_state)
    select u.org, u.at, u.unit_id, u.id, u.num, u.unit_no, u.device, u.lane, 1, u.device, 'x', 'x',
      'NONE', 'x', 250, 0, 250, 100, u.vend, case when u.vend = 'SUCCESS' then 'CONSUMED'
        else 'RELEASED' end, u.at, flow_id, case when u.vend = 'FAILED' then 'SUCCESS' end
    from u left join f using (unit_id)`,
  `insert into stock_flow_keys (unit_id, flow_id, org_id) select unit_id, flow_id, org from f`,
  `insert into stock_flows (org_id, created_at, id, waste_num, device_id, rtu_number, lane_id, lane_seq,
      cargo_road, product_id, product_name, type, reason, before_total, change_total, after_total,
      unit_id, order_num, actor_kind, occurred_at)
    select l.org_id, '2026-11-20T16:30Z', 4000000 + l.id, 'r' || l.id, l.device_id, 'x', l.id,
      last_flow_seq + 1, 1, l.product_id, 'x', 'MERCHANT_REPLENISH', 'REFILL', quantity,
      all_of_lane, quantity + all_of_lane, null, null, 'SYSTEM', '2026-11-20T16:30Z'
    from lanes l join f on f.lane = l.id and nth = 1
    union all select l.org_id, at, flow_id, 'w' || flow_id, device, 'x', lane,
      last_flow_seq + 1 + nth, 1, device, 'x', 'CUSTOMER_TAKE', 'SALE',
      quantity + all_of_lane - nth + 1, -1, quantity + all_of_lane - nth, unit_id, num, 'DEVICE', at
    from f join lanes l on l.id = lane`,
  `insert into payments (id, org_id, device_id, order_id, order_at, order_num, out_trade_no, provider,
      provider_trade_no, amount, fee_amount, refunded_amount, state, applied, paid_at, created_at)
    select id, org, device, id, at, num, 'p' || num, 'SIMULATOR', 't' || num, pieces * 250, 3,
      case when failed then 250 else 0 end, 'SUCCESS', true, at, at from o where not closed`,
  `insert into refunds (id, org_id, device_id, refund_no, payment_id, order_id, order_at, order_num,
      unit_id, unit_no, kind, amount, reason, automatic, state, created_at, succeeded_at)
    select id, org, device, 'R' || num, id, id, at, num, unit_id, 1, 'UNIT', 250, 'NOT_DISPENSED',
      true, 'SUCCESS', at, at from u where vend = 'FAILED'`,
  `create temp table v as select row_number() over () + 7000000 as voucher, x.* from (
      select 'in:' || id as key, org, at, 'V1' as type, pieces * 250 as amount, id, num from o
      where not closed
      union all select 'fee:' || id, org, at, 'V2', 3, id, num from o where not closed
      union all select 'rf:R' || num, org, at, 'V6', 250 - 750 / (pieces * 250), id, num
      from o where failed) x`,
  `insert into ledger_voucher_keys (key, voucher_id, org_id, created_at)
    select key, voucher, org, at from v`,
  `insert into ledger_entries (org_id, created_at, voucher_id, voucher_type, account_id, amount,
      order_id, order_num)
    select org, at, voucher, type, 1, sign * amount, id, num from v, unnest('{1,-1}'::int[]) sign`,
]

test(`a day of ${orders} orders is compared within the time of its statements`, {
  timeout: 600_000,
}, async () => {
  expect(await verifyDay(world.app, day)).toEqual([])
})
