import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createRandom, type Random } from '../../../seed/random.ts'
import { systemActor } from '../../../server/context.ts'
import { act, systemCaller } from '../../../server/run.ts'
import { recordControls } from '../../device-commands/server/gateway.ts'
import { createHandlers } from '../../orders/server/create.ts'
import { recordVend } from '../../orders/server/vend.ts'
import { applyPayment } from '../../orders/server/verbs.ts'
import { settingsChanged } from '../../settings/server/values.ts'
import type { UpKind } from '../protocol.ts'
import { bootText, type Limits, limits, type Signal, signalOf } from '../rules.ts'
import type { Recorders } from './facts.ts'
import type { Machine } from './identity.ts'
import { openIntake } from './intake.ts'
import { openWorld, type World } from './testWorld.ts'

/** T4: whatever the net does to the messages of machines, the database ends up with the truth. */
const seeds = Number(process.env.T4_SEEDS ?? 20)
const first = Number(process.env.T4_FIRST ?? 1)
const generous: Limits = { ...limits, burst: 1e9, gatherMs: 1 }
const results = ['OK', 'OK', 'OK', 'NO_DROP', 'MOTOR_NOT_MOVE', 'SENSOR_FAULT', 'BUSY'] as const

const record: Recorders = { vends: recordVend, controls: recordControls }

type Told = {
  machine: Machine
  kind: UpKind
  boot: number
  seq: number
  body: Record<string, unknown>
}
type Command = { cmd_id: string; road: number }
type Ask = { cmdId: string; type: 'REBOOT' | 'QUERY' | 'UNLOCK'; end: 'DONE' | 'FAILED' }

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

/** Pays for pieces and puts their commands where the pump would. */
async function sell(machine: Machine, pieces: number): Promise<Command[]> {
  const system = <T>(work: Parameters<typeof act<T>>[3]) =>
    act(world.app, systemCaller(systemActor), { audit: null, scope: 'system' }, work)
  const input = {
    rtuNumber: machine.rtu,
    items: [
      { roadIndex: 3, count: pieces - 1, price: 300 },
      { roadIndex: 4, count: 1, price: 300 },
    ],
    payType: 'WECHAT' as const,
    clientId: randomUUID(),
    consumer: '',
  }
  const order = (await system((ctx) => createHandlers.mobileOrder(ctx, input))) as {
    orderNum: string
  }
  const [payment] = await world.rows(
    `select id::int, org_id::int, order_id::int, order_at, order_num from payments
      where order_num = $1`,
    [order.orderNum],
  )
  expect(await system((ctx) => applyPayment(ctx, payment as never, { orderPaid: true }))).toBe(
    'APPLIED',
  )
  await world
    .rows(`update payments set state = 'SUCCESS', applied = true where order_num = $1`, [
      order.orderNum,
    ])
    .catch(() => {})
  await world.rows(`update order_units set vend_state = 'SENT' where order_num = $1`, [
    order.orderNum,
  ])
  return world.rows<Command & Record<string, unknown>>(
    `update vend_commands set state = 'SENT', sends = 1, issued_at = now(),
      expire_at = now() + interval '60 s', last_sent_at = now() where order_num = $1
      returning cmd_id, road`,
    [order.orderNum],
  )
}

/** A locked machine that wants documents and was told to do three things. */
async function ask(random: Random, machine: Machine): Promise<Ask[]> {
  const asks = (['REBOOT', 'QUERY', 'UNLOCK'] as const).map(
    (type): Ask => ({ cmdId: randomUUID(), type, end: random.chance(0.7) ? 'DONE' : 'FAILED' }),
  )
  await world.rows(`update devices set locked = true where id = $1`, [machine.id])
  await world.rows(
    `insert into device_shadows (device_id, kind, org_id, wanted, wanted_at)
      values ($1, 'CONFIG', 2, 5, now()), ($1, 'PLANOGRAM', 2, 3, now())`,
    [machine.id],
  )
  for (const { cmdId, type } of asks)
    await world.rows(
      `insert into device_commands (cmd_id, org_id, device_id, type, state, issued_at, expire_at,
        sends, sent_at) values ($1, 2, $2, $3, 'SENT', now(), now() + interval '60 s', 1, now())`,
      [cmdId, machine.id, type],
    )
  return asks
}

