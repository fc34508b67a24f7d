import { createHash, generateKeyPairSync } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { Down } from '../domains/machines/protocol.ts'
import {
  keyLine,
  type Manifest,
  manifestText,
  readKeys,
  signText,
} from '../domains/releases/manifest.ts'
import { badBuild, builtWith, type Disk, type HeldReleases, openUpdates } from './updates.ts'

const [maker, stranger] = [generateKeyPairSync('ed25519'), generateKeyPairSync('ed25519')]
const keys = readKeys(keyLine(maker.publicKey, 'maker'))
const good = Buffer.alloc(1000, 'good')
const bad = Buffer.concat([Buffer.alloc(500, 'bad'), Buffer.from(badBuild)])
const start = Date.parse('2026-11-20T19:00:00Z') // 03:00 in Shanghai

const manifest = (change: Partial<Manifest> = {}, bytes = good): Manifest => ({
  ...{ format: 1, serial: 10, kind: 'APK', target: 'com.huodao.vend', versionName: '5.13.0' },
  ...{ versionCode: 51300, boards: ['HD-M3'], minVersion: '', size: bytes.length },
  ...{ sha256: createHash('sha256').update(bytes).digest('hex'), downgrade: false },
  ...{ issuedAt: start, expiresAt: start + 86_400_000, ...change },
})
const document = (text: string, pair = maker, change: Partial<Down<'apk'>> = {}): Down<'apk'> => {
  const [keyId, signature] = signText(
    pair.privateKey.export({ format: 'pem', type: 'pkcs8' }),
    text,
  ).split(':') as [string, string]
  return {
    ...{ version: 1, part: 1, parts: 1, what: 'GO', manifest: text, keyId, signature, url: '/x' },
    ...{ atOnce: true, ...change },
  }
}
const go = (change: Partial<Manifest> = {}, bytes = good) =>
  document(manifestText(manifest(change, bytes)))

/** A machine whose memory and disk outlive it, on a line that gives 300 bytes at a time. */
function bench(bytes: Buffer, { room = 10_000, serial = 9 } = {}) {
  const files = new Map<string, Buffer>()
  const disk: Disk = {
    size: (name) => files.get(name)?.length ?? 0,
    append(name, part) {
      const next = Buffer.concat([files.get(name) ?? Buffer.alloc(0), part])
      if (next.length > room) return false
      files.set(name, next)
      return true
    },
    read: (name) => files.get(name) ?? Buffer.alloc(0),
    clear: (name) => void files.delete(name),
  }
  const apk = builtWith('APK', 'com.huodao.vend', 'HD-M3', '5.12.0', 51200)
  const held: HeldReleases = {
    APK: { ...apk, runs: { ...apk.runs, serial } },
    FIRMWARE: builtWith('FIRMWARE', 'HD-M3', 'HD-M3', '2.4.1', 20401),
  }
  const said: string[] = []
  const state = { now: start, busy: false, line: true, asked: [] as number[] }
  const boot = () =>
    openUpdates(held, {
      tell: (_kind, body) =>
        said.push(
          [body.stage ?? (body.ok ? 'TAKEN' : 'REFUSED'), body.code ?? body.reason]
            .filter(Boolean)
            .join(' '),
        ),
      remember: () => {},
      platformNow: () => state.now,
      busy: () => state.busy,
      restart: () => {
        machine = boot()
        machine.started()
      },
      load: async (_url, from) => {
        state.asked.push(from)
        return state.line ? { status: 206, bytes: bytes.subarray(from, from + 300) } : null
      },
      ...{ disk, keys },
    })
  let machine = boot()
  const turns = async (n = 12) => {
    for (let i = 0; i < n; i += 1) await machine.tick()
  }
  const runs = () => held.APK.runs.versionName
  const reboot = () => {
    machine = boot()
    machine.started()
  }
  return {
    held,
    said,
    state,
    turns,
    runs,
    reboot,
    disk,
    take: (d: Down<'apk'>) => machine.document('APK', d),
  }
}

test('loads in parts, checks, installs, runs it, and does not take it again', async () => {
  const m = bench(good)
  m.take(go())
  await m.turns()
  expect([m.runs(), m.said]).toEqual([
    '5.13.0',
    ['TAKEN', 'DOWNLOADING', 'DOWNLOADED', 'INSTALLING', 'SUCCEEDED'],
  ])
  expect(m.held.APK.runs.serial).toBe(10)
  m.take({ ...go(), version: 2 })
  expect(m.said.at(-1)).toBe('REFUSED NOT_NEWER')
})

