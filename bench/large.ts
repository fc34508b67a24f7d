import { type ChildProcess, fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { openApp } from '../src/apps/app.ts'
import { cell, sheetXml, workbook } from '../src/domains/jobs/server/testFiles.ts'
import { startPostgres } from '../src/postgres/embedded.ts'
import { install } from '../src/seed/index.ts'
import { closeApp } from '../src/server/app.ts'
import { loadConfig } from '../src/server/config.ts'
import type { App } from '../src/server/context.ts'
import { migrate } from '../src/server/migrate.ts'
import { tokenHash } from '../src/server/rateKeys.ts'
import { freePort } from '../test/support/freePort.ts'
import { fill, rtuOf } from './gateway/fill.ts'
import { ask, pulseOf, sell } from './gateway/shop.ts'

/**
 * Large things beside small ones: the server as `npm start` runs it, machines that sell, and
 * /health ten times a second; first alone, then while files of strangers are imported and a long
 * list is exported again and again. Fails when either waits a second.
 */
const number = (name: string, usual: number) => Number(process.env[name] ?? usual)
const machines = number('LARGE_MACHINES', 20)
const seconds = number('LARGE_SECONDS', 30)
const vendsPerSecond = number('LARGE_VENDS', 5)
const logRows = number('LARGE_ROWS', 50_000)
const budgetMs = 1000
const mains = [
  ['src/apps/serve.ts', 'api'] as const,
  ['src/apps/serve.ts', 'gateway'] as const,
  ['src/apps/serve.ts', 'worker'] as const,
]

const row = (n: number, inner = '') => `<row r="${n}">${inner}</row>`
const shared =
  '<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" count="1" uniqueCount="1"><si><t>'
const files: readonly (readonly [name: string, bytes: Buffer])[] = [
  ['newlines.csv', Buffer.alloc(7_900_000, '\n')],
  ['quoted.csv', Buffer.from(`a,b\n"${`${'x'.repeat(50_000)}\n`.repeat(140)}",1\n`)],
  [
    'rows.xlsx',
    workbook(
      sheetXml(
        row(1, cell('A1', 'a')) +
          Array.from({ length: 60_000 }, (_, n) => row(n + 2, `<c r="A${n + 2}"/>`)).join(''),
      ),
    ),
  ],
  [
    'shared.xlsx',
    workbook(
      sheetXml(
        Array.from({ length: 1000 }, (_, n) => row(n + 1, '<c t="s"><v>0</v></c>'.repeat(4))).join(
          '',
        ),
      ),
      [
        {
          name: 'xl/sharedStrings.xml',
          data: Buffer.from(`${shared}${'x'.repeat(1_000_000)}</t></si></sst>`),
        },
      ],
    ),
  ],
]

const dataDir = mkdtempSync(path.join(tmpdir(), 'huodao-bench-'))
const database = await startPostgres({ dataDir: path.join(dataDir, 'postgres'), log: () => {} })
const children: ChildProcess[] = []
let broken = false
try {
  await migrate(database.url)
  const env = {
    DATABASE_URL: database.url,
    DATA_DIR: dataDir,
    DEMO: '0',
    LOG_LEVEL: 'error',
    RATE_LIMIT: '1000000',
  }
  const ports = { PORT: String(await freePort()), MQTT_PORT: String(await freePort()) }
  const config = loadConfig({ ...env, ...ports })
  await install({ databaseUrl: database.url, config, log: () => {} })
  const token = await filled()
  const app = await openApp(config, 'bench')
  for (const [file, ...args] of mains)
    children.push(fork(file, args, { env: { ...process.env, ...env, ...ports } }))
  await Promise.all(children.map((child) => once(child, 'message')))
  const shop = fork(path.join(import.meta.dirname, 'gateway/machines.ts'))
  const numbers = Array.from({ length: machines }, (_, n) => rtuOf(n))
  await ask(shop, {
    do: 'connect',
    url: `mqtt://127.0.0.1:${config.mqttPort}`,
    numbers,
    heartbeatMs: 60_000,
  })
  const base = `http://127.0.0.1:${config.port}`
  await measured(app, shop, base, token, 5) // warm
  const quiet = await measured(app, shop, base, token, seconds)
  let over = false
  const strangers = disturb(base, token, () => over)
  const loud = await measured(app, shop, base, token, seconds)
  over = true
  const sent = await strangers
  console.log(
    `files    ${sent.files} sent and refused (${sent.statuses}), longest ${sent.longest.toFixed(0)} ms; ${sent.exports} exports of ${logRows} rows`,
  )
  say('/health', quiet.health, loud.health)
  say('vend acknowledgement', quiet.acks, loud.acks)
  await ask(shop, { do: 'stop' })
  shop.disconnect()
  await closeApp(app)
} catch (error) {
  console.error(error)
  broken = true
} finally {
  for (const child of children) {
    const gone = once(child, 'exit')
    child.kill('SIGTERM')
    await gone
  }
  await database.stop()
  rmSync(dataDir, { recursive: true, force: true })
}
process.exit(broken ? 1 : 0)

type Times = { p50: number; p99: number; max: number; count: number; errors: number }
function say(what: string, quiet: Times, loud: Times): void {
  const fine = loud.p99 <= budgetMs && loud.errors === 0
  broken ||= !fine
  const shown = ({ p50, p99, max, count, errors }: Times) =>
    `p50 ${p50.toFixed(0)} p99 ${p99.toFixed(0)} max ${max.toFixed(0)} ms (${count}${errors ? `, ${errors} failed` : ''})`
  console.log(
    `${fine ? 'ok  ' : 'FAIL'} ${what.padEnd(22)} alone ${shown(quiet)}; with files ${shown(loud)}`,
  )
  console.log(
    `     ${''.padEnd(22)} ratio p50 ${(loud.p50 / quiet.p50).toFixed(1)}, p99 ${(loud.p99 / quiet.p99).toFixed(1)}`,
  )
}

async function measured(
  app: App,
  shop: ChildProcess,
  base: string,
  token: string,
  forSeconds: number,
): Promise<{ health: Times; acks: Times }> {
  const pulse = pulseOf(`${base}/health`, token)
  const start = performance.now()
  for (let n = 0; n < forSeconds * vendsPerSecond; n += 1) {
    const due = start + (n * 1000) / vendsPerSecond
    if (due > performance.now()) await sleep(due - performance.now())
    await sell(app, rtuOf(n % machines), 1 + (n % 4))
  }
  const health = await pulse()
  const acks = await ask(shop, { do: 'settle', ms: 30_000 })
  return {
    health,
    acks: {
      p50: Number(acks.p50),
      p99: Number(acks.p99),
      max: Number(acks.max),
      count: Number(acks.acked),
      errors: Number(acks.waiting),
    },
  }
}

/**
 * One file after the other, and a long export whenever the one before is done, until told to stop.
 */
async function disturb(base: string, token: string, over: () => boolean) {
  const headers = { authorization: token }
  const done = { files: 0, exports: 0, longest: 0, statuses: '' }
  const statuses = new Set<number>()
  const uploads = async () => {
    for (let n = 0; !over(); n += 1) {
      const [name, bytes] = files[n % files.length] as (typeof files)[number]
      const body = new FormData()
      body.append('file', new Blob([new Uint8Array(bytes)]), name)
      const start = performance.now()
      const response = await fetch(`${base}/api/imports/users?dryRun=true`, {
        method: 'POST',
        headers,
        body,
      })
      await response.arrayBuffer()
      done.longest = Math.max(done.longest, performance.now() - start)
      statuses.add(response.status)
      done.files += 1
    }
  }
  const exporting = async () => {
    while (!over()) {
      const body = JSON.stringify({
        endpoint: '/api/operation-logs',
        query: {},
        columns: ['username', 'content', 'moduleName', 'action', 'targetId', 'createTime'],
      })
      const response = await fetch(`${base}/api/exports`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body,
      })
      const { id } = (await response.json()) as { id: number }
      for (let state = ''; state !== 'DONE' && !over(); await sleep(300))
        state = (
          (await (await fetch(`${base}/api/jobs/${id}`, { headers })).json()) as { state: string }
        ).state
      done.exports += 1
    }
  }
  await Promise.all([uploads(), exporting()])
  return { ...done, statuses: [...statuses].join(', ') }
}

