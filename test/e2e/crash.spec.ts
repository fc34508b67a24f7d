import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { checkInvariants } from '../../src/server/invariants.ts'
import { type Env, test } from './flow.ts'
import { moneyMix } from './moneyMix.ts'

const apiKills = Number(process.env.API_KILLS ?? 20)
const databaseKills = Number(process.env.DATABASE_KILLS ?? 2)

type Line = {
  orderNum: string
  unit?: number
  result?: string
  outTradeNo?: string
  amount?: number
}

/**
 * T1b: while the fleet sells and people move money of parties (`moneyMix`), the API, beside it the
 * gateway or the worker, and PostgreSQL die again and again; afterwards the books agree with the
 * machines' own record and with what people were answered.
 */
test(`${apiKills} kills of the API and ${databaseKills} of PostgreSQL lose and double nothing`, async ({
  env,
}) => {
  test.setTimeout(Math.max(600_000, apiKills * 20_000))
  const mix = await moneyMix(env, databaseUrl(env))
  const took: number[] = []
  let seen = mix.moved()
  const every = Math.max(1, Math.floor(apiKills / Math.max(1, databaseKills)))
  for (let n = 0; n < apiKills; n += 1) {
    await healthy(env)
    await sleep(400 + (n % 5) * 250)
    // what dies is in the midst of something
    for (let waited = 0; mix.moved() < seen + 2 && waited < 2000; waited += 50) await sleep(50)
    seen = mix.moved()
    if (n % every === every - 1) process.kill(postmaster(env), 'SIGKILL')
    await sleep(50)
    // one that was just starting may have ended by itself
    const api = findChild(env, 'src/apps/serve.ts api')
    if (api) process.kill(api, 'SIGKILL')
    const other = findChild(env, `src/apps/serve.ts ${n % 2 ? 'gateway' : 'worker'}`)
    if (other) process.kill(other, 'SIGKILL')
    const began = Date.now()
    await healthy(env)
    took.push(Date.now() - began)
  }
  await sleep(3000)
  await mix.stop()
  const client = new pg.Client({ connectionString: databaseUrl(env) })
  client.on('error', () => {}) // it may be cut off when the product stops
  await client.connect()
  const fleet = child(env, 'src/apps/fleet.ts')
  process.kill(fleet, 'SIGUSR2')
  await agree(env, client)
  await mix.agree()
  const broken = await checkInvariants(databaseUrl(env))
  assert.deepEqual(broken, [])
  await client.end()
  took.sort((a, b) => a - b)
  assert.ok(
    (took[apiKills >> 1] ?? 0) <= 5000 && (took.at(-1) ?? 0) <= 15_000,
    `ready again after ${took.join(', ')} ms`,
  )
})

/**
 * Compares the fleet's record with the books until they agree; says what differs when they never
 * do.
 */
async function agree(env: Env, client: pg.Client): Promise<void> {
  let difference: unknown
  for (let second = 0; second < 150; second += 3) {
    await sleep(3000)
    const lines = readFileSync(path.join(env.dataDir, 'fleet-record.jsonl'), 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Line)
    const dropped = new Set(
      lines.filter((line) => line.result === 'OK').map((line) => `${line.orderNum}-${line.unit}`),
    )
    const paid = new Map(
      lines
        .filter((line) => line.outTradeNo)
        .map((line) => [line.outTradeNo as string, line.amount as number]),
    )
    const since = lines.map((line) => line.orderNum).sort()[0]
    const { rows: taken } = await client.query<{ piece: string }>(
      `select u.order_num || '-' || u.unit_no as piece from order_units u
        join stock_flow_keys k on k.unit_id = u.id where u.order_num >= $1`,
      [since],
    )
    const { rows: booked } = await client.query<{ no: string; amount: string }>(
      `select p.out_trade_no as no, e.amount from payments p
        join ledger_voucher_keys k on k.key in ('in:' || p.id, 'sus:' || p.id)
        join ledger_entries e on e.voucher_id = k.voucher_id and e.amount > 0
        where p.order_num >= $1`,
      [since],
    )
    const inBooks = new Set(taken.map((row) => row.piece))
    const money = new Map(booked.map((row) => [row.no, Number(row.amount)]))
    difference = {
      droppedNotBooked: [...dropped].filter((piece) => !inBooks.has(piece)),
      bookedNotDropped: [...inBooks].filter((piece) => !dropped.has(piece)),
      paidNotBooked: [...paid].filter(([no, amount]) => money.get(no) !== amount),
      bookedNotPaid: [...money].filter(([no]) => !paid.has(no)),
    }
    if (
      Object.values(difference as Record<string, unknown[]>).every((list) => list.length === 0) &&
      booked.length === money.size &&
      taken.length > 20
    ) {
      console.log(`        ${taken.length} pieces and ${booked.length} payments agree`)
      return
    }
  }
  assert.fail(`the books and the machines differ: ${JSON.stringify(difference)}`)
}

async function healthy(env: Env): Promise<void> {
  for (let n = 0; n < 600; n += 1) {
    const fine = await fetch(`${env.base}/health`, { signal: AbortSignal.timeout(2000) }).then(
      (answer) => answer.ok,
      () => false,
    )
    if (fine) return
    await sleep(50)
  }
  throw new Error('the product did not come back within 30 s')
}

const postmaster = (env: Env) =>
  Number(readFileSync(path.join(env.dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0])

function child(env: Env, file: string): number {
  const found = findChild(env, file)
  if (!found) throw new Error(`no process runs ${file}`)
  return found
}
/** The process below this run's product that runs `file`. */
function findChild(env: Env, file: string): number | undefined {
  const lines = execFileSync('ps', ['-eo', 'pid=,args='], { encoding: 'utf8' }).split('\n')
  for (const line of lines) {
    const [, pid, args] = /^\s*(\d+)\s+(.*)$/.exec(line) ?? []
    if (pid && args?.includes(file) && environment(Number(pid)).DATA_DIR === env.dataDir)
      return Number(pid)
  }
  return undefined
}
function environment(pid: number): Record<string, string> {
  try {
    return Object.fromEntries(
      readFileSync(`/proc/${pid}/environ`, 'utf8')
        .split('\0')
        .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
    )
  } catch {
    return {}
  }
}
const databaseUrl = (env: Env) =>
  environment(child(env, 'src/apps/serve.ts api')).DATABASE_URL as string
