import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { recordVend } from '../../orders/server/vend.ts'
import type { UpKind } from '../protocol.ts'
import { limits } from '../rules.ts'
import { sweepSilence } from './excursions.ts'
import type { Machine } from './identity.ts'
import { openIntake } from './intake.ts'
import { type Span, spanAfter } from './spans.ts'
import { sweepTemperatures } from './temperature.ts'
import { openWorld, type World } from './testWorld.ts'

let world: World
let boot = 1
beforeAll(async () => {
  world = await openWorld()
  await world.rows(
    `insert into products (id, org_id, category_id, name, model, drug_class, cost_price,
      retail_price, images, store_temp_max)
      values (2, 1, 1, 'milk', 'x', 'NONE', 100, 300, '{a}', 6)`,
  )
})
afterAll(() => world.close())

/** Measurements in the order of their numbers; `order` is the order in which they come in. */
async function measure(
  machine: Machine,
  seqs: readonly [seq: number, temperature: number | null, minute: number][],
): Promise<void> {
  const start = world.clock.now
  for (const [seq, temperature, minute] of seqs) {
    world.clock.now = start + minute * 60_000
    const intake = openIntake(
      world.app,
      { ...limits, gatherMs: 1 },
      { vends: recordVend, controls: async () => {} },
    )
    intake.answerOver({
      send: () => true,
      connected: () => [],
      recheck: async () => {},
      stop: async () => {},
    })
    const kind: UpKind = temperature === null ? 'hello' : 'telemetry'
    await intake.receive(
      machine,
      kind,
      Buffer.from(
        JSON.stringify({
          boot,
          seq,
          ts: world.clock.now,
          ...(temperature === null ? {} : { temperature }),
        }),
      ),
    )
    await intake.drain(5000)
  }
  world.clock.now = start
}
/** The sweep reads no messages: a machine that talks all day would make it slow for all. */
const pass = async (minutes: number) => {
  world.clock.now += minutes * 60_000
  await world.rows('revoke select on device_messages from huodao_app')
  await sweepTemperatures(world.app)
  await world.rows('grant select on device_messages to huodao_app')
}
const look = async (machine: Machine) => {
  const [state] = await world.rows(
    `select temp_alarm, fault_count from device_states where device_id = $1`,
    [machine.id],
  )
  const faults = await world.rows(
    `select code, closed_at is null as open from device_faults where device_id = $1`,
    [machine.id],
  )
  const locked = await world.rows(
    `select road_index as road, lock_reason from lanes where device_id = $1 and status = 'LOCKED'
      order by 1`,
    [machine.id],
  )
  return {
    alarm: state?.temp_alarm,
    faults: faults.map((row) => `${row.code} ${row.open}`),
    count: state?.fault_count,
    locked: locked.map((row) => `${row.road} ${row.lock_reason}`),
  }
}
const calm = { alarm: false, faults: [], count: 0, locked: [] }
async function fresh(): Promise<Machine> {
  boot += 1
  const machine = await world.addMachine()
  await world.rows(
    `update lanes set product_id = 2 where device_id = $1 and road_index in (2, 3)`,
    [machine.id],
  )
  await world.rows(
    `update lanes set status = 'LOCKED', lock_reason = 'COUNT_NEEDED'
      where device_id = $1 and road_index = 3`,
    [machine.id],
  )
  return machine
}
const before = { ...calm, locked: ['3 COUNT_NEEDED'] }

