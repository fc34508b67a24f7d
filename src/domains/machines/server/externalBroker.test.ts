import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { samples } from '../../../../test/conformance/samples.ts'
import { freePort } from '../../../../test/support/freePort.ts'
import {
  type Broker,
  type Listener,
  listen,
  needMosquitto,
  publish,
  startMosquitto,
} from '../../../../test/support/mosquitto.ts'
import { openWorld, rowId, type World, worldNow } from '../../../../test/support/world.ts'
import { startGateway } from '../../../apps/gateway.ts'
import { loadConfig } from '../../../server/config.ts'
import { boards } from '../../boards/contract.ts'
import { deviceCommands } from '../../device-commands/contract.ts'
import { devices } from '../../devices/contract.ts'
import { orders } from '../../orders/contract.ts'
import { payments } from '../../payments/contract.ts'
import { simulatorSign } from '../../payments/server/verbs.ts'
import { limits } from '../rules.ts'
import { openBroker } from './broker.ts'
import { writeBrokerFiles } from './brokerFiles.ts'
import { openIdentities } from './identity.ts'
import { openIntake } from './intake.ts'

/**
 * Debian's Mosquitto with the files the platform writes, and machines that are nothing but
 * `mosquitto_pub` and `mosquitto_sub` and know nothing but docs/device-protocol.md.
 */
let world: World
let gateway: { stop(): Promise<void> }
let broker: Broker
let token: string
const folder = mkdtempSync(join(tmpdir(), 'huodao-broker-'))
const files = join(folder, 'files')
const ports = { machines: 0, gateways: 0 }
const secrets = new Map<string, string>()
const listeners: Listener[] = []
const own = 'OWN0001'
const child = 'CHILD0001'
const boardOf = { [own]: rowId('OWN', 1), [child]: rowId('CHILD', 1) }
const soon = { timeout: 8000, interval: 25 }
const began = Date.now()

const file = (name: 'passwd' | 'acl'): string => readFileSync(join(files, name), 'utf8')
const lineOf = (rtu: string): string | undefined =>
  file('passwd')
    .split('\n')
    .find((line) => line.startsWith(`${rtu}:`))
const login = (rtu: string, port = ports.machines, secret = secrets.get(rtu) ?? 'x') => ({
  port,
  rtu,
  secret,
})
/**
 * `mosquitto_pub` and `mosquitto_sub` of one machine are two connections: this listener does not
 * tie the client id to the machine.
 */
const second = (rtu: string) => ({ ...login(rtu, ports.gateways), id: `${rtu}-pub` })
const up = (rtu: string, kind: string): string => `v1/${rtu}/up/${kind}`

async function act(
  endpoint: Parameters<World['call']>[0],
  input: Record<string, unknown>,
): Promise<Record<string, never>> {
  const answer = await world.call(endpoint, input, { token })
  expect(answer, JSON.stringify(answer.body)).toMatchObject({ status: 200 })
  return answer.body
}
async function onBoard(
  key: 'rotateSecret' | 'disable' | 'enable',
  rtu: keyof typeof boardOf,
): Promise<void> {
  const [row] = await world.sql<{ version: number }>(
    'select version from main_boards where id = $1',
    [boardOf[rtu]],
  )
  const before = lineOf(rtu)
  const { secret } = await act(boards[key], { id: boardOf[rtu], version: row?.version })
  if (secret) secrets.set(rtu, secret)
  await vi.waitFor(() => expect(lineOf(rtu)).not.toBe(before), soon)
}
async function ear(...given: Parameters<typeof listen>): Promise<Listener> {
  const listener = await listen(...given)
  listeners.push(listener)
  return listener
}

/**
 * What a firmware does by hand: numbers its facts, keeps the platform's clock, waits for what it is
 * told.
 */
async function machine(rtu: string, boot: number) {
  let seq = 1
  const will = [
    '--will-topic',
    up(rtu, 'bye'),
    '--will-qos',
    '1',
    '--will-payload',
    JSON.stringify({ boot, seq: 0, session: seq, cause: 'LAST_WILL' }),
  ]
  const sub = await ear(login(rtu, ports.gateways), [`v1/${rtu}/down/#`], will)
  const of = (kind: string) =>
    sub.messages.filter((message) => message.kind === kind).map((message) => message.body)
  const say = async (kind: string, body: object) => {
    const sent = await publish(second(rtu), up(rtu, kind), body)
    expect(sent).toEqual({ code: 0, out: '' })
  }
  return {
    sub,
    /** Says a fact until it is acknowledged. */
    async tell(kind: string, body: object): Promise<void> {
      const fact = { boot, seq, ts: Date.now(), fw: '1.0', apk: '1.0', ...body }
      seq += 1
      const acknowledged = () =>
        of('ack').some((ack) => ack.boot === boot && (ack.seqs as number[]).includes(fact.seq))
      for (let tries = 0; !acknowledged(); tries += 1) {
        expect(tries, `${kind} of ${rtu} is not acknowledged: ${sub.log()}`).toBeLessThan(10)
        await say(kind, fact)
        await vi
          .waitFor(() => expect(acknowledged()).toBe(true), { timeout: 1000, interval: 20 })
          .catch(() => {})
      }
    },
    async told(kind: string): Promise<Record<string, unknown>> {
      await expect
        .poll(() => of(kind).length, { ...soon, message: `${kind} for ${rtu}: ${sub.log()}` })
        .toBeGreaterThan(0)
      return of(kind)[0] as Record<string, unknown>
    },
  }
}

