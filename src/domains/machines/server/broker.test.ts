import { createHash, randomUUID } from 'node:crypto'
import { connect as connectTcp } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import mqtt, { type MqttClient } from 'mqtt'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { recordControls, takeControls } from '../../device-commands/server/gateway.ts'
import { limits } from '../rules.ts'
import { openBroker } from './broker.ts'
import { controlMessage } from './controls.ts'
import { openDocumentPump } from './documents.ts'
import { type Machine, openIdentities } from './identity.ts'
import { type Intake, openIntake } from './intake.ts'
import type { Link } from './link.ts'
import { openPump, vendMessage } from './pump.ts'
import { openWorld, type World } from './testWorld.ts'
import type { VendFact, VendOut } from './vending.ts'

/** Real sockets: what quality.md J asks of the gateway. */
let world: World
let intake: Intake
let link: Link
let machine: Machine
let other: Machine
let vends: VendFact[] = []
const unknown: [string, string][] = []
const clients: MqttClient[] = []
/** Secrets are compared after this. */
let proving: Promise<void> = Promise.resolve()

beforeAll(async () => {
  world = await openWorld()
  intake = openIntake(
    world.app,
    { ...limits, banMs: 1500, connects: 40 },
    { vends: async (_, facts) => void vends.push(...facts), controls: recordControls },
  )
  const identities = openIdentities(world.app)
  link = await openBroker(
    world.app,
    { ...identities, prove: (rtu, secret) => proving.then(() => identities.prove(rtu, secret)) },
    intake.isBanned,
    intake,
    (number, address) => unknown.push([number, address]),
  )
  intake.answerOver(link)
  machine = await world.addMachine()
  other = await world.addMachine()
})
afterEach(async () => {
  world.clock.now = Date.now()
  for (const client of clients.splice(0)) await client.endAsync(true).catch(() => {})
  vends = []
})
afterAll(async () => {
  await intake.drain(2000)
  await link.stop()
  await world.close()
})

type Asked = {
  rtu?: string
  user?: string
  password?: string
  will?: string
  version?: 4 | 5
  clean?: boolean
}
function open({
  rtu = machine.rtu,
  user = rtu,
  password = `secret-${user}`,
  will,
  version = 4,
  clean = true,
}: Asked = {}) {
  const heard: { topic: string; body: Record<string, unknown> }[] = []
  const client = mqtt.connect(`mqtt://127.0.0.1:${world.app.config.mqttPort}`, {
    clientId: rtu,
    username: user,
    password,
    protocolVersion: version,
    clean,
    reconnectPeriod: 0,
    ...(will
      ? {
          will: {
            topic: will,
            payload: Buffer.from('{"boot":1,"seq":1,"session":1}'),
            qos: 1,
            retain: true,
          },
        }
      : {}),
  })
  clients.push(client)
  client.on('message', (topic, payload) =>
    heard.push({ topic, body: JSON.parse(payload.toString()) }),
  )
  const state = { closed: false, refused: 0 }
  client.on('close', () => {
    state.closed = true
  })
  client.on('error', (error) => {
    state.refused = (error as { code?: number }).code ?? -1
  })
  const ready = new Promise<boolean>((done) => {
    client.on('connect', () => done(true))
    client.on('close', () => done(false))
  })
  const say = (kind: string, body: object | string | Buffer, who = rtu) =>
    client.publish(
      `v1/${who}/up/${kind}`,
      typeof body === 'string' || Buffer.isBuffer(body)
        ? body
        : JSON.stringify({ boot: 1, ts: Date.now(), ...body }),
      { qos: 1 },
      () => {},
    )
  return { client, heard, state, ready, say }
}
async function openReady(asked: Asked = {}) {
  const it = open(asked)
  expect(await it.ready).toBe(true)
  await it.client.subscribeAsync(`v1/${asked.rtu ?? machine.rtu}/down/#`, { qos: 1 })
  return it
}
const counted = async (what: string, work: () => Promise<void> | void) => {
  const before = intake.counts[what] ?? 0
  await work()
  await vi.waitFor(() => expect(intake.counts[what] ?? 0).toBeGreaterThan(before), 10_000)
}

