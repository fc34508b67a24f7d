import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { performance } from 'node:perf_hooks'
import pg from 'pg'
import { buildApi } from '../src/apps/api.ts'
import { openApp } from '../src/apps/app.ts'
import { copyHead } from '../src/domains/audit/server/chain/heads.ts'
import { sealOnce } from '../src/domains/audit/server/chain/seal.ts'
import { verifyLog } from '../src/domains/audit/server/chain/verify.ts'
import { contracts, handlers } from '../src/domains/product.ts'
import { startPostgres } from '../src/postgres/embedded.ts'
import { install } from '../src/seed/index.ts'
import { closeApp } from '../src/server/app.ts'
import type { Handler } from '../src/server/bind.ts'
import { loadConfig } from '../src/server/config.ts'
import type { App } from '../src/server/context.ts'
import { migrate } from '../src/server/migrate.ts'
import { tokenHash } from '../src/server/rateKeys.ts'
import type { Endpoint } from '../src/shared/contract.ts'

/**
 * What the operation log costs. (a) A log of a million rows: sealing it, and checking the whole
 * chain, 60 s at most. (b) The edit of a product over real HTTP with its log row against the same
 * edit without, one after the other in one run: 1.10 times at most.
 */
const rows = Number(process.env.LOG_ROWS ?? 1_000_000)
const edits = Number(process.env.LOG_EDITS ?? 4000)
const budget = { verifySeconds: 60, ratio: 1.1 }

/**
 * The ordinary edit of a form, which the budget is about, and the lightest one there is, for
 * comparison.
 */
const subjects = [
  {
    key: 'edit',
    bar: budget.ratio,
    body: (name: string, id: number) => ({ ...goods, categoryId: id, name }),
  },
  { key: 'editCategory', bar: null, body: (name: string) => ({ name }) },
] as const
type Subject = (typeof subjects)[number]
const goods = {
  model: '500ml',
  drugClass: 'NONE',
  costPrice: 100,
  retailPrice: 300,
  images: ['files/90000000-0000-4000-8000-000000000000.png'],
}

// the same acts without their rows: only here, beside the product's own
const registry = contracts as unknown as Record<string, Record<string, Endpoint>>
const acts = (await handlers()) as unknown as Record<string, Record<string, Handler<Endpoint>>>
const endpointOf = (key: string) => registry.products?.[key] as Endpoint
const plainPath = (key: string) => `/api/plain/${key}/{id}`
for (const { key } of subjects) {
  const handler = acts.products?.[key] as Extract<Handler<Endpoint>, (...given: never[]) => unknown>
  Object.assign(registry.products as object, {
    [`plain-${key}`]: { ...endpointOf(key), path: plainPath(key), audit: null },
  })
  Object.assign(acts.products as object, {
    [`plain-${key}`]: ((ctx, input) =>
      handler({ ...ctx, audit: () => {} }, input)) satisfies typeof handler,
  })
}

const dataDir = mkdtempSync(path.join(tmpdir(), 'huodao-bench-'))
const server = await startPostgres({ dataDir: path.join(dataDir, 'postgres'), log: () => {} })
let broken = 0
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
  const app = await openApp(config, 'bench')
  broken += await costOfARows(app)
  broken += await millionRows(app)
  await closeApp(app)
} finally {
  await server.stop()
  rmSync(dataDir, { recursive: true, force: true })
}
process.exitCode = broken ? 1 : 0

async function asOwner<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: server.url })
  await client.connect()
  await client.query(`select set_config('app.all', 'on', false)`)
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

async function costOfARows(app: App): Promise<number> {
  const http = await buildApi(app)
  await http.listen({ host: '127.0.0.1', port: 0 })
  const { port } = http.server.address() as { port: number }
  const token = await signIn()
  let broken = 0
  for (const subject of subjects) broken += await costOfARow(subject, port, token)
  await http.close()
  return broken
}