test('ten minutes outside are an alarm, thirty lock what must be kept cold; back within ends the alarm, not the lock', async () => {
  const machine = await fresh()
  await measure(machine, [
    [1, 5, 0],
    [2, 9.5, 1],
  ])
  await pass(11)
  expect(await look(machine)).toEqual(before)
  await pass(0.5)
  const alarmed = {
    alarm: true,
    faults: ['TEMP_EXCURSION true'],
    count: 1,
    locked: ['3 COUNT_NEEDED'],
  }
  expect(await look(machine)).toEqual(alarmed)
  await measure(machine, [[3, 11, 0]])
  await pass(19)
  expect(await look(machine)).toEqual(alarmed)
  await pass(1)
  const locked = ['2 TEMPERATURE', '3 COUNT_NEEDED']
  expect(await look(machine)).toEqual({ ...alarmed, locked })
  await pass(1)
  await measure(machine, [[4, 6, 0]])
  await pass(0)
  expect(await look(machine)).toEqual({
    alarm: false,
    faults: ['TEMP_EXCURSION false'],
    count: 0,
    locked,
  })
  expect(
    await world.rows(
      `select kind, data from device_events where device_id = $1 and kind like 'TEMP%' order by id`,
      [machine.id],
    ),
  ).toEqual([
    { kind: 'TEMP_ALARM', data: { temperature: 9.5, min: 2, max: 8 } },
    { kind: 'TEMP_LOCK', data: { roads: [2] } },
    { kind: 'TEMP_CLEAR', data: { temperature: 6 } },
  ])
})

test.each([
  ['in order', [1, 2, 3, 4]],
  ['the middle last', [1, 4, 3, 2]],
  ['backwards', [4, 3, 2, 1]],
])('a reading within begins the time anew, whatever comes in when: %s', async (_, order) => {
  const machine = await fresh()
  const readings = { 1: 9, 2: 9, 3: 7, 4: 9 } as Record<number, number>
  await measure(
    machine,
    order.map((seq) => [seq, readings[seq] ?? 0, 0]),
  )
  await pass(9)
  expect(await look(machine)).toEqual(before)
  await pass(2)
  expect((await look(machine)).alarm).toBe(true)
})

test('the limits in force count, and a type without cooling has none', async () => {
  const machine = await fresh()
  const warm = await fresh()
  await world.rows(
    `insert into device_types (id, org_id, name, screen, refrigeration, pattern, kind, drop_sensor,
      max_levels, max_roads) values (5, 1, 'warm', true, false, 'spring', 'GENERAL', true, 6, 10)
      on conflict do nothing`,
  )
  await world.rows(`update devices set type_id = 5 where id = $1`, [warm.id])
  await measure(machine, [[1, 9, 0]])
  await measure(warm, [[1, 30, 0]])
  const set = (version: number, max: number) =>
    world.rows(
      `insert into device_configs (device_id, config_version, org_id, temp_min, temp_max, hum_min,
        hum_max, limit_per_order, limit_per_day, doc, created_at)
        values ($1, $2, 2, 0, $3, 0, 100, 0, 0, '{}', now())`,
      [machine.id, version, max],
    )
  await set(1, 10)
  await pass(15)
  expect([await look(machine), await look(warm)]).toEqual([before, before])
  await set(2, 8)
  await pass(0)
  expect((await look(machine)).alarm).toBe(true)
  await set(3, 12)
  await pass(0)
  expect(await look(machine)).toMatchObject({ alarm: false, count: 0 })
})

test.each([
  [
    'a late word within ends it',
    [
      ['1', 5, false],
      ['3', 6, false],
      ['2', 7, true],
    ],
    7,
  ],
  [
    'a late word within from before it changes nothing',
    [
      ['2', 5, true],
      ['3', 6, false],
      ['4', 7, false],
      ['1', 8, true],
    ],
    6,
  ],
  [
    'what comes at once counts one by one',
    [
      [
        ['1', 5, false],
        ['2', 6, true],
        ['3', 7, false],
        ['4', 8, false],
      ],
    ],
    7,
  ],
  [
    'within, the last word counts',
    [
      ['1', 5, false],
      ['2', 6, true],
      ['3', 9, true],
    ],
    9,
  ],
] as const)('since when: %s', (_, batches, since) => {
  type One = readonly [place: string, at: number, fine: boolean]
  let span: Span = { place: '', finePlace: '', fine: true, since: null }
  for (const batch of batches) {
    const words = (Array.isArray(batch[0]) ? (batch as unknown as One[]) : [batch as One]).map(
      ([place, at, fine]) => ({ place, at: new Date(at), fine }),
    )
    const after = spanAfter(span, words)
    span = { ...after, fine: after.place === after.finePlace }
  }
  expect(span.since?.getTime()).toBe(since)
})

