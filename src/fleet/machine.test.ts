import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Command } from '../domains/machines/protocol.ts'
import { createRandom } from '../seed/random.ts'
import type { Luck, VendResult } from './kinds.ts'
import { createMachine } from './machine.ts'
import { type Memory, type MemoryChip, openMemory } from './memory.ts'
import { waitAt } from './run.ts'

const good: Luck = { noDrop: 0, stuck: 0, silent: 0, lost: 0 }
type Said = { kind: string; boot: number; seq: number } & Record<string, unknown>

function build({
  luck = good,
  boot = 7,
  skew = 0,
  stored = { memory: null as Memory | null },
  chip = {
    read: () => stored.memory,
    write: (memory) => void Object.assign(stored, { memory: structuredClone(memory) }),
  } as MemoryChip,
} = {}) {
  let now = 1_800_000_000_000
  const timers: { at: number; work: () => void }[] = []
  const said: Said[] = []
  const turned: VendResult[] = []
  const outages: number[] = []
  const machine = createMachine({
    rtu: 'X0001',
    boot,
    dropSensor: true,
    chip,
    luck,
    random: createRandom('machine'),
    clock: { now: () => now + skew, later: (ms, work) => void timers.push({ at: now + ms, work }) },
    send: (kind, message) => void said.push({ kind, ...message } as Said),
    turned: (_, result) => void turned.push(result),
    powerFails: (ms) => void outages.push(ms),
    lineDrops: (ms) => void outages.push(-ms),
  })
  const hear = (kind: string, body: object) =>
    machine.hear(`v1/X0001/down/${kind}`, Buffer.from(JSON.stringify({ ...body, ts: now })))
  const pass = (ms: number) => {
    const end = now + ms
    for (;;) {
      const next = timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0]
      if (!next) break
      timers.splice(timers.indexOf(next), 1)
      now = Math.max(now, next.at)
      next.work()
    }
    now = end
  }
  const connect = (lastBoot = boot) => {
    machine.will()
    machine.connected()
    hear('welcome', { boot, lastBoot })
  }
  const command = (n: number): Command => ({
    cmdId: `0f8fad5b-d9cb-469f-a165-70867728950${n}`,
    orderNo: '1',
    unit: n,
    lane: 3,
    motor: 3,
    qty: 1,
    issuedAt: now,
    expireAt: now + 60_000,
  })
  const last = (kind: string) => said.findLast((message) => message.kind === kind)
  return { machine, said, turned, outages, hear, pass, connect, command, last }
}

test('hello first, the rest after welcome, in order, without holes, until acknowledged', () => {
  const { machine, said, hear, pass } = build()
  expect(machine.will()).toMatchObject({ session: 1, cause: 'LAST_WILL' })
  machine.telemetry()
  machine.connected()
  expect(said.map(({ kind, seq }) => [kind, seq])).toEqual([['hello', 1]])
  hear('welcome', { boot: 7, lastBoot: 7 })
  expect(said.map(({ seq }) => seq)).toEqual([1, 2])
  hear('ack', { boot: 7, seqs: [1] })
  pass(10_000)
  machine.tick()
  expect(said.map(({ seq }) => seq)).toEqual([1, 2, 2])
  hear('resend', { boot: 7, from: 1, to: 9 })
  expect(said.map(({ seq }) => seq)).toEqual([1, 2, 2, 2])
  hear('ack', { boot: 7, seqs: [2] })
  expect(machine.waiting).toBe(0)
})

