import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import autocannon from 'autocannon'
import pg from 'pg'
import { buildApi } from '../src/apps/api.ts'
import { openApp } from '../src/apps/app.ts'
import { startPostgres } from '../src/postgres/embedded.ts'
import { install } from '../src/seed/index.ts'
import { closeApp } from '../src/server/app.ts'
import { loadConfig } from '../src/server/config.ts'
import { migrate } from '../src/server/migrate.ts'
import { tokenHash } from '../src/server/rateKeys.ts'

/**
 * The order list at 200,000 orders of one operator: 20 rows of one status with the exact total,
 * over HTTP with scope and row policies on, against pgbench running the same page and count as the
 * application role in the same run.
 */
const orders = 200_000
const seconds = 8
const connections = 8

const dataDir = mkdtempSync(path.join(tmpdir(), 'huodao-bench-'))
const server = await startPostgres({ dataDir: path.join(dataDir, 'postgres'), log: () => {} })
try {
  await migrate(server.url)
  const config = loadConfig({
    DATABASE_URL: server.url,
    DATA_DIR: dataDir,
    DEMO: '0',
    LOG_LEVEL: 'error',
    RATE_LIMIT: '1000000',
  })
  await install({ databaseUrl: server.url, config, log: () => {} })
  const token = await fill(server.url)
  const app = await openApp(config, 'bench')
  const http = await buildApi(app)
  await http.listen({ host: '127.0.0.1', port: 0 })
  const address = http.server.address() as { port: number }
  const from = new Date(Date.now() - 70 * 86_400_000).toISOString().slice(0, 10)
  const url = `http://127.0.0.1:${address.port}/api/orders?orderStatus=SUCCESS&from=${from}`
  const sample = (await (await fetch(url, { headers: { authorization: token } })).json()) as {
    total: number
    list: unknown[]
  }
  const run = () =>
    autocannon({ url, headers: { authorization: token }, connections, duration: seconds })
  await run()
  const ours = await run()
  const theirs = pgbench(server.url, from)
  console.log(`rows ${sample.list.length}, exact total ${sample.total} of ${orders}`)
  console.log(
    `HTTP     ${ours.requests.average.toFixed(1)} pages/s, p50 ${ours.latency.p50} ms, p99 ${ours.latency.p99} ms, errors ${ours.errors + ours.non2xx}`,
  )
  console.log(
    `pgbench  ${theirs.toFixed(1)} pages/s with ${connections} clients (page + count(*), application role, policies on)`,
  )
  console.log(`ratio    ${(ours.requests.average / theirs).toFixed(2)}`)
  await http.close()
  await closeApp(app)
} finally {
  await server.stop()
  rmSync(dataDir, { recursive: true, force: true })
}

/**
 * One operator with one machine and its orders over 60 days, a fifth in each of five states;
 * answers a session of its user.
 */
async function fill(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const token = randomBytes(32).toString('base64url')
  await client.query(
    `insert into organisations (id, parent_id, path, kind, name)
      values (2, 1, '1.2', 'OPERATOR', 'bench'), (3, 1, '1.3', 'OPERATOR', 'other')`,
  )
  await client.query(
    `insert into users (id, org_id, username, password_hash, real_name)
      values (900, 2, 'bench', 'x', 'bench')`,
  )
  await client.query(
    `insert into user_roles (user_id, role_id, org_id) select 900, id, 2 from roles
      where code = 'ROLE_RTU_SP'`,
  )
  await client.query(
    `insert into sessions (token_hash, user_id, org_id, ip, user_agent, expires_at)
      values ($1, 900, 2, '', '', now() + interval '1 day')`,
    [tokenHash(token)],
  )
  await client.query(
    `insert into device_types (id, org_id, name, screen, refrigeration, pattern, kind, drop_sensor,
      max_levels, max_roads) values (1, 1, 't', true, true, 'spring', 'GENERAL', true, 6, 10)`,
  )
  await client.query(`insert into devices (id, org_id, rtu_number, nickname, type_id, province,
    city, county, address, kind, lifecycle, drop_sensor, secret_hash)
    select n, 2 + n % 2, 'HD' || lpad(n::text, 6, '0'), 'machine ' || n, 1, '440000', '440300',
      '440305', 'a', 'GENERAL', 'OPERATING', true, '' from generate_series(1, 200) n`)
  await client.query(`insert into orders (org_id, created_at, id, order_num, device_id, rtu_number,
    device_name, channel, order_type, pay_type, pay_state, order_status, detail, img, pieces,
    total_amount, payable_amount, paid_amount, refunded_amount, expire_at, paid_at)
    select 2, at, n, to_char(at at time zone 'Asia/Shanghai', 'YYYYMMDD') || lpad(n::text, 12, '0'),
      2 * (1 + n % 100), 'HD' || lpad((2 * (1 + n % 100))::text, 6, '0'), 'machine', 'MACHINE',
      'SCAN', 'WECHAT',
      case when s = 'REFUNDED' then 'REFUNDED' else 'PAID' end, s, 'water 550ml ×1', 'files/x.png',
      1, 300, 300, 300, case when s = 'REFUNDED' then 300 else 0 end, at, at
    from (select n, now() - n * interval '25 seconds' as at,
      (array['SUCCESS','SHIPPED','REFUNDED','PAID','ABNORMAL'])[1 + n % 5] as s
      from generate_series(1, ${orders}) n) x`)
  await client.query('vacuum analyze orders')
  await client.end()
  return token
}

function pgbench(url: string, from: string): number {
  const script = path.join(dataDir, 'page.sql')
  const filter = `o.org_id = any('{2}'::bigint[]) and o.created_at >= '${from}T00:00:00+08' and o.created_at < now() + interval '1 day' and o.order_status = 'SUCCESS' and not o.excluded`
  writeFileSync(
    script,
    `select count(*) from orders o where ${filter};
select o.id, o.org_id, o.created_at, o.order_num, o.img, o.detail, o.pieces, o.device_id,
  o.rtu_number, o.device_name, g.name, o.total_amount, o.paid_amount, o.refunded_amount,
  o.cost_amount, o.pay_type, o.order_type, o.order_status, o.fail_reason, o.consumer
  from orders o join organisations g on g.id = o.org_id where ${filter}
  order by o.created_at desc, o.id desc limit 20;\n`,
  )
  const { hostname, port, username, password, pathname } = new URL(url)
  const tool = spawnSync(
    'sh',
    ['-c', 'command -v pgbench || ls /usr/lib/postgresql/*/bin/pgbench | tail -n 1'],
    { encoding: 'utf8' },
  ).stdout.trim()
  if (!tool) throw new Error('pgbench is missing: install the Debian package postgresql.')
  const result = spawnSync(
    tool,
    [
      '-n',
      '-f',
      script,
      '-c',
      String(connections),
      '-j',
      '2',
      '-T',
      String(seconds),
      '-h',
      hostname,
      '-p',
      port,
      '-U',
      username,
      pathname.slice(1),
    ],
    {
      encoding: 'utf8',
      env: {
        ...process.env,
        PGPASSWORD: password,
        PGOPTIONS:
          '-c role=huodao_app -c app.all=off -c app.orgs={2} -c app.ancestors={1} -c app.devices=',
      },
    },
  )
  const found = /tps = ([\d.]+)/.exec(result.stdout)
  if (!found) throw new Error(result.stderr)
  return Number(found[1])
}
