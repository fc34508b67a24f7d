import { setTimeout as sleep } from 'node:timers/promises'
import mqtt, { type MqttClient } from 'mqtt'

/**
 * The other process of the gateway bench: machines that say hello, heartbeat and answer vends.
 * Talks to its parent over IPC: `{do: 'connect'|'storm'|'vends'|'stop'}` in, what it saw out.
 */
type Machine = {
  rtu: string
  client: MqttClient | undefined
  boot: number
  seq: number
  waiting: Map<number, { sentAt: number; kind: string; body: string }>
  acked: number[]
  welcomedAt: number
}
type Ask = {
  do: 'connect' | 'storm' | 'settle' | 'vends' | 'stop'
  url?: string
  numbers?: string[]
  ms?: number
  heartbeatMs?: number
}

let machines: Machine[] = []
let url = ''
let stopped = false
const latencies: number[] = []
let sent = 0
let vended = 0
/** When the first command of each order came. */
const arrivals = new Map<string, number>()

function tell(machine: Machine, kind: string, body: object, fact = true): void {
  if (stopped) return
  if (fact) machine.seq += 1
  const text = JSON.stringify({ boot: machine.boot, seq: machine.seq, ts: Date.now(), ...body })
  if (fact) {
    machine.waiting.set(machine.seq, { sentAt: performance.now(), kind, body: text })
    sent += 1
  }
  publish(machine, kind, text)
}
const publish = (machine: Machine, kind: string, text: string) =>
  void machine.client?.publish(`v1/${machine.rtu}/up/${kind}`, text, { qos: 1 }, () => {})

function connect(machine: Machine): void {
  machine.boot += 1
  machine.seq = 0
  machine.welcomedAt = 0
  const client = mqtt.connect(url, {
    clientId: machine.rtu,
    username: machine.rtu,
    password: `secret-${machine.rtu}`,
    protocolVersion: 4,
    reconnectPeriod: 0,
    connectTimeout: 30_000,
    will: {
      topic: `v1/${machine.rtu}/up/bye`,
      qos: 1,
      retain: false,
      payload: Buffer.from(
        JSON.stringify({ boot: machine.boot, seq: 0, session: 1, cause: 'LAST_WILL' }),
      ),
    },
  })
  machine.client = client
  client.on('error', () => {})
  client.on('close', () => {
    // away without being told to: come back as a machine does
    if (machine.client === client && !stopped)
      void sleep(1000 + Math.random() * 1000).then(
        () => machine.client === client && connect(machine),
      )
  })
  client.on('connect', () =>
    client.subscribe(`v1/${machine.rtu}/down/#`, { qos: 1 }, () =>
      tell(machine, 'hello', { fw: '1.0', apk: '1.0', rsrp: -80, door: false }),
    ),
  )
  client.on('message', (topic, payload) =>
    hear(machine, topic.split('/')[3] ?? '', JSON.parse(payload.toString())),
  )
}

function hear(
  machine: Machine,
  kind: string,
  body: {
    boot: number
    seqs?: number[]
    cmdId?: string
    orderNo?: string
    from?: number
    to?: number
  },
): void {
  if (kind === 'welcome') machine.welcomedAt = performance.now()
  if (kind === 'ack' && body.boot === machine.boot) {
    for (const seq of body.seqs ?? []) {
      const fact = machine.waiting.get(seq)
      if (!fact) continue
      machine.waiting.delete(seq)
      machine.acked.push(machine.boot * 1_000_000 + seq)
      if (fact.sentAt) latencies.push(performance.now() - fact.sentAt)
    }
  }
  if (kind === 'vend') {
    const order = body.orderNo ?? ''
    if (!arrivals.has(order)) arrivals.set(order, Date.now())
    tell(machine, 'cmd_ack', { cmdId: body.cmdId, ack: 'ACCEPTED' })
    void sleep(200 + Math.random() * 800).then(() => {
      if (stopped) return
      tell(machine, 'vend_result', {
        cmdId: body.cmdId,
        result: 'OK',
        dropDetected: true,
        durationMs: 800,
      })
      vended += 1
    })
  }
}

async function settled(ms: number, done: () => boolean): Promise<number> {
  const start = performance.now()
  while (!done() && performance.now() - start < ms) await sleep(50)
  return performance.now() - start
}
const allWelcome = () => machines.every((machine) => machine.welcomedAt > 0)

const reply = (message: object) => process.send?.(message)
process.on(
  'message',
  (ask: Ask) => void answer(ask).then(reply, (error: Error) => reply({ failed: error.message })),
)

async function answer(ask: Ask): Promise<object> {
  if (ask.do === 'connect') {
    url = ask.url as string
    machines = (ask.numbers ?? []).map((rtu) => ({
      rtu,
      client: undefined,
      boot: 0,
      seq: 0,
      waiting: new Map(),
      acked: [],
      welcomedAt: 0,
    }))
    for (const [i, machine] of machines.entries()) {
      connect(machine)
      if (i % 50 === 49) await sleep(50)
    }
    const ms = await settled(120_000, allWelcome)
    // heartbeats spread over the interval, as those of machines are
    for (const machine of machines)
      void sleep(Math.random() * (ask.heartbeatMs ?? 60_000)).then(() =>
        beat(machine, ask.heartbeatMs ?? 60_000),
      )
    return { ms, connected: machines.filter((machine) => machine.welcomedAt > 0).length }
  }
  if (ask.do === 'storm') {
    for (const machine of machines) {
      machine.welcomedAt = 0
      const old = machine.client
      machine.client = undefined
      old?.stream.destroy()
    }
    await Promise.all(
      machines.map((machine) =>
        sleep(Math.random() * (ask.ms ?? 10_000)).then(() => connect(machine)),
      ),
    )
    const after = await settled(120_000, allWelcome)
    return {
      ms: (ask.ms ?? 10_000) + after,
      connected: machines.filter((machine) => machine.welcomedAt > 0).length,
    }
  }
  if (ask.do === 'settle') {
    await settled(ask.ms ?? 30_000, () => machines.every((machine) => machine.waiting.size === 0))
    const sorted = latencies.splice(0).sort((a, b) => a - b)
    const at = (share: number) =>
      sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
    const counts = {
      sent,
      vended,
      acked: sorted.length,
      waiting: machines.reduce((sum, machine) => sum + machine.waiting.size, 0),
    }
    return { ...counts, p50: at(0.5), p99: at(0.99), max: sorted.at(-1) ?? 0 }
  }
  if (ask.do === 'vends') return { vends: [...arrivals] }
  stopped = true
  for (const machine of machines) machine.client?.end(true)
  return { acked: machines.map((machine) => [machine.rtu, machine.acked] as const) }
}

function beat(machine: Machine, every: number): void {
  if (stopped) return
  if (machine.welcomedAt) tell(machine, 'heartbeat', { rsrp: -80 }, false)
  void sleep(every).then(() => beat(machine, every))
}
