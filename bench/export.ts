import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { writeXlsx } from 'hucre/xlsx'
import pg from 'pg'
import { buildApi } from '../src/apps/api.ts'
import { openApp } from '../src/apps/app.ts'
import { exportKind } from '../src/domains/jobs/server/exports.ts'
import { startPostgres } from '../src/postgres/embedded.ts'
import { install } from '../src/seed/index.ts'
import { closeApp } from '../src/server/app.ts'
import { loadConfig } from '../src/server/config.ts'
import { migrate } from '../src/server/migrate.ts'
import { tokenHash } from '../src/server/rateKeys.ts'
import { runDue } from '../src/server/work.ts'
import { shanghaiDay } from '../src/shared/instants.ts'

/**
 * Exports of 100,000 log rows and as many orders by the worker: seconds and how far memory grew above what the
 * process held before; then an import of 1,000 people over HTTP, tried and applied. Fails when
 * memory grows by 100 MB, the process is held up for more than 50 ms at p99 while it exports, or
 * the import takes 5 s (T12).
 */
const rowsOfEach = 100_000
const people = 1000
const mostMb = 100
const mostSeconds = 5
const mostDelayMs = 50

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
    RATE_LIMIT: '1000000',
  })
  await install({ databaseUrl: server.url, config, log: () => {} })
  const token = await fill(server.url)
  const app = await openApp(config, 'bench')
  const http = await buildApi(app, path.join(dataDir, 'web'))
  const headers = { authorization: token }

  const ask = async (endpoint: string, columns: string[], query: Record<string, unknown>) => {
    const response = await http.inject({
      method: 'POST',
      url: '/api/exports',
      headers,
      payload: { endpoint, query, columns },
    })
    if (response.statusCode !== 200) throw new Error(response.body)
    return response.json() as { id: number; total: number }
  }
  const measure = async (endpoint: string, columns: string[], query: Record<string, unknown>) => {
    // once over a short range: code and connections are warm then
    await ask(endpoint, columns, { ...query, keyword: 'nobody' })
    await runDue(app, exportKind(app, 'quick'))
    const job = await ask(endpoint, columns, query)
    globalThis.gc?.()
    const held = process.memoryUsage().rss
    let most = held
    const watch = setInterval(() => {
      most = Math.max(most, process.memoryUsage().rss)
    }, 20)
    const delay = monitorEventLoopDelay({ resolution: 5 })
    delay.enable()
    const began = performance.now()
    await runDue(app, exportKind(app, 'large'))
    delay.disable()
    const seconds = (performance.now() - began) / 1000
    clearInterval(watch)
    const done = (await http.inject({ url: `/api/jobs/${job.id}`, headers })).json() as {
      state: string
      total: number
      fileBytes: number
      error: string
    }
    const grown = (most - held) / 1e6
    const [p99, longest] = [delay.percentile(99) / 1e6, delay.max / 1e6]
    console.log(
      `${endpoint} ${done.state} ${done.error} ${done.total} rows in ${seconds.toFixed(1)} s (${Math.round(done.total / seconds)}/s), ${(done.fileBytes / 1e6).toFixed(1)} MB`,
    )
    console.log(
      `memory   ${(held / 1e6).toFixed(0)} MB before, ${grown.toFixed(0)} MB more at most (budget ${mostMb})`,
    )
    console.log(
      `delay    event loop p99 ${p99.toFixed(0)} ms, longest ${longest.toFixed(0)} ms (budget of p99 ${mostDelayMs})`,
    )
    broken ||= p99 > mostDelayMs || done.state !== 'DONE' || done.total < rowsOfEach
    broken ||= grown > mostMb
  }
  const logColumns = ['username', 'level', 'content', 'moduleName', 'action', 'targetId', 'result']
  await measure('/api/operation-logs', [...logColumns, 'ipAddress', 'requestId', 'createTime'], {})
  const day = (ago: number) => shanghaiDay(new Date(Date.now() - ago * 86_400_000))
  const orderColumns = ['orderNum', 'detail', 'deviceNum', 'name', 'totalAmount', 'actuallyAmount']
  await measure(
    '/api/orders',
    [...orderColumns, 'refundedAmount', 'payType', 'orderStatus', 'createTime'],
    { from: day(40), to: day(0) },
  )

  const head = ['用户名', '真实姓名', '角色', '机构', '联系电话', '客服电话', '街道地址']
  const rows = Array.from({ length: people }, (_, i) => [
    `bench-${i}`,
    '张三',
    'ROLE_RTU_SP',
    'ORG000002',
    '13800138000',
    '400-800-1234',
    '科苑路15号',
  ])
  const file = Buffer.from(await writeXlsx({ sheets: [{ name: 'S', rows: [head, ...rows] }] }))
  for (const dryRun of [true, false]) {
    const started = performance.now()
    const response = await http.inject({
      method: 'POST',
      url: `/api/imports/users?dryRun=${dryRun}`,
      ...form(file, token),
    })
    const took = (performance.now() - started) / 1000
    console.log(
      `import   ${dryRun ? 'tried  ' : 'applied'} ${people} people: HTTP ${response.statusCode} in ${took.toFixed(2)} s (budget ${mostSeconds}) ${response.statusCode === 200 ? '' : response.body}`,
    )
    broken ||= response.statusCode !== 200 || took > mostSeconds
  }
  await http.close()
  await closeApp(app)
} finally {
  await server.stop()
  rmSync(dataDir, { recursive: true, force: true })
}
process.exitCode = broken ? 1 : 0