/** The shop, a session of a super administrator and a long log. */
async function filled(): Promise<string> {
  const owner = new pg.Client({ connectionString: database.url })
  await owner.connect()
  await owner.query(`select set_config('app.all', 'on', false)`)
  owner.on('error', () => {}) // the server is stopped under it when something fails
  await fill(owner, machines)
  const token = randomBytes(32).toString('base64url')
  await owner.query(
    `insert into users (id, org_id, username, password_hash, real_name)
      values (90009, 1, 'stranger', 'x', 's')`,
  )
  await owner.query(
    `insert into user_roles (user_id, role_id, org_id) select 90009, id, 1 from roles
      where code = 'ROLE_SUPER_ADMIN'`,
  )
  await owner.query(
    `insert into sessions (token_hash, user_id, org_id, ip, user_agent, expires_at)
      values ($1, 90009, 1, '', '', now() + interval '1 day')`,
    [tokenHash(token)],
  )
  await owner.query(`insert into operation_logs (org_id, created_at, user_id, username, level,
    action, content, resource_id, ip_address, request_id)
    select 1, now() - n * interval '4 seconds', 90009, 'stranger', 'INFO', 'orders.refund', '订单退款',
      n::text, '10.0.0.1', gen_random_uuid()::text from generate_series(1, ${logRows}) n`)
  await owner.query('vacuum analyze operation_logs')
  await owner.end()
  return token
}
