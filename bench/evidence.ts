import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { performance } from 'node:perf_hooks'
import pg from 'pg'
import { openApp } from '../src/apps/app.ts'
import { evidenceLimits } from '../src/domains/drug-evidence/rules.ts'
import { evidenceKind } from '../src/domains/drug-evidence/server/make.ts'
import { startPostgres } from '../src/postgres/embedded.ts'
import { install } from '../src/seed/index.ts'
import { closeApp } from '../src/server/app.ts'
import { loadConfig } from '../src/server/config.ts'
import { migrate } from '../src/server/migrate.ts'
import { ensurePartitions } from '../src/server/partitions.ts'
import { runDue } from '../src/server/work.ts'

/**
 * The largest evidence package that is made: a year of 500 machines that sell drugs, with the codes
 * of the boxes and the hours of every machine, near the limit of rows. How long it takes, how large
 * it is, and how much more memory it needs than one of a tenth of it: fails when that grows with
 * the rows.
 */
const number = (name: string, usual: number) => Number(process.env[name] ?? usual)
const sales = number('EVIDENCE_SALES', 780_000)
const machines = number('EVIDENCE_MACHINES', evidenceLimits.devices)
const budgetMb = 60

const dataDir = mkdtempSync(path.join(tmpdir(), 'huodao-bench-'))
const server = await startPostgres({ dataDir: path.join(dataDir, 'postgres'), log: () => {} })
let broken = false
try {
  await migrate(server.url)
  const config = loadConfig({
    DATABASE_URL: server.url,
    DATA_DIR: dataDir,
    DEMO: '0',
    LOG_LEVEL: 'error',
  })
  await install({ databaseUrl: server.url, config, log: () => {} })
  await ensurePartitions(server.url, new Date(), 13, 1)
  const client = new pg.Client({ connectionString: server.url })
  await client.connect()
  client.on('error', () => {})
  await fill(client)
  const app = await openApp(config, 'bench')
  const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10)
  const made = async (name: string, ids: string, from: string) => {
    await client.query(
      `insert into evidence_packs (no, org_id, user_id, user_name, lang, params, params_hash,
        data_as_of, device_ids, log_seq, log_hash, logs, next_at, created_at, expires_at)
      select $1, 2, 900, 'x', 'zh-CN', jsonb_build_object('deviceIds', to_jsonb(d.ids), 'batchId',
          null, 'code', null, 'from', $2::text, 'to', $3::text), $1, now(), d.ids, 0, '', true,
        now(), now(), now() + interval '3 years'
      from (select array_agg(id order by id) as ids from devices where org_id = 2 and ${ids}) d`,
      [name, from, day(0)],
    )
    globalThis.gc?.()
    let most = process.memoryUsage().rss
    const watch = setInterval(() => {
      most = Math.max(most, process.memoryUsage().rss)
    }, 50)
    const began = performance.now()
    await runDue(app, evidenceKind(app))
    clearInterval(watch)
    const seconds = (performance.now() - began) / 1000
    const {
      rows: [row],
    } = await client.query<{ state: string; rows: number; bytes: string; error: string }>(
      'select state, rows, file_bytes as bytes, error from evidence_packs where no = $1',
      [name],
    )
    const { state, rows = 0, bytes, error } = row ?? { state: 'none', error: '' }
    console.log(
      `${name.padEnd(6)} ${state} ${error} ${rows} rows, ${(Number(bytes) / 1e6).toFixed(1)} MB in ${seconds.toFixed(1)} s (${Math.round(rows / seconds)} rows/s), at most ${(most / 1e6).toFixed(0)} MB of memory`,
    )
    broken ||= state !== 'DONE'
    return most / 1e6
  }
  // what the first one brings into memory is there for all that follow
  await made('first', `id <= ${machines / 10}`, day(364))
  const tenth = await made('tenth', `id <= ${machines / 10}`, day(364))
  const whole = await made('whole', 'true', day(364))
  console.log(`memory of the whole beside the tenth: ${(whole - tenth).toFixed(0)} MB more`)
  broken ||= whole - tenth > budgetMb
  await client.end()
  await closeApp(app)
} catch (error) {
  console.error(error)
  broken = true
} finally {
  await server.stop()
  rmSync(dataDir, { recursive: true, force: true })
}
process.exit(broken ? 1 : 0)

