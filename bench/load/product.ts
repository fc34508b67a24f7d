import { type ChildProcess, fork } from 'node:child_process'
import { createHmac, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import pg from 'pg'
import { freePort } from '../../test/support/freePort.ts'
import { fill, rtuOf } from '../gateway/fill.ts'

/**
 * One checkout of the product, running on a database of its own, with connected machines and
 * somebody who reads.
 */
export type Product = {
  readonly name: string
  readonly address: string
  readonly token: string
  /** Orders one piece and pays it; what the calls answered and when the payment was told. */
  sell(n: number): Promise<{ ordered: number; paid: number | null; orderNum: string; at: number }>
  /** When the first command of each order came to its machine. */
  vends(): Promise<Map<string, number>>
  /**
   * Milliseconds of processor time so far: the product's processes, and what works for it in the
   * database.
   */
  cpu(): Promise<{ node: number; postgres: number }>
  stop(): Promise<void>
}

const payKey = '1'.repeat(64)
const script = path.join(import.meta.dirname, 'server.ts')

export async function startProduct(
  root: string,
  parts: readonly string[][],
  given: { url: string; dataDir: string; machines: number; connected: number },
): Promise<Product> {
  const port = await freePort()
  const mqttPort = await freePort()
  const env = {
    ...process.env,
    DATABASE_URL: given.url,
    DATA_DIR: given.dataDir,
    DEMO: '0',
    LOG_LEVEL: 'silent',
    RATE_LIMIT: '1000000',
    SIM_PAY_KEY: payKey,
    SECRET_KEY: '0'.repeat(64),
    PORT: String(port),
    MQTT_PORT: String(mqttPort),
  }
  const run = (names: readonly string[]) =>
    fork(script, names, { cwd: root, env, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const [code] = await once(run(['prepare']), 'exit')
  if (code !== 0) throw new Error(`${root} cannot be prepared`)
  const owner = new pg.Client({ connectionString: given.url })
  owner.on('error', () => {})
  await owner.connect()
  await owner.query(`select set_config('app.all', 'on', false)`)
  const token = await fill(owner, given.machines)
  /** Kept also of those that ended since. */
  const backends = new Map<number, number>()
  const processes: ChildProcess[] = []
  for (const names of parts) {
    const child = run(names)
    processes.push(child)
    await Promise.race([
      once(child, 'message'),
      once(child, 'exit').then(() => Promise.reject(new Error(`${names} of ${root} ended`))),
    ])
  }
  const machines = fork(path.join(import.meta.dirname, '../gateway/machines.ts'))
  const ask = async (message: object): Promise<Record<string, unknown>> => {
    machines.send(message)
    return (await once(machines, 'message'))[0]
  }
  const numbers = Array.from({ length: given.connected }, (_, n) => rtuOf(n))
  await ask({ do: 'connect', url: `mqtt://127.0.0.1:${mqttPort}`, numbers, heartbeatMs: 60_000 })
  const address = `http://127.0.0.1:${port}`
  const post = (where: string, body: object) =>
    fetch(`${address}${where}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  return {
    name: root,
    address,
    token,
    async sell(n) {
      const rtuNumber = rtuOf((n * 7) % given.connected)
      const items = [{ roadIndex: 1 + (n % 4), count: 1, price: 300 }]
      const order = await post('/mobile/orders', {
        rtuNumber,
        items,
        payType: 'WECHAT',
        clientId: randomUUID(),
        consumer: '',
      })
      const { outTradeNo = '', orderNum = '' } = (await order.json()) as {
        outTradeNo?: string
        orderNum?: string
      }
      if (order.status !== 200) return { ordered: order.status, paid: null, orderNum, at: 0 }
      const notice = {
        eventId: randomUUID(),
        outTradeNo,
        tradeNo: `T${outTradeNo}`,
        amount: 300,
        paidAt: new Date().toISOString(),
      }
      const text = `${notice.eventId}|${outTradeNo}|${notice.tradeNo}|300|${notice.paidAt}`
      const sign = createHmac('sha256', payKey).update(text).digest('hex')
      const at = Date.now()
      const paid = await post('/pay/simulator/notify', { ...notice, sign })
      await paid.arrayBuffer()
      return { ordered: 200, paid: paid.status, orderNum, at }
    },
    vends: async () => new Map((await ask({ do: 'vends' })).vends as [string, number][]),
    async cpu() {
      const { rows } = await owner.query<{ pid: number }>(
        'select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
      )
      for (const { pid } of rows) backends.set(pid, cpuOf(pid))
      const sum = (all: Iterable<number>) => [...all].reduce((total, ms) => total + ms, 0)
      return {
        node: sum(processes.map(({ pid }) => cpuOf(pid as number))),
        postgres: sum(backends.values()),
      }
    },
    async stop() {
      await owner.end()
      await ask({ do: 'stop' })
      machines.disconnect()
      for (const child of processes) child.disconnect()
      await Promise.all(processes.map((child) => child.exitCode ?? once(child, 'exit')))
    },
  }
}

/** User and system time of a process in milliseconds. */
function cpuOf(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    return (Number(fields[11]) + Number(fields[12])) * 10
  } catch {
    return 0
  }
}