async function costOfARow(subject: Subject, port: number, token: string): Promise<number> {
  const edit = endpointOf(subject.key)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const paths = { logged: edit.path, plain: plainPath(subject.key) }
  const ids = { logged: 900_001, plain: 900_002 }
  const times: Record<keyof typeof paths, number[]> = { logged: [], plain: [] }
  const versions = { logged: 1, plain: 1 }
  const put = (kind: keyof typeof paths, name: string) =>
    new Promise<void>((resolve, reject) => {
      const body = JSON.stringify({ ...subject.body(name, ids[kind]), version: versions[kind] })
      const began = performance.now()
      const sent = request(
        {
          port,
          agent,
          method: edit.method,
          path: paths[kind].replace('{id}', String(ids[kind])),
          headers: {
            authorization: token,
            'content-type': 'application/json',
            'content-length': Buffer.byteLength(body),
          },
        },
        (response) => {
          response.resume().on('end', () => {
            if (response.statusCode !== 200)
              return reject(new Error(`${kind} answered ${response.statusCode}`))
            times[kind].push(performance.now() - began)
            versions[kind] += 1
            resolve()
          })
        },
      )
      sent.on('error', reject)
      sent.end(body)
    })
  const order = ['logged', 'plain'] as const
  for (let n = 0; n < 200 + edits; n += 1) {
    if (n === 200) for (const kind of order) times[kind].length = 0 // warm now
    for (const kind of n % 2 ? order : order.toReversed()) await put(kind, `${kind} ${n}`)
  }
  agent.destroy()
  const written = await asOwner(
    async (client) =>
      (
        await client.query<{ n: string }>(
          `select count(*) as n from operation_logs where action = $1`,
          [edit.audit],
        )
      ).rows[0]?.n,
  )
  // the slowest twentieth is the machine's, not ours
  const mean = (list: number[]) => {
    const kept = [...list].sort((a, b) => a - b).slice(0, Math.floor(list.length * 0.95))
    return kept.reduce((sum, ms) => sum + ms, 0) / kept.length
  }
  const [logged, plain] = [mean(times.logged), mean(times.plain)]
  const ratio = logged / plain
  const over = subject.bar !== null && ratio > subject.bar
  console.log(
    `${edit.audit} over HTTP, ${edits} each, alternating (${written} log rows): with its row ${logged.toFixed(3)} ms, without ${plain.toFixed(3)} ms, ratio ${ratio.toFixed(3)}${subject.bar === null ? ', no budget' : `, budget ${subject.bar}: ${over ? 'BROKEN' : 'kept'}`}`,
  )
  return over ? 1 : 0
}

/** A session of an administrator, and the two categories that are edited. */
async function signIn(): Promise<string> {
  const token = randomBytes(32).toString('base64url')
  await asOwner(async (client) => {
    await client.query(
      `insert into users (id, org_id, username, password_hash, real_name)
        values (900, 1, 'bench', 'x', 'bench')`,
    )
    await client.query(
      `insert into user_roles (user_id, role_id, org_id) select 900, id, 1 from roles
        where code = 'ROLE_ADMIN'`,
    )
    await client.query(
      `insert into sessions (token_hash, user_id, org_id, ip, user_agent, expires_at)
        values ($1, 900, 1, '', '', now() + interval '1 day')`,
      [tokenHash(token)],
    )
    await client.query(
      `insert into product_categories (id, org_id, name)
        values (900001, 1, 'logged'), (900002, 1, 'plain')`,
    )
    await client.query(
      `insert into uploads (org_id, user_id, kind, mime, bytes, sha256, url)
        values (1, 900, 'IMAGE', 'image/png', 9, 'x', $1)`,
      goods.images,
    )
    await client.query(
      `insert into products (id, org_id, category_id, name, model, drug_class, cost_price,
        retail_price, images)
        select id, 1, id, name, '500ml', 'NONE', 100, 300, $1 from product_categories
        where id in (900001, 900002)`,
      [goods.images],
    )
  })
  return token
}

async function millionRows(app: App): Promise<number> {
  const filled = await seconds(() =>
    asOwner(async (client) => {
      await client.query(
        `insert into operation_logs (org_id, created_at, user_id, actor_org_id, username, level,
          action, content, resource_id, target_name, before, after, ip_address, user_agent,
          request_id, duration_ms)
        select 1 + n % 50, now() - n * interval '2 seconds', n % 300, 1 + n % 50, 'user' || n % 300,
          case when n % 40 = 0 then 'ERROR' else 'INFO' end, 'products.edit', '编辑商品：农夫山泉 ' || n,
          (n % 5000)::text,
          '农夫山泉 ' || n, jsonb_build_object('name', '农夫山泉', 'retailPrice', 200 + n % 100,
            'categoryId', n % 40), jsonb_build_object('name', '农夫山泉', 'retailPrice', 300 + n % 100,
            'categoryId', n % 40),
          '10.0.0.' || n % 250, 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36', md5(n::text), n % 90
        from generate_series(1, $1) n`,
        [rows],
      )
      await client.query('vacuum analyze operation_logs')
    }),
  )
  const sealing = await seconds(async () => {
    for (let left = rows; left > 0; ) left -= await sealOnce(app)
    while ((await sealOnce(app)) > 0);
  })
  await copyHead(app)
  let verdict = await verifyLog(app)
  const checking = await seconds(async () => {
    verdict = await verifyLog(app)
  })
  const fits = verdict.broken === null && verdict.checked >= rows && verdict.heads === 1
  console.log(
    `${verdict.checked} rows: written in ${filled.toFixed(1)} s, sealed in ${sealing.toFixed(1)} s (${Math.round(rows / sealing)} rows/s), checked in ${checking.toFixed(1)} s`,
  )
  console.log(
    `check budget ${budget.verifySeconds} s for 1,000,000: ${fits && checking <= budget.verifySeconds ? 'kept' : 'BROKEN'}${fits ? '' : ` ${JSON.stringify(verdict)}`}`,
  )
  return fits && checking <= budget.verifySeconds ? 0 : 1
}

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return (performance.now() - began) / 1000
}