/** What a machine has to say over a few starts. */
function story(
  random: Random,
  machine: Machine,
  commands: readonly Command[],
  asks: readonly Ask[],
): Told[] {
  const told: Told[] = []
  let boot = random.int(1, 50)
  let epoch = machine.epoch
  const say = (kind: UpKind, body: Record<string, unknown>) => {
    const seq =
      told.filter((other) => other.boot === boot && other.machine.epoch === epoch).length + 1
    told.push({
      machine: { ...machine, epoch },
      kind,
      boot,
      seq,
      body: {
        ...body,
        fw: `1.${boot}.${seq}`,
        apk: random.chance(0.1) ? '<script>'.repeat(9) : `2.${seq}`,
      },
    })
  }
  const vends = commands.flatMap((command): [UpKind, Record<string, unknown>][] => {
    const result = random.pick(results)
    const body = { cmdId: command.cmd_id, result, dropDetected: result === 'OK', durationMs: 3000 }
    return [
      ['cmd_ack', { cmdId: command.cmd_id, ack: 'ACCEPTED' }],
      ['vend_result', body],
      ...(random.chance(0.3)
        ? [['cmd_ack', { ...body, ack: 'DUPLICATE' }] as [UpKind, Record<string, unknown>]]
        : []),
    ]
  })
  const answers = asks.flatMap(({ cmdId, end }): [UpKind, Record<string, unknown>][] => {
    const result = {
      cmdId,
      ok: end === 'DONE',
      ...(end === 'DONE' ? {} : { reason: 'UNSUPPORTED' }),
    }
    if (end === 'FAILED' && random.chance(0.4)) return [['cmd_ack', { cmdId, ack: 'BUSY' }]]
    return [
      ['cmd_ack', { cmdId, ack: 'ACCEPTED' }],
      ['cmd_result', result],
      ...(random.chance(0.3) ? [['cmd_result', result] as [UpKind, Record<string, unknown>]] : []),
    ]
  })
  vends.push(...answers)
  const versions = () =>
    random.chance(0.7) ? { config: random.int(0, 6), planogram: random.int(0, 4) } : {}
  const starts = random.int(2, 3)
  for (let start = 0; start < starts; start += 1) {
    say('hello', { rsrp: -random.int(60, 120), door: random.chance(0.2), ...versions() })
    for (let n = random.int(15, 30); n > 0; n -= 1) {
      const next = vends.length && random.chance(0.4) ? vends.shift() : undefined
      if (next) say(...next)
      else if (random.chance(0.4))
        say('telemetry', {
          temperature: random.pick([4.5, 7, 9999, 'NaN', -3]),
          humidity: random.pick([40, 55.5, 101, null]),
          ...(random.chance(0.5) ? { rsrp: -random.int(60, 120) } : { signal: 'super' }),
        })
      else if (random.chance(0.2)) {
        const ok = random.chance(0.6)
        say('applied', {
          what: random.pick(['CONFIG', 'PLANOGRAM']),
          version: random.int(1, 6),
          ok,
          ...(ok ? {} : { reason: `no ${random.int(1, 9)}` }),
        })
      } else if (random.chance(0.3)) say('door', { open: random.chance(0.5) })
      else if (random.chance(0.1)) say('hello', {})
      else
        say(random.pick(['fault', 'clear'] as const), {
          code: random.pick(['JAM', 'COLD']),
          ...(random.chance(0.7) ? { lane: random.int(1, 2) } : {}),
        })
    }
    boot += random.int(1, 3)
    // another board counts from anywhere, also below
    if (random.chance(0.3)) [epoch, boot] = [epoch + 1, random.int(1, 50)]
  }
  epoch = told.at(-1)?.machine.epoch ?? epoch
  boot = told.at(-1)?.boot ?? boot
  for (const next of vends) say(...next)
  return told
}

/**
 * 20 % twice, within 50 places of their order, some days late, some lost at first, the first start
 * replayed at the end.
 */
function disturb(random: Random, told: readonly Told[]): Told[] {
  const placed = told.flatMap((message, place) => {
    if (random.chance(0.1)) return []
    const at = () =>
      random.chance(0.05) ? told.length + random.int(0, 100) : place + random.next() * 50
    return random.chance(0.2)
      ? [
          { message, at: at() },
          { message, at: at() },
        ]
      : [{ message, at: at() }]
  })
  const yesterday = random.chance(0.5)
    ? told.filter((message) => message.boot === told[0]?.boot && message.machine.epoch === 0)
    : []
  // somebody with its secret says what nobody's counter can have reached
  for (const { machine } of told.filter(() => random.chance(0.02)))
    placed.push({ message: forged(machine, random), at: random.int(0, told.length) })
  return [...placed.sort((a, b) => a.at - b.at).map(({ message }) => message), ...yesterday]
}

const forged = (machine: Machine, random: Random): Told =>
  random.chance(0.5)
    ? {
        machine,
        kind: 'telemetry',
        boot: random.pick([5_000_000_000, 999_999_999_999]),
        seq: 1,
        body: { temperature: 99 },
      }
    : { machine, kind: 'clear', boot: 1, seq: Number.MAX_SAFE_INTEGER, body: { code: 'JAM' } }

