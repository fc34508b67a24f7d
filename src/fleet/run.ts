import { setMaxListeners } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { type Keys, readKeys } from '../domains/releases/manifest.ts'
import { createRandom } from '../seed/random.ts'
import { rhythm } from '../seed/rhythm.ts'
import type { Config } from '../server/config.ts'
import { type Http, shop } from './customer.ts'
import { type Machine, usualLuck } from './kinds.ts'
import { createMachine } from './machine.ts'
import { openDisk, openMemory, openRecord } from './memory.ts'
import { builtWith, type Load } from './updates.ts'
import { openWire, type Wire } from './wire.ts'

/** The shipped machines: numbers and secrets, as a factory keeps them; written by the demo data. */
const Shipped = z.object({
  /** Public keys of whoever signs releases, and what the machines are built with. */
  releaseKeys: z.string().default(''),
  machines: z.array(
    z.object({
      rtuNumber: z.string(),
      secret: z.string(),
      popularity: z.number(),
      dropSensor: z.boolean(),
      sells: z.boolean(),
      board: z.string().default(''),
      site: z.enum([
        'office',
        'metro',
        'hospital',
        'school',
        'mall',
        'residential',
        'factory',
        'airport',
      ]),
    }),
  ),
})
type Shipped = z.infer<typeof Shipped>['machines'][number]
type Running = { shipped: Shipped; machine: Machine; wire: Wire }
type Record = (line: object) => void

type Fleet = {
  /** No new customers; answers when those inside have paid or left. Machines stay. */
  closeShop(): Promise<void>
  stop(): Promise<void>
}
const hour = 3_600_000

/** Machines that heartbeat and measure, and customers at `config.fleet` of them. */
export async function runFleet(config: Config, log: (line: string) => void): Promise<Fleet> {
  const running: Running[] = []
  const stopping = new AbortController()
  const closing = new AbortController()
  const inside: Promise<void>[] = []
  const { signal } = stopping
  setMaxListeners(0, signal) // every waiting timer of every machine listens to it
  void begin().catch(
    (error: Error) => signal.aborted || log(`The simulated fleet: ${error.message}`),
  )

  async function begin(): Promise<void> {
    const path = join(config.dataDir, 'fleet.json')
    while (!existsSync(path)) await sleep(5000, undefined, { signal })
    const { machines, releaseKeys } = Shipped.parse(JSON.parse(readFileSync(path, 'utf8')))
    const record = openRecord(config.dataDir)
    const keys = readKeys(releaseKeys)
    const ranked = machines.toSorted((a, b) => b.popularity - a.popularity)
    for (const [index, shipped] of ranked.entries())
      running.push(startMachine(config, shipped, record, signal, index * 40, keys))
    // the most popular that sell; one that runs empty is left to the next in line
    const queue = running.filter(({ shipped }) => shipped.sells)
    for (let n = 0; n < config.fleet; n += 1)
      inside.push(customers(config, queue, record, signal, closing.signal, n))
  }

  return {
    async closeShop() {
      closing.abort()
      await Promise.all(inside)
    },
    async stop() {
      stopping.abort()
      await Promise.all(running.map(({ wire }) => wire.stop()))
    },
  }
}

function startMachine(
  config: Config,
  shipped: Shipped,
  record: Record,
  signal: AbortSignal,
  delay: number,
  keys: Keys,
): Running {
  const random = createRandom(`${shipped.rtuNumber}/${Date.now()}`)
  const later = (ms: number, work: () => void) => {
    sleep(ms, undefined, { signal }).then(work, () => {})
  }
  const every = (ms: number, work: () => void) =>
    later(ms * (0.9 + random.next() * 0.2), () => {
      work()
      every(ms, work)
    })
  const host = config.host === '0.0.0.0' || config.host === '::' ? '127.0.0.1' : config.host
  const wire = openWire(
    config.mqttUrl ?? `mqtt://${host.includes(':') ? `[${host}]` : host}:${config.mqttPort}`,
    shipped.rtuNumber,
    shipped.secret,
    () => machine,
  )
  const machine = createMachine({
    rtu: shipped.rtuNumber,
    boot: Math.floor(Date.now() / 1000),
    dropSensor: shipped.dropSensor,
    random,
    luck: usualLuck,
    chip: openMemory(join(config.dataDir, 'fleet'), shipped.rtuNumber),
    clock: { now: Date.now, later },
    releases: {
      built: {
        APK: builtWith('APK', 'com.huodao.vend', shipped.board, '5.12.0', 51200),
        FIRMWARE: builtWith('FIRMWARE', shipped.board, shipped.board, '2.4.1', 20401),
      },
      disk: openDisk(join(config.dataDir, 'fleet'), shipped.rtuNumber, 64 * 1024 * 1024),
      load: loader(config, shipped, signal),
      keys,
    },
    send: wire.send,
    turned: (command, result) =>
      record({
        rtu: shipped.rtuNumber,
        orderNum: command.orderNo,
        unit: command.unit,
        cmdId: command.cmdId,
        road: command.lane,
        result,
      }),
    powerFails(ms) {
      wire.send('bye', { ...machine.will(), cause: 'POWER_FAIL' })
      later(200, () => {
        wire.drop(ms / config.fleetPace)
        machine.restart()
      })
    },
    lineDrops: (ms) => later(ms / config.fleetPace, () => wire.drop(2000)),
  })
  wire.start(delay)
  every(60_000, machine.heartbeat)
  later(5000 + random.int(0, 25_000), machine.telemetry)
  const report = () =>
    later(machine.reportMs * (0.9 + random.next() * 0.2), () => {
      machine.telemetry()
      report()
    })
  report()
  every(1000, machine.tick)
  // somebody looks after the machine a few times a day
  every(6 * hour, () => {
    machine.door(true)
    later(20_000 + random.int(0, 60_000), () => machine.door(false))
  })
  return { shipped, machine, wire }
}

