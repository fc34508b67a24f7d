import {
  createHash,
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto'
import { z } from 'zod'
import { compareVersions, kinds } from './rules.ts'

/**
 * The signed text of a release (docs/device-protocol.md, section 13): made by the server, signed on
 * a computer that is not the server, believed by machines for itself alone. Server, signing command
 * and simulated machine read this file.
 */
export const Manifest = z.strictObject({
  format: z.literal(1),
  serial: z.number().int().min(1),
  kind: z.enum(kinds),
  /** Package of an app, model of the board of a firmware. */
  target: z.string().min(1).max(120),
  versionName: z.string().min(1).max(40),
  versionCode: z.number().int().min(1),
  /** Models of boards it runs on; none named: on all. */
  boards: z.array(z.string().max(40)).max(50),
  /** The oldest version from which it can be reached; empty: any. */
  minVersion: z.string().max(40),
  size: z.number().int().min(1),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  /** A machine may go back to it from a higher one. */
  downgrade: z.boolean(),
  issuedAt: z.number().int().min(0),
  expiresAt: z.number().int().min(0),
})
export type Manifest = z.infer<typeof Manifest>

/** A text with its signature, as it travels. */
export type Signed = {
  readonly manifest: string
  readonly keyId: string
  readonly signature: string
}

// what is signed says what it is, so that no other signature of the key counts as one of these
const bytesOf = (text: string) => Buffer.from(`huodao-release-1\n${text}`)
const spki = Buffer.from('302a300506032b6570032100', 'hex')

export const manifestText = (manifest: Manifest): string => JSON.stringify(manifest)
export const keyIdOf = (raw: Uint8Array): string =>
  createHash('sha256').update(raw).digest('hex').slice(0, 16)
/** The 32 bytes of a public key. */
export const rawKey = (key: KeyObject): Buffer =>
  key.export({ format: 'der', type: 'spki' }).subarray(-32)

/** Public keys by their id, one a line: `ed25519 <base64> <name>`; what begins with # is none. */
export type Keys = ReadonlyMap<string, KeyObject>
export function readKeys(text: string): Keys {
  const lines = text.split('\n').map((line) => line.trim())
  return new Map(
    lines.flatMap((line): [string, KeyObject][] => {
      const [, base64] = /^ed25519 ([A-Za-z0-9+/]{43}=)(?: .*)?$/.exec(line) ?? []
      if (!base64) return []
      const raw = Buffer.from(base64, 'base64')
      const key = createPublicKey({ key: Buffer.concat([spki, raw]), format: 'der', type: 'spki' })
      return [[keyIdOf(raw), key]]
    }),
  )
}
export const keyLine = (key: KeyObject, name: string): string =>
  `ed25519 ${rawKey(key).toString('base64')} ${name}`

/** `keyId:signature` of a text, by the private key of this PEM. */
export function signText(pem: string | Buffer, text: string): string {
  const key = createPrivateKey(pem)
  if (key.asymmetricKeyType !== 'ed25519') throw new Error('not an ed25519 key')
  return `${keyIdOf(rawKey(createPublicKey(key)))}:${sign(null, bytesOf(text), key).toString('base64')}`
}

/** What stands in a file that the signing command wrote. */
export const signatureForm = /^([0-9a-f]{16}):([A-Za-z0-9+/]{86}==)$/
export function readSignature(text: string): Omit<Signed, 'manifest'> | null {
  const [, keyId, signature] = signatureForm.exec(text.trim()) ?? []
  return keyId && signature ? { keyId, signature } : null
}

export function isSigned(keys: Keys, { manifest, keyId, signature }: Signed): boolean {
  const key = keys.get(keyId)
  if (!key) return false
  try {
    return verify(null, bytesOf(manifest), key, Buffer.from(signature, 'base64'))
  } catch {
    return false
  }
}

/** What a machine is, for one kind of release. */
export type Installed = {
  readonly kind: Manifest['kind']
  /** Its package, or the model of its board. */
  readonly target: string
  readonly board: string
  readonly versionName: string
  readonly versionCode: number
  /** Of the manifest of what it runs; 0: as it was built. */
  readonly serial: number
}
export const refusals = [
  'SIGNATURE',
  'FORMAT',
  'EXPIRED',
  'KIND',
  'TARGET',
  'BOARD',
  'REPLAYED',
  'NOT_NEWER',
  'MIN_VERSION',
] as const
export type RefusedBy = (typeof refusals)[number]

/** What a machine makes of a release, before it loads a byte, and again before it installs. */
export function judged(
  keys: Keys,
  signed: Signed,
  machine: Installed,
  now: number,
): Manifest | RefusedBy {
  if (!isSigned(keys, signed)) return 'SIGNATURE'
  const manifest = readManifest(signed.manifest)
  if (!manifest) return 'FORMAT'
  if (manifest.expiresAt <= now) return 'EXPIRED'
  if (manifest.kind !== machine.kind) return 'KIND'
  if (manifest.target !== machine.target) return 'TARGET'
  if (manifest.boards.length && !manifest.boards.includes(machine.board)) return 'BOARD'
  if (manifest.serial < machine.serial) return 'REPLAYED'
  if (!manifest.downgrade && manifest.versionCode <= machine.versionCode) return 'NOT_NEWER'
  if (manifest.minVersion && compareVersions(machine.versionName, manifest.minVersion) < 0)
    return 'MIN_VERSION'
  return manifest
}

export function readManifest(text: string): Manifest | null {
  try {
    return Manifest.safeParse(JSON.parse(text)).data ?? null
  } catch {
    return null
  }
}
