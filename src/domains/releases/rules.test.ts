import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import {
  type Installed,
  judged,
  keyLine,
  type Manifest,
  manifestText,
  readKeys,
  readSignature,
  type Signed,
  signText,
} from './manifest.ts'
import { compareVersions } from './rules.ts'

test.each([
  ['5.12.0', '5.12.0', 0],
  ['5.2.0', '5.12.0', -1],
  ['5.12.0-rc1', '5.12.0', -1],
  ['5.12.0.7', '5.12.0', 1],
  ['5.12.0-rc2', '5.12.0-rc1', 1],
  ['x', '0.0.0', 0],
])('%s beside %s', (a, b, sign) => {
  expect(compareVersions(a, b)).toBe(sign)
  expect(compareVersions(b, a)).toBe(sign === 0 ? 0 : -sign)
})

describe('what a machine believes', () => {
  const [mine, other] = [generateKeyPairSync('ed25519'), generateKeyPairSync('ed25519')]
  const keys = readKeys(keyLine(mine.publicKey, 'maker'))
  const text: Manifest = {
    ...{ format: 1, serial: 10, kind: 'APK', target: 'com.huodao.vend', versionName: '5.13.0' },
    ...{ versionCode: 51300, boards: ['HD-A'], minVersion: '5.0.0', size: 3, downgrade: false },
    ...{ sha256: 'a'.repeat(64), issuedAt: 0, expiresAt: 1000 },
  }
  const signed = (change: Partial<Manifest> = {}, pair = mine): Signed => {
    const manifest = manifestText({ ...text, ...change })
    const pem = pair.privateKey.export({ format: 'pem', type: 'pkcs8' })
    return { manifest, ...(readSignature(signText(pem, manifest)) as Omit<Signed, 'manifest'>) }
  }
  const machine: Installed = {
    ...{ kind: 'APK', target: 'com.huodao.vend', board: 'HD-A', versionName: '5.12.0' },
    ...{ versionCode: 51200, serial: 9 },
  }
  test('its own, by its maker', () => expect(judged(keys, signed(), machine, 999)).toEqual(text))
  test.each([
    ['SIGNATURE', signed({}, other), machine, 0],
    ['SIGNATURE', { ...signed(), manifest: signed({ versionCode: 60000 }).manifest }, machine, 0],
    ['SIGNATURE', { ...signed(), signature: signed({ serial: 11 }).signature }, machine, 0],
    ['SIGNATURE', { ...signed(), keyId: '0'.repeat(16) }, machine, 0],
    ['SIGNATURE', { ...signed(), signature: '' }, machine, 0],
    ['EXPIRED', signed(), machine, 1000],
    ['KIND', signed({ kind: 'FIRMWARE' }), machine, 0],
    ['TARGET', signed({ target: 'com.other' }), machine, 0],
    ['BOARD', signed(), { ...machine, board: 'HD-B' }, 0],
    ['REPLAYED', signed({ serial: 8 }), machine, 0],
    ['NOT_NEWER', signed(), { ...machine, versionCode: 51300 }, 0],
    ['MIN_VERSION', signed(), { ...machine, versionName: '4.9.9' }, 0],
  ] as const)('%s', (reason, given, of, now) => expect(judged(keys, given, of, now)).toBe(reason))
  test('goes back where the signed text says so, and not by an old one', () => {
    const newer = { ...machine, versionCode: 60000, versionName: '6.0.0' }
    expect(judged(keys, signed({ downgrade: true }), newer, 0)).toMatchObject({ serial: 10 })
    expect(judged(keys, signed({ downgrade: true }), { ...newer, serial: 11 }, 0)).toBe('REPLAYED')
  })
})
