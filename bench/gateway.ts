import { fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { buildApi } from '../src/apps/api.ts'
import { openApp } from '../src/apps/app.ts'
import { startGateway } from '../src/apps/gateway.ts'
import { recordControls } from '../src/domains/device-commands/server/gateway.ts'
import { applyFacts } from '../src/domains/machines/server/facts.ts'
import { recordVend } from '../src/domains/orders/server/vend.ts'
import { startPostgres } from '../src/postgres/embedded.ts'
import { install } from '../src/seed/index.ts'
import { closeApp } from '../src/server/app.ts'
import { loadConfig } from '../src/server/config.ts'
import type { App } from '../src/server/context.ts'
import { migrate } from '../src/server/migrate.ts'
import { bySystem } from '../src/server/run.ts'
import { freePort } from '../test/support/freePort.ts'
import { fill, rtuOf } from './gateway/fill.ts'
import { saturate } from './gateway/saturate.ts'
import { ask, pulseOf, sell } from './gateway/shop.ts'
import { prepare } from './gateway/vends.ts'

/**
 * T5 on this machine (quality.md): connected machines in one extra process, heartbeats and vends; a
 * reconnect storm of all while the API answers; vends at saturation through the batches of the
 * gateway against one transaction per vend, in the same run.
 */
const number = (name: string, usual: number) => Number(process.env[name] ?? usual)
const machines = number('GATEWAY_MACHINES', 2000)
const seconds = number('GATEWAY_SECONDS', 300)
const vendsPerSecond = number('GATEWAY_VENDS', 50)
const heartbeatMs = number('GATEWAY_HEARTBEAT_MS', 60_000)
const stormMs = number('GATEWAY_STORM_MS', 10_000)
const saturation = number('GATEWAY_SATURATION', 4000)
const single = number('GATEWAY_SINGLE', 400)
const budget = { p99: 1000, storm: 60_000, api: 1000, ratio: 5 }

let broken = 0
function judge(what: string, value: string, fine: boolean): void {
  if (!fine) broken += 1
  console.log(`${fine ? 'ok  ' : 'FAIL'} ${what.padEnd(44)} ${value}`)
}

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
    MQTT_PORT: String(await freePort()),
  })
  await install({ databaseUrl: server.url, config, log: () => {} })
  const owner = new pg.Client({ connectionString: server.url })
  owner.on('error', () => {}) // the server is stopped under it when something fails
  await owner.connect()
  await owner.query(`select set_config('app.all', 'on', false)`)
  const token = await fill(owner, machines)
  const app = await openApp(config, 'bench')
  await connected(app, owner, token)
  await saturated(app, owner)
  await closeApp(app)
  await owner.end()
} catch (error) {
  // the loops of a half-started gateway would go on for ever
  console.error(error)
  await server.stop()
  rmSync(dataDir, { recursive: true, force: true })
  process.exit(1)
} finally {
  await server.stop()
  rmSync(dataDir, { recursive: true, force: true })
}
process.exitCode = broken ? 1 : 0

async function connected(app: App, owner: pg.Client, token: string): Promise<void> {
  const http = await buildApi(app)
  await http.listen({ host: '127.0.0.1', port: 0 })
  const gateway = await startGateway(app)
  const child = fork(path.join(import.meta.dirname, 'gateway/machines.ts'))
  const numbers = Array.from({ length: machines }, (_, n) => rtuOf(n))
  const first = await ask(child, {
    do: 'connect',
    url: `mqtt://127.0.0.1:${app.config.mqttPort}`,
    numbers,
    heartbeatMs,
  })
  console.log(
    `     ${first.connected} machines connected in ${(Number(first.ms) / 1000).toFixed(1)} s`,
  )
  await ask(child, { do: 'settle' })
  const began = performance.now()
  const made = await sellFor(app, seconds)
  const figures = await ask(child, { do: 'settle', ms: 60_000 })
  console.log(
    `     ${made} vends in ${((performance.now() - began) / 1000).toFixed(0)} s (${vendsPerSecond}/s asked), ${figures.acked} facts acknowledged`,
  )
  judge(
    'publish to stored, p99',
    `${Number(figures.p99).toFixed(0)} ms (p50 ${Number(figures.p50).toFixed(0)}, max ${Number(figures.max).toFixed(0)})`,
    Number(figures.p99) <= budget.p99,
  )
  judge('facts without acknowledgement at the end', String(figures.waiting), figures.waiting === 0)
  judge(
    'vends achieved per second',
    (made / seconds).toFixed(1),
    made / seconds >= vendsPerSecond * 0.95,
  )
  const pulse = pulseOf(
    `http://127.0.0.1:${(http.server.address() as { port: number }).port}/api/devices?pageSize=20`,
    token,
  )
  const storm = await ask(child, { do: 'storm', ms: stormMs })
  const api = await pulse()
  judge(
    `reconnect storm of ${machines} within ${stormMs / 1000} s, all back`,
    `${(Number(storm.ms) / 1000).toFixed(1)} s, ${storm.connected} machines`,
    Number(storm.ms) <= budget.storm && storm.connected === machines,
  )
  judge(
    'device list during the storm, p99',
    `${api.p99.toFixed(0)} ms over ${api.count} requests, ${api.errors} errors`,
    api.p99 <= budget.api && api.errors === 0,
  )
  await ask(child, { do: 'settle', ms: 30_000 })
  const { acked } = (await ask(child, { do: 'stop' })) as unknown as { acked: [string, number[]][] }
  child.disconnect()
  judge(
    'acknowledged facts that are not stored',
    String(await lost(owner, acked)),
    (await lost(owner, acked)) === 0,
  )
  await gateway.stop()
  await http.close()
}