describe('nothing wrong is ever installed', () => {
  const text = manifestText(manifest())
  const flipped = (s: string, at: number) =>
    s.slice(0, at) + String.fromCharCode(s.charCodeAt(at) ^ 1) + s.slice(at + 1)
  const other = document(manifestText(manifest({ versionName: '5.14.0', versionCode: 51400 })))
  const cases: [string, Down<'apk'>][] = [
    ...[...Array(40).keys()].map((i): [string, Down<'apk'>] => {
      const at = Math.floor((text.length / 40) * i)
      return [`flipped byte ${at}`, { ...document(text), manifest: flipped(text, at) }]
    }),
    ['truncated', { ...document(text), manifest: text.slice(0, -1) }],
    ['swapped signature', { ...document(text), signature: other.signature }],
    ['swapped text', { ...document(text), manifest: other.manifest }],
    ['unsigned', { ...document(text), signature: undefined }],
    ['signed by a stranger', document(text, stranger)],
    [
      'by a stranger under a known name',
      { ...document(text, stranger), keyId: document(text).keyId },
    ],
    ['expired', go({ expiresAt: start })],
    ['replayed', go({ serial: 8 })],
    ['not newer', go({ versionCode: 51200 })],
    ['another package', go({ target: 'com.other' })],
    ['another board', go({ boards: ['HD-M4'] })],
    ['firmware as an app', go({ kind: 'FIRMWARE' })],
    ['no manifest at all', document('{}')],
  ]
  test.each(cases)('%s', async (_what, given) => {
    const m = bench(good)
    m.take(given)
    await m.turns(3)
    expect([m.runs(), m.said.length, m.state.asked]).toEqual(['5.12.0', 1, []])
    expect(m.said[0]).toMatch(/^REFUSED/)
  })
  test.each([
    [
      'a flipped byte',
      Buffer.concat([good.subarray(0, 700), Buffer.from('X'), good.subarray(701)]),
      'HASH',
    ],
    ['another package of its size', Buffer.alloc(1000, 'evil'), 'HASH'],
    ['more than was said', Buffer.alloc(2000, 'good'), 'HASH'],
  ])('bytes: %s', async (_what, bytes, code) => {
    const m = bench(bytes)
    m.take(go())
    await m.turns()
    expect([m.runs(), m.said.at(-1), m.disk.size('APK')]).toEqual(['5.12.0', `FAILED ${code}`, 0])
  })
  test('bytes that were exchanged on the disk, and a manifest that ran out while it waited', async () => {
    const m = bench(good)
    m.state.busy = true
    m.take(go())
    await m.turns()
    expect(m.said.at(-1)).toBe('DOWNLOADED')
    m.disk.clear('APK')
    m.disk.append('APK', Buffer.alloc(1000, 'evil'))
    m.state.busy = false
    await m.turns(1)
    expect([m.runs(), m.said.at(-1)]).toEqual(['5.12.0', 'FAILED HASH'])
    const late = bench(good)
    late.state.busy = true
    late.take(go())
    await late.turns()
    late.state.now += 86_400_000
    late.state.busy = false
    await late.turns(1)
    expect([late.runs(), late.said.at(-1)]).toEqual(['5.12.0', 'FAILED EXPIRED'])
  })
})

test('goes on after a loss of power where it was, and gives up on a line that stays broken', async () => {
  const m = bench(good)
  m.take(go())
  await m.turns(2)
  m.reboot()
  await m.turns()
  expect([m.runs(), m.state.asked]).toEqual(['5.13.0', [0, 300, 600, 900]])
  const broken = bench(good)
  broken.state.line = false
  broken.take(go())
  await broken.turns()
  expect([broken.runs(), broken.said.at(-1)]).toEqual(['5.12.0', 'FAILED DOWNLOAD'])
})

test('a build that does not start: the slot before boots again, and its serial is not taken', async () => {
  const m = bench(bad)
  m.take(go({}, bad))
  await m.turns()
  expect([m.runs(), m.said.at(-1), m.held.APK.runs.serial]).toEqual([
    '5.12.0',
    'ROLLED_BACK SELF_TEST',
    9,
  ])
})

test('no room; a pause; the quiet window and the own delay; a door that is open', async () => {
  const full = bench(good, { room: 500 })
  full.take(go())
  await full.turns()
  expect([full.runs(), full.said.at(-1)]).toEqual(['5.12.0', 'FAILED NO_SPACE'])
  const m = bench(good)
  const window = { atOnce: false, quietFrom: '02:00', quietTo: '05:00', delaySeconds: 600 }
  const text = manifestText(manifest())
  m.take(document(text, maker, window))
  await m.turns(2)
  m.take({ version: 2, part: 1, parts: 1, what: 'HOLD' })
  await m.turns()
  expect(m.said.at(-1)).toBe('TAKEN')
  m.take(document(text, maker, { ...window, version: 3 }))
  m.state.now += 599_000
  m.take(document(text, maker, { ...window, version: 3 }))
  await m.turns()
  expect(m.said.at(-1)).toBe('DOWNLOADED')
  m.state.now = Date.parse('2026-11-20T22:00:00Z') // 06:00
  await m.turns()
  expect(m.runs()).toBe('5.12.0')
  m.state.now = Date.parse('2026-11-20T20:30:00Z')
  m.state.busy = true
  await m.turns()
  expect(m.runs()).toBe('5.12.0')
  m.state.busy = false
  await m.turns()
  expect(m.runs()).toBe('5.13.0')
})