beforeAll(async () => {
  needMosquitto()
  ports.machines = await freePort()
  ports.gateways = await freePort()
  const config = {
    MQTT_URL: `mqtt://gateway:a%20long%3Apassword@127.0.0.1:${ports.gateways}`,
    MQTT_FILES: files,
  }
  // the rows of the world are of one day; its clock goes on from there
  world = await openWorld({ config, now: () => new Date(worldNow.getTime() + Date.now() - began) })
  await world.sql(`delete from device_message_keys`)
  await world.sql(`update device_states set online = false, boot = null`)
  await world.sql(
    `insert into device_shadows (device_id, kind, org_id, wanted, wanted_at)
      values ($1, 'PLANOGRAM', 3, 1, $2) on conflict (device_id, kind) do update
      set wanted = 1, applied = 0`,
    [rowId('OWN', 1), worldNow],
  )
  token = await world.login('ROLE_FULL')
  gateway = await startGateway(world.app)
  await onBoard('rotateSecret', own)
  await onBoard('rotateSecret', child)
  broker = await startMosquitto(folder, files, ports)
})
afterAll(async () => {
  for (const listener of listeners) await listener.stop()
  await gateway?.stop()
  await broker?.stop()
  await world?.close()
  rmSync(folder, { recursive: true, force: true })
})

test('the files want an account for the gateway that no machine has', async () => {
  expect(() => loadConfig({ MQTT_FILES: files, MQTT_URL: 'mqtt://127.0.0.1' })).toThrow(
    'MQTT_FILES',
  )
  for (const mqttAccount of [
    null,
    { user: 'gateway', password: '' },
    { user: own, password: 'x' },
    { user: 'a:b', password: 'x' },
  ])
    await expect(
      writeBrokerFiles(world.app.database, { ...world.app.config, mqttAccount }, files),
    ).rejects.toThrow('MQTT_URL')
  expect((await writeBrokerFiles(world.app.database, world.app.config, files)).changed).toBe(false)
  expect(world.app.config.mqttUrl).toBe(`mqtt://127.0.0.1:${ports.gateways}`)
})

test('the files name who may come in, in the form of Mosquitto, and nobody else', async () => {
  const form = /^(gateway|[A-Z]+0001):\$7\$\d+\$[\w+/]{16}\$[\w+/]{86}==$/
  expect(
    file('passwd')
      .trimEnd()
      .split('\n')
      .map((line) => [line.split(':')[0], form.test(line)]),
  ).toEqual([
    ['gateway', true],
    [child, true],
    [own, true],
  ])
  expect(file('passwd')).not.toContain(secrets.get(own))
  expect(file('acl').match(/^(user|topic|pattern) .+$/gm)).toEqual([
    'user gateway',
    'topic read v1/+/up/#',
    'topic write v1/+/down/#',
    'pattern write v1/%u/up/#',
    'pattern read v1/%u/down/#',
  ])
  expect(statSync(join(files, 'passwd')).mode & 0o777).toBe(0o640)
})

