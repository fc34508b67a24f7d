import { createHash, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bySystem } from '../../../server/run.ts'
import { recordControls } from '../../device-commands/server/gateway.ts'
import { createHandlers } from '../../orders/server/create.ts'
import { recordVend, takeCommands } from '../../orders/server/vend.ts'
import { applyPayment } from '../../orders/server/verbs.ts'
import type { UpKind } from '../protocol.ts'
import { limits } from '../rules.ts'
import { type Doubt, openDoubts } from './doubts.ts'
import { type Machine, openIdentities } from './identity.ts'
import { openIntake } from './intake.ts'
import { openWorld, type World } from './testWorld.ts'

/**
 * What a machine, or somebody who has its secret, says that cannot be: nothing of it counts for
 * longer than it may, and people see it.
 */
let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

type Sent = { kind: string; body: Record<string, unknown> }
/** One life of a gateway. */
async function hear(
  told: readonly [machine: Machine, kind: UpKind, body: object][],
  onSent: (kind: string) => void = () => {},
): Promise<{ sent: Sent[]; counts: Readonly<Record<string, number>> }> {
  const sent: Sent[] = []
  const intake = openIntake(
    world.app,
    { ...limits, burst: 1e9, gatherMs: 1 },
    { vends: recordVend, controls: recordControls },
  )
  intake.answerOver({
    send(_, kind, body) {
      onSent(kind)
      return sent.push({ kind, body: body as Record<string, unknown> }) > 0
    },
    connected: () => [],
    recheck: async () => {},
    stop: async () => {},
  })
  for (const [machine, kind, body] of told) {
    world.clock.now += 1
    await intake.receive(
      machine,
      kind,
      Buffer.from(JSON.stringify({ ts: world.clock.now, ...body })),
    )
  }
  await intake.drain(5000)
  return { sent, counts: intake.counts }
}
const temperature = async ({ id }: Machine) =>
  (await world.rows(`select temperature::float8 from device_states where device_id = $1`, [id]))[0]
    ?.temperature
const events = async ({ id }: Machine) =>
  (await world.rows(
    `select kind, times, detail from security_events where device_id = $1 order by kind`,
    [id],
  )) as {
    kind: string
    times: number
    detail: Record<string, unknown>
  }[]
/** The machine as it signs in after its secret was changed. */
async function renewed(machine: Machine): Promise<Machine> {
  await world.rows(`update devices set secret_hash = $2 where id = $1`, [
    machine.id,
    createHash('sha256').update(randomUUID()).digest(),
  ])
  const known = (await openIdentities(world.app).look([machine.rtu])).get(machine.rtu)
  expect(known).toBeDefined()
  return known as Machine
}

test.each([
  ['near the maximum', 999_999_999_999],
  ['far above the last', 1007],
])('a start %s is not taken, and people see it; the machine goes on', async (_, boot) => {
  const machine = await world.addMachine()
  const { sent, counts } = await hear([
    [machine, 'hello', { boot: 6, seq: 1 }],
    [machine, 'telemetry', { boot: 6, seq: 2, temperature: 4 }],
    [machine, 'telemetry', { boot, seq: 1, temperature: 9 }],
    [machine, 'heartbeat', { boot, seq: 900, fw: 'forged' }],
    [machine, 'hello', { boot, seq: 2 }],
    [machine, 'telemetry', { boot: 6, seq: 3, temperature: 5 }],
  ])
  expect(await temperature(machine)).toBe(5)
  expect(counts).toMatchObject({ stored: 3 })
  // it is told where it is: a machine that lost its counter goes on from there
  expect(sent.filter(({ kind }) => kind === 'welcome').map(({ body }) => body)).toEqual([
    { boot: 6, lastBoot: 6 },
    { boot, lastBoot: 6 },
  ])
  expect(sent.filter(({ kind, body }) => kind === 'ack' && body.boot === boot)).toEqual([])
  expect(await events(machine)).toMatchObject([
    { kind: 'MACHINE_BOOT_JUMP', times: 1, detail: { boot, times: 2 } },
  ])
  const [state] = await world.rows(`select fw, boot from device_states where device_id = $1`, [
    machine.id,
  ])
  expect(state).toEqual({ fw: null, boot: '000000000006' })
  // a start of many thousand facts at once is none either
  const { counts: later } = await hear([
    [machine, 'telemetry', { boot: 6, seq: Number.MAX_SAFE_INTEGER, temperature: 9 }],
  ])
  expect([later.stored, later.jumped]).toEqual([0, 1])
})