test.each([0, 86_400_000, -86_400_000])(
  'a command is done once, whatever the clock (%i ms off)',
  (skew) => {
    const { hear, pass, connect, command, last, turned } = build({ skew })
    connect()
    const first = command(1)
    hear('vend', first)
    expect(last('cmd_ack')).toMatchObject({ ack: 'ACCEPTED' })
    hear('vend', first)
    expect(last('cmd_ack')).toMatchObject({ ack: 'DUPLICATE' })
    hear('query', first)
    expect(last('cmd_ack')).toMatchObject({ ack: 'ACCEPTED' })
    pass(6000)
    expect([turned, last('vend_result')?.result]).toEqual([['OK'], 'OK'])
    hear('vend', first)
    expect(last('cmd_ack')).toMatchObject({ ack: 'DUPLICATE', result: 'OK', dropDetected: true })
    const resultSeq = last('vend_result')?.seq
    hear('void', first)
    expect(last('vend_result')?.seq).toBeGreaterThan(resultSeq as number)
    hear('vend', { ...command(2), expireAt: 1 })
    expect(last('cmd_ack')).toMatchObject({ ack: 'EXPIRED' })
    pass(10_000)
    expect(turned).toHaveLength(1)
  },
)

test('what is withdrawn is never done, known or not', () => {
  const { hear, pass, connect, command, last, turned } = build()
  connect()
  hear('vend', command(1))
  hear('void', command(1))
  expect(last('cmd_ack')).toMatchObject({ ack: 'VOIDED' })
  hear('query', command(2))
  expect(last('cmd_ack')).toMatchObject({ ack: 'VOIDED' })
  hear('vend', command(2))
  expect(last('cmd_ack')).toMatchObject({ ack: 'VOIDED' })
  pass(20_000)
  expect(turned).toEqual([])
})

test('power fails before the motor turns: given up after the start, with old facts under old numbers', () => {
  const { machine, hear, connect, command, last, pass, outages, turned, said } = build({
    luck: { ...good, silent: 2 },
  })
  connect()
  hear('vend', command(1))
  pass(6000)
  expect([outages.length, turned]).toEqual([1, []])
  machine.disconnected()
  machine.restart()
  said.length = 0
  machine.will()
  machine.connected()
  hear('welcome', { boot: 8, lastBoot: 8 })
  expect(last('cmd_ack')).toMatchObject({ ack: 'EXPIRED', boot: 8, seq: 1 })
  expect(said.map(({ kind, boot, seq }) => `${kind} ${boot}/${seq}`)).toEqual([
    'hello 8/2',
    'hello 7/1',
    'cmd_ack 7/2',
    'cmd_ack 8/1',
  ])
})

test('a new process with the same memory knows what it did', () => {
  const stored = { memory: null as Memory | null }
  const old = build({ stored })
  old.connect()
  old.hear('vend', old.command(1))
  old.pass(6000)
  old.hear('vend', old.command(2))
  const fresh = build({ stored, boot: 3 })
  fresh.connect(8)
  expect(fresh.said.map(({ kind, boot, seq }) => `${kind} ${boot}/${seq}`)).toEqual(['hello 8/2'])
  fresh.hear('welcome', { boot: 8, lastBoot: 8 })
  expect(fresh.said.slice(1).map(({ kind, boot, seq }) => `${kind} ${boot}/${seq}`)).toEqual([
    'hello 7/1',
    'cmd_ack 7/2',
    'vend_result 7/3',
    'cmd_ack 8/1',
  ])
  expect(fresh.last('cmd_ack')).toMatchObject({ cmdId: old.command(2).cmdId, ack: 'EXPIRED' })
  fresh.hear('void', fresh.command(1))
  expect(fresh.last('vend_result')).toMatchObject({ boot: 8, result: 'OK' })
})

test('a stuck lane refuses until it is repaired', () => {
  const { hear, connect, command, last, pass, machine } = build({ luck: { ...good, stuck: 1 } })
  connect()
  hear('vend', command(1))
  pass(6000)
  expect(last('vend_result')).toMatchObject({ result: 'MOTOR_NOT_MOVE', dropDetected: false })
  expect(last('fault')).toMatchObject({ code: 'MOTOR_NOT_MOVE', lane: 3 })
  hear('vend', command(2))
  expect(last('cmd_ack')).toMatchObject({ ack: 'LANE_FAULT' })
  pass(600_000)
  expect([last('clear')?.lane, machine.doorOpen]).toEqual([3, false])
})