const key = ({ machine, boot, seq }: Pick<Told, 'machine' | 'boot' | 'seq'>) =>
  `${machine.rtu}/${machine.epoch}/${boot}/${seq}`

/** One life of the gateway; a tenth of its acknowledgements is lost. */
async function deliver(
  random: Random,
  messages: readonly Told[],
  skew: number,
  acked: Set<string>,
): Promise<void> {
  const intake = openIntake(world.app, generous, record)
  intake.answerOver({
    send(machine, kind, body) {
      if (kind === 'ack' && !random.chance(0.1))
        for (const seq of (body as { seqs: number[] }).seqs)
          acked.add(key({ machine, boot: (body as { boot: number }).boot, seq }))
      return true
    },
    connected: () => [],
    recheck: async () => {},
    stop: async () => {},
  })
  for (const message of messages) {
    world.clock.now += random.int(1, 400)
    await intake.receive(
      message.machine,
      message.kind,
      Buffer.from(
        JSON.stringify({
          ts: world.clock.now + skew,
          boot: message.boot,
          seq: message.seq,
          ...message.body,
        }),
      ),
    )
    if (random.chance(0.05)) await intake.tick()
  }
  await intake.drain(20_000)
}

const inOrder = (told: readonly Told[]) =>
  told.toSorted((a, b) => a.machine.epoch - b.machine.epoch || a.boot - b.boot || a.seq - b.seq)
const inBounds = (value: unknown, from: number, to: number): value is number =>
  typeof value === 'number' && value >= from && value <= to

/** A version that was never written counts as none. */
const issued = (version: number, newest: number) => (version > newest ? 0 : version)

function truth(told: readonly Told[]) {
  const state = {
    temperature: null as number | null,
    humidity: null as number | null,
    signal: null as Signal | null,
    door: false,
    boot: '',
    fw: '',
    apk: '',
  }
  const faults = new Set<string>()
  const shadows = {
    CONFIG: { applied: 0, refused: 0, reason: '' },
    PLANOGRAM: { applied: 0, refused: 0, reason: '' },
  }
  const hours = {
    tn: null as number | null,
    tx: null as number | null,
    ts: 0,
    tc: 0,
    hs: 0,
    hc: 0,
    rs: 0,
    rc: 0,
  }
  for (const { machine, kind, boot, body } of inOrder(told)) {
    if (typeof body.config === 'number') shadows.CONFIG.applied = issued(body.config, 5)
    if (typeof body.planogram === 'number') shadows.PLANOGRAM.applied = issued(body.planogram, 3)
    if (kind === 'applied') {
      const shadow = shadows[body.what as keyof typeof shadows]
      const version = issued(body.version as number, body.what === 'CONFIG' ? 5 : 3)
      Object.assign(
        shadow,
        body.ok ? { applied: version } : { refused: version, reason: version ? body.reason : '' },
      )
    }
    if (inBounds(body.temperature, -60, 100)) {
      hours.tn = Math.min(hours.tn ?? body.temperature, body.temperature)
      hours.tx = Math.max(hours.tx ?? body.temperature, body.temperature)
      hours.ts += body.temperature
      hours.tc += 1
    }
    if (inBounds(body.humidity, 0, 100)) {
      hours.hs += body.humidity
      hours.hc += 1
    }
    if (typeof body.rsrp === 'number') {
      hours.rs += body.rsrp
      hours.rc += 1
    }
    if (inBounds(body.temperature, -60, 100)) state.temperature = body.temperature
    if (inBounds(body.humidity, 0, 100)) state.humidity = body.humidity
    if (typeof body.rsrp === 'number') state.signal = signalOf(body.rsrp)
    if (typeof (body.open ?? body.door) === 'boolean')
      state.door = (body.open ?? body.door) as boolean
    Object.assign(state, {
      boot: bootText(boot, machine.epoch),
      fw: body.fw,
      apk: String(body.apk).slice(0, 40),
    })
    const fault = `${body.code}/${body.lane ?? ''}`
    if (kind === 'fault') faults.add(fault)
    if (kind === 'clear') faults.delete(fault)
  }
  return { state, faults, shadows, hours }
}