test('messages that cannot be read are seen, once a minute however many', async () => {
  const machine = await world.addMachine()
  const intake = openIntake(
    world.app,
    { ...limits, burst: 1e9, gatherMs: 1 },
    { vends: recordVend, controls: recordControls },
  )
  for (const after of [0, 30_000, 31_000]) {
    world.clock.now += after
    for (const bad of ['nonsense', '{"boot":1}'])
      await intake.receive(machine, 'telemetry', Buffer.from(bad))
    await intake.receive(machine, null, Buffer.from('{"boot":1,"seq":1}'))
    await intake.tick()
  }
  await intake.drain(5000)
  expect(intake.counts.unreadable).toBe(9)
  expect(await events(machine)).toMatchObject([
    { kind: 'MACHINE_UNREADABLE', times: 2, detail: { message: 'telemetry', unread: 'not JSON' } },
  ])
})

test('nothing is acknowledged whose doubt could be lost: whoever hears the answer finds the row', async () => {
  const machine = await world.addMachine()
  const found: Promise<unknown[]>[] = []
  await hear(
    [[machine, 'vend_result', { boot: 1, seq: 1, cmdId: randomUUID(), unitId: '1', result: 'OK' }]],
    (kind) => {
      if (kind === 'ack') found.push(events(machine))
    },
  )
  expect(await Promise.all(found)).toMatchObject([[{ kind: 'MACHINE_FOREIGN_COMMAND', times: 1 }]])
})

test('what repeats within a second is one row more, of each kind, written once', async () => {
  const machine = await world.addMachine()
  const doubts = openDoubts(world.app)
  const doubt = (kind: Doubt['kind']): Doubt => ({ machine, kind, detail: {} })
  for (let n = 0; n < 3; n += 1)
    await bySystem(world.app, (ctx) => doubts.raise(ctx, [doubt('MACHINE_CONTRADICTION')]))
  doubts.note([doubt('MACHINE_UNREADABLE'), doubt('MACHINE_CLOCK'), doubt('MACHINE_CLOCK')])
  for (let n = 0; n < 2; n += 1) {
    await doubts.flush()
    world.clock.now += 2000
  }
  expect(await events(machine)).toMatchObject([
    { kind: 'MACHINE_CLOCK', times: 1, detail: { times: 2 } },
    { kind: 'MACHINE_CONTRADICTION', times: 2, detail: { times: 2 } },
    { kind: 'MACHINE_UNREADABLE', times: 1, detail: { times: 1 } },
  ])
})

test('a counter that follows the clock grows while the machine is off', async () => {
  const machine = await world.addMachine()
  const now = Math.floor(world.clock.now / 1000)
  const { counts } = await hear([
    [machine, 'hello', { boot: now - 500_000, seq: 1 }],
    [machine, 'hello', { boot: now, seq: 1 }],
    [machine, 'hello', { boot: now + 100_000, seq: 1 }],
  ])
  expect(counts).toMatchObject({ stored: 2, jumped: 1 })
})

