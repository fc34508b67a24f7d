import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { performance } from 'node:perf_hooks'
import pg from 'pg'
import { openApp } from '../src/apps/app.ts'
import { accrue, settleDue } from '../src/domains/splits/server/accrue.ts'
import { startPostgres } from '../src/postgres/embedded.ts'
import { install } from '../src/seed/index.ts'
import { closeApp } from '../src/server/app.ts'
import { loadConfig } from '../src/server/config.ts'
import { migrate } from '../src/server/migrate.ts'

/**
 * Sales that are shared out and a quarter of them refunded, through the database: how many a second,
 * and that each party has its ratio to the ten-thousandth of a fen.
 */
const sales = Number(process.env.SPLIT_SALES ?? 100_000)
const ratios = { 3: 8250, 1: 500, 2: 1000, 4: 250 } as const

const dataDir = mkdtempSync(path.join(tmpdir(), 'huodao-bench-'))
const server = await startPostgres({ dataDir: path.join(dataDir, 'postgres'), log: () => {} })
try {
  await migrate(server.url)
  const config = loadConfig({
    DATABASE_URL: server.url,
    DATA_DIR: dataDir,
    DEMO: '0',
    LOG_LEVEL: 'error',
  })
  await install({ databaseUrl: server.url, config, log: () => {} })
  const owner = new pg.Client({ connectionString: server.url })
  owner.on('error', () => {})
  await owner.connect()
  await owner.query(`select set_config('app.all', 'on', false); set synchronous_commit = off`)
  await fill(owner)
  const app = await openApp(config, 'bench')
  const first = await timed(() => accrue(app))
  say('shared out', first)
  // a quarter is refunded, in any order
  const { rowCount } = await owner.query(`
    with u as (select * from order_units where md5(id::text) < '4'),
    r as (insert into refunds (org_id, device_id, refund_no, payment_id, order_id, order_at, order_num,
        unit_id, unit_no, kind, amount, reason, automatic, state, succeeded_at, created_at)
      select org_id, device_id, order_num || '-01', order_id, order_id, created_at, order_num, id, 1,
        'UNIT', paid, 'OTHER', false, 'SUCCESS', now(), now() from u returning *),
    k as (insert into ledger_voucher_keys (key, voucher_id, org_id, created_at)
      select 'rf:' || refund_no, nextval('ledger_vouchers_id_seq'), 3, now() from r
      returning key, voucher_id),
    e as (insert into ledger_entries (org_id, created_at, voucher_id, voucher_type, account_id, amount,
        order_id, order_num)
      select 3, now(), k.voucher_id, 'V6', a.id, case a.code when '2001' then 348 else -348 end,
        r.order_id, r.order_num
      from k join r on 'rf:' || r.refund_no = k.key, ledger_accounts a
      where a.org_id = 3 and a.code in ('1001','2001')),
    s as (update split_orders s set touched_at = now() + random() * interval '1 millisecond' from r
      where s.order_id = r.order_id)
    update order_units t set refund_state = 'SUCCESS' from r
    where t.org_id = 3 and t.created_at = r.order_at and t.id = r.unit_id`)
  const second = await timed(() => accrue(app))
  say('taken back', second)
  await owner.query(`update split_orders set due_at = now() - interval '1 minute'
    where state = 'READY'`)
  const third = await timed(async () => {
    let done = 0
    for (let some = 500; some === 500; done += some) some = await settleDue(app)
    return done
  })
  say('done', third)
  const { rows } = await owner.query<{ party: number; off: string; carry: string; fen: string }>(`
    select p.party_org_id::int as party, sum(u.gives[p.party_no]) as fen, max(c.carry) as carry,
      sum(u.gives[p.party_no] * 10000 - u.base * p.ratio_bp) + max(c.carry) as off
    from split_units u join split_orders s on s.id = u.split_id
    join split_parties p on p.version_id = s.version_id
    join split_carries c on c.party_org_id = p.party_org_id
    where u.back_at is null group by 1 order by 1`)
  for (const { party, fen, carry, off } of rows)
    console.log(`party ${party}: ${fen} fen, carry ${Number(carry) / 10_000} fen, off ${off}`)
  const { rows: wrong } = await owner.query(`select e.order_id from ledger_entries e
    join ledger_accounts a on a.id = e.account_id and a.code = '2001' group by 1
    having sum(e.amount) <> 0 limit 1`)
  const fine =
    rows.length === 4 &&
    rows.every(({ off }) => Number(off) === 0) &&
    rows.reduce((sum, { carry }) => sum + Number(carry), 0) === 0 &&
    first.done === sales &&
    second.done === rowCount &&
    third.done === sales - second.done &&
    !wrong.length
  console.log(fine ? 'each party has its ratio, nothing is pending' : 'FAIL')
  await closeApp(app)
  await owner.end()
  if (!fine) process.exitCode = 1
} catch (error) {
  console.log(error)
  process.exitCode = 1
} finally {
  await server.stop()
  rmSync(dataDir, { recursive: true, force: true })
}