/** A super administrator's session, an operator to import into, and the log. */
async function fill(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const token = randomBytes(32).toString('base64url')
  await client.query(
    `insert into organisations (id, parent_id, path, kind, name)
      values (2, 1, '1.2', 'OPERATOR', 'bench')`,
  )
  await client.query(
    `insert into users (id, org_id, username, password_hash, real_name)
      values (1000000, 1, 'bench', 'x', 'bench')`,
  )
  await client.query(
    `insert into user_roles (user_id, role_id, org_id) select 1000000, id, 1 from roles
      where code = 'ROLE_SUPER_ADMIN'`,
  )
  await client.query(
    `insert into sessions (token_hash, user_id, org_id, ip, user_agent, expires_at, proven_at)
      values ($1, 1000000, 1, '', '', now() + interval '1 day', now())`,
    [tokenHash(token)],
  )
  await client.query(`insert into operation_logs (org_id, created_at, user_id, username, level,
    action, content, resource_id, ip_address, request_id)
    select 1, now() - n * interval '4 seconds', 1000000, 'bench', 'INFO', 'orders.refund',
      '订单退款：2026112200000' || n, n::text, '10.0.0.' || n % 250, gen_random_uuid()::text
      from generate_series(1, ${rowsOfEach}) n`)
  await client.query(
    `insert into device_types (id, org_id, name, img, screen, refrigeration, pattern, kind,
      drop_sensor, max_levels, max_roads) values (1, 1, 'bench', '', false, false, 'spring',
      'GENERAL', true, 6, 10)`,
  )
  await client.query(
    `insert into devices (id, org_id, rtu_number, nickname, type_id, province, city, county,
      address, kind, lifecycle, drop_sensor, secret_hash) values (1, 2, 'HD000001', 'bench', 1,
      '440000', '440300', '440305', '科苑路15号', 'GENERAL', 'OPERATING', true, 'x')`,
  )
  await client.query(
    `insert into orders (org_id, created_at, order_num, device_id, rtu_number, device_name, channel,
      order_type, pay_type, pay_state, order_status, detail, img, pieces, total_amount,
      payable_amount, paid_amount, expire_at, paid_at)
    select 2, at, to_char(at at time zone 'Asia/Shanghai', 'YYYYMMDD') || lpad(n::text, 12, '0'), 1,
      'HD000001', 'bench', 'MACHINE', 'SCAN', 'WECHAT', 'PAID', 'SUCCESS', '农夫山泉 550ml ×1', 'x', 1,
      300, 300, 300, at, at
    from (select n, now() - n * interval '20 seconds' as at from generate_series(1, $1) n) n`,
    [rowsOfEach],
  )
  await client.query('vacuum analyze operation_logs, orders')
  await client.end()
  return token
}

function form(file: Buffer, token: string) {
  const boundary = 'benchBOUNDARY'
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.xlsx"\r\nContent-Type: application/octet-stream\r\n\r\n`
  return {
    headers: { authorization: token, 'content-type': `multipart/form-data; boundary=${boundary}` },
    payload: Buffer.concat([Buffer.from(head), file, Buffer.from(`\r\n--${boundary}--\r\n`)]),
  }
}