test('a machine is heard, acknowledged after the commit, welcomed, and gets its commands', async () => {
  const { heard, say } = await openReady()
  say('hello', { seq: 1, fw: '1.0', rsrp: -80 })
  await vi.waitFor(
    () =>
      expect(heard.map(({ topic }) => topic)).toEqual([
        `v1/${machine.rtu}/down/ack`,
        `v1/${machine.rtu}/down/welcome`,
      ]),
    10_000,
  )
  expect(heard[0]?.body).toEqual({ boot: 1, seqs: [1], ts: expect.any(Number) })
  expect(heard[1]?.body).toEqual({ boot: 1, lastBoot: 1, ts: expect.any(Number) })
  const cmdId = '0f8fad5b-d9cb-469f-a165-70867728950e'
  const due: VendOut = {
    deviceId: machine.id,
    rtuNumber: machine.rtu,
    cmdId,
    orderNum: '20261121000000000001',
    unitNo: 1,
    road: 3,
    motorNo: 4,
    issuedAt: new Date(1000),
    expireAt: new Date(61_000),
    kind: 'vend',
  }
  const asked: number[][] = []
  await openPump(
    world.app,
    link,
    async (_, ids) => {
      asked.push([...ids])
      return [due]
    },
    vendMessage,
  ).turn()
  expect(asked).toEqual([[machine.id]])
  await vi.waitFor(
    () =>
      expect(heard[2]).toEqual({
        topic: `v1/${machine.rtu}/down/vend`,
        body: {
          cmdId,
          orderNo: '20261121000000000001',
          unit: 1,
          lane: 3,
          motor: 4,
          qty: 1,
          issuedAt: 1000,
          expireAt: 61_000,
          ts: expect.any(Number),
        },
      }),
    10_000,
  )
  say('cmd_ack', {
    seq: 2,
    cmdId,
    ack: 'DUPLICATE',
    result: 'OK',
    dropDetected: true,
    durationMs: 7,
  })
  say('cmd_ack', {
    seq: 2,
    cmdId,
    ack: 'DUPLICATE',
    result: 'OK',
    dropDetected: true,
    durationMs: 7,
  })
  await vi.waitFor(() => expect(heard.flatMap(({ body }) => body.seqs ?? [])).toContain(2), 10_000)
  expect(vends).toMatchObject([
    { kind: 'ack', deviceId: machine.id, cmdId, ack: 'DUPLICATE' },
    { kind: 'result', cmdId, result: 'OK', dropDetected: true, durationMs: 7 },
  ])
})