test('a lost counter goes on above the platform', () => {
  const { machine, said, hear, connect } = build({ boot: 1 })
  machine.telemetry()
  connect(57)
  expect(said.map(({ kind, boot, seq }) => `${kind} ${boot}/${seq}`)).toEqual([
    'hello 1/2',
    'hello 58/1',
  ])
  hear('welcome', { boot: 58, lastBoot: 58 })
  expect(said.at(-1)).toMatchObject({ kind: 'telemetry', boot: 58, seq: 2 })
})

test('a lost result waits for the next connection', () => {
  const { machine, hear, connect, command, last, pass, outages } = build({
    luck: { ...good, lost: 1 },
  })
  connect()
  hear('vend', command(1))
  pass(60_000)
  machine.tick()
  hear('resend', { boot: 7, from: 1, to: 99 })
  expect([last('vend_result'), outages.length]).toEqual([undefined, 1])
  machine.disconnected()
  connect()
  expect(last('vend_result')).toMatchObject({ result: 'OK' })
})

const settings = (version: number, more: object = {}) => ({
  ...{
    version,
    part: 1,
    parts: 1,
    tempMin: 2,
    tempMax: 6,
    humMin: 20,
    humMax: 80,
    limitPerOrder: 0,
    limitPerDay: 0,
  },
  ...{
    lighting: [],
    defog: false,
    volume: 50,
    reportSeconds: 60,
    screenOffSeconds: 0,
    dropSensor: true,
    ...more,
  },
})
const control = (n: number, type: string, expireAt = 4e12) => ({
  cmdId: `1f8fad5b-d9cb-469f-a165-70867728950${n}`,
  type,
  issuedAt: 1,
  expireAt,
})

test('settings and lanes are applied once whole, refused when they cannot be, and survive a loss of power', () => {
  const stored = { memory: null as Memory | null }
  const { machine, said, hear, connect, last } = build({ stored })
  connect()
  hear('config', settings(3))
  expect([last('applied'), machine.reportMs]).toEqual([
    expect.objectContaining({ what: 'CONFIG', version: 3, ok: true }),
    60_000,
  ])
  hear('config', settings(4, { tempMin: -28 }))
  expect(last('applied')).toMatchObject({
    what: 'CONFIG',
    version: 4,
    ok: false,
    reason: 'cannot cool below -25',
  })
  const lane = (n: number) => ({
    lane: n,
    motor: n,
    width: 1,
    product: 1,
    name: 'x',
    price: 300,
    capacity: 8,
    limit: 0,
    later: 'unknown',
  })
  const count = () => said.filter(({ kind }) => kind === 'applied').length
  hear('planogram', { version: 7, part: 2, parts: 2, lanes: [lane(2)] })
  expect(count()).toBe(2)
  hear('planogram', { version: 7, part: 1, parts: 2, lanes: [lane(1)] })
  expect([count(), last('applied')]).toEqual([
    3,
    expect.objectContaining({ what: 'PLANOGRAM', version: 7, ok: true }),
  ])
  const again = build({ stored })
  again.connect(8)
  expect(again.last('hello')).toMatchObject({ config: 3, planogram: 7 })
})