/**
 * Orders and pays, evenly over the machines and the time, by the verbs that the calls of customers
 * run.
 */
async function sellFor(app: App, forSeconds: number): Promise<number> {
  const start = performance.now()
  const running = new Set<Promise<void>>()
  let made = 0
  for (let n = 0; n < forSeconds * vendsPerSecond; n += 1) {
    const due = start + (n * 1000) / vendsPerSecond
    if (due > performance.now()) await sleep(due - performance.now())
    if (performance.now() - start > forSeconds * 1100) break
    const sale = sell(app, rtuOf((n * 7) % machines), 1 + (n % 4)).then(() => {
      made += 1
    })
    const held = sale
      .catch((error: unknown) => console.log('     a sale failed:', error))
      .finally(() => running.delete(held))
    running.add(held)
    if (running.size >= 64) await Promise.race(running)
  }
  await Promise.all(running)
  return made
}

async function lost(owner: pg.Client, acked: readonly [string, number[]][]): Promise<number> {
  const rows = acked.flatMap(([rtu, keys]) =>
    keys.map((key) => ({
      rtu,
      boot: String(Math.floor(key / 1_000_000)).padStart(12, '0'),
      seq: key % 1_000_000,
    })),
  )
  const { rows: found } = await owner.query<{ n: number }>(
    `select count(*)::int as n
      from jsonb_to_recordset($1::jsonb) as x(rtu text, boot text, seq bigint)
      join devices d on d.rtu_number = x.rtu
    left join device_message_keys k on k.device_id = d.id and k.boot = x.boot and k.seq = x.seq
    where k.device_id is null`,
    [JSON.stringify(rows)],
  )
  return found[0]?.n ?? -1
}

/**
 * Results of prepared vends as fast as they are taken: by the batches of the gateway, and each in a
 * transaction of its own.
 */
async function saturated(app: App, owner: pg.Client): Promise<void> {
  const batches = await prepare(owner, 'B%', 0, saturation)
  const { perSecond: batched, cpu } = await saturate(app, owner, batches)
  console.log(`     CPU of a vend: ${cpu.node} us here, ${cpu.database} us in the database`)
  const alone = await prepare(owner, 'B%', saturation, single)
  const begun = performance.now()
  // as many at once as the gateway has connections would not change the ratio on two cores: they
  // wait for each other
  for (const fact of alone)
    await bySystem(app, (ctx) =>
      applyFacts(ctx, [fact], { vends: recordVend, controls: recordControls }),
    )
  const apart = alone.length / ((performance.now() - begun) / 1000)
  const { rows } = await owner.query<{ n: number }>(
    `select count(*)::int as n from vend_commands where state = 'SUCCESS' and order_num like '9%'`,
  )
  judge(
    'prepared vends that came out as sold',
    `${rows[0]?.n} of ${saturation + single}`,
    rows[0]?.n === saturation + single,
  )
  judge(
    'vends/s at saturation, against one each',
    `${batched.toFixed(0)} / ${apart.toFixed(0)} = ${(batched / apart).toFixed(1)}`,
    batched / apart >= budget.ratio,
  )
}
