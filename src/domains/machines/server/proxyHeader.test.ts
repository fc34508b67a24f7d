import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import mqtt from 'mqtt'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { freePort } from '../../../../test/support/freePort.ts'
import { limits } from '../rules.ts'
import { openBroker } from './broker.ts'
import { type Machine, openIdentities } from './identity.ts'
import { type Intake, openIntake } from './intake.ts'
import type { Link } from './link.ts'
import { isAmong, readProxyHeader } from './proxyHeader.ts'
import { openWorld, type World } from './testWorld.ts'

const binary = (command: number, family: number, body: Buffer) => {
  const head = Buffer.from('0d0a0d0a000d0a515549540a00000000', 'hex')
  head.writeUInt8(command, 12)
  head.writeUInt8(family, 13)
  head.writeUInt16BE(body.length, 14)
  return Buffer.concat([head, body])
}
const v4 = Buffer.from([203, 0, 113, 7, 10, 0, 0, 1, 0x30, 0x39, 7, 0x5b])
const v6 = Buffer.concat([Buffer.from('20010db8000000000000000000000001', 'hex'), Buffer.alloc(20)])

test.each<[string, Buffer | string, ReturnType<typeof readProxyHeader>]>([
  [
    'version 1',
    'PROXY TCP4 203.0.113.7 10.0.0.1 12345 1883\r\n\x10rest',
    { length: 44, address: '203.0.113.7' },
  ],
  ['version 1, IPv6', 'PROXY TCP6 2001:db8::1 ::1 1 2\r\n', { length: 32, address: '2001:db8::1' }],
  ['version 1, of the proxy itself', 'PROXY UNKNOWN\r\n', { length: 15, address: null }],
  ['half of version 1', 'PROXY TCP4 203.0.1', 'more'],
  ['a letter', 'P', 'more'],
  ['an endless line', `PROXY TCP4 ${'1'.repeat(200)}`, 'wrong'],
  ['an address that is none', 'PROXY TCP4 203.0.113.777 10.0.0.1 1 2\r\n', 'wrong'],
  ['an address of the other family', 'PROXY TCP4 ::1 ::1 1 2\r\n', 'wrong'],
  ['an address of the other family behind it', 'PROXY TCP4 203.0.113.7 ::1 1 2\r\n', 'wrong'],
  ['a port that is none', 'PROXY TCP4 203.0.113.7 10.0.0.1 1 2x\r\n', 'wrong'],
  ['ports missing', 'PROXY TCP4 203.0.113.7 10.0.0.1\r\n', 'wrong'],
  ['MQTT', Buffer.from([0x10, 20]), 'wrong'],
  [
    'version 2',
    Buffer.concat([binary(0x21, 0x11, v4), Buffer.from([0x10])]),
    { length: 28, address: '203.0.113.7' },
  ],
  ['version 2, IPv6', binary(0x21, 0x21, v6), { length: 52, address: '2001:db8:0:0:0:0:0:1' }],
  [
    'version 2, IPv4 as a part of IPv6',
    binary(
      0x21,
      0x21,
      Buffer.concat([Buffer.from('00000000000000000000ffffc6336407', 'hex'), Buffer.alloc(20)]),
    ),
    { length: 52, address: '198.51.100.7' },
  ],
  [
    'version 2 with more than the addresses',
    binary(0x21, 0x11, Buffer.concat([v4, Buffer.alloc(40)])),
    { length: 68, address: '203.0.113.7' },
  ],
  [
    'version 2, of the proxy itself',
    binary(0x20, 0, Buffer.alloc(0)),
    { length: 16, address: null },
  ],
  [
    'version 2, of the proxy itself, with addresses',
    binary(0x20, 0x11, v4),
    { length: 28, address: null },
  ],
  ['version 2, IPv6 cut short', binary(0x21, 0x21, v6.subarray(0, 20)), 'wrong'],
  ['version 2, a path', binary(0x21, 0x31, Buffer.alloc(216)), 'wrong'],
  ['version 2, cut short', binary(0x21, 0x11, v4.subarray(0, 8)), 'wrong'],
  ['half of version 2', binary(0x21, 0x11, v4).subarray(0, 20), 'more'],
  ['version 2 that never ends', binary(0x21, 0x11, Buffer.alloc(2000)).subarray(0, 20), 'wrong'],
  ['version 3', binary(0x31, 0x11, v4), 'wrong'],
])('%s', (_, bytes, found) => {
  expect(readProxyHeader(Buffer.from(bytes as string, 'latin1'))).toEqual(found)
})

test('who is a proxy', () => {
  const among = isAmong(['10.1.0.0/16', '127.0.0.1', '2001:db8::/32'])
  expect(['10.1.9.9', '::ffff:10.1.9.9', '127.0.0.1', '2001:db8::9'].map(among)).toEqual([
    true,
    true,
    true,
    true,
  ])
  expect(['10.2.0.1', '127.0.0.2', '2001:db9::1', ''].map(among)).toEqual([
    false,
    false,
    false,
    false,
  ])
  expect(isAmong([])('127.0.0.1')).toBe(false)
})

let world: World
let intake: Intake
let link: Link
let machine: Machine
let folder: string
const unknown: [string, string][] = []
beforeAll(async () => {
  world = await openWorld({ MQTT_PROXIES: '127.0.0.1' })
  folder = mkdtempSync(join(tmpdir(), 'huodao-proxy-'))
  intake = openIntake(world.app, limits, {
    vends: async () => undefined,
    controls: async () => undefined,
  })
  link = await openBroker(
    world.app,
    openIdentities(world.app),
    intake.isBanned,
    intake,
    (number, address) => unknown.push([number, address]),
  )
  intake.answerOver(link)
  machine = await world.addMachine()
})
afterAll(async () => {
  await intake.drain(2000)
  await link.stop()
  await world.close()
  rmSync(folder, { recursive: true, force: true })
})

