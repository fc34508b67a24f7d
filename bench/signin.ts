import { mkdtempSync, rmSync } from 'node:fs'
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
import { hashPassword } from '../src/server/passwords.ts'

/**
 * Sign-ins of 200 people by account and password over HTTP, each from a browser that was never
 * seen; the hash is the one people have.
 */
const people = 200
const seconds = 8
const connections = 4
const password = 'Long enough for a bench 2026'

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
    SIGN_IN_RATE_LIMIT: '1000000',
  })
  // an older checkout knows the address by its other name
  const address = { databaseUrl: server.url, ownerUrl: server.url }
  await install({ ...address, config, log: () => {} })
  await fill(server.url)
  const app = await openApp(config, 'bench')
  const http = await buildApi(app)
  await http.listen({ host: '127.0.0.1', port: 0 })
  const { port } = http.server.address() as { port: number }
  const requests = Array.from({ length: people }, (_, n) => ({
    method: 'POST' as const,
    path: '/auth/login',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: `bench${n}`, password }),
  }))
  // each connection begins the list where it stands: all would sign the same person in at the same
  // time
  let started = 0
  const run = (duration: number) =>
    autocannon({
      url: `http://127.0.0.1:${port}`,
      connections,
      duration,
      requests,
      setupClient: (client) =>
        client.setRequests([
          ...requests.slice(started),
          ...requests.slice(0, started++ * (people / connections)),
        ]),
    })
  await run(2)
  const { requests: rate, latency, errors, non2xx } = await run(seconds)
  if (errors + non2xx > 0) throw new Error(`${errors + non2xx} sign-ins failed`)
  console.log(
    `HTTP  ${rate.average.toFixed(1)} sign-ins/s, p50 ${latency.p50} ms, p99 ${latency.p99} ms, ${connections} at a time`,
  )
  await http.close()
  await closeApp(app)
} finally {
  await server.stop()
  rmSync(dataDir, { recursive: true, force: true })
}

async function fill(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(
    `insert into organisations (id, parent_id, path, kind, name)
      values (2, 1, '1.2', 'OPERATOR', 'bench')`,
  )
  await client.query(
    `insert into users (id, org_id, username, password_hash, real_name, password_changed_at)
     select 900 + n, 2, 'bench' || n, $1, 'bench', now() from generate_series(0, $2::int - 1) n`,
    [await hashPassword(password), people],
  )
  await client.query(
    `insert into user_roles (user_id, role_id, org_id) select u.id, r.id, 2 from users u, roles r
      where u.id >= 900 and r.code = 'ROLE_RTU_SP'`,
  )
  await client.end()
}