test('earlier starts: what waited is taken, from as far as a machine can have counted; one that lost its memory hears where it is', async () => {
  const machine = await world.addMachine()
  const stored = async () => (await hear(told.splice(0))).counts.stored
  const told: Parameters<typeof hear>[0][number][] = [
    [machine, 'hello', { boot: 2000, seq: 1 }],
    [machine, 'telemetry', { boot: 1999, seq: 900_000, temperature: 7 }],
  ]
  expect(await stored()).toBe(2)
  // another life of the gateway knows it from the table
  told.push(
    [machine, 'telemetry', { boot: 1999, seq: 1_800_000, temperature: 8 }],
    [machine, 'telemetry', { boot: 1999, seq: 2_700_000, temperature: 8 }],
  )
  expect(await stored()).toBe(2)
  expect(await events(machine)).toEqual([])
  told.push(
    [machine, 'telemetry', { boot: 1999, seq: 900_000_000, temperature: 9 }],
    [machine, 'telemetry', { boot: 1998, seq: 900_000_000, temperature: 9 }],
  )
  expect(await stored()).toBe(0)
  world.clock.now += 2000
  const { sent, counts } = await hear([[machine, 'hello', { boot: 1, seq: 1 }]])
  expect([counts.stored, sent]).toEqual([
    0,
    [{ kind: 'welcome', body: { boot: 1, lastBoot: 2000 } }],
  ])
  expect(await events(machine)).toMatchObject([
    { kind: 'MACHINE_BOOT_JUMP', detail: { message: 'hello', boot: 1 } },
  ])
})

test('with another secret or another board everything is counted anew, in order after what was said before', async () => {
  const machine = await world.addMachine()
  await world.rows(
    `insert into device_shadows (device_id, kind, org_id, wanted, wanted_at)
      values ($1, 'CONFIG', 2, 9, now())`,
    [machine.id],
  )
  await hear([
    [machine, 'hello', { boot: 900, seq: 5, config: 9 }],
    [machine, 'fault', { boot: 900, seq: 6, code: 'JAM' }],
    [machine, 'telemetry', { boot: 900, seq: 900_000, temperature: 9 }],
  ])
  const fresh = await renewed(machine)
  expect(fresh.epoch).toBe(machine.epoch + 1)
  const { sent } = await hear([
    [fresh, 'hello', { boot: 1, seq: 1, config: 2 }],
    [fresh, 'telemetry', { boot: 1, seq: 2, temperature: 5 }],
    [fresh, 'clear', { boot: 1, seq: 3, code: 'JAM' }],
    // the old connection's last words came late
    [machine, 'telemetry', { boot: 900, seq: 900_001, temperature: 8 }],
    [machine, 'fault', { boot: 900, seq: 900_002, code: 'JAM' }],
    // the same number as before, of another epoch: not a repeat
    [fresh, 'telemetry', { boot: 900, seq: 900_000, temperature: 6, fw: 'new' }],
  ])
  expect(await temperature(machine)).toBe(6)
  expect(sent[0]).toEqual({ kind: 'ack', body: { boot: 1, seqs: [1, 2, 3] } })
  expect(sent.find(({ kind }) => kind === 'welcome')?.body).toEqual({ boot: 1, lastBoot: 900 })
  const [state] = await world.rows(
    `select fw, boot, fault_count from device_states where device_id = $1`,
    [machine.id],
  )
  expect(state).toEqual({ fw: 'new', boot: 'e000001000000000900', fault_count: 0 })
  expect(
    (await world.rows(`select applied from device_shadows where device_id = $1`, [machine.id]))[0]
      ?.applied,
  ).toBe(2)
  await world.rows(`insert into main_boards (org_id, board_no) values (2, 'BOARD-0001')`)
  await world.rows(`update devices set board_no = 'BOARD-0001' where id = $1`, [machine.id])
  expect((await openIdentities(world.app).find(machine.rtu))?.epoch).toBe(fresh.epoch + 1)
  expect(await events(machine)).toEqual([])
})

test('the same number with other content has no effect and is seen, in one batch and days later', async () => {
  const machine = await world.addMachine()
  await hear([
    [machine, 'telemetry', { boot: 1, seq: 1, temperature: 4 }],
    [machine, 'telemetry', { boot: 1, seq: 1, temperature: 4, ts: 5, fw: 'later' }],
    [machine, 'telemetry', { boot: 1, seq: 2, temperature: 5 }],
  ])
  expect(await events(machine)).toMatchObject([])
  await hear([
    [machine, 'telemetry', { boot: 1, seq: 2, temperature: 40 }],
    [machine, 'door', { boot: 1, seq: 1, open: true }],
    [machine, 'telemetry', { boot: 1, seq: 3, temperature: 6 }],
    [machine, 'telemetry', { boot: 1, seq: 3, temperature: 60 }],
  ])
  expect(await temperature(machine)).toBe(6)
  expect(await events(machine)).toMatchObject([
    { kind: 'MACHINE_CONTRADICTION', detail: { what: 'REPEATED_NUMBER', times: 3 } },
  ])
})