test('documents go out in parts until the machine says that it has them, again after a hello, and not when it refused', async () => {
  const one = await world.addMachine()
  await world.rows(
    `insert into device_shadows (device_id, kind, org_id, wanted, wanted_at)
      values ($1, 'CONFIG', 2, 4, now()), ($1, 'PLANOGRAM', 2, 9, now())`,
    [one.id],
  )
  const pump = openDocumentPump(world.app, link, {
    CONFIG: async (_, ids) => {
      await new Promise((resolve) => setTimeout(resolve, 200))
      return new Map(ids.map((id) => [id, { version: 4, bodies: [{ volume: 5 }] }]))
    },
    RECALLS: async () => new Map(),
    APK: async () => new Map(),
    FIRMWARE: async () => new Map(),
    PLANOGRAM: async (_, ids) =>
      new Map(ids.map((id) => [id, { version: 9, bodies: [{ lanes: [1] }, { lanes: [2] }] }])),
  })
  await pump()
  const state = async () =>
    (
      await world.rows(
        `select kind, state, delivered, sends, reason from device_shadows where device_id = $1
          order by kind`,
        [one.id],
      )
    ).map((row) => Object.values(row).join(' '))
  expect(await state()).toEqual(['CONFIG PENDING 0 0 ', 'PLANOGRAM PENDING 0 0 '])
  const { heard, say } = await openReady({ rtu: one.rtu })
  const documents = () =>
    heard
      .filter(({ topic }) => /config|planogram/.test(topic))
      .map(({ topic, body: { ts: _, ...body } }) => [topic.split('/')[3], body])
  const sent = [
    ['config', { version: 4, part: 1, parts: 1, volume: 5 }],
    ['planogram', { version: 9, part: 1, parts: 2, lanes: [1] }],
    ['planogram', { version: 9, part: 2, parts: 2, lanes: [2] }],
  ]
  say('hello', { seq: 1, config: 3 })
  await vi.waitFor(() => expect(heard.length).toBe(2), 10_000)
  // turns beside each other, as of two gateways while a machine moves from one to the other
  await Promise.all([pump(), pump(), pump()])
  await pump()
  await vi.waitFor(() => expect(documents()).toEqual(sent), 10_000)
  expect(await state()).toEqual(['CONFIG DELIVERED 4 1 ', 'PLANOGRAM DELIVERED 9 1 '])
  world.clock.now += limits.documentMs + 1000
  await pump()
  await vi.waitFor(() => expect(documents()).toEqual([...sent, ...sent]), 10_000)
  say('applied', { seq: 2, what: 'CONFIG', version: 4, ok: true })
  say('applied', {
    seq: 3,
    what: 'PLANOGRAM',
    version: 9,
    ok: false,
    reason: 'motor 7 <b>'.repeat(30),
  })
  await vi.waitFor(async () => expect((await state())[0]).toBe('CONFIG APPLIED 4 2 '), 10_000)
  await vi.waitFor(
    async () =>
      expect((await state())[1]).toBe(
        `PLANOGRAM REFUSED 9 2 ${'motor 7 <b>'.repeat(30).slice(0, 200)}`,
      ),
    10_000,
  )
  say('hello', { seq: 4, config: 4 })
  await vi.waitFor(() => expect(heard.flatMap(({ body }) => body.seqs ?? [])).toContain(4), 10_000)
  await pump()
  // a new board knows nothing
  say('hello', { boot: 2, seq: 1, config: 0, planogram: 0 })
  await vi.waitFor(async () => expect((await state())[0]).toBe('CONFIG PENDING 0 0 '), 10_000)
  await pump()
  await vi.waitFor(() => expect(documents().slice(6)).toEqual([sent[0]]), 10_000)
})

test('a command of a person goes out and its end comes back', async () => {
  const one = await world.addMachine()
  const { heard, say } = await openReady({ rtu: one.rtu })
  const cmdId = randomUUID()
  await world.rows(
    `insert into device_commands (cmd_id, org_id, device_id, type, issued_at, expire_at)
      values ($1, 2, $2, 'LOCK', $3::timestamptz, $3::timestamptz + interval '30 s')`,
    [cmdId, one.id, new Date(world.clock.now)],
  )
  await openPump(world.app, link, takeControls, controlMessage).turn()
  await vi.waitFor(
    () =>
      expect(heard).toMatchObject([
        {
          topic: `v1/${one.rtu}/down/command`,
          body: { cmdId, type: 'LOCK', issuedAt: expect.any(Number), expireAt: expect.any(Number) },
        },
      ]),
    10_000,
  )
  say('cmd_ack', { seq: 1, cmdId, ack: 'ACCEPTED' })
  say('cmd_result', { seq: 2, cmdId, ok: true })
  await vi.waitFor(
    async () =>
      expect(
        (await world.rows(`select state from device_commands where cmd_id = $1`, [cmdId]))[0]
          ?.state,
      ).toBe('DONE'),
    10_000,
  )
})