test('a machine made of mosquitto_pub and mosquitto_sub says hello, takes its documents, sells and obeys', async () => {
  const id = rowId('OWN', 1)
  const { sub, tell, told } = await machine(own, 42)
  await tell('hello', { rsrp: -80, door: false, config: 0, planogram: 0 })
  expect(await told('welcome')).toMatchObject({ boot: 42, lastBoot: 42 })

  const config = await told('config')
  expect(config).toMatchObject({ version: 1, part: 1, parts: 1, tempMin: 2, tempMax: 8 })
  const planogram = await told('planogram')
  expect(planogram).toMatchObject({
    part: 1,
    parts: 1,
    lanes: expect.arrayContaining([expect.objectContaining({ lane: 1, motor: 1, price: 250 })]),
  })
  await tell('applied', { what: 'CONFIG', version: config.version, ok: true })
  await tell('applied', { what: 'PLANOGRAM', version: planogram.version, ok: true })
  const shadows = `select kind, wanted = applied as done from device_shadows where device_id = $1
    order by kind`
  expect(await world.sql(shadows, [id])).toEqual(
    ['CONFIG', 'PLANOGRAM'].map((kind) => ({ kind, done: true })),
  )

  const stock = async () =>
    (await world.sql<{ quantity: number }>('select quantity from lanes where id = $1', [id]))[0]
      ?.quantity ?? 0
  const before = await stock()
  const items = [{ roadIndex: 1, count: 1, price: 250 }]
  const order = await act(orders.mobileOrder, {
    rtuNumber: own,
    items,
    payType: 'WECHAT',
    clientId: randomUUID(),
    consumer: 'c',
  })
  const notice = {
    eventId: randomUUID(),
    outTradeNo: order.outTradeNo,
    tradeNo: randomUUID(),
    amount: order.payableAmount,
    paidAt: worldNow.toISOString(),
  }
  await act(payments.simulatorNotify, {
    ...notice,
    sign: simulatorSign(world.app.config.simPayKey, notice as never),
  })
  const vend = await told('vend')
  expect(vend).toMatchObject({ orderNo: order.orderNum, unit: 1, lane: 1, motor: 1, qty: 1 })
  expect(vend.expireAt).toBeGreaterThan(vend.ts as number)
  await tell('cmd_ack', { cmdId: vend.cmdId, ack: 'ACCEPTED' })
  await tell('vend_result', {
    cmdId: vend.cmdId,
    result: 'OK',
    dropDetected: true,
    durationMs: 3800,
  })
  expect(await stock()).toBe(before - 1)
  const pieces = `select u.vend_state, u.drop_confirmed, o.order_num from order_units u
    join orders o on o.id = u.order_id where o.order_num = $1`
  expect(await world.sql(pieces, [order.orderNum])).toEqual([
    { vend_state: 'SUCCESS', drop_confirmed: true, order_num: order.orderNum },
  ])
  expect((await act(orders.get, { orderNum: order.orderNum })).orderStatus).toBe('SUCCESS')

  const asked = await act(deviceCommands.lock, { id })
  const command = await told('command')
  expect(command).toMatchObject({ cmdId: asked.cmdId, type: 'LOCK' })
  await tell('cmd_ack', { cmdId: command.cmdId, ack: 'ACCEPTED' })
  await tell('cmd_result', { cmdId: command.cmdId, ok: true })
  expect((await act(deviceCommands.get, { cmdId: asked.cmdId })).state).toBe('DONE')
  expect(await world.sql('select locked from devices where id = $1', [id])).toEqual([
    { locked: true },
  ])

  // its line is cut: the broker says its last will
  const online = () =>
    world.sql<{ online: boolean; cause: string }>(
      'select online, offline_cause as cause from device_states where device_id = $1',
      [id],
    )
  await expect.poll(online, soon).toEqual([{ online: true, cause: null }])
  await sub.stop('SIGKILL')
  await expect.poll(online, soon).toEqual([{ online: false, cause: 'LAST_WILL' }])
})

test('the broker refuses wrong secrets, unknown numbers and the topics of others', async () => {
  const strangers = [
    login(own, ports.machines, secrets.get(child)),
    login(own, ports.machines, ''),
    login('HD999999', ports.machines, secrets.get(own)),
  ]
  for (const stranger of [...strangers, login('gateway', ports.gateways)]) {
    const { code, out } = await publish(stranger, up(stranger.rtu, 'heartbeat'), {
      boot: 1,
      seq: 0,
    })
    expect([code === 0, out]).toEqual([false, expect.stringContaining('not authorised')])
  }

  // MQTT 3.1.1 has no word for a refused message, MQTT 5 has
  const lie = { boot: 900, seq: 1, ts: Date.now() }
  const refused = await publish(login(own), up(child, 'hello'), lie, '5')
  expect(refused.out).toContain('Not authorized')
  for (const topic of [`v1/${own}/down/vend`, `v1/${child}/down/vend`, 'v1/x'])
    expect((await publish(login(own), topic, {}, '5')).out).toContain('Not authorized')
  const spy = await ear({ ...login(own, ports.gateways), id: 'spy' }, [
    `v1/${child}/down/#`,
    `v1/${child}/up/#`,
    'v1/+/down/#',
    '#',
    '$share/huodao/v1/+/up/#',
  ])

  const other = await machine(child, 7)
  await other.tell('hello', {})
  await other.told('welcome')
  expect(spy.messages).toEqual([])
  expect(
    await world.sql('select distinct boot from device_message_keys where device_id = $1', [
      rowId('CHILD', 1),
    ]),
  ).toEqual([{ boot: expect.stringMatching(/000000000007$/) }])
  await spy.stop()

  // nobody ends another's connection by its client id
  const victim = await ear(login(child), [`v1/${child}/down/#`])
  expect(
    await publish({ ...login(own), id: child }, up(own, 'heartbeat'), { boot: 42, seq: 9 }),
  ).toEqual({ code: 0, out: '' })
  expect(victim.log().match(/sending CONNECT/g)).toHaveLength(1)
})