test.each([
  ['ten years behind', -10 * 365 * 86_400_000, 1],
  ['two days ahead', 2 * 86_400_000, 1],
  ['three days of waiting', -3 * 86_400_000, 0],
])('a clock %s: the time of the platform counts', async (_, skew, seen) => {
  const machine = await world.addMachine()
  await hear([[machine, 'hello', { boot: 1, seq: 1, ts: world.clock.now + skew }]])
  const [row] = await world.rows(`select created_at from device_messages where device_id = $1`, [
    machine.id,
  ])
  expect(Math.abs(Number(row?.created_at) - world.clock.now)).toBeLessThan(10)
  expect((await events(machine)).map(({ kind }) => kind)).toEqual(seen ? ['MACHINE_CLOCK'] : [])
})

test.each<[string, [lane: number, count: number][], string | null, number]>([
  [
    'a lane twice',
    [
      [1, 49],
      [1, 3],
      [2, 50],
      [3, 50],
      [4, 50],
    ],
    'refused: lane 1 twice',
    1,
  ],
  [
    'a lane twice that says the same',
    [
      [1, 49],
      [1, 49],
      [2, 50],
      [3, 50],
      [4, 50],
    ],
    'refused: lane 1 twice',
    1,
  ],
  [
    'a lane missing',
    [
      [1, 49],
      [2, 50],
      [4, 50],
    ],
    'stock differs: lane 1 49 (50); lanes not named: 3',
    1,
  ],
  ['no lanes', [], 'lanes not named: 1, 2, 3, 4', 1],
  [
    'more than fits',
    [
      [1, 51],
      [2, 50],
      [3, 50],
      [4, 50],
    ],
    'stock differs: lane 1 51 (50)',
    1,
  ],
  [
    'a lane that is not there',
    [
      [1, 50],
      [2, 50],
      [3, 50],
      [4, 50],
      [77, 1],
    ],
    'stock differs: lane 77 1 (none)',
    1,
  ],
  [
    'a piece missing',
    [
      [1, 49],
      [2, 50],
      [3, 50],
      [4, 50],
    ],
    'stock differs: lane 1 49 (50)',
    0,
  ],
])('a count of stock with %s', async (_, lanes, note, seen) => {
  const machine = await world.addMachine()
  await hear([
    [machine, 'stock', { boot: 1, seq: 1, lanes: lanes.map(([lane, count]) => ({ lane, count })) }],
  ])
  expect((await events(machine)).map(({ detail }) => detail.what)).toEqual(seen ? ['STOCK'] : [])
  expect(
    await world.rows(`select note from device_messages where device_id = $1`, [machine.id]),
  ).toEqual([{ note }])
  expect(
    await world.rows(`select distinct quantity from lanes where device_id = $1`, [machine.id]),
  ).toEqual([{ quantity: 50 }])
})

test('a count of stock from a machine that has not got its newest lanes yet is noted, and nobody is told', async () => {
  const machine = await world.addMachine()
  await world.rows(
    `insert into device_shadows (device_id, kind, org_id, wanted, applied, wanted_at)
      values ($1, 'PLANOGRAM', 2, 4, 3, now())`,
    [machine.id],
  )
  await hear([[machine, 'stock', { boot: 1, seq: 1, lanes: [{ lane: 1, count: 50 }] }]])
  expect(await events(machine)).toEqual([])
  expect(
    await world.rows(`select note from device_messages where device_id = $1`, [machine.id]),
  ).toEqual([{ note: 'lanes not named: 2, 3, 4' }])
})