async function customers(
  config: Config,
  queue: Running[],
  record: Record,
  signal: AbortSignal,
  closing: AbortSignal,
  index: number,
): Promise<void> {
  const http = client(config, signal)
  const random = createRandom(`customers/${index}/${Date.now()}`)
  const pause = (ms: number) => sleep(ms, undefined, { signal })
  const stroll = (ms: number) =>
    sleep(ms / config.fleetPace, undefined, { signal: AbortSignal.any([signal, closing]) }).catch(
      () => {},
    )
  let place = queue.shift()
  let refusals = 0
  // machines connect first; then the customers do not come all at once
  await stroll(5000 + random.int(0, 20_000))
  while (place && !signal.aborted && !closing.aborted) {
    const { shipped, machine } = place
    const outcome =
      machine.doorOpen || machine.locked
        ? 'failed'
        : await shop(
            {
              http,
              random,
              payKey: config.simPayKey,
              walkAway: 0.05,
              now: Date.now,
              pause,
              paid: (payment) => record(payment),
            },
            shipped.rtuNumber,
          ).catch(() => 'failed' as const)
    refusals = outcome === 'refused' || outcome === 'nothing' ? refusals + 1 : 0
    if (refusals >= 5) {
      queue.push(place)
      place = queue.shift()
      refusals = 0
    }
    await stroll(waitAt(shipped.site, new Date(), random.next()))
  }
}

/**
 * 20 to 60 s by the hour of the place (Asia/Shanghai), somewhat irregular: even at night something
 * sells while you watch.
 */
export function waitAt(site: Shipped['site'], at: Date, luck: number): number {
  const local = new Date(at.getTime() + 8 * hour)
  const busy = Math.min(1, rhythm(site, local.getUTCHours(), local.getUTCDay()) * 12)
  return (20_000 + 40_000 * (1 - busy)) * (0.7 + 0.6 * luck)
}

/** Some of a package at a time, as a slow line gives it. */
const mostOfPart = 256 * 1024
function loader(config: Config, { rtuNumber, secret }: Shipped, signal: AbortSignal): Load {
  const authorization = `Basic ${Buffer.from(`${rtuNumber}:${secret}`).toString('base64')}`
  return async (url, from) => {
    const own = url.startsWith('/')
    try {
      const response = await fetch(own ? addressOf(config) + url : url, {
        headers: {
          range: `bytes=${from}-${from + mostOfPart - 1}`,
          ...(own ? { authorization } : {}),
        },
        signal: AbortSignal.any([signal, AbortSignal.timeout(60_000)]),
      })
      return { status: response.status, bytes: new Uint8Array(await response.arrayBuffer()) }
    } catch {
      return null
    }
  }
}

function addressOf(config: Config): string {
  const host = config.host === '0.0.0.0' || config.host === '::' ? '127.0.0.1' : config.host
  return `http://${host.includes(':') ? `[${host}]` : host}:${config.port}${config.basePath.replace(/\/$/, '')}`
}

function client(config: Config, signal: AbortSignal): Http {
  const base = addressOf(config)
  return async (method, path, body) => {
    const response = await fetch(base + path, {
      method,
      signal: AbortSignal.any([signal, AbortSignal.timeout(20_000)]),
      ...(body
        ? { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
        : {}),
    })
    return { status: response.status, body: await response.json().catch(() => null) }
  }
}
