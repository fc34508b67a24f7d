import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { recordControls } from '../../device-commands/server/gateway.ts'
import { recordVend } from '../../orders/server/vend.ts'
import { limits } from '../rules.ts'
import type { Fact } from './facts.ts'
import { openHeld } from './held.ts'
import type { Machine } from './identity.ts'
import { type Intake, openIntake } from './intake.ts'
import { openWorld, type World } from './testWorld.ts'

let world: World
let holder: pg.Client
let intake: Intake
let machines: Machine[]
const acks: { id: number; seqs: number[] }[] = []
beforeAll(async () => {
  world = await openWorld()
  machines = await Promise.all(Array.from({ length: 12 }, () => world.addMachine()))
  holder = new pg.Client({
    connectionString: (world.app.config as { databaseUrl: string }).databaseUrl,
  })
  await holder.connect()
  await holder.query(`select set_config('app.all', 'on', false)`)
  intake = openIntake(
    world.app,
    { ...limits, gatherMs: 1, heldMs: 50 },
    { vends: recordVend, controls: recordControls },
  )
  intake.answerOver({
    send: (machine: Machine, kind: string, body: object) => {
      if (kind === 'ack') acks.push({ id: machine.id, seqs: (body as { seqs: number[] }).seqs })
      return true
    },
    connected: () => [],
    recheck: async () => {},
    stop: async () => {},
  } as never)
})
afterAll(async () => {
  await intake?.drain(1000)
  await holder?.end()
  await world?.close()
})
beforeEach(() => {
  acks.length = 0
})

let seq = 0
const say = (machine: Machine, kind: string, body: object = {}) =>
  intake.receive(
    machine,
    kind as never,
    Buffer.from(JSON.stringify({ boot: 1, seq, ts: Date.now(), ...body })),
  )
const acked = () => new Set(acks.filter(({ seqs }) => seqs.includes(seq)).map(({ id }) => id))
async function holding(statement: string, work: () => Promise<void>): Promise<void> {
  await holder.query('begin')
  await holder.query(statement)
  try {
    await work()
  } finally {
    await holder.query('rollback')
  }
}

test.each([
  [
    'its state',
    (ids: string) => `select 1 from device_states where device_id in (${ids}) for update`,
  ],
  ['its lanes', (ids: string) => `select 1 from lanes where device_id in (${ids}) for update`],
  ['the machine itself', (ids: string) => `select 1 from devices where id in (${ids}) for update`],
  [
    'what was said of faults',
    (ids: string) => `update device_faults set detail = 'x' where device_id in (${ids})`,
  ],
])('whoever holds %s holds up that machine alone, and only so long', async (_what, statement) => {
  const [mine, second, ...others] = machines as [Machine, Machine, ...Machine[]]
  seq += 1
  await Promise.all(machines.map((machine) => say(machine, 'fault', { code: `F${seq}`, lane: 1 })))
  await expect.poll(() => acked().size, { timeout: 5000 }).toBe(machines.length)
  await holding(statement(`${mine.id}, ${second.id}`), async () => {
    for (let turn = 0; turn < 3; turn += 1) {
      seq += 1
      const began = performance.now()
      await Promise.all(
        machines.map((machine) => say(machine, 'clear', { code: `F${seq - 1 - turn}`, lane: 1 })),
      )
      await expect
        .poll(() => others.filter((machine) => !acked().has(machine.id)), {
          timeout: 5000,
          interval: 10,
        })
        .toEqual([])
      // found once, those who wait cost the others nothing
      if (turn) expect(performance.now() - began).toBeLessThan(1000)
    }
    expect([mine, second].some((machine) => acked().has(machine.id))).toBe(false)
  })
  await expect
    .poll(() => [mine, second].every((machine) => acked().has(machine.id)), { timeout: 5000 })
    .toBe(true)
})

test('presence of all others is written while a row is held, and its own afterwards', async () => {
  const [mine, ...others] = machines as [Machine, ...Machine[]]
  const online = async () =>
    (
      await world.rows<{ id: number }>(
        'select device_id::int as id from device_states where online',
      )
    ).map((row) => row.id)
  await world.rows(
    `update device_states set online = false, offline_since = now() - interval '1 hour'`,
  )
  await holding(`select 1 from device_states where device_id = ${mine.id} for update`, async () => {
    await Promise.all(machines.map((machine) => say(machine, 'heartbeat')))
    await expect
      .poll(() => intake.tick().then(online), { timeout: 5000 })
      .toHaveLength(others.length)
    for (const machine of machines.slice(0, 3)) intake.lost(machine)
    await expect
      .poll(() => intake.tick().then(online), { timeout: 5000 })
      .toHaveLength(others.length - 2)
    await intake.sweep()
  })
  // it was heard, and it left
  await intake.tick()
  expect(await online()).not.toContain(mine.id)
  expect(
    (
      await world.rows<{ seen: boolean }>(
        `select last_seen_at > now() - interval '1 minute' as seen from device_states
          where device_id = $1`,
        [mine.id],
      )
    )[0]?.seen,
  ).toBe(true)
})

const row = (where: string) => (id: number) => `select 1 from ${where} = ${id} for update`
test.each([
  ['its state', row('device_states where device_id')],
  ['a lane', row('lanes where device_id')],
  ['the machine itself', row('devices where id')],
  ['its documents', row('device_shadows where device_id')],
  [
    'its owner',
    (id: number) =>
      `select 1 from organisations where id = (select org_id from devices where id = ${id}) for update`,
  ],
])(
  'those of whom somebody holds %s are found at once and wait together',
  async (what, statement) => {
    const [mine, other] = machines as [Machine, Machine]
    await world.rows(
      `insert into device_shadows (device_id, kind, org_id, wanted, wanted_at)
      values ($1, 'CONFIG', 2, 1, now()) on conflict do nothing`,
      [mine.id],
    )
    // the owner of one is everybody's
    if (what === 'its owner')
      await world.rows('update devices set org_id = 1 where id = $1', [mine.id])
    const fact = (machine: Machine, seq: number) => ({ machine, up: { seq } }) as Fact
    const written: number[][] = []
    let refusals = 1
    let under = 0
    const held = openHeld(
      world.app,
      { ...limits, heldMs: 20, heldOfOne: 3, heldMost: 4 },
      async (facts) => {
        if (refusals-- > 0) throw Object.assign(new Error('held again'), { code: '55P03' })
        under += 1
        await sleep(50)
        under -= 1
        written.push(facts.map(({ up }) => up.seq))
      },
    )
    await holding(statement(mine.id), async () => {
      expect(await held.sift([fact(mine, 1), fact(other, 2), fact(mine, 3)])).toEqual([
        fact(other, 2),
      ])
      // what comes meanwhile waits behind it, as far as there is room
      expect([
        held.joins(fact(other, 4)),
        held.joins(fact(mine, 5)),
        held.joins(fact(mine, 6)),
      ]).toEqual([false, true, true])
      held.putAside([fact(other, 7), fact(other, 8)])
      await expect.poll(() => written, { timeout: 5000 }).toEqual([[7]])
      expect(held.size).toBe(3)
    })
    await expect.poll(() => under, { timeout: 5000, interval: 5 }).toBe(1)
    await held.close()
    expect([written, held.size, held.joins(fact(mine, 9))]).toEqual([[[7], [1, 3, 5]], 0, false])
    await world.rows('update devices set org_id = 2 where id = $1', [mine.id])
  },
)