test('versions that were never written count as none: people see it, and the machine is sent what it should have', async () => {
  const machine = await world.addMachine()
  const shadows = async () =>
    (
      await world.rows(
        `select kind, wanted, applied, refused, state from device_shadows where device_id = $1
          order by kind`,
        [machine.id],
      )
    ).map((row) => Object.values(row).join(' '))
  await world.rows(
    `insert into device_shadows (device_id, kind, org_id, wanted, applied, delivered, wanted_at)
      values ($1, 'CONFIG', 2, 7, 7, 7, now()), ($1, 'PLANOGRAM', 2, 9, 9, 9, now())`,
    [machine.id],
  )
  await hear([
    [machine, 'hello', { boot: 1, seq: 1, config: 2_147_483_647, planogram: 9 }],
    [
      machine,
      'applied',
      { boot: 1, seq: 2, what: 'PLANOGRAM', version: 10, ok: false, reason: 'no' },
    ],
  ])
  expect(await shadows()).toEqual(['CONFIG 7 0 0 PENDING', 'PLANOGRAM 9 9 0 APPLIED'])
  expect(await events(machine)).toMatchObject([
    { kind: 'MACHINE_CONTRADICTION', detail: { what: 'VERSION', times: 2 } },
  ])
  await hear([[machine, 'applied', { boot: 1, seq: 3, what: 'CONFIG', version: 7, ok: true }]])
  expect(await shadows()).toEqual(['CONFIG 7 7 0 APPLIED', 'PLANOGRAM 9 9 0 APPLIED'])
  world.clock.now += 2000
  await hear([
    [machine, 'applied', { boot: 1, seq: 4, what: 'PLANOGRAM', version: 2_147_483_647, ok: true }],
  ])
  expect(await shadows()).toEqual(['CONFIG 7 7 0 APPLIED', 'PLANOGRAM 9 0 0 DELIVERED'])
})

/** Sells two pieces of lane 3 and sends the first. */
async function sell(machine: Machine): Promise<{ cmdId: string; order: string }> {
  const order = await bySystem(world.app, (ctx) =>
    createHandlers.mobileOrder(ctx, {
      rtuNumber: machine.rtu,
      items: [
        { roadIndex: 3, count: 2, price: 300 },
        { roadIndex: 4, count: 1, price: 300 },
      ],
      payType: 'WECHAT',
      clientId: randomUUID(),
      consumer: '',
    }),
  )
  const [payment] = await world.rows(
    `select id::int, org_id::int, order_id::int, order_at, order_num from payments
      where order_num = $1`,
    [order.orderNum],
  )
  await bySystem(world.app, (ctx) => applyPayment(ctx, payment as never, { orderPaid: true }))
  await world.rows(
    `update payments set state = 'SUCCESS', applied = true, paid_at = now() where order_num = $1`,
    [order.orderNum],
  )
  const [out] = await takeCommands(world.app, [machine.id])
  return { cmdId: out?.cmdId as string, order: order.orderNum }
}

test('a result that contradicts the one before, and one of a command the machine was never given', async () => {
  const [machine, other] = [await world.addMachine(), await world.addMachine()]
  await world.rows(
    `update device_states set online = true, last_seen_at = $2 where device_id = any($1)`,
    [[machine.id, other.id], new Date(world.clock.now)],
  )
  const { cmdId } = await sell(machine)
  await hear([
    [machine, 'cmd_ack', { boot: 1, seq: 1, cmdId, ack: 'ACCEPTED' }],
    [machine, 'vend_result', { boot: 1, seq: 2, cmdId, result: 'OK', dropDetected: true }],
    [
      machine,
      'cmd_ack',
      { boot: 1, seq: 3, cmdId, ack: 'DUPLICATE', result: 'OK', dropDetected: true },
    ],
    [machine, 'vend_result', { boot: 1, seq: 4, cmdId, result: 'OK' }],
  ])
  expect(await events(machine)).toEqual([])
  await hear([[machine, 'vend_result', { boot: 1, seq: 5, cmdId, result: 'MOTOR_NOT_MOVE' }]])
  expect(await events(machine)).toMatchObject([
    { kind: 'MACHINE_CONTRADICTION', detail: { what: 'RESULT', cmdId } },
  ])
  await hear([
    [other, 'vend_result', { boot: 1, seq: 1, cmdId, result: 'OK' }],
    [other, 'cmd_ack', { boot: 1, seq: 2, cmdId: randomUUID(), ack: 'ACCEPTED' }],
    [other, 'cmd_result', { boot: 1, seq: 3, cmdId: randomUUID(), ok: true }],
  ])
  expect(await events(other)).toMatchObject([
    { kind: 'MACHINE_FOREIGN_COMMAND', detail: { times: 3 } },
  ])
})