test('after another secret, and while a board is disabled, the old connection ends and only what is right comes in', async () => {
  const tries = async (secret: string | undefined) =>
    (
      await publish({ ...login(own, ports.machines, secret), id: 'x' }, up(own, 'heartbeat'), {
        boot: 42,
        seq: 9,
      })
    ).code === 0
  const reads = async (secret: string | undefined, comesIn: boolean) => {
    broker.reload()
    await expect.poll(() => tries(secret), soon).toBe(comesIn)
  }
  const old = secrets.get(own)
  const connected = await ear(login(own, ports.gateways), [`v1/${own}/down/#`])
  const online = async () =>
    (
      await world.sql<{ online: boolean }>(
        'select online from device_states where device_id = $1',
        [rowId('OWN', 1)],
      )
    )[0]?.online
  expect(await tries(old)).toBe(true)
  await expect.poll(online, soon).toBe(true)
  await onBoard('rotateSecret', own)
  const renewed = secrets.get(own)
  expect(renewed).not.toBe(old)
  await expect.poll(online, soon).toBe(false)
  await reads(old, false)
  expect(await tries(renewed)).toBe(true)
  await expect.poll(() => connected.log(), soon).toContain('not authorised')

  await onBoard('disable', own)
  expect(lineOf(own)).toBeUndefined()
  await reads(renewed, false)
  await onBoard('enable', own)
  await reads(renewed, true)
})

test('a machine that was just added comes in with the secret its maker was told', async () => {
  const added = await act(
    devices.create,
    (await samples['devices.create']?.(world)) as Record<string, unknown>,
  )
  const { rtuNumber, secret } = added as Record<string, string>
  await expect.poll(() => lineOf(rtuNumber ?? ''), soon).toMatch(/\$7\$/)
  broker.reload()
  await expect
    .poll(
      async () =>
        (
          await publish(
            login(rtuNumber ?? '', ports.machines, secret),
            up(rtuNumber ?? '', 'heartbeat'),
            {},
          )
        ).code,
      soon,
    )
    .toBe(0)
})

test('the broker inside the gateway speaks with the same clients, one connection of a machine at a time', async () => {
  const port = await freePort()
  const app = { ...world.app, config: { ...world.app.config, mqttUrl: undefined, mqttPort: port } }
  const intake = openIntake(app, limits, { vends: async () => {}, controls: async () => {} })
  const link = await openBroker(app, openIdentities(app), intake.isBanned, intake)
  const sent: string[] = []
  intake.answerOver({
    ...link,
    send(to, kind, body) {
      sent.push(kind)
      return link.send(to, kind, body)
    },
  })
  // a secret from before the broker's hash was kept: it is made when the machine shows it
  await world.sql('update devices set broker_hash = null where rtu_number = $1', [child])
  const hello = {
    boot: 8,
    seq: 1,
    ts: Date.now(),
    fw: '1.0',
    apk: '1.0',
    rsrp: -80,
    door: false,
    config: 0,
    planogram: 0,
  }
  expect(await publish(login(child, port), up(child, 'hello'), hello)).toEqual({ code: 0, out: '' })
  await expect.poll(() => sent, soon).toEqual(['ack', 'welcome'])
  const kept = () =>
    world.sql<{ hash: string }>('select broker_hash as hash from devices where rtu_number = $1', [
      child,
    ])
  await expect.poll(async () => (await kept())[0]?.hash, soon).toMatch(/^\$7\$/)

  const sub = await ear(login(child, port), [`v1/${child}/down/#`])
  const [hearing] = link.connected()
  expect(hearing).toMatchObject({ rtu: child })
  expect(hearing && link.send(hearing, 'welcome', { boot: 8, lastBoot: 8 })).toBe(true)
  await expect
    .poll(() => sub.messages, soon)
    .toMatchObject([{ kind: 'welcome', body: { boot: 8, lastBoot: 8 } }])
  expect((await publish(login(child, port, 'wrong'), up(child, 'heartbeat'), {})).out).toContain(
    'not authorised',
  )
  await intake.drain(1000)
  await link.stop()
})