type Timed = { done: number; ms: number }
async function timed(work: () => Promise<number>): Promise<Timed> {
  const began = performance.now()
  const done = await work()
  return { done, ms: performance.now() - began }
}
function say(what: string, { done, ms }: Timed): void {
  console.log(`${what.padEnd(10)} ${done} orders, ${Math.round((done * 1000) / ms)} a second`)
}

/** Sales of ¥3.50 with a fee of 2 fen of one machine, paid, over and booked. */
async function fill(owner: pg.Client): Promise<void> {
  await owner.query(`insert into organisations (id, parent_id, path, kind, name) values
    (2, 1, '1.2', 'AGENT', 'agent'), (3, 2, '1.2.3', 'OPERATOR', 'operator'),
    (4, 1, '1.4', 'SPONSOR', 'sponsor')`)
  await owner.query(`insert into device_types (id, org_id, name, kind, pattern, screen, refrigeration,
    drop_sensor, max_levels, max_roads) values (1, 1, 't', 'GENERAL', 'spring', false, false, true,
    6, 10)`)
  await owner.query(`insert into devices (id, org_id, type_id, rtu_number, nickname, kind, lifecycle,
    province, city, county, address, drop_sensor, secret_hash) values (1, 3, 1, 'HD000001', 'm',
    'GENERAL', 'OPERATING', '440000', '440300', '440305', 'x', true, '\\x00')`)
  await owner.query(`insert into split_strategies (id, org_id, name, state)
    values (1, 3, 's', 'PUBLISHED')`)
  await owner.query(`insert into split_strategy_versions (id, org_id, strategy_id, version_no, fee_mode,
    timing) values (1, 3, 1, 1, 'BEFORE', 'HOUR')`)
  for (const [no, [org, ratio]] of Object.entries(ratios).entries())
    await owner.query(
      `insert into split_parties (org_id, version_id, party_no, party_org_id, kind, name, ratio_bp,
        is_collector) values (3, 1, $1, $2, 'OPERATOR', 'p', $3, $4)`,
      [no + 1, org, ratio, org === '3'],
    )
  await owner.query(`update split_strategy_versions set state = 'PUBLISHED', published_at = now(),
    valid_from = now() - interval '1 day'`)
  // rows of a sale as they are when it is over, without goods: constraints of those are not the matter
  await owner.query(`set session_replication_role = replica`)
  await owner.query(`insert into orders (id, org_id, created_at, order_num, device_id, rtu_number,
      device_name, channel, order_type, pay_type, pay_state, order_status, detail, img, pieces,
      total_amount, payable_amount, paid_amount, expire_at, paid_at, final_at)
    select n, 3, now(), '20261124' || lpad(n::text, 12, '0'), 1, 'HD000001', 'm', 'MACHINE', 'SCAN', 'WECHAT', 'PAID',
      'SUCCESS', 'x', '', 1, 350, 350, 350, now(), now(), now()
    from generate_series(1, ${sales}) n`)
  await owner.query(`insert into order_units (id, org_id, created_at, order_id, order_num, device_id,
      unit_no, lane_id, road, product_id, product_name, model, drug_class, img, list_price, discount, paid,
      cost, vend_state, hold, finished_at, split_version_id, flow_id)
    select id, 3, created_at, id, order_num, 1, 1, 1, 1, 1, 'x', 'x', 'NONE', '', 350, 0, 350, 1,
      'SUCCESS', 'CONSUMED', created_at, 1, id from orders`)
  await owner.query(`insert into payments (id, org_id, device_id, order_id, order_at, order_num,
      out_trade_no, provider, amount, fee_amount, state, applied, paid_at, created_at)
    select id, 3, 1, id, created_at, order_num, order_num, 'SIMULATOR', 350, 2, 'SUCCESS', true,
      created_at, created_at from orders`)
  await owner.query(`insert into split_orders (org_id, device_id, order_id, order_at, order_num,
      split_no, strategy_id, version_id, mode, paid, fee, touched_at, created_at)
    select 3, 1, id, created_at, order_num, order_num || '-S1', 1, 1, 'LEDGER', 350, 2, created_at,
      created_at - interval '2 hours' from orders order by id`)
  await owner.query(`set session_replication_role = origin`)
  await owner.query(`insert into ledger_accounts (org_id, code) values (3, '1001'), (3, '2001')`)
  await owner.query(`with k as (insert into ledger_voucher_keys (key, voucher_id, org_id, created_at)
      select 'in:' || id, nextval('ledger_vouchers_id_seq'), 3, created_at from orders
      returning key, voucher_id, created_at)
    insert into ledger_entries (org_id, created_at, voucher_id, voucher_type, account_id, amount,
      order_id, order_num)
    select 3, k.created_at, k.voucher_id, 'V1', a.id, case a.code when '1001' then 348 else -348 end,
      substring(k.key from 4)::bigint, null
    from k, ledger_accounts a where a.org_id = 3`)
  await owner.query('analyze')
}