test('a fault of a lane that is not drawn yet keeps its number and ends with its clear, before and after it is drawn', async () => {
  const machine = await world.addMachine()
  const open = () =>
    world.rows(
      `select coalesce(l.road_index, f.road) as road from device_faults f left
        join lanes l on l.id = f.lane_id where f.device_id = $1 and f.closed_at is null order by 1`,
      [machine.id],
    )
  const say = (seq: number, kind: 'fault' | 'clear', lane?: number) =>
    hear([[machine, kind, { boot: 1, seq, code: 'JAM', ...(lane ? { lane } : {}) }]])
  await say(1, 'fault', 5)
  await say(2, 'fault', 6)
  await say(3, 'fault')
  expect((await open()).map(({ road }) => road)).toEqual([5, 6, null])
  await say(4, 'clear', 6)
  expect((await open()).map(({ road }) => road)).toEqual([5, null])
  await world.rows(
    `insert into lanes (org_id, device_id, floor_id, road_index, col, motor_no, product_id,
      capacity, quantity, retail_price, price)
    select 2, $1, floor_id, 5, 5, 5, 1, 50, 50, 300, 300 from lanes where device_id = $1 limit 1`,
    [machine.id],
  )
  await say(5, 'fault', 5)
  expect(
    (
      await world.rows(`select status from lanes where device_id = $1 and road_index = 5`, [
        machine.id,
      ])
    )[0]?.status,
  ).toBe('FAULT')
  await say(6, 'clear', 5)
  expect((await open()).map(({ road }) => road)).toEqual([null])
  expect(
    (
      await world.rows(`select status from lanes where device_id = $1 and road_index = 5`, [
        machine.id,
      ])
    )[0]?.status,
  ).toBe('ENABLED')
})

test('when the lane of a piece breaks, the next piece of the same lane is given back at once; another lane goes on', async () => {
  const machine = await world.addMachine()
  await world.rows(
    `update device_states set online = true, last_seen_at = $2 where device_id = $1`,
    [machine.id, new Date(world.clock.now)],
  )
  const { cmdId, order } = await sell(machine)
  await hear([
    [machine, 'cmd_ack', { boot: 1, seq: 1, cmdId, ack: 'ACCEPTED' }],
    [machine, 'vend_result', { boot: 1, seq: 2, cmdId, result: 'MOTOR_NOT_MOVE' }],
  ])
  const out = await takeCommands(world.app, [machine.id])
  expect(out.map(({ road }) => road)).toEqual([4])
  expect(
    await world.rows(
      `select road, vend_state, refund_state from order_units where order_num = $1
        order by unit_no`,
      [order],
    ),
  ).toEqual([
    { road: 3, vend_state: 'FAILED', refund_state: 'PENDING' },
    { road: 3, vend_state: 'VOID', refund_state: 'PENDING' },
    { road: 4, vend_state: 'SENT', refund_state: null },
  ])
})

test('a piece that waited turns the motor its lane has when it leaves; what has left keeps its own', async () => {
  const machine = await world.addMachine()
  await world.rows(
    `update device_states set online = true, last_seen_at = $2 where device_id = $1`,
    [machine.id, new Date(world.clock.now)],
  )
  const { cmdId } = await sell(machine)
  await world.rows(`update lanes set motor_no = motor_no + 40 where device_id = $1`, [machine.id])
  world.clock.now += 16_000
  expect(await takeCommands(world.app, [machine.id])).toMatchObject([
    { cmdId, road: 3, motorNo: 3 },
  ])
  await hear([
    [machine, 'cmd_ack', { boot: 1, seq: 1, cmdId, ack: 'ACCEPTED' }],
    [machine, 'vend_result', { boot: 1, seq: 2, cmdId, result: 'OK', dropDetected: true }],
  ])
  expect(await takeCommands(world.app, [machine.id])).toMatchObject([{ road: 3, motorNo: 43 }])
})