const text = (value: string) => Buffer.concat([Buffer.from([0, value.length]), Buffer.from(value)])
const connectAs = (rtu: string, secret = `secret-${rtu}`) => {
  const body = Buffer.concat([
    text('MQTT'),
    Buffer.from([4, 0xc2, 0, 60]),
    text(rtu),
    text(rtu),
    text(secret),
  ])
  return Buffer.concat([Buffer.from([0x10, body.length]), body])
}
/**
 * What the broker answers to bytes from an address of this computer; null: it ends the connection
 * without a word.
 */
async function say(
  parts: readonly (Buffer | string)[],
  localAddress = '127.0.0.1',
): Promise<Buffer | null> {
  const socket = connect({ port: world.app.config.mqttPort, host: '127.0.0.1', localAddress })
  socket.on('error', () => {})
  const answer = Promise.race([
    once(socket, 'data').then(([bytes]) => bytes as Buffer),
    once(socket, 'close').then(() => null),
  ])
  for (const part of parts) {
    socket.write(part)
    await new Promise((go) => setTimeout(go, 20))
  }
  const heard = await answer
  socket.destroy()
  return heard
}
const yes = Buffer.from([0x20, 2, 0, 0])

test('a proxy names the address of the machine; without a header, with half of one or with another it is refused', async () => {
  const header = 'PROXY TCP4 203.0.113.7 127.0.0.1 40000 1883\r\n'
  expect(await say([Buffer.concat([Buffer.from(header), connectAs(machine.rtu)])])).toEqual(yes)
  expect(await say([header.slice(0, 9), header.slice(9), connectAs(machine.rtu)])).toEqual(yes)
  expect(await say([binary(0x21, 0x11, v4), connectAs(machine.rtu)])).toEqual(yes)
  expect(await say([connectAs(machine.rtu)])).toBeNull()
  expect(await say(['PROXY TCP4 nowhere here 1 2\r\n', connectAs(machine.rtu)])).toBeNull()
  expect(intake.counts.proxy).toBe(2)
  await say([header, connectAs('BD4A-2611-0042')])
  expect(unknown).toEqual([['BD4A-2611-0042', '203.0.113.7']])
})

test('from any other address a header is no MQTT; MQTT itself is', async () => {
  expect(await say([connectAs(machine.rtu)], '127.0.0.2')).toEqual(yes)
  expect(
    await say(
      [
        'PROXY TCP4 203.0.113.7 127.0.0.1 40000 1883\r\n',
        connectAs(machine.rtu),
        Buffer.alloc(100),
      ],
      '127.0.0.2',
    ),
  ).toBeNull()
})

test('who guesses behind a proxy is heard less; a machine from another address behind the same proxy is not', async () => {
  const from = (address: string) => `PROXY TCP4 ${address} 127.0.0.1 40000 1883\r\n`
  const guess = () => say([from('198.51.100.9'), connectAs(machine.rtu, 'wrong')])
  for (let n = 0; n < 400 && !intake.counts.address; n += 1)
    await Promise.all(Array.from({ length: 10 }, guess))
  expect(intake.counts.address).toBeGreaterThan(0)
  expect(await say([from('203.0.113.7'), connectAs(machine.rtu)])).toEqual(yes)
})

const streams = '/usr/lib/nginx/modules/ngx_stream_module.so'
const withNginx = existsSync(streams) ? test : () => {}
withNginx('nginx as docs/operations.md shows it', async () => {
  const port = await freePort()
  const [key, certificate] = [join(folder, 'key'), join(folder, 'crt')]
  execFileSync(
    'openssl',
    [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:prime256v1',
      '-nodes',
      '-keyout',
      key,
      '-out',
      certificate,
      '-subj',
      '/CN=localhost',
    ],
    { stdio: 'pipe' },
  )
  const shown =
    /```nginx\n([\s\S]*?)```/.exec(readFileSync('docs/operations.md', 'utf8'))?.[1] ?? ''
  const stream = shown
    .replace('8883', `127.0.0.1:${port}`)
    .replace('/etc/huodao/machines.crt', certificate)
    .replace('/etc/huodao/machines.key', key)
    .replace('127.0.0.1:1883', `127.0.0.1:${world.app.config.mqttPort}`)
  const load = `load_module ${streams};`
  writeFileSync(
    join(folder, 'nginx.conf'),
    `${load}\ndaemon off; master_process off; pid ${folder}/pid; error_log ${folder}/log;\nevents {}\n${stream}`,
  )
  const proxy = spawn(
    'nginx',
    ['-c', join(folder, 'nginx.conf'), '-p', folder, '-e', join(folder, 'log')],
    { stdio: 'ignore' },
  )
  try {
    await vi.waitFor(
      async () => {
        const client = await mqtt.connectAsync(`mqtts://127.0.0.1:${port}`, {
          clientId: machine.rtu,
          username: machine.rtu,
          password: `secret-${machine.rtu}`,
          protocolVersion: 4,
          reconnectPeriod: 0,
          rejectUnauthorized: false,
        })
        await client.endAsync(true)
      },
      { timeout: 15_000, interval: 200 },
    )
  } finally {
    proxy.kill()
    await once(proxy, 'exit')
  }
})