test.each(Array.from({ length: seeds }, (_, n) => first + n))(
  'seed %i equals the truth',
  async (seed) => {
    const random = createRandom(`t4/${seed}`)
    const machines = await Promise.all([world.addMachine(), world.addMachine(), world.addMachine()])
    const stories: Told[][] = []
    const commands = new Map<string, Command>()
    const asks: Ask[][] = []
    for (const machine of machines) {
      const own = [...(await sell(machine, 3)), ...(await sell(machine, 2))]
      for (const command of own) commands.set(command.cmd_id, command)
      const told = await ask(random, machine)
      asks.push(told)
      stories.push(story(random, machine, own, told))
    }
    const acked = new Set<string>()
    const all = stories.flat()
    const skew = random.pick([0, 86_400_000, -86_400_000])
    await deliver(
      random,
      stories
        .flatMap((told) => disturb(random, told))
        .sort(() => (random.next() - 0.5 > 0.45 ? 1 : -1)),
      skew,
      acked,
    )
    for (let round = 0; round < 50 && all.some((message) => !acked.has(key(message))); round += 1) {
      await deliver(
        random,
        all.filter((message) => !acked.has(key(message))),
        skew,
        acked,
      )
    }
    expect(all.filter((message) => !acked.has(key(message)))).toEqual([])
    // nothing was put aside
    const ids = machines.map(({ id }) => id)
    const events = await world.rows(
      `select distinct kind from security_events
        where device_id = any($1) and detail->>'what' is distinct from 'VERSION'`,
      [ids],
    )
    expect(events.filter(({ kind }) => kind !== 'MACHINE_BOOT_JUMP')).toEqual([])
    expect(
      await world.rows(
        `select kind, note from device_messages
          where note like 'no effect%' and device_id = any($1)`,
        [ids],
      ),
    ).toEqual([])
    for (const [n, machine] of machines.entries()) {
      const told = stories[n] as Told[]
      const wanted = truth(told)
      const outcome = new Map(
        told
          .filter(({ kind }) => kind === 'vend_result')
          .map(({ body }) => [body.cmdId as string, body.result as string]),
      )
      const [state] = await world.rows(
        `select temperature::float8, humidity::float8, signal, door_open as door, boot, fw, apk,
          fault_count, online from device_states where device_id = $1`,
        [machine.id],
      )
      for (const [cmdId, result] of outcome)
        if (result === 'MOTOR_NOT_MOVE')
          wanted.faults.add(`MOTOR_NOT_MOVE/${commands.get(cmdId)?.road}`)
      expect(state, `seed ${seed} ${machine.rtu}`).toEqual({
        ...wanted.state,
        fault_count: wanted.faults.size,
        online: true,
      })
      const faults = await world.rows(
        `select f.code || '/' || coalesce(l.road_index::text, '') as fault from device_faults f left
          join lanes l on l.id = f.lane_id where f.device_id = $1 and f.closed_at is null`,
        [machine.id],
      )
      expect(faults.map((row) => row.fault).sort()).toEqual([...wanted.faults].sort())
      const lanes = await world.rows(
        `select road_index, status, quantity, reserved from lanes where device_id = $1
          order by road_index`,
        [machine.id],
      )
      for (const lane of lanes)
        expect(lane.status === 'FAULT', `lane ${lane.road_index}`).toBe(
          [...wanted.faults].some((fault) => fault.endsWith(`/${lane.road_index}`)),
        )
      const sold = [...outcome.values()].filter((result) => result === 'OK').length
      expect(lanes.reduce((sum, lane) => sum + (lane.quantity as number), 0)).toBe(200 - sold)
      expect(lanes.reduce((sum, lane) => sum + (lane.reserved as number), 0)).toBe(0)
      const units = await world.rows(
        `select c.cmd_id, u.vend_state, u.fail_reason from vend_commands c
          join order_units u on u.id = c.unit_id where c.device_id = $1`,
        [machine.id],
      )
      expect(units).toHaveLength(5)
      for (const unit of units) {
        const result = outcome.get(unit.cmd_id as string)
        expect([unit.vend_state, unit.fail_reason]).toEqual(
          result === 'OK' ? ['SUCCESS', null] : ['FAILED', result],
        )
      }
      const [kept] = await world.rows(
        `select (select count(*) from device_message_keys where device_id = $1)::int as keys,
          (select count(*) from device_messages where device_id = $1)::int as messages`,
        [machine.id],
      )
      expect(kept).toEqual({ keys: told.length, messages: told.length })
      const shadows = await world.rows(
        `select kind, applied, refused, reason, state from device_shadows where device_id = $1
          order by kind`,
        [machine.id],
      )
      const stateOf = (
        { applied, refused }: { applied: number; refused: number },
        version: number,
      ) => (applied === version ? 'APPLIED' : refused === version ? 'REFUSED' : 'PENDING')
      expect(shadows).toEqual([
        { kind: 'CONFIG', ...wanted.shadows.CONFIG, state: stateOf(wanted.shadows.CONFIG, 5) },
        {
          kind: 'PLANOGRAM',
          ...wanted.shadows.PLANOGRAM,
          state: stateOf(wanted.shadows.PLANOGRAM, 3),
        },
      ])
      const ends = await world.rows(
        `select cmd_id as "cmdId", type, state as end from device_commands where device_id = $1`,
        [machine.id],
      )
      const byType = (a: { type?: unknown }, b: { type?: unknown }) =>
        String(a.type).localeCompare(String(b.type))
      expect(ends.toSorted(byType)).toEqual(asks[n]?.toSorted(byType))
      const [device] = await world.rows(`select locked from devices where id = $1`, [machine.id])
      expect(device?.locked).toBe(asks[n]?.find(({ type }) => type === 'UNLOCK')?.end !== 'DONE')
      const [hours] = await world.rows(
        `select min(temp_min)::float8 as tn, max(temp_max)::float8 as tx,
          coalesce(sum(temp_sum), 0)::float8 as ts, coalesce(sum(temp_count), 0)::int as tc,
          coalesce(sum(hum_sum), 0)::float8 as hs,
        coalesce(sum(hum_count), 0)::int as hc, coalesce(sum(rsrp_sum), 0)::int as rs,
        coalesce(sum(rsrp_count), 0)::int as rc from telemetry_hours where device_id = $1`,
        [machine.id],
      )
      expect(hours).toEqual(wanted.hours)
      const events = await world.rows(
        `select count(*)::int as n from device_events
          where device_id = $1 and kind = 'COMMAND_END'`,
        [machine.id],
      )
      expect(events[0]?.n).toBe(3)
      const [flows] = await world.rows(
        `select count(*)::int as n from stock_flows where device_id = $1`,
        [machine.id],
      )
      expect(flows?.n).toBe(sold)
    }
  },
)