test('a connection ends at once when its secret, its board or its owner is another', async () => {
  const one = await world.addMachine()
  const changes: [string, unknown[]][] = [
    [
      `update devices set secret_hash = $2 where id = $1`,
      [one.id, createHash('sha256').update('another').digest()],
    ],
    [
      `update devices set secret_hash = $2 where id = $1`,
      [one.id, createHash('sha256').update(`secret-${one.rtu}`).digest()],
    ],
    [`update devices set org_id = 1 where id = $1`, [one.id]],
    [
      `update devices set lifecycle = 'SCRAPPED', board_no = null, card = null where id = $1`,
      [one.id],
    ],
  ]
  let password = `secret-${one.rtu}`
  for (const [text, values] of changes) {
    const { state } = await openReady({ rtu: one.rtu, password })
    await link.recheck()
    await sleep(50)
    expect(state.closed).toBe(false)
    await world.rows(text, values)
    await link.recheck()
    await vi.waitFor(() => expect(state.closed).toBe(true), 10_000)
    if (values.length > 1) {
      expect(await open({ rtu: one.rtu, password }).ready).toBe(false)
      password = password === 'another' ? `secret-${one.rtu}` : 'another'
    }
  }
  expect(await open({ rtu: one.rtu, password }).ready).toBe(false)
})

test('a machine that comes and goes all the time has to wait; another one does not', async () => {
  const one = await world.addMachine()
  let let_in = 0
  for (let n = 0; n < 45; n += 1) {
    const { client, ready } = open({ rtu: one.rtu })
    if (await ready) let_in += 1
    client.stream.destroy()
  }
  expect([let_in >= 40, let_in <= 42]).toEqual([true, true])
  expect(intake.counts.flapping).toBeGreaterThan(0)
  expect(await open({ rtu: other.rtu }).ready).toBe(true)
  const events = await world.rows(`select kind from device_events where device_id = $1`, [one.id])
  expect(events.length).toBeLessThan(90)
})

test('a hole in the numbers is asked for', async () => {
  const { heard, say } = await openReady()
  say('hello', { boot: 2, seq: 10 })
  say('door', { boot: 2, seq: 13, open: false })
  await vi.waitFor(() => expect(heard.flatMap(({ body }) => body.seqs ?? [])).toContain(13), 10_000)
  world.clock.now = Date.now() + limits.gapMs + 1000
  await intake.tick()
  const asked = expect.objectContaining({
    topic: `v1/${machine.rtu}/down/resend`,
    body: expect.objectContaining({ boot: 2, from: 11, to: 12 }),
  })
  await vi.waitFor(() => expect(heard).toContainEqual(asked), 10_000)
})

test.each<[string, Asked]>([
  ['wrong secret', { password: 'secret' }],
  ['empty secret', { password: '' }],
  ['unknown machine', { rtu: 'T999999' }],
  ['another client id', { rtu: 'T000001', user: 'T000002' }],
  ['injection', { rtu: "' or 1=1--" }],
  ['last will on a foreign topic', { will: 'v1/T000002/up/bye' }],
])('%s: refused without detail', async (_, asked) => {
  const { ready, state } = open(asked)
  expect(await ready).toBe(false)
  expect([5, 0, -1]).toContain(state.refused)
})
test('a scrapped machine is refused', async () => {
  const gone = await world.addMachine()
  await world.rows(`update devices set lifecycle = 'SCRAPPED' where id = $1`, [gone.id])
  expect(await open({ rtu: gone.rtu }).ready).toBe(false)
})

test.each(['v1/T000002/up/hello', 'v1/T000001/down/vend', '$SYS/x', 'v1/T000001/up/hello/x'])(
  'publishing to %s ends the connection',
  async (topic) => {
    const { client, state } = await openReady()
    await counted(
      'topic',
      () => void client.publish(topic, '{"boot":1,"seq":99}', { qos: 1 }, () => {}),
    )
    await vi.waitFor(() => expect(state.closed).toBe(true), 10_000)
  },
)
test.each(['#', 'v1/+/down/#', 'v1/T000002/down/#', '$SYS/#', 'v1/T000001/#'])(
  'subscribing to %s ends the connection',
  async (filter) => {
    const { client, ready, state } = open()
    await ready
    await counted('subscribe', () => void client.subscribe(filter, () => {}))
    await vi.waitFor(() => expect(state.closed).toBe(true), 10_000)
  },
)

