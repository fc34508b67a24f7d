import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { buildApi } from '../src/apps/api.ts'
import { openApp } from '../src/apps/app.ts'
import { startPostgres } from '../src/postgres/embedded.ts'
import { install } from '../src/seed/index.ts'
import { closeApp } from '../src/server/app.ts'
import { loadConfig } from '../src/server/config.ts'
import { foldAllSales } from '../src/server/folds.ts'
import { migrate } from '../src/server/migrate.ts'
import { tokenHash } from '../src/server/rateKeys.ts'
import { addDays, shanghaiDay } from '../src/shared/instants.ts'

/**
 * The sales report of 366 days for the whole platform over HTTP: 5,000 machines of 300 operators,
 * with the figures of 200,000 sales and then of 2,000,000 (`--large N` for another number), which is
 * nearly each machine on each day.
 */
const [machines, operators, days, repeats] = [5000, 300, 400, 7]
const at = process.argv.indexOf('--large')
const sizes = [200_000, at > 0 ? Number(process.argv[at + 1]) : 2_000_000]

const dataDir = mkdtempSync(path.join(tmpdir(), 'huodao-bench-'))
const server = await startPostgres({ dataDir: path.join(dataDir, 'postgres'), log: () => {} })
const client = new pg.Client({ connectionString: server.url })
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
  await client.connect()
  const token = await fillWorld()
  const app = await openApp(config, 'bench')
  const http = await buildApi(app)
  await http.listen({ host: '127.0.0.1', port: 0 })
  const { port } = http.server.address() as { port: number }
  const to = shanghaiDay(new Date())
  const times = new Map<string, number[]>()
  for (const size of sizes) {
    await fillFigures(size)
    await foldAllSales(app)
    await client.query('vacuum analyze')
    for (const [group, length] of [
      ...(['DAY', 'WEEK', 'MONTH', 'ORG', 'DEVICE', 'PAY'] as const).map(
        (name) => [name, 366] as const,
      ),
      ['HOUR', 92] as const,
    ]) {
      const query = `groupBy=${group}&from=${addDays(to, 1 - length)}&to=${to}`
      const ms = await median(`http://127.0.0.1:${port}/api/reports/sales?${query}`, token)
      times.set(group, [...(times.get(group) ?? []), ms])
    }
  }
  console.log(`ms, median of ${repeats}; sales: ${sizes.join(', ')}`)
  for (const [group, [small = 0, large = 0]] of times)
    console.log(
      `${group.padEnd(8)} ${small.toFixed(0).padStart(6)} ${large.toFixed(0).padStart(6)}  ratio ${(large / small).toFixed(2)}`,
    )
  await http.close()
  await closeApp(app)
} finally {
  await client.end()
  await server.stop()
  rmSync(dataDir, { recursive: true, force: true })
}

async function median(url: string, token: string): Promise<number> {
  const all: number[] = []
  for (let n = 0; n < repeats; n += 1) {
    const began = performance.now()
    const answer = await fetch(url, { headers: { authorization: token } })
    if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`)
    await answer.arrayBuffer()
    all.push(performance.now() - began)
  }
  return all.toSorted((a, b) => a - b)[Math.floor(repeats / 2)] ?? 0
}

/** Operators with their machines; answers a session of the platform's administrator. */
async function fillWorld(): Promise<string> {
  const token = randomBytes(32).toString('base64url')
  await client.query(`insert into organisations (id, parent_id, path, kind, name)
    select n, 1, ('1.' || n)::ltree, 'OPERATOR', 'operator ' || n
    from generate_series(2, ${operators + 1}) n`)
  await client.query(`insert into users (id, org_id, username, password_hash, real_name)
    values (900, 1, 'bench', 'x', 'bench')`)
  await client.query(`insert into user_roles (user_id, role_id, org_id)
    select 900, id, 1 from roles where code = 'ROLE_SUPER_ADMIN'`)
  await client.query(
    `insert into sessions (token_hash, user_id, org_id, ip, user_agent, expires_at)
      values ($1, 900, 1, '', '', now() + interval '1 day')`,
    [tokenHash(token)],
  )
  await client.query(`insert into device_types (id, org_id, name, screen, refrigeration, pattern,
      kind, drop_sensor, max_levels, max_roads)
    values (1, 1, 't', true, true, 'spring', 'GENERAL', true, 6, 10)`)
  await client.query(`insert into devices (id, org_id, rtu_number, nickname, type_id, province,
      city, county, address, kind, lifecycle, drop_sensor, secret_hash)
    select n, 2 + n % ${operators}, 'HD' || lpad(n::text, 6, '0'), 'machine ' || n, 1, '440000',
      '440300', '440305', 'a', 'GENERAL', 'OPERATING', true, ''
    from generate_series(1, ${machines}) n`)
  return token
}

/** What so many sales of one piece leave in the figures of machines, hour by hour. */
async function fillFigures(sales: number): Promise<void> {
  for (const table of ['sales_rollups', 'pay_rollups', 'sales_folds'])
    await client.query(`delete from ${table}`)
  await client.query(`update sales_folded set until = '2000-01-01'`)
  await client.query(`create temporary table sold on commit preserve rows as
    select 1 + n % ${machines} as device_id, 2 + (1 + n % ${machines}) % ${operators} as org_id,
      date_trunc('hour', now()) - make_interval(
        days => (n / ${machines}) * ${days} / greatest(${sales} / ${machines}, 1),
        hours => n % 14) as at,
      (array['WECHAT','ALIPAY'])[1 + n % 2] as pay_type
    from generate_series(0, ${sales - 1}) n`)
  const figures = `count(*), count(*), count(*), 300 * count(*), 290 * count(*), 0, 0,
    150 * count(*), count(*)`
  const names = 'orders, pieces, vended, turnover, paid, refunded, refund_orders, cost, fee'
  for (const [grain, key] of [
    ['HOUR', 'at'],
    ['DAY', `date_trunc('day', at at time zone 'Asia/Shanghai') at time zone 'Asia/Shanghai'`],
  ])
    await client.query(`insert into sales_rollups (org_id, device_id, grain, at, ${names})
      select org_id, device_id, '${grain}', ${key}, ${figures} from sold group by 1, 2, 4`)
  await client.query(`insert into pay_rollups (org_id, device_id, pay_type, day, ${names})
    select org_id, device_id, pay_type, (at at time zone 'Asia/Shanghai')::date, ${figures}
    from sold group by 1, 2, 3, 4`)
  await client.query('drop table sold')
}
