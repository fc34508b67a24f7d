import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { freePort } from '../../../../test/support/freePort.ts'
import { connectionLimits, frameLimits, limits } from '../rules.ts'
import { openBroker } from './broker.ts'
import { openConnectionGuard } from './connectionGuard.ts'
import { boundedFrames } from './frames.ts'
import { type Identities, type Machine, openIdentities } from './identity.ts'
import { type Intake, openIntake } from './intake.ts'
import type { Link } from './link.ts'
import { openWorld, type World } from './testWorld.ts'

/** Bytes as nobody's client sends them: what one connection, one address may cost. */
let world: World
let intake: Intake
let link: Link
let machine: Machine
const sockets: Socket[] = []

beforeAll(async () => {
  world = await openWorld()
  intake = openIntake(world.app, limits, {
    vends: async () => undefined,
    controls: async () => undefined,
  })
  link = await openBroker(world.app, openIdentities(world.app), intake.isBanned, intake)
  intake.answerOver(link)
  machine = await world.addMachine()
})
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy()
})
afterAll(async () => {
  await intake.drain(2000)
  await link.stop()
  await world.close()
})

const text = (value: string) => Buffer.concat([Buffer.from([0, value.length]), Buffer.from(value)])
function packet(type: number, body: Buffer): Buffer {
  return Buffer.concat([Buffer.from([type, body.length]), body])
}
const connectAs = ({ rtu }: Machine, secret = `secret-${rtu}`) =>
  packet(
    0x10,
    Buffer.concat([
      text('MQTT'),
      Buffer.from([4, 0xc2, 0, 60]),
      text(rtu),
      text(rtu),
      text(secret),
    ]),
  )
const pings = (count: number) => Buffer.alloc(count * 2, Buffer.from([0xc0, 0]))
function dial(port = world.app.config.mqttPort): {
  socket: Socket
  state: { closed: boolean; bytes: number }
} {
  const socket = connect(port, '127.0.0.1')
  sockets.push(socket)
  const state = { closed: false, bytes: 0 }
  socket.on('error', () => {})
  socket.on('close', () => {
    state.closed = true
  })
  socket.on('data', (chunk) => {
    state.bytes += chunk.length
  })
  return { socket, state }
}
async function signIn(who: Machine) {
  const one = dial()
  one.socket.write(connectAs(who))
  await vi.waitFor(() => expect(one.state.bytes).toBe(4), 10_000)
  return one
}

test.each([
  ['pings', () => pings(200_000)],
  ['acknowledgements of nothing', () => Buffer.alloc(400_000, Buffer.from([0x40, 2, 0, 1]))],
])('%s without end are read as fast as one machine may speak', async (_, flood) => {
  const { socket, state } = await signIn(await world.addMachine())
  const before = process.cpuUsage()
  for (let n = 0; n < 40; n += 1) socket.write(flood())
  await sleep(1000)
  const { user, system } = process.cpuUsage(before)
  expect(state.bytes).toBeLessThan(4 + 2 * (frameLimits.packetBurst + 3 * frameLimits.packets))
  expect((user + system) / 1000).toBeLessThan(800)
  // nothing of it is gathered here: it waits in the sender
  expect(socket.writableLength).toBeGreaterThan(0)
})

test('a connection that is held back all the time ends, one that does not read too', async () => {
  const cuts: string[] = []
  const server = createServer((socket) => {
    const frames = boundedFrames(socket, { ...frameLimits, packetBurst: 5, heldMs: 300 }, (why) =>
      cuts.push(why),
    )
    frames.on('data', () => frames.write(Buffer.alloc(socket.remotePort === deaf ? 90_000 : 2)))
    frames.on('error', () => {})
  }).listen(0)
  let deaf = 0
  const port = (server.address() as AddressInfo).port
  const fast = connect(port)
  fast.on('error', () => {})
  fast.resume()
  fast.write(pings(10_000))
  await once(fast, 'close')
  expect(cuts).toEqual(['flood'])
  const slow = connect(port)
  slow.on('error', () => {})
  await once(slow, 'connect')
  deaf = slow.localPort as number
  slow.pause()
  const timer = setInterval(() => slow.write(pings(1)), 5)
  await vi.waitFor(() => expect(cuts).toEqual(['flood', 'slow']), 15_000)
  clearInterval(timer)
  slow.destroy()
  server.close()
})

test('connections that say nothing, or half a word, drive each other out, not a machine', async () => {
  const guests = Array.from({ length: 130 }, () => dial())
  for (const [n, { socket }] of guests.entries())
    if (n % 2) socket.write(connectAs(machine).subarray(0, 9))
  await vi.waitFor(() => expect(guests.filter(({ state }) => state.closed).length).toBe(30), 10_000)
  await signIn(machine)
  expect(guests.filter(({ state }) => state.closed).length).toBeLessThanOrEqual(31)
})