test('who asks for what is not his own is told of, once an hour; a stranger who says a machine’s number is not', async () => {
  const one = await world.addMachine()
  const seen = async () => {
    await intake.tick()
    return world.rows(
      `select subject, times::int, detail from security_events
        where kind = 'MACHINE_STRAYED' and device_id = $1`,
      [one.id],
    )
  }
  expect(await open({ rtu: one.rtu, password: 'guessed', will: 'v1/T000002/up/bye' }).ready).toBe(
    false,
  )
  expect(await seen()).toEqual([])
  for (let times = 0; times < 3; times += 1) {
    const { client, ready, state } = open({ rtu: one.rtu })
    await ready
    client.subscribe('#', () => {})
    await vi.waitFor(() => expect(state.closed).toBe(true), 10_000)
  }
  expect(await seen()).toMatchObject([
    { subject: one.rtu, times: 1, detail: { what: 'SUBSCRIBE', topic: '#' } },
  ])
  world.clock.now += limits.toldMs
  expect(await open({ rtu: one.rtu, will: 'v1/T000002/up/bye' }).ready).toBe(false)
  expect(await seen()).toMatchObject([
    { times: 2, detail: { what: 'WILL', topic: 'v1/T000002/up/bye' } },
  ])
  world.clock.now += limits.toldMs
  const { client } = await openReady({ rtu: one.rtu })
  client.publish('v1/T000002/up/door', '{"boot":1,"seq":1,"open":true}', { qos: 1 }, () => {})
  await vi.waitFor(
    async () => expect(await seen()).toMatchObject([{ times: 3, detail: { what: 'PUBLISH' } }]),
    10_000,
  )
})

test('a 1 MB message ends the connection before it is gathered', async () => {
  const { say, state } = await openReady()
  await counted('frame', () => void say('stock', Buffer.alloc(1_048_576, 97)))
  await vi.waitFor(() => expect(state.closed).toBe(true), 10_000)
})
test('garbage instead of MQTT, and a connection that says nothing', async () => {
  const socket = connectTcp(world.app.config.mqttPort, '127.0.0.1')
  socket.on('error', () => {})
  const closed = new Promise((done) => socket.on('close', done))
  socket.write('GET / HTTP/1.1\r\n\r\n')
  await closed
})

test('unreadable messages are dropped and counted, the connection lives', async () => {
  const { say, heard, state } = await openReady()
  const keys = Object.fromEntries(Array.from({ length: 1600 }, (_, n) => [`k${n}`, 1]))
  for (const bad of [
    Buffer.from([0xff, 0xfe, 0x80]),
    'nonsense',
    '[]',
    'null',
    '"x"',
    `${'['.repeat(5000)}${']'.repeat(5000)}`,
    JSON.stringify({ boot: 1, seq: 1, ...keys }),
    '{"boot":1}',
    '{"boot":-1,"seq":1}',
    '{"boot":1,"seq":1e400}',
  ]) {
    await counted('unreadable', () => void say('telemetry', bad))
  }
  await counted('unreadable', () => void say('party', '{"boot":1,"seq":1}'))
  say('telemetry', { seq: 500, temperature: 5 })
  await vi.waitFor(
    () => expect(heard.flatMap(({ body }) => body.seqs ?? [])).toContain(500),
    10_000,
  )
  expect(state.closed).toBe(false)
})

test('a flood is dropped, then shut out; another machine notices nothing', async () => {
  const calm = await openReady({ rtu: other.rtu })
  const noisy = await openReady()
  for (let seq = 1000; seq < 1600 && !noisy.state.closed; seq += 1) {
    noisy.say('door', { seq, open: true })
    if (seq % 20 === 0) await sleep(10)
  }
  await vi.waitFor(() => expect(noisy.state.closed).toBe(true), 10_000)
  expect(intake.counts.rate).toBeGreaterThan(50)
  expect(intake.counts.banned).toBeGreaterThan(0)
  expect(await open().ready).toBe(false)
  const before = Date.now()
  calm.say('hello', { seq: 1 })
  await vi.waitFor(
    () => expect(calm.heard.flatMap(({ body }) => body.seqs ?? [])).toContain(1),
    10_000,
  )
  expect(Date.now() - before).toBeLessThan(1000)
  await sleep(1600)
  expect(await open().ready).toBe(true)
})