test('bad fields are left out and noted, text is cut', async () => {
  const machine = await world.addMachine()
  const intake = openIntake(world.app, generous, record)
  intake.answerOver({
    send: () => true,
    connected: () => [],
    recheck: async () => {},
    stop: async () => {},
  })
  const tell = (kind: UpKind, body: object) =>
    intake.receive(machine, kind, Buffer.from(JSON.stringify({ boot: 1, ...body })))
  await tell('telemetry', {
    seq: 1,
    ts: world.clock.now,
    temperature: 9999,
    humidity: 44,
    signal: 'super',
    fw: '<script>'.repeat(9),
    apk: 'a\u0000b',
  })
  await tell('fault', { seq: 2, code: 'x; drop', detail: 'd'.repeat(9000) })
  await tell('fault', { seq: 3, code: 'JAM', lane: 99, detail: 'd'.repeat(9000) })
  await tell('stock', {
    seq: 4,
    ts: world.clock.now,
    lanes: [
      { lane: 1, count: 50 },
      { lane: 2, count: 7 },
    ],
  })
  await tell('hello', { seq: 5, ts: world.clock.now - 86_400_000 })
  await intake.drain(5000)
  const messages = await world.rows(
    `select seq::int, note from device_messages where device_id = $1 order by seq`,
    [machine.id],
  )
  expect(messages).toEqual([
    { seq: 1, note: 'rejected: temperature, signal, fw' },
    { seq: 3, note: 'rejected: ts' },
    { seq: 4, note: 'stock differs: lane 2 7 (50); lanes not named: 3, 4' },
    { seq: 5, note: 'clock differs by -86400 s' },
  ])
  const [state] = await world.rows(
    `select temperature, humidity::float8, signal, fw, fault_count from device_states
      where device_id = $1`,
    [machine.id],
  )
  expect(state).toEqual({
    temperature: null,
    humidity: 44,
    signal: null,
    fw: '<script>'.repeat(5),
    fault_count: 1,
  })
})

test('text that grows when it is composed is cut, and what cannot be written of one machine holds up no other', async () => {
  const [machine, other] = [await world.addMachine(), await world.addMachine()]
  const start = world.clock.now
  const intake = openIntake(world.app, generous, record)
  intake.answerOver({
    send: () => true,
    connected: () => [],
    recheck: async () => {},
    stop: async () => {},
  })
  const tell = (who: Machine, kind: UpKind, body: object) =>
    intake.receive(who, kind, Buffer.from(JSON.stringify({ boot: 1, ts: start, ...body })))
  await tell(machine, 'fault', {
    seq: 1,
    code: 'JAM',
    detail: '\u0958'.repeat(200),
    fw: '\u0958'.repeat(40),
  })
  await tell(machine, 'heartbeat', { seq: 1, apk: '\ufb2c'.repeat(40) })
  await vi.waitFor(() => expect(intake.counts.stored).toBe(1), 10_000)
  const lastSeen = async () =>
    (
      await world.rows(
        `select extract(epoch from last_seen_at) * 1000 as at from device_states
          where device_id = any($1) order by device_id`,
        [[machine.id, other.id]],
      )
    ).map(({ at }) => Math.round(Number(at) - start))
  await intake.tick()
  expect([intake.counts.parked, await lastSeen()]).toEqual([0, [0, expect.any(Number)]])
  // as if a bound of the table were narrower than what is taken
  await world.rows(
    `alter table device_states add constraint narrow check (device_id <> ${machine.id}
      or last_seen_at <= '${new Date(start).toISOString()}')`,
  )
  world.clock.now = start + 5000
  await tell(machine, 'heartbeat', { seq: 1 })
  await tell(other, 'heartbeat', { seq: 1 })
  await intake.drain(5000)
  expect(await lastSeen()).toEqual([0, 5000])
  await world.rows(`alter table device_states drop constraint narrow`)
})

