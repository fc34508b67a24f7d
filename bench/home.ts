import { mkdtempSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import path from 'node:path'
import { performance } from 'node:perf_hooks'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { buildApi } from '../src/apps/api.ts'
import { openApp } from '../src/apps/app.ts'
import { reports } from '../src/domains/reports/contract.ts'
import { workbench } from '../src/domains/workbench/contract.ts'
import { startPostgres } from '../src/postgres/embedded.ts'
import { install } from '../src/seed/index.ts'
import { fillScale, usualSize } from '../src/seed/scale/index.ts'
import { closeApp } from '../src/server/app.ts'
import { loadConfig } from '../src/server/config.ts'
import { migrate } from '../src/server/migrate.ts'
import { type CallInput, type Endpoint, toRequest } from '../src/shared/contract.ts'

/**
 * What /home costs: all its calls as its page sends them, one after the other, at two sizes of the
 * same business; the wall and the work list beside them. Time is that of the server, from the
 * request it is handed to the answer. `node bench/home.ts --orders 200000,1000000`. Fails when the
 * calls of an operator's /home come to more than 30 ms, or those of his or the platform's grow to
 * more than 1.2 times.
 */
const { values } = parseArgs({
  options: {
    orders: { type: 'string', default: '200000,1000000' },
    machines: { type: 'string', default: '500' },
    operators: { type: 'string', default: '30' },
    days: { type: 'string', default: String(usualSize.days) },
  },
})
const sizes = values.orders.split(',').map(Number)
const times = 15
const budgetMs = 30
const growth = 1.2
const password = 'Huodao@2026'

type Call = readonly [name: string, endpoint: Endpoint, input: Record<string, unknown>]
const of = <E extends Endpoint>(name: string, endpoint: E, input: CallInput<E>): Call => [
  name,
  endpoint,
  input as Record<string, unknown>,
]
const home: readonly Call[] = [
  of('summary', reports.summary, {}),
  of('trend', reports.trend, { days: 7 }),
  of('hotProducts', reports.hotProducts, { days: 7 }),
  of('channels', reports.channels, { days: 7 }),
  of('deviceMap', reports.deviceMap, {}),
]
const beside: readonly Call[] = [
  of('situation', workbench.situation, {}),
  of('bigData', workbench.bigData, {}),
]
type Report = Record<string, number>

async function measure(orders: number): Promise<Record<string, Report>> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'huodao-bench-'))
  const server = await startPostgres({ dataDir: path.join(dataDir, 'postgres'), log: () => {} })
  try {
    await migrate(server.url)
    const config = loadConfig({
      DATABASE_URL: server.url,
      DATA_DIR: dataDir,
      DEMO: '1',
      LOG_LEVEL: 'error',
      RATE_LIMIT: '1000000',
      SIGN_IN_RATE_LIMIT: '1000000',
    })
    await install({ databaseUrl: server.url, config, log: () => {} })
    const [machines, operators, days] = [values.machines, values.operators, values.days].map(Number)
    await fillScale(
      server.url,
      { ...usualSize, orders, machines, operators, days, unsplit: 0 } as typeof usualSize,
      { log: () => {} },
    )
    const client = new pg.Client({ connectionString: server.url })
    await client.connect()
    await client.query('vacuum analyze')
    await client.end()
    const app = await openApp(config, 'bench')
    const http = await buildApi(app)
    await http.ready()
    const found: Record<string, Report> = {}
    for (const username of ['operator', 'super']) {
      const signIn = await http.inject({
        method: 'POST',
        url: '/auth/login',
        payload: { username, password },
      })
      const { token } = signIn.json() as { token: string }
      const report: Report = {}
      for (const [name, endpoint, input] of [...home, ...beside]) {
        const { url } = toRequest(endpoint, input)
        const each: number[] = []
        for (let n = 0; n < times; n += 1) {
          const began = performance.now()
          const answer = await http.inject({ url, headers: { authorization: token } })
          each.push(performance.now() - began)
          if (answer.statusCode === 403) break
          if (answer.statusCode !== 200) throw new Error(`${url} ${answer.statusCode}`)
        }
        if (each.length === times) report[name] = each.sort((a, b) => a - b)[times >> 1] ?? 0
      }
      report.home = home.reduce((sum, [name]) => sum + (report[name] ?? 0), 0)
      found[username] = report
    }
    await http.close()
    await closeApp(app)
    return found
  } finally {
    await server.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

console.log(`${cpus()[0]?.model ?? 'cpu'} × ${cpus().length}, median of ${times} in ms`)
const all: Record<string, Report>[] = []
for (const orders of sizes) all.push(await measure(orders))
for (const username of Object.keys(all[0] ?? {})) {
  console.log(
    `\n${username.padEnd(14)} ${sizes.map((n) => String(n).padStart(10)).join('')}   ratio`,
  )
  for (const name of Object.keys(all[0]?.[username] ?? {})) {
    const row = all.map((report) => report[username]?.[name] ?? 0)
    const ratio = (row.at(-1) ?? 0) / (row[0] ?? 1)
    const shown = row.map((ms) => ms.toFixed(1).padStart(10)).join('')
    console.log(`${name.padEnd(14)} ${shown}   ${ratio.toFixed(2)}`)
  }
}
const homes = (username: string) => all.map((report) => report[username]?.home ?? Number.NaN)
const grows = (row: readonly number[]) => !((row.at(-1) ?? 0) <= growth * (row[0] ?? 0))
const broken =
  homes('operator').some((ms) => !(ms <= budgetMs)) ||
  [homes('operator'), homes('super')].some(grows)
if (broken) {
  console.error(`\n/home is over ${budgetMs} ms, or over ${growth} × between the sizes`)
  process.exitCode = 1
}