test('a number no database can read is refused by itself, not with all who sign in beside it', async () => {
  const machines = await Promise.all(Array.from({ length: 5 }, () => world.addMachine()))
  const bad = ['A\0A', '\0', "'A'"].map((rtu) => ({ ...machine, rtu }))
  const said = [...machines, ...bad].map((who) => ({ ...dial(), who }))
  const heard = said.map(({ socket }) => once(socket, 'data'))
  await Promise.all(said.map(({ socket }) => once(socket, 'connect')))
  for (const { socket, who } of said) socket.write(connectAs(who))
  expect((await Promise.all(heard)).map(([answer]) => answer[3])).toEqual([0, 0, 0, 0, 0, 5, 5, 5])
  expect((await signIn(await world.addMachine())).state.closed).toBe(false)
})

test('an address that is told to come later is counted like one that is refused', async () => {
  const away: Identities = {
    ...openIdentities(world.app),
    find: () => Promise.reject(new Error('away')),
  }
  const app = { ...world.app, config: { ...world.app.config, mqttPort: await freePort() } }
  const other = await openBroker(app, away, () => false, intake)
  const before = intake.counts.address ?? 0
  const ask = async () => {
    const { socket, state } = dial(app.config.mqttPort)
    socket.write(connectAs(machine))
    await vi.waitFor(() => expect(state.closed).toBe(true), 10_000)
  }
  for (let n = 0; n < 60 && (intake.counts.address ?? 0) === before; n += 1)
    await Promise.all(Array.from({ length: 20 }, ask))
  expect(intake.counts.address ?? 0).toBeGreaterThan(before)
  await other.stop()
})

test('wrong secrets: people see it, and an address that goes on is not heard any more', async () => {
  const wrong = async () => {
    const { socket, state } = dial()
    socket.write(connectAs(machine, 'wrong'))
    await vi.waitFor(() => expect(state.closed).toBe(true), 10_000)
    return state.bytes
  }
  const answers: number[] = []
  const before = intake.counts.address ?? 0
  const ended = () => (intake.counts.address ?? 0) - before
  // however slowly they come
  for (let n = 0; n < 400 && ended() <= 20; n += 1)
    answers.push(...(await Promise.all(Array.from({ length: 10 }, wrong))))
  expect(answers.filter((bytes) => bytes === 4).length).toBeGreaterThanOrEqual(300)
  expect(answers).toContain(0)
  expect(ended()).toBeGreaterThan(20)
  await intake.tick()
  const [seen] = await world.rows(`select kind from security_events where subject = $1`, [
    machine.rtu,
  ])
  expect(seen?.kind).toBe('MACHINE_SECRET_GUESSED')
})

test('a machine that signs in at another gateway has left the first, which does not put it offline', async () => {
  const app = { ...world.app, config: { ...world.app.config, mqttPort: await freePort() } }
  const second = openIntake(app, limits, {
    vends: async () => undefined,
    controls: async () => undefined,
  })
  const broker = await openBroker(app, openIdentities(app), second.isBanned, second)
  second.answerOver(broker)
  const who = await world.addMachine()
  const hello = (at: Intake, seq: number) =>
    at.receive(who, 'hello', Buffer.from(JSON.stringify({ boot: 1, seq, ts: 0 })))
  const old = await signIn(who)
  await hello(intake, 1)
  await sleep(1100)
  const next = dial(app.config.mqttPort)
  next.socket.write(connectAs(who))
  await hello(second, 2)
  await vi.waitFor(() => expect(old.state.closed).toBe(true), 10_000)
  expect(next.state.closed).toBe(false)
  // where the word between the gateways is lost, the first notices later
  const online = async () =>
    (
      await world.rows(
        `select online, places->>'hello' as hello from device_states where device_id = $1`,
        [who.id],
      )
    )[0]
  await vi.waitFor(
    async () =>
      expect(await online()).toMatchObject({ online: true, hello: expect.stringMatching(/2$/) }),
    10_000,
  )
  world.clock.now += 1000
  intake.lost(who)
  await sleep(100)
  expect(await online()).toMatchObject({ online: true })
  next.socket.destroy()
  await vi.waitFor(async () => expect(await online()).toMatchObject({ online: false }), 10_000)
  await second.drain(1000)
  await broker.stop()
})