test('what is stored after a machine changed hands belongs to its new owner, whatever its connection knew', async () => {
  const machine = await world.addMachine()
  const intake = openIntake(world.app, generous, record)
  intake.answerOver({
    send: () => true,
    connected: () => [],
    recheck: async () => {},
    stop: async () => {},
  })
  const tell = (seq: number, kind: UpKind, body: object) =>
    intake.receive(
      machine,
      kind,
      Buffer.from(JSON.stringify({ boot: 1, seq, ts: world.clock.now, ...body })),
    )
  await tell(1, 'telemetry', { temperature: 5 })
  await vi.waitFor(() => expect(intake.counts.stored).toBe(1), 10_000)
  await world.rows(`update devices set org_id = 1 where id = $1`, [machine.id])
  await tell(2, 'telemetry', { temperature: 6 })
  await tell(3, 'fault', { code: 'JAM', lane: 1 })
  await tell(4, 'applied', { what: 'CONFIG', version: 1, ok: true })
  await intake.drain(5000)
  const owners = async (table: string, order: string) =>
    (
      await world.rows(`select org_id::int from ${table} where device_id = $1 order by ${order}`, [
        machine.id,
      ])
    ).map((row) => row.org_id)
  expect(await owners('device_messages', 'seq')).toEqual([2, 1, 1, 1])
  expect(await owners('device_message_keys', 'seq')).toEqual([2, 1, 1, 1])
  expect(await owners('telemetry_hours', 'org_id')).toEqual([1, 2])
  expect(await owners('device_faults', 'id')).toEqual([1])
  expect(await owners('device_shadows', 'kind')).toEqual([1])
})

test('machines of one organisation that say too much make their own wait, not those of another', async () => {
  const noisy = await Promise.all(Array.from({ length: 20 }, () => world.addMachine()))
  const other = await world.addMachine()
  await world.rows(`update devices set org_id = 1 where id = $1`, [other.id])
  const intake = openIntake(world.app, generous, record)
  let before = -1
  intake.answerOver({
    send(machine, kind) {
      if (machine.id === other.id && kind === 'ack') before = intake.counts.stored ?? 0
      return true
    },
    connected: () => [],
    recheck: async () => {},
    stop: async () => {},
  })
  const tell = (machine: Machine, seq: number) =>
    intake.receive(
      machine,
      'door',
      Buffer.from(JSON.stringify({ boot: 1, seq, ts: world.clock.now, open: seq % 2 > 0 })),
    )
  for (let seq = 1; seq <= 150; seq += 1) for (const machine of noisy) void tell(machine, seq)
  await tell({ ...other, orgId: 1 }, 1)
  await intake.drain(20_000)
  expect(intake.counts.stored).toBe(3001)
  expect(before).toBeGreaterThan(0)
  expect(before).toBeLessThanOrEqual(2 * limits.batch)
})

test('a machine that says as much as it may for minutes is told of once; one that sends a backlog is not', async () => {
  const [loud, backlog] = [await world.addMachine(), await world.addMachine()]
  vi.useFakeTimers({ toFake: ['performance'] })
  try {
    const intake = openIntake(world.app, limits, record)
    intake.answerOver({
      send: () => true,
      connected: () => [],
      recheck: async () => {},
      stop: async () => {},
    })
    const tell = (machine: Machine, seq: number) =>
      intake.receive(
        machine,
        'telemetry',
        Buffer.from(JSON.stringify({ boot: 1, seq, temperature: seq % 30 })),
      )
    for (let n = 1; n <= 3600; n += 1) {
      vi.advanceTimersByTime(50)
      void tell(loud, n)
      if (n % 4) void tell(backlog, n)
    }
    await intake.tick()
    await intake.drain(20_000)
    expect([intake.counts.rate, intake.counts.stored]).toEqual([undefined, 6300])
  } finally {
    vi.useRealTimers()
  }
  const seen = await world.rows(
    `select subject, times::int from security_events where kind = 'MACHINE_LOUD'`,
  )
  expect(seen).toEqual([{ subject: loud.rtu, times: 1 }])
})