/** An operator, his machines and batches, a year of sales and of hours. */
async function fill(client: pg.Client): Promise<void> {
  for (const statement of [
    `insert into organisations (id, parent_id, path, kind, name)
      values (2, 1, '1.2', 'OPERATOR', 'bench')`,
    `insert into users (id, org_id, username, password_hash, real_name)
      values (900, 2, 'bench', 'x', 'bench')`,
    `insert into roles (id, org_id, code, name, name_en, rank, data_scope)
      values (900, 2, 'ROLE_BENCH', 'b', 'b', 1, 'ORG_TREE')`,
    `insert into role_permissions
      values (900, 'drug-evidence:read'), (900, 'drug-evidence:export'), (900, 'log:read')`,
    `insert into user_roles (user_id, role_id, org_id) values (900, 900, 2)`,
    `insert into device_types (id, org_id, name, screen, refrigeration, pattern, kind, drop_sensor,
      max_levels, max_roads) values (1, 1, 't', true, true, 'spring', 'DRUG', true, 6, 10)`,
    `insert into devices (id, org_id, rtu_number, nickname, type_id, province, city, county,
      address, kind, dispensing_mode, licence_no, lifecycle, drop_sensor, secret_hash)
      select n, 2, 'HD' || lpad(n::text, 6, '0'), 'machine ' || n, 1, '440000', '440300', '440305',
        'a', 'DRUG', 'UNATTENDED', 'x', 'OPERATING', true, ''
      from generate_series(1, ${machines}) n`,
    `insert into product_categories (id, org_id, name) values (1, 1, 'drugs')`,
    `insert into products (id, org_id, category_id, name, model, drug_class, cost_price,
      retail_price, images, approval_no, manufacturer, dosage_form)
      select n, 2, 1, '药品' || n, '20粒', 'OTC_B', 100, 300, '{x}', '国药准字Z20147726', '某厂',
        '片剂/胶囊'
      from generate_series(1, 60) n`,
    `insert into suppliers (id, org_id, name, phone) values (1, 2, 's', '13800138000')`,
    `insert into batches (id, org_id, product_id, supplier_id, batch_no, produced_on, expires_on,
      created_at) select n, 2, 1 + n % 60, 1, 'B' || n, current_date - 400, current_date + 400,
        now() - interval '399 days' from generate_series(1, 600) n`,
    // what follows the flows is not what is measured
    `set session_replication_role = replica`,
    `insert into stock_flows (org_id, created_at, id, waste_num, device_id, rtu_number, lane_id,
      lane_seq, cargo_road, product_id, product_name, type, reason, before_total, change_total,
      after_total, unit_id, order_num, actor_kind, occurred_at, batch_id, batch_no, codes)
      select 2, at, n, 'W' || n, d, 'HD' || lpad(d::text, 6, '0'), d, n, 1, 1 + n % 60,
        '药品' || (1 + n % 60), 'CUSTOMER_TAKE', 'SALE', 5, -1, 4, n, lpad(n::text, 20, '0'),
        'DEVICE', at, 1 + n % 600, 'B' || (1 + n % 600), array['81' || lpad(n::text, 18, '0')]
      from (select n, 1 + n % ${machines} as d,
          now() - n * interval '364 days' / ${sales} as at
        from generate_series(1, ${sales}) n) x`,
    `set session_replication_role = origin`,
    `insert into telemetry_hours (org_id, device_id, hour, temp_min, temp_max, temp_sum, temp_count,
      hum_min, hum_max, hum_sum, hum_count)
      select 2, d, date_trunc('hour', now()) - h * interval '1 hour', t - 1, t + 2, t * 60, 60,
        40 + (d + h) % 20, 60 + (d * h) % 20, 3000 + (d + h) % 200, 60
      from generate_series(1, ${machines}) d, generate_series(0, 364 * 24) h,
        lateral (select round((3 + (d * 7919 + h * 104729) % 400 / 100.0)::numeric, 1) as t) x`,
    'analyze',
  ])
    await client.query(statement)
}