test('of two connections at two gateways one stays, however close they come, and the other is written down', async () => {
  const app = { ...world.app, config: { ...world.app.config, mqttPort: await freePort() } }
  const second = openIntake(app, limits, {
    vends: async () => undefined,
    controls: async () => undefined,
  })
  const broker = await openBroker(app, openIdentities(app), second.isBanned, second)
  second.answerOver(broker)
  for (const apart of [0, 30, 300, 600]) {
    const who = await world.addMachine()
    const dials = [dial(), dial(app.config.mqttPort)]
    for (const { socket } of dials) {
      socket.write(connectAs(who))
      await sleep(apart)
      world.clock.now = Date.now()
    }
    await vi.waitFor(
      () => expect(dials.filter(({ state }) => state.closed)).toHaveLength(1),
      10_000,
    )
    if (apart >= 300) expect(dials[1]?.state.closed).toBe(false)
    await vi.waitFor(
      async () =>
        expect(
          await world.rows(
            `select 1 from device_events where device_id = $1 and kind = 'SECOND_CONNECTION'`,
            [who.id],
          ),
        ).toHaveLength(1),
      10_000,
    )
    expect(dials.filter(({ state }) => state.closed)).toHaveLength(1)
  }
  await second.drain(1000)
  await broker.stop()
})

test('who is gone before the answer is no connection that the next one replaces', async () => {
  const real = openIdentities(world.app)
  const slow: Identities = {
    ...real,
    prove: (rtu, secret) => sleep(150).then(() => real.prove(rtu, secret)),
  }
  const app = { ...world.app, config: { ...world.app.config, mqttPort: await freePort() } }
  const broker = await openBroker(app, slow, () => false, intake)
  const who = await world.addMachine()
  const before = intake.counts.takeover ?? 0
  const first = dial(app.config.mqttPort)
  first.socket.write(connectAs(who))
  await sleep(50)
  first.socket.destroy()
  await sleep(300)
  const next = dial(app.config.mqttPort)
  next.socket.write(connectAs(who))
  await vi.waitFor(() => expect(next.state.bytes).toBe(4), 10_000)
  expect(intake.counts.takeover ?? 0).toBe(before)
  await broker.stop()
})

test("the server's clock set back shuts no machine out", async () => {
  const again = await world.addMachine()
  await signIn(again)
  const real = Date.now
  vi.spyOn(Date, 'now').mockImplementation(() => real() - 3_600_000)
  await signIn(again)
  const door = openConnectionGuard(connectionLimits)
  door.arrive('campus', () => {})
  vi.mocked(Date.now).mockImplementation(() => real() - 7_200_000)
  expect(door.arrive('campus', () => {})).not.toBeNull()
  vi.mocked(Date.now).mockRestore()
})

test('whoever knocks from ever other addresses costs one write at a time, in the name of the subscriber', async () => {
  const writes = vi.spyOn(world.app.database, 'transact')
  const proxied = {
    ...world.app,
    config: { ...world.app.config, mqttPort: await freePort(), mqttProxies: ['127.0.0.1'] },
  }
  const broker = await openBroker(proxied, openIdentities(world.app), intake.isBanned, intake)
  const before = intake.counts.address ?? 0
  const knock = async (n: number) => {
    const { socket, state } = dial(proxied.config.mqttPort)
    socket.write(`PROXY TCP6 2001:db8:1:2::${n.toString(16)} ::1 1 2\r\n`)
    socket.write(connectAs(machine, 'wrong'))
    await vi.waitFor(() => expect(state.closed).toBe(true), 10_000)
  }
  for (let n = 0; n < 60 && (intake.counts.address ?? 0) - before < 30; n += 1)
    await Promise.all(Array.from({ length: 20 }, (_, i) => knock(n * 20 + i)))
  expect((intake.counts.address ?? 0) - before).toBeGreaterThanOrEqual(30)
  const seen = () => world.rows(`select subject from security_events where subject like '2001%'`)
  await vi.waitFor(
    async () => expect(await seen()).toEqual([{ subject: '2001:db8:1:2::/64' }]),
    10_000,
  )
  expect(writes.mock.calls.length).toBeLessThan(10)
  writes.mockRestore()
  await broker.stop()
})

test('an address that guesses is heard less, not never: machines behind it come in', () => {
  vi.useFakeTimers()
  const door = openConnectionGuard(connectionLimits)
  const heard = (address: string) =>
    Array.from({ length: 60 }, () => door.arrive(address, () => {})).filter(
      (guest) => guest !== null,
    ).length
  for (let n = 0; n < connectionLimits.refusalBurst; n += 1) door.refused('campus')
  expect([heard('campus'), heard('elsewhere')]).toEqual([connectionLimits.knocks, 60])
  vi.advanceTimersByTime(500)
  for (let n = 0; n < 10; n += 1) door.refused('campus')
  expect(heard('campus')).toBe(connectionLimits.knocks / 2)
  vi.useRealTimers()
})