test('while the database is away messages are held, a bad one is parked alone', async () => {
  const machine = await world.addMachine()
  const acked: number[] = []
  const bad = randomUUID()
  let away = 3
  let tries = 0
  const vends: typeof recordVend = async (_, facts) => {
    tries += 1
    if (away > 0) {
      away -= 1
      throw Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })
    }
    if (facts.some((fact) => fact.cmdId === bad)) throw new Error('no such thing')
  }
  const intake = openIntake(world.app, generous, { ...record, vends })
  intake.answerOver({
    send: (_, kind, body) =>
      (kind === 'ack' && acked.push(...(body as { seqs: number[] }).seqs)) !== false,
    connected: () => [],
    recheck: async () => {},
    stop: async () => {},
  })
  for (let seq = 1; seq <= 9; seq += 1) {
    await intake.receive(
      machine,
      'vend_result',
      Buffer.from(
        JSON.stringify({
          boot: 1,
          seq,
          ts: world.clock.now,
          cmdId: seq === 4 ? bad : randomUUID(),
          result: 'OK',
        }),
      ),
    )
  }
  expect(acked).toEqual([])
  await intake.drain(10_000)
  expect(tries).toBeGreaterThan(4)
  expect(acked.toSorted()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
  expect(intake.counts).toMatchObject({ stored: 8, parked: 1 })
  const notes = await world.rows(
    `select seq::int, note from device_messages where device_id = $1 and note is not null`,
    [machine.id],
  )
  expect(notes).toEqual([{ seq: 4, note: 'no effect: no such thing' }])
})

test('last seen never moves back, a bye of an older connection says nothing, silence is offline', async () => {
  const machine = await world.addMachine()
  const start = world.clock.now
  const run = async (at: number, kind: UpKind, body: object) => {
    world.clock.now = at
    const intake = openIntake(world.app, generous, record)
    intake.answerOver({
      send: () => true,
      connected: () => [],
      recheck: async () => {},
      stop: async () => {},
    })
    await intake.receive(machine, kind, Buffer.from(JSON.stringify({ boot: 5, ts: 0, ...body })))
    await intake.drain(5000)
    const [state] = await world.rows(
      `select online, offline_cause, last_seen_at from device_states where device_id = $1`,
      [machine.id],
    )
    return [state?.online, state?.offline_cause, Number(state?.last_seen_at) - start]
  }
  expect(await run(start + 1000, 'hello', { seq: 1 })).toEqual([true, null, 1000])
  expect(await run(start + 500, 'heartbeat', { seq: 1 })).toEqual([true, null, 1000])
  expect(await run(start + 2000, 'bye', { seq: 1, session: 1, cause: 'POWER_FAIL' })).toEqual([
    false,
    'POWER_FAIL',
    1000,
  ])
  expect(await run(start + 2001, 'bye', { seq: 1, session: 1, cause: 'LAST_WILL' })).toEqual([
    false,
    'POWER_FAIL',
    1000,
  ])
  expect(await run(start + 1500, 'heartbeat', { seq: 1 })).toEqual([false, 'POWER_FAIL', 1500])
  expect(await run(start + 3000, 'hello', { boot: 6, seq: 1 })).toEqual([true, null, 3000])
  expect(await run(start + 4000, 'bye', { seq: 1, session: 1 })).toEqual([true, null, 3000])
  const intake = openIntake(world.app, generous, record)
  world.clock.now = start + 3000 + 179_000
  await intake.sweep()
  const online = async () =>
    (await world.rows(`select online from device_states where device_id = $1`, [machine.id]))[0]
      ?.online
  expect(await online()).toBe(true)
  world.clock.now = start + 10_000 + 180_000
  await openIntake(world.app, generous, record).sweep()
  expect(await online()).toBe(true)
  world.clock.now = start + 3000 + 400_000
  await intake.sweep()
  expect(await online()).toBe(false)
})

