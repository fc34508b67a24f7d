import type pg from 'pg'
import type { Fact } from '../../src/domains/machines/server/facts.ts'

/**
 * Paid orders whose command is with the machine, evenly over the lanes of the machines with such
 * numbers; no two began at the same moment. Where a strategy is bound the order waits for its shares.
 */
export async function prepare(
  owner: pg.Client,
  machines: string,
  from: number,
  count: number,
): Promise<Fact[]> {
  const { rows } = await owner.query<
    Record<'cmd_id' | 'id' | 'org' | 'rtu', string> & { n: number }
  >(
    `with p as (select l.id as lane, l.org_id as org, l.device_id as device, l.road_index as road,
        l.product_id as product, d.rtu_number as rtu,
        row_number() over (order by l.road_index, l.device_id) - 1 as at, count(*) over () as count
      from lanes l join devices d on d.id = l.device_id where d.rtu_number like $3),
    l as (select p.*, n, date_trunc('second', now()) - n * interval '1 ms' as at_time
      from generate_series($1::int, $2::int) n join p on p.at = n % p.count),
    o as (insert into orders (org_id, created_at, id, order_num, device_id, rtu_number, device_name,
      channel, order_type, pay_type, pay_state, order_status, detail, img, pieces, total_amount,
      payable_amount, paid_amount, expire_at, paid_at)
      select org, at_time, 9000000 + n, '9' || lpad(n::text, 19, '0'), device, 'x', 'x', 'MACHINE',
        'SCAN', 'WECHAT', 'PAID', 'PAID', 'x', '', 1, 300, 300, 300, at_time, at_time from l),
    b as (select l.*, v.id as version, v.strategy_id as strategy from l
      left join split_bindings b on b.device_id = l.device and b.released_at is null
      left join split_strategy_versions v on v.strategy_id = b.strategy_id
        and v.state = 'PUBLISHED'),
    s as (insert into split_orders (org_id, device_id, order_id, order_at, order_num, split_no,
      strategy_id, version_id, mode, paid, fee, created_at)
      select org, device, 9000000 + n, at_time, '9' || lpad(n::text, 19, '0'),
        '9' || lpad(n::text, 19, '0') || '-S1', strategy, version, 'LEDGER', 300, 0, at_time
      from b where version is not null),
    u as (insert into order_units (org_id, created_at, id, order_id, order_num, unit_no, device_id,
      lane_id, road, product_id, product_name, model, drug_class, img, list_price, discount, paid,
      cost, vend_state, attempt, split_version_id)
      select org, at_time, 9000000 + n, 9000000 + n, '9' || lpad(n::text, 19, '0'), 1, device, lane,
        road, product, 'water', 'x', 'NONE', '', 300, 0, 300, 100, 'SENT', 1, version from b),
    held as (update lanes set capacity = 199, quantity = 199, reserved = reserved + c.c
      from (select lane, count(*)::int as c from l group by 1) c where lanes.id = c.lane)
    insert into vend_commands (cmd_id, org_id, device_id, order_id, order_at, order_num, unit_id,
      unit_no, lane_id, road, motor_no, attempt, state, sends, created_at, issued_at, expire_at,
      last_sent_at)
    select gen_random_uuid(), org, device, 9000000 + n, at_time, '9' || lpad(n::text, 19, '0'),
      9000000 + n, 1, lane, road, road, 1, 'SENT', 1, at_time, at_time, now() + interval '1 hour',
      at_time from l
    returning cmd_id, device_id as id, org_id as org, (select rtu_number from devices d
      where d.id = device_id) as rtu, (order_id - 9000000)::int as n`,
    [from, from + count - 1, machines],
  )
  await owner.query('analyze')
  return rows.map(({ cmd_id, id, org, rtu, n }) => ({
    machine: { id: Number(id), orgId: Number(org), rtu, epoch: 0 },
    at: new Date(),
    up: {
      kind: 'vend_result',
      boot: 900, // as near to those before as a start may be
      seq: n + 1,
      ts: Date.now(),
      fw: null,
      apk: null,
      body: { cmdId: cmd_id, result: 'OK', dropDetected: true, durationMs: 800 },
      notes: [],
    },
  }))
}