test('an id said in capitals is the same command', async () => {
  const machine = await world.addMachine()
  await world.rows(
    `update device_states set online = true, last_seen_at = $2 where device_id = $1`,
    [machine.id, new Date(world.clock.now)],
  )
  const { cmdId } = await sell(machine)
  await hear([
    [
      machine,
      'vend_result',
      { boot: 1, seq: 1, cmdId: cmdId.toUpperCase(), result: 'OK', dropDetected: true },
    ],
  ])
  expect(await world.rows(`select state from vend_commands where cmd_id = $1`, [cmdId])).toEqual([
    { state: 'SUCCESS' },
  ])
  expect(await events(machine)).toEqual([])
})

test.each([
  ['stops the lane until somebody counts', 2, 'LOCKED'],
  ['stops no lane of another owner', 1, 'ENABLED'],
])('a result that comes after the void %s', async (_, owner, status) => {
  const machine = await world.addMachine()
  await world.rows(
    `update device_states set online = true, last_seen_at = $2 where device_id = $1`,
    [machine.id, new Date(world.clock.now)],
  )
  const { cmdId } = await sell(machine)
  await hear([[machine, 'cmd_ack', { boot: 1, seq: 1, cmdId, ack: 'VOIDED' }]])
  await world.rows(`update devices set org_id = $2 where id = $1`, [machine.id, owner])
  await hear([[machine, 'vend_result', { boot: 1, seq: 2, cmdId, result: 'OK' }]])
  const lanes = await world.rows(
    `select status from lanes where device_id = $1 and road_index = 3`,
    [machine.id],
  )
  expect(lanes).toEqual([{ status }])
})

test('faults without end: so many are kept, the rest share one row, lanes stop all the same, and people see it', async () => {
  const machine = await world.addMachine()
  let seq = 0
  const fault = (n: number, more: object = {}): [Machine, UpKind, object] => [
    machine,
    'fault',
    { boot: 1, seq: ++seq, code: `F${n}`, ...more },
  ]
  const held = async () =>
    (
      await world.rows(
        `select count(*) filter (where code like 'F%')::int as own,
          count(*) filter (where code = 'MANY_FAULTS')::int as many from device_faults
          where device_id = $1 and closed_at is null`,
        [machine.id],
      )
    )[0]
  await hear(Array.from({ length: limits.faults }, (_, n) => fault(n)))
  expect([await held(), await events(machine)]).toEqual([{ own: limits.faults, many: 0 }, []])
  // what is open already needs no room
  await hear([fault(0), fault(1)])
  expect([await held(), await events(machine)]).toEqual([{ own: limits.faults, many: 0 }, []])
  await hear([fault(500), fault(501, { lane: 2 }), fault(502)])
  expect(await held()).toEqual({ own: limits.faults, many: 1 })
  expect(await events(machine)).toMatchObject([
    { kind: 'MACHINE_FAULTS', detail: { most: limits.faults } },
  ])
  expect(
    await world.rows(`select road_index from lanes where device_id = $1 and status = 'FAULT'`, [
      machine.id,
    ]),
  ).toEqual([{ road_index: 2 }])
  // ended and told anew under other names they are not more either
  await hear(
    Array.from({ length: limits.faults }, (_, n): [Machine, UpKind, object] => [
      machine,
      'clear',
      { boot: 1, seq: ++seq, code: `F${n}` },
    ]),
  )
  await hear([fault(600), [machine, 'clear', { boot: 1, seq: ++seq, code: 'F501', lane: 2 }]])
  expect(await held()).toEqual({ own: 0, many: 1 })
  expect(
    await world.rows(`select road_index from lanes where device_id = $1 and status = 'FAULT'`, [
      machine.id,
    ]),
  ).toEqual([])
  world.clock.now += 86_400_000
  await hear([fault(700), [machine, 'clear', { boot: 1, seq: ++seq, code: 'F1' }]])
  expect(await held()).toEqual({ own: 1, many: 0 })
})