test('a number nobody knows is told of with its address; a wrong secret, a wrong client or no number of a board is not', async () => {
  unknown.length = 0
  for (const asked of [
    { rtu: 'BD4A-2611-0042' },
    { rtu: 'T999999' },
    { rtu: machine.rtu, password: 'wrong' },
    { rtu: 'other', user: machine.rtu },
    { rtu: 'a b' },
  ])
    expect(await open(asked).ready).toBe(false)
  expect(unknown.map(([number, address]) => [number, /127\.0\.0\.1$/.test(address)])).toEqual([
    ['BD4A-2611-0042', true],
    ['T999999', true],
  ])
})

test('two boards of one identity drive each other out: that is written down once a minute', async () => {
  const noted = () =>
    world.rows(`select 1 from device_events where device_id = $1 and kind = 'SECOND_CONNECTION'`, [
      other.id,
    ])
  for (let i = 0; i < 6; i++) await openReady({ rtu: other.rtu })
  await vi.waitFor(async () => expect(await noted()).toHaveLength(1), 10_000)
  world.clock.now += 61_000
  for (let i = 0; i < 3; i++) await openReady({ rtu: other.rtu })
  await vi.waitFor(async () => expect(await noted()).toHaveLength(2), 10_000)
  await sleep(50)
  expect(await noted()).toHaveLength(2)
})

test('no session is kept, whatever the client asks for', async () => {
  const asked = { clean: false }
  const { client } = await openReady(asked)
  await client.endAsync()
  const again = open(asked)
  const kept = new Promise((told) =>
    again.client.on('connect', ({ sessionPresent }) => told(sessionPresent)),
  )
  expect(await kept).toBe(false)
})

test('whoever left while his secret was compared is no connection that another one replaces', async () => {
  let compare = () => {}
  proving = new Promise((go) => {
    compare = go
  })
  const gone = open()
  await vi.waitFor(() => expect(gone.client.stream.writableLength).toBe(0), 10_000)
  await sleep(100)
  gone.client.stream.destroy()
  await sleep(100)
  compare()
  await sleep(100)
  const before = intake.counts.takeover
  await openReady()
  expect(intake.counts.takeover).toBe(before)
})

test('what is for an earlier board is sent to nobody; who does not read is let go', async () => {
  const { client, state } = await openReady()
  expect(link.send({ ...machine, epoch: machine.epoch + 1 }, 'ack', {})).toBe(false)
  client.stream.pause()
  const body = { text: 'x'.repeat(100_000) }
  await counted('slow', async () => {
    for (let n = 0; n < 200 && link.send(machine, 'ack', body); n += 1) await sleep(1)
  })
  client.stream.resume()
  await vi.waitFor(() => expect(state.closed).toBe(true), 10_000)
})

test('the second connection of a machine replaces the first, which does not put it offline', async () => {
  world.clock.now = Date.now() + 1000
  const old = await openReady({ will: `v1/${machine.rtu}/up/bye` })
  old.say('hello', { seq: 2000 })
  await vi.waitFor(() => expect(old.heard.length).toBeGreaterThan(0), 10_000)
  const online = async () => {
    await intake.tick()
    return (
      await world.rows(`select online, offline_cause from device_states where device_id = $1`, [
        machine.id,
      ])
    )[0]
  }
  expect(await online()).toEqual({ online: true, offline_cause: null })
  await counted('takeover', async () => void (await openReady()))
  await vi.waitFor(() => expect(old.state.closed).toBe(true), 10_000)
  await sleep(100)
  expect(await online()).toEqual({ online: true, offline_cause: null })
  expect(link.connected().map(({ rtu }) => rtu)).toEqual([machine.rtu])
  world.clock.now += 10
  for (const client of clients) client.stream.destroy()
  await vi.waitFor(
    async () => expect(await online()).toEqual({ online: false, offline_cause: 'LAST_WILL' }),
    10_000,
  )
  expect(link.connected()).toEqual([])
})