test('what comes late is judged by what is known now, without looking through what the machine has said since', async () => {
  const machine = await world.addMachine()
  const intake = openIntake(world.app, { ...generous, batch: 1 }, record)
  intake.answerOver({
    send: () => true,
    connected: () => [],
    recheck: async () => {},
    stop: async () => {},
  })
  const tell = (boot: number, kind: UpKind, body: object) =>
    intake.receive(
      machine,
      kind,
      Buffer.from(JSON.stringify({ boot, ts: world.clock.now, ...body })),
    )
  const stored = async (count: number) =>
    vi.waitFor(() => expect(intake.counts).toMatchObject({ stored: count, parked: 0 }), 10_000)
  await world.rows(
    `insert into device_shadows (device_id, kind, org_id, wanted, wanted_at)
      values ($1, 'CONFIG', 2, 5, now())`,
    [machine.id],
  )
  await tell(3, 'hello', { seq: 1, config: 5, rsrp: -80, door: false })
  await stored(1)
  await world.rows('revoke select on device_messages from huodao_app')
  await tell(2, 'applied', { seq: 1, what: 'CONFIG', version: 4, ok: true })
  await tell(2, 'applied', { seq: 2, what: 'PLANOGRAM', version: 0, ok: false, reason: 'first' })
  await tell(2, 'hello', { seq: 3, config: 3, rsrp: -99, door: true })
  await tell(2, 'telemetry', { seq: 4, temperature: 3, rsrp: -98 })
  await tell(2, 'telemetry', { seq: 3000, temperature: 4 })
  await tell(2, 'telemetry', { seq: 2000, temperature: 5, humidity: 50 })
  await stored(7)
  const state = async () => {
    await intake.tick()
    return (
      await world.rows(
        `select online, door_open, rsrp, temperature::int, humidity::int from device_states
          where device_id = $1`,
        [machine.id],
      )
    )[0]
  }
  world.clock.now += 1000
  await tell(2, 'bye', { seq: 5, session: 3 })
  await tell(3, 'telemetry', { seq: 2, humidity: 40 })
  await stored(8)
  expect(await state()).toEqual({
    online: true,
    door_open: false,
    rsrp: -80,
    temperature: 4,
    humidity: 40,
  })
  world.clock.now += 1000
  await tell(3, 'bye', { seq: 2, session: 1 })
  await intake.drain(5000)
  expect(await state()).toMatchObject({ online: false })
  const shadows = await world.rows(
    `select kind, applied, reason from device_shadows where device_id = $1 order by kind`,
    [machine.id],
  )
  expect(shadows).toEqual([
    { kind: 'CONFIG', applied: 5, reason: '' },
    { kind: 'PLANOGRAM', applied: 0, reason: 'first' },
  ])
  await world.rows('grant select on device_messages to huodao_app')
})

test("the server's clock set back: who leaves is away, who comes is there, who is silent is missed", async () => {
  const [leaving, coming, silent] = [
    await world.addMachine(),
    await world.addMachine(),
    await world.addMachine(),
  ]
  const start = world.clock.now
  const intake = openIntake(world.app, generous, record)
  intake.answerOver({
    send: () => true,
    connected: () => [],
    recheck: async () => {},
    stop: async () => {},
  })
  const tell = (machine: Machine, kind: UpKind, body: object) =>
    intake.receive(machine, kind, Buffer.from(JSON.stringify({ boot: 1, ts: 0, seq: 1, ...body })))
  const online = (expected: boolean[]) =>
    vi.waitFor(async () => {
      await intake.tick()
      const rows = await world.rows(
        `select online from device_states where device_id = any($1) order by device_id`,
        [[leaving.id, coming.id, silent.id]],
      )
      expect(rows.map((row) => row.online)).toEqual(expected)
    }, 10_000)
  for (const machine of [leaving, coming, silent]) await tell(machine, 'hello', {})
  await online([true, true, true])
  world.clock.now += 1000
  await tell(coming, 'bye', { session: 1 })
  await online([true, false, true])
  world.clock.now = start - 3_600_000
  await intake.sweep()
  world.clock.now += 1000
  await tell(leaving, 'bye', { session: 1 })
  await tell(coming, 'heartbeat', {})
  await online([false, true, true])
  world.clock.now += 181_000
  await intake.sweep()
  await online([false, false, false])
  world.clock.now = start
})

test('an organisation may wait longer or shorter for its machines', async () => {
  const machine = await world.addMachine()
  const [device] = await world.rows<{ org_id: number }>(
    'select org_id from devices where id = $1',
    [machine.id],
  )
  await world.rows(
    `insert into settings (org_id, key, value) values ($1, 'device.offlineSeconds', '600')`,
    [device?.org_id],
  )
  settingsChanged(world.app)
  const start = world.clock.now
  const intake = openIntake(world.app, generous, record)
  intake.answerOver({
    send: () => true,
    connected: () => [],
    recheck: async () => {},
    stop: async () => {},
  })
  await intake.receive(machine, 'hello', Buffer.from(JSON.stringify({ boot: 1, ts: 0, seq: 1 })))
  await intake.drain(5000)
  const online = async () =>
    (await world.rows(`select online from device_states where device_id = $1`, [machine.id]))[0]
      ?.online
  world.clock.now = start + 599_000
  await intake.sweep()
  expect(await online()).toBe(true)
  world.clock.now = start + 601_000
  await intake.sweep()
  expect(await online()).toBe(false)
})