test('one sensor that flaps all day is one fault and hides no other; what is too much names itself', async () => {
  const machine = await world.addMachine()
  let seq = 0
  const say = (
    kind: 'fault' | 'clear',
    code: string,
    more: object = {},
  ): [Machine, UpKind, object] => [machine, kind, { boot: 1, seq: ++seq, code, ...more }]
  const rows = () =>
    world.rows(
      `select code, level, detail, closed_at is null as open from device_faults where device_id = $1
        order by code, id`,
      [machine.id],
    )
  for (let n = 0; n < 3; n += 1) {
    await hear([say('fault', 'SHAKY', { level: 'WARN' })])
    world.clock.now += 1000
    await hear([say('clear', 'SHAKY')])
  }
  expect(await rows()).toEqual([{ code: 'SHAKY', level: 'WARN', detail: '', open: false }])
  // a person has closed it: that stays in the history
  await world.rows(
    `insert into users (id, org_id, username, password_hash, real_name) overriding system value
      values (1, 2, 'u', 'x', 'u') on conflict do nothing`,
  )
  await world.rows(`update device_faults set handled_by = 1 where device_id = $1`, [machine.id])
  await hear([say('fault', 'SHAKY', { level: 'WARN', detail: 'again' })])
  expect(await rows()).toMatchObject([{ open: false }, { detail: 'again', open: true }])
  // rows from before, or of sales, are no more faults than they are different
  await world.rows(
    `insert into device_faults (org_id, device_id, code, level, opened_at, closed_at)
      select 2, $1, 'SHAKY', 'WARN', $2, $2 from generate_series(1, 200)`,
    [machine.id, new Date(world.clock.now)],
  )
  await hear([say('fault', 'COMPRESSOR')])
  expect((await rows()).filter((row) => row.open).map((row) => row.code)).toEqual([
    'COMPRESSOR',
    'SHAKY',
  ])
  await hear(
    Array.from({ length: limits.faults - 2 }, (_, n) => say('fault', `F${n}`, { level: 'WARN' })),
  )
  await hear([say('fault', 'TOO_MUCH', { level: 'WARN' })])
  const many = async () => (await rows()).filter((row) => row.code === 'MANY_FAULTS')
  expect(await many()).toEqual([
    { code: 'MANY_FAULTS', level: 'WARN', detail: 'TOO_MUCH', open: true },
  ])
  await hear([say('fault', 'FIRE')])
  expect(await many()).toEqual([
    { code: 'MANY_FAULTS', level: 'ERROR', detail: 'FIRE', open: true },
  ])
})

test("the platform's own faults are not a machine's to say or to end", async () => {
  const machine = await world.addMachine()
  await world.rows(
    `insert into device_faults (org_id, device_id, code, level, opened_at)
      values (2, $1, 'TEMP_EXCURSION', 'ERROR', $2)`,
    [machine.id, new Date(world.clock.now)],
  )
  await hear([
    [machine, 'fault', { boot: 1, seq: 1, code: 'MANY_FAULTS', lane: 2 }],
    [machine, 'clear', { boot: 1, seq: 2, code: 'TEMP_EXCURSION' }],
    [machine, 'fault', { boot: 1, seq: 3, code: 'OWN' }],
  ])
  const open = await world.rows(
    `select code from device_faults where device_id = $1 and closed_at is null order by code`,
    [machine.id],
  )
  expect(open).toEqual([{ code: 'OWN' }, { code: 'TEMP_EXCURSION' }])
  expect(
    await world.rows(
      `select seq::int, note from device_messages where device_id = $1 and note is not null
        order by seq`,
      [machine.id],
    ),
  ).toEqual([
    { seq: 1, note: 'rejected: code' },
    { seq: 2, note: 'rejected: code' },
  ])
})