test('the time of a machine that is away stands still', async () => {
  const machine = await fresh()
  await measure(machine, [
    [1, 9, 0],
    [2, null, 3],
  ])
  await world.rows(
    `update device_states set online = false, last_seen_at = $2 where device_id = $1`,
    [machine.id, new Date(world.clock.now + 180_000)],
  )
  await pass(60)
  expect(await look(machine)).toEqual(before)
})

const excursions = (machine: Machine) =>
  world.rows(
    `select kind, from_at < to_at as over, temp_max::float as max, jsonb_array_length(curve) > 0 as curve,
      (select array_agg((l->>'road')::int) from jsonb_array_elements(lanes) l) as roads
    from temperature_excursions where device_id = $1 order by id`,
    [machine.id],
  )

test('an excursion is one row: its curve grows while it lasts, and is frozen when it is over', async () => {
  const machine = await fresh()
  await measure(machine, [
    [1, 5, 0],
    [2, 9.5, 1],
  ])
  await pass(12)
  expect(await excursions(machine)).toEqual([
    { kind: 'OUTSIDE', over: null, max: 9.5, curve: true, roads: null },
  ])
  await measure(machine, [[3, 12, 0]])
  // the same word twice changes nothing
  await measure(machine, [[3, 12, 1]])
  await pass(20)
  await pass(0)
  await measure(machine, [[4, 6, 1]])
  await pass(2)
  const over = { kind: 'OUTSIDE', over: true, max: 12, curve: true, roads: [2] }
  expect(await excursions(machine)).toEqual([over])
  await expect(
    world.rows(`update temperature_excursions set temp_max = 7 where device_id = $1`, [machine.id]),
  ).rejects.toThrow('is over')
  // one more is another row
  await measure(machine, [[5, 10, 0]])
  await pass(11)
  expect(await excursions(machine)).toMatchObject([over, { over: null, max: 10 }])
})

test('a clock that was set back counts from now', async () => {
  const machine = await fresh()
  await measure(machine, [[1, 9.5, 0]])
  await pass(-600)
  await pass(11)
  expect(await look(machine)).toMatchObject({ alarm: true })
  world.clock.now += 600 * 60_000
})

describe('silence', () => {
  const atOnce = { behind: 0, ahead: 0 }
  const cold = async () => {
    const machine = await fresh()
    await world.rows(`update device_states set online = true where device_id = $1`, [machine.id])
    await measure(machine, [[1, 5, 0]])
    return machine
  }
  const locked = ['2 TEMPERATURE', '3 COUNT_NEEDED']

  test('of an hour locks what must be kept cold; a word ends it, not the lock', async () => {
    const machine = await cold()
    await pass(59)
    await sweepSilence(world.app, atOnce)
    expect(await look(machine)).toEqual(before)
    await pass(2)
    await sweepSilence(world.app, atOnce)
    await sweepSilence(world.app, atOnce)
    expect(await look(machine)).toMatchObject({ alarm: false, locked })
    expect(await excursions(machine)).toMatchObject([{ kind: 'UNKNOWN', over: null, roads: [2] }])
    await measure(machine, [[2, 5, 0]])
    await sweepSilence(world.app, atOnce)
    expect(await excursions(machine)).toMatchObject([{ kind: 'UNKNOWN', over: true }])
    expect(await look(machine)).toMatchObject({ locked })
  })
  test('is watched for a while: a clock that was set forward makes nobody silent', async () => {
    const machine = await cold()
    await pass(300)
    await sweepSilence(world.app)
    await sweepSilence(world.app)
    expect(await look(machine)).toEqual(before)
  })
  test('of a clock that was set back is seen by watching alone', async () => {
    const machine = await cold()
    await pass(-300)
    await sweepSilence(world.app, { behind: 0, ahead: 10_000_000 })
    expect(await look(machine)).toEqual(before)
    await sweepSilence(world.app, atOnce)
    expect(await look(machine)).toMatchObject({ locked })
    world.clock.now += 300 * 60_000
  })
})
