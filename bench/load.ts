import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import autocannon from 'autocannon'
import pg from 'pg'
import { startPostgres } from '../src/postgres/embedded.ts'
import { type Product, startProduct } from './load/product.ts'

/**
 * Sales of connected machines: alone, beside ten people who read the device list without a pause,
 * and more than this machine can do. `--with PATH` runs another checkout on the same database
 * server, phase by phase in turn, so that the ratio holds on a busy machine. `--apart no` runs this
 * checkout in one process. The other runs in one, as it was shipped.
 */
const { values } = parseArgs({
  options: { with: { type: 'string' }, apart: { type: 'string', default: 'yes' } },
})
const number = (name: string, usual: number) => Number(process.env[name] ?? usual)
const machines = number('LOAD_MACHINES', 3112)
const connected = number('LOAD_CONNECTED', 200)
const rate = number('LOAD_RATE', 10)
const over = number('LOAD_OVER', 100)
const seconds = number('LOAD_SECONDS', 12)
/** A customer who has paid waits so long. */
const patience = 10_000

const dataDir = mkdtempSync(path.join(tmpdir(), 'huodao-load-'))
const server = await startPostgres({ dataDir: path.join(dataDir, 'postgres'), log: () => {} })
const products: Product[] = []
try {
  const one = [['api', 'gateway', 'worker']]
  const apart = [['api'], ['gateway'], ['worker']]
  const wanted = [{ root: process.cwd(), parts: values.apart === 'no' ? one : apart }]
  if (values.with) wanted.unshift({ root: path.resolve(values.with), parts: one })
  for (const [n, { root, parts }] of wanted.entries())
    products.push(
      await startProduct(root, parts, {
        url: await database(`load${n}`),
        dataDir: path.join(dataDir, String(n)),
        machines,
        connected,
      }),
    )
  for (const product of products) await sales(product, rate / 2, 4)
  const quiet: Result[] = []
  for (const product of products) quiet.push(show('quiet', await sales(product, rate, seconds)))
  const read: Result[] = []
  for (const product of products) read.push(show('ten readers', await withReaders(product)))
  const busy: Result[] = []
  for (const product of products) busy.push(show('overload', await sales(product, over, seconds)))
  for (const [n, { name }] of products.entries()) {
    const times = (key: 'p50' | 'p99') =>
      ((read[n]?.[key] ?? 0) / (quiet[n]?.[key] ?? 1)).toFixed(2)
    console.log(
      `${name}: paid to vend with readers / without  p50 ${times('p50')}  p99 ${times('p99')}`,
    )
  }
  if (products.length === 2) {
    const ratio = (results: Result[], key: keyof Result) =>
      (Number(results[1]?.[key]) / Number(results[0]?.[key])).toFixed(2)
    console.log(
      `this / other: quiet p50 ${ratio(quiet, 'p50')}, node ${ratio(quiet, 'node')}, postgres ${ratio(quiet, 'postgres')} a sale;`,
    )
    console.log(
      `  with readers p50 ${ratio(read, 'p50')}, p99 ${ratio(read, 'p99')}; overload: vended in time ${ratio(busy, 'inTime')} of those paid`,
    )
  }
} finally {
  for (const product of products) await product.stop().catch(() => {})
  await server.stop()
  rmSync(dataDir, { recursive: true, force: true })
}

async function database(name: string): Promise<string> {
  const client = new pg.Client({ connectionString: server.url })
  await client.connect()
  await client.query(`create database ${name}`)
  await client.end()
  return Object.assign(new URL(server.url), { pathname: `/${name}` }).href
}

type Result = Awaited<ReturnType<typeof sales>> & { pages?: number }

/** Sales come evenly, whether or not those before are answered. */
async function sales(product: Product, perSecond: number, forSeconds: number) {
  const before = await product.cpu()
  const made: ReturnType<Product['sell']>[] = []
  const start = performance.now()
  for (let n = 0; n < perSecond * forSeconds; n += 1) {
    const due = start + (n * 1000) / perSecond
    if (due > performance.now()) await sleep(due - performance.now())
    made.push(product.sell(n).catch(() => ({ ordered: 0, paid: 0, orderNum: '', at: 0 })))
  }
  const sold = await Promise.all(made)
  const asked = performance.now()
  const paid = sold.filter((sale) => sale.paid === 200)
  let vends = await product.vends()
  while (paid.some((sale) => !vends.has(sale.orderNum)) && performance.now() - asked < patience) {
    await sleep(250)
    vends = await product.vends()
  }
  const after = await product.cpu()
  const waits = paid
    .map((sale) => (vends.get(sale.orderNum) ?? Number.POSITIVE_INFINITY) - sale.at)
    .sort((a, b) => a - b)
  const at = (share: number) =>
    waits[Math.min(waits.length - 1, Math.floor(waits.length * share))] ?? 0
  const told = sold.filter((sale) => sale.paid !== null)
  return {
    name: product.name,
    asked: sold.length,
    paid: paid.length,
    refused: sold.filter((sale) => sale.ordered >= 400).length,
    answered: sold.filter((sale) => sale.ordered > 0).length / sold.length,
    money: told.length ? paid.length / told.length : 1,
    inTime: waits.filter((ms) => ms <= patience).length / Math.max(1, paid.length),
    vended: waits.filter((ms) => ms <= patience).length / forSeconds,
    p50: at(0.5),
    p99: at(0.99),
    node: (after.node - before.node) / Math.max(1, paid.length),
    postgres: (after.postgres - before.postgres) / Math.max(1, paid.length),
  }
}

async function withReaders(product: Product): Promise<Result> {
  const url = `${product.address}/api/devices?pageSize=20`
  const reading = autocannon({
    url,
    headers: { authorization: product.token },
    connections: 10,
    duration: seconds + 2,
    timeout: 30,
  })
  await sleep(1000)
  const result = await sales(product, rate, seconds)
  const { requests, non2xx, errors } = await reading
  console.log(`     ${requests.average.toFixed(0)} pages/s, ${non2xx} refused, ${errors} errors`)
  return { ...result, pages: requests.average }
}

function show(what: string, r: Result): Result {
  const share = (n: number) => `${(n * 100).toFixed(1)} %`
  console.log(
    `${what.padEnd(12)} ${r.name.padEnd(14)} ${r.asked} asked, ${r.refused} refused, ${r.paid} paid, ${share(r.inTime)} of them vended in ${patience / 1000} s (${r.vended.toFixed(1)}/s); ` +
      `orders answered ${share(r.answered)}, payments ${share(r.money)}; paid to vend p50 ${r.p50} ms, p99 ${r.p99} ms; node ${r.node.toFixed(1)} ms, postgres ${r.postgres.toFixed(1)} ms a sale`,
  )
  return r
}