test('the recalled list is taken once whole and survives a loss of power, an empty one too', () => {
  const folder = mkdtempSync(join(tmpdir(), 'huodao-machine-'))
  const chip = openMemory(folder, 'X0001')
  const list = (version: number, part: number, parts: number, ...lanes: number[]) => ({
    version,
    part,
    parts,
    recalls: lanes.map((lane) => ({ batch: `B${lane}`, name: '布洛芬', lanes: [lane] })),
  })
  // what was not acknowledged before is said again behind it
  const hello = ({ said }: ReturnType<typeof build>, boot: number) =>
    said.find((message) => message.kind === 'hello' && message.boot === boot)
  const first = build({ chip })
  first.connect()
  expect(first.last('hello')).toMatchObject({ recalls: 0 })
  first.hear('recalls', list(3, 2, 2, 12))
  // half a list is none: with the other half still to come it says nothing and keeps nothing
  expect(first.last('applied')).toBeUndefined()
  expect(chip.read()?.held?.recalls).toBeFalsy()
  first.hear('recalls', list(3, 1, 2, 4))
  expect(first.last('applied')).toMatchObject({ what: 'RECALLS', version: 3, ok: true })
  const again = build({ chip, boot: 8 })
  again.connect()
  expect(hello(again, 8)).toMatchObject({ recalls: 3 })
  expect(chip.read()?.held?.recalls?.recalls.map(({ lanes }) => lanes)).toEqual([[4], [12]])
  again.hear('recalls', list(4, 1, 1))
  const ended = build({ chip, boot: 9 })
  ended.connect()
  expect(hello(ended, 9)).toMatchObject({ recalls: 4 })
  expect(chip.read()?.held?.recalls).toEqual({ version: 4, recalls: [] })
  rmSync(folder, { recursive: true })
})

test('a command is done once, answered every time, and not after its time', () => {
  const { machine, said, hear, connect, last } = build()
  connect()
  hear('command', control(1, 'LOCK'))
  expect([machine.locked, last('cmd_ack')?.ack, last('cmd_result')?.ok]).toEqual([
    true,
    'ACCEPTED',
    true,
  ])
  hear('command', control(2, 'UNLOCK'))
  hear('command', control(1, 'LOCK'))
  expect([
    machine.locked,
    last('cmd_ack')?.ack,
    said.filter(({ kind }) => kind === 'cmd_result').length,
  ]).toEqual([false, 'DUPLICATE', 3])
  hear('command', control(3, 'LOCK', 5))
  hear('command', control(3, 'LOCK', 5))
  expect([machine.locked, last('cmd_ack')?.ack]).toEqual([false, 'EXPIRED'])
  hear('command', control(4, 'QUERY'))
  expect(said.slice(-3).map(({ kind }) => kind)).toEqual(['cmd_ack', 'telemetry', 'cmd_result'])
})

test('a restart is told as done after the start; anything else that had begun is given up', () => {
  const { machine, hear, connect, last, pass, outages, said } = build()
  connect()
  hear('command', control(1, 'REBOOT'))
  expect([last('cmd_ack')?.ack, last('cmd_result')]).toEqual(['ACCEPTED', undefined])
  pass(3000)
  expect(outages.length).toBe(1)
  machine.disconnected()
  machine.restart()
  connect(8)
  hear('welcome', { boot: 8, lastBoot: 8 })
  expect(said.findLast(({ kind }) => kind === 'cmd_result')).toMatchObject({ boot: 8, ok: true })
  hear('command', control(2, 'DOOR'))
  expect(machine.doorOpen).toBe(true)
  pass(21_000)
  expect(machine.doorOpen).toBe(false)
})

test.each(['office', 'school', 'airport', 'residential'] as const)(
  'customers of %s come every 14 to 78 s at any hour',
  (site) => {
    for (let hour = 0; hour < 168; hour += 1) {
      for (const luck of [0, 0.5, 0.999]) {
        const wait = waitAt(site, new Date(Date.UTC(2026, 10, 16, hour)), luck)
        expect(wait).toBeGreaterThanOrEqual(14_000)
        expect(wait).toBeLessThanOrEqual(78_000)
      }
    }
  },
)

test('a start that is not believed goes on above the last one that was', () => {
  const { machine, said, hear } = build()
  machine.will()
  machine.telemetry()
  machine.connected()
  hear('welcome', { boot: 7, lastBoot: 3 })
  expect(said.map(({ kind, boot, seq }) => [kind, boot, seq])).toEqual([
    ['hello', 7, 1],
    ['hello', 4, 1],
  ])
  hear('ack', { boot: 4, seqs: [1] })
  hear('welcome', { boot: 4, lastBoot: 4 })
  expect(said.at(-1)).toMatchObject({ kind: 'telemetry', boot: 4, seq: 2 })
})
