import { createServer, type Server } from 'node:net'
import { Aedes } from 'aedes'
import mqtt, { type MqttClient } from 'mqtt'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { limits } from '../rules.ts'
import { type Machine, openIdentities } from './identity.ts'
import { type Intake, openIntake } from './intake.ts'
import type { Link } from './link.ts'
import { openRemoteBroker } from './remoteBroker.ts'
import { openWorld, type World } from './testWorld.ts'

/** A stranger's broker with shared subscriptions, and the gateway as its client. */
let world: World
let broker: Aedes
let server: Server
let intake: Intake
let link: Link
let machine: Machine
let client: MqttClient
const heard: [string, Record<string, unknown>][] = []

beforeAll(async () => {
  world = await openWorld()
  machine = await world.addMachine()
  broker = await Aedes.createBroker({
    authorizeSubscribe: (_, subscription, done) =>
      done(null, { ...subscription, topic: subscription.topic.replace('$share/huodao/', '') }),
  })
  const { mqttPort } = world.app.config
  server = createServer(broker.handle)
  await new Promise<void>((done) => server.listen(mqttPort, '127.0.0.1', done))
  intake = openIntake(world.app, limits, { vends: async () => {}, controls: async () => {} })
  link = await openRemoteBroker(
    world.app,
    `mqtt://127.0.0.1:${mqttPort}`,
    openIdentities(world.app),
    intake,
  )
  intake.answerOver(link)
  client = await mqtt.connectAsync(`mqtt://127.0.0.1:${mqttPort}`, { protocolVersion: 4 })
  client.on('message', (topic, payload) => heard.push([topic, JSON.parse(payload.toString())]))
  await client.subscribeAsync(`v1/${machine.rtu}/down/#`, { qos: 1 })
})
afterAll(async () => {
  await intake.drain(1000)
  await client.endAsync(true)
  await link.stop()
  await new Promise<void>((done) => broker.close(done))
  server.close()
  await world.close()
})

test('messages come in, acknowledgements go out, a bye ends commands', async () => {
  const say = (kind: string, body: object) =>
    client.publishAsync(
      `v1/${machine.rtu}/up/${kind}`,
      JSON.stringify({ boot: 1, ts: Date.now(), ...body }),
      { qos: 1 },
    )
  await vi.waitFor(async () => {
    await say('hello', { seq: 1 })
    expect(heard.map(([topic]) => topic.split('/')[3])).toEqual(
      expect.arrayContaining(['ack', 'welcome']),
    )
  }, 10_000)
  expect(link.connected()).toMatchObject([{ rtu: machine.rtu }])
  expect(link.send(machine, 'void', { cmdId: 'x' })).toBe(true)
  await vi.waitFor(
    () =>
      expect(heard).toContainEqual([
        `v1/${machine.rtu}/down/void`,
        { cmdId: 'x', ts: expect.any(Number) },
      ]),
    10_000,
  )
  await client.publishAsync('v1/NOBODY0001/up/hello', '{"boot":1,"seq":1}', { qos: 1 })
  await vi.waitFor(() => expect(intake.counts.topic).toBe(1), 10_000)
  world.clock.now += 5
  await say('bye', { seq: 1, session: 1 })
  await vi.waitFor(() => expect(link.connected()).toEqual([]), 10_000)
})

test('an organisation whose line is full holds up no other', async () => {
  const other = await world.addMachine()
  await world.rows(
    `insert into organisations (id, parent_id, path, kind, name)
      values (3, 1, '1.3', 'OPERATOR', 'q') on conflict do nothing`,
  )
  await world.rows(`update devices set org_id = 3 where id = $1`, [other.id])
  await client.subscribeAsync(`v1/${other.rtu}/down/#`, { qos: 1 })
  const full = vi.spyOn(intake, 'isFull').mockImplementation(({ orgId }) => orgId === 2)
  const held = vi
    .spyOn(intake, 'receive')
    .mockImplementation(({ orgId }) => (orgId === 2 ? new Promise(() => {}) : Promise.resolve()))
  const say = (rtu: string) =>
    client.publishAsync(
      `v1/${rtu}/up/telemetry`,
      JSON.stringify({ boot: 1, seq: 1, temperature: 4 }),
      { qos: 1 },
    )
  await say(machine.rtu)
  await say(other.rtu)
  await vi.waitFor(
    () => expect(held.mock.calls.map(([{ rtu }]) => rtu)).toEqual([other.rtu]),
    10_000,
  )
  expect(intake.counts.full).toBe(1)
  full.mockRestore()
  held.mockRestore()
})
