import { z } from 'zod'
import { readJson } from '../../shared/json.ts'
import { madeStorable, plainText } from '../../shared/text.ts'

/**
 * What travels between a machine and the platform (docs/device-protocol.md): JSON below
 * `v1/{rtu}/up/<kind>` and `v1/{rtu}/down/<kind>`. Instants are UTC milliseconds. Both the gateway
 * and the simulated fleet read this file.
 */
const millis = z.number().int().min(0).max(4_102_444_800_000)
/** Grows with every start of the machine; what a machine says is ordered by (boot, seq). */
const boot = z.number().int().min(1).max(999_999_999_999)
const seq = z.number().int().min(1).max(Number.MAX_SAFE_INTEGER)
const lane = z.number().int().min(1).max(400)
/**
 * Said in capitals by some controllers (RFC 9562 takes both); ours and the database's are small.
 */
const cmdId = z.uuid().toLowerCase()
const code = z.string().regex(/^[A-Z0-9_]{1,40}$/)
/** Faults the platform itself finds: in a machine's mouth these codes are kept and say nothing. */
export const platformFaults = { temperature: 'TEMP_EXCURSION', many: 'MANY_FAULTS' } as const
export const isPlatformFault = (code: unknown): boolean =>
  Object.values<unknown>(platformFaults).includes(code)
const rsrp = z.number().int().min(-160).max(-20)
const signal = z.enum(['strong', 'medium', 'weak'])
const durationMs = z.number().int().min(0).max(3_600_000)

export const vendResults = [
  'OK',
  'NO_DROP',
  'MOTOR_NOT_IN_PLACE',
  'MOTOR_NOT_MOVE',
  'MOTOR_NOT_RETURN',
  'SENSOR_FAULT',
  'BUSY',
  'DOOR_OPEN',
  'TIMEOUT',
] as const
/**
 * What the platform wants a machine to have, in versions: its settings, its lanes with their
 * prices.
 */
export const documentKinds = ['CONFIG', 'PLANOGRAM', 'RECALLS', 'APK', 'FIRMWARE'] as const
export type DocumentKind = (typeof documentKinds)[number]
const documentVersion = z.number().int().min(0).max(2_147_483_647)
export const commandTypes = ['REBOOT', 'LOCK', 'UNLOCK', 'QUERY', 'DOOR'] as const
export type CommandType = (typeof commandTypes)[number]
const acks = [
  'ACCEPTED',
  'DUPLICATE',
  'BUSY',
  'EXPIRED',
  'LANE_FAULT',
  'UNKNOWN_LANE',
  'VOIDED',
] as const

/**
 * A field that cannot be read is left out and noted; the rest of the message counts. Without a
 * required one it does not.
 */
type Shape = {
  readonly required: Record<string, z.ZodType>
  readonly optional: Record<string, z.ZodType>
}
const shapes = {
  hello: {
    required: {},
    optional: {
      rsrp,
      signal,
      door: z.boolean(),
      config: documentVersion,
      planogram: documentVersion,
      recalls: documentVersion,
      apkRelease: documentVersion,
      fwRelease: documentVersion,
    },
  },
  heartbeat: { required: {}, optional: { rsrp, signal } },
  telemetry: {
    required: {},
    optional: {
      temperature: z.number().min(-60).max(100),
      humidity: z.number().min(0).max(100),
      rsrp,
      signal,
    },
  },
  door: { required: { open: z.boolean() }, optional: {} },
  fault: {
    required: { code },
    optional: { lane, level: z.enum(['WARN', 'ERROR']), detail: z.string() },
  },
  clear: { required: { code }, optional: { lane } },
  stock: {
    required: {
      lanes: z.array(z.strictObject({ lane, count: z.number().int().min(0).max(999) })).max(400),
    },
    optional: {},
  },
  cmd_ack: {
    required: { cmdId, ack: z.enum(acks) },
    optional: { result: z.enum(vendResults), dropDetected: z.boolean(), durationMs },
  },
  vend_result: {
    required: { cmdId, result: z.enum(vendResults) },
    optional: { dropDetected: z.boolean(), durationMs },
  },
  cmd_result: { required: { cmdId, ok: z.boolean() }, optional: { reason: z.string() } },
  applied: {
    required: { what: z.enum(documentKinds), version: documentVersion, ok: z.boolean() },
    optional: { reason: z.string() },
  },
  ota: {
    required: {
      what: z.enum(['APK', 'FIRMWARE']),
      version: documentVersion,
      stage: z.enum([
        'DOWNLOADING',
        'DOWNLOADED',
        'INSTALLING',
        'SUCCEEDED',
        'FAILED',
        'ROLLED_BACK',
      ]),
    },
    optional: {
      progress: z.number().int().min(0).max(100),
      code,
      reason: z.string(),
    },
  },
  bye: { required: { session: seq }, optional: { cause: z.enum(['LAST_WILL', 'POWER_FAIL']) } },
} as const satisfies Record<string, Shape>

export type UpKind = keyof typeof shapes
/** Say only that the machine is there (or is not): neither numbered nor kept nor acknowledged. */
const passing: ReadonlySet<UpKind> = new Set(['heartbeat', 'bye'])
export const isPassing = (kind: UpKind): boolean => passing.has(kind)

export type Up = {
  readonly kind: UpKind
  readonly boot: number
  /** A fact's own number; in a passing message the last number used. */
  readonly seq: number
  readonly ts: number | null
  readonly fw: string | null
  readonly apk: string | null
  /** Fields that could be read. */
  readonly body: Readonly<Record<string, unknown>>
  /** What was wrong with the rest, for people who look at the timeline. */
  readonly notes: readonly string[]
}

export const upTopic = (rtu: string, kind: UpKind): string => `v1/${rtu}/up/${kind}`
export const downTopic = (rtu: string, kind: DownKind): string => `v1/${rtu}/down/${kind}`
export const downFilter = (rtu: string): string => `v1/${rtu}/down/#`

/** Everything a machine's number can be: nobody asks the database for another one. */
export const rtuForm = /^[A-Z0-9]{4,20}$/

/**
 * Machine and kind of an upward topic, kind null when it is none we know; null for any other topic.
 */
export function parseUpTopic(topic: string): { rtu: string; kind: UpKind | null } | null {
  const found = /^v1\/([^/]+)\/up\/([a-z_]{2,20})$/.exec(topic)
  const [, rtu = '', kind = ''] = found ?? []
  return found && rtuForm.test(rtu)
    ? { rtu, kind: Object.hasOwn(shapes, kind) ? (kind as UpKind) : null }
    : null
}

export const maxMessageBytes = 16_384
const maxDepth = 5
const maxParts = 1500
const maxText = 200

/** Reads one upward message; a text says why it cannot count at all. */
export function readUp(kind: UpKind | null, payload: Uint8Array): Up | string {
  if (!kind) return 'unknown kind'
  if (payload.byteLength > maxMessageBytes) return 'too large'
  const raw = parseJson(payload)
  if (typeof raw === 'string') return raw
  const notes: string[] = []
  const place = {
    boot: boot.safeParse(raw.boot),
    seq: (passing.has(kind) ? seq.or(z.literal(0)) : seq).safeParse(raw.seq),
  }
  if (!place.boot.success || !place.seq.success) return 'boot or seq missing'
  const ts = millis.safeParse(raw.ts)
  if (!ts.success) notes.push('ts')
  const shape: Shape = shapes[kind]
  const body: Record<string, unknown> = {}
  for (const [key, type] of Object.entries({ ...shape.required, ...shape.optional })) {
    if (raw[key] === undefined || raw[key] === null) continue
    const field = type.safeParse(raw[key])
    if (field.success)
      body[key] = typeof field.data === 'string' ? tidy(field.data, maxText) : field.data
    else notes.push(key)
  }
  for (const key of Object.keys(shape.required))
    if (body[key] === undefined) return `${key} missing`
  if (isPlatformFault(body.code)) notes.push('code')
  return {
    kind,
    boot: place.boot.data,
    seq: place.seq.data,
    ts: ts.success ? ts.data : null,
    fw: version(raw.fw, 'fw', notes),
    apk: version(raw.apk, 'apk', notes),
    body,
    notes,
  }
}

const unread = {
  encoding: 'not UTF-8',
  syntax: 'not JSON',
  size: 'too many values',
  twice: 'a name twice',
  forbidden: 'a name that may not be',
}

function parseJson(payload: Uint8Array): Record<string, unknown> | string {
  const read = readJson(payload, { parts: maxParts, depth: maxDepth })
  if (!('value' in read)) return unread[read.wrong]
  const { value } = read
  return typeof value !== 'object' || value === null || Array.isArray(value)
    ? 'not an object'
    : (value as Record<string, unknown>)
}

function version(value: unknown, name: string, notes: string[]): string | null {
  if (value === undefined || value === null) return null
  if (typeof value !== 'string') {
    notes.push(name)
    return null
  }
  if (value.length > 40) notes.push(name)
  return tidy(value, 40)
}

/** Text by the rule of all texts, not longer than `max`: composing may also lengthen it. */
const tidy = (text: string, max: number): string =>
  plainText(madeStorable(text.slice(0, max)))
    .slice(0, max)
    .toWellFormed()

// ---------------------------------------------------------------- downward

const vendCommand = z.strictObject({
  cmdId,
  orderNo: z.string(),
  unit: z.number().int(),
  lane,
  motor: lane,
  qty: z.literal(1),
  issuedAt: millis,
  expireAt: millis,
})
/**
 * A document that does not fit into one message comes in parts; it counts when all of one version
 * are there.
 */
const part = {
  version: documentVersion,
  part: z.number().int().min(1).max(99),
  parts: z.number().int().min(1).max(99),
}
const clock = z.string().regex(/^\d\d:\d\d$/)
const settings = z.looseObject({
  ...part,
  tempMin: z.number().nullable(),
  tempMax: z.number().nullable(),
  humMin: z.number(),
  humMax: z.number(),
  limitPerOrder: z.number(),
  limitPerDay: z.number(),
  lighting: z.array(z.looseObject({ from: clock, to: clock })),
  defog: z.boolean(),
  volume: z.number(),
  reportSeconds: z.number(),
  screenOffSeconds: z.number(),
  dropSensor: z.boolean(),
})
const planogram = z.looseObject({
  ...part,
  lanes: z.array(
    z.looseObject({
      lane,
      motor: lane,
      width: z.number().int().min(1),
      product: z.number().int().nullable(),
      name: z.string(),
      price: z.number().int().nullable(),
      capacity: z.number().int(),
      limit: z.number().int(),
    }),
  ),
})
/** What is recalled of the goods in a machine. */
const recalls = z.looseObject({
  ...part,
  recalls: z.array(z.looseObject({ batch: z.string(), name: z.string(), lanes: z.array(lane) })),
})
/** What a machine should do about an app or a firmware; the manifest is what counts of it. */
const release = z.looseObject({
  ...part,
  what: z.enum(['GO', 'HOLD', 'NONE']),
  manifest: z.string().optional(),
  keyId: z.string().optional(),
  signature: z.string().optional(),
  url: z.string().optional(),
  atOnce: z.boolean().optional(),
  quietFrom: clock.optional(),
  quietTo: clock.optional(),
  delaySeconds: z.number().optional(),
  bandwidth: z.number().optional(),
})
/** Every downward message carries `ts`, the platform's clock when it was sent. */
const downShapes = {
  ack: z.strictObject({ boot, seqs: z.array(seq) }),
  welcome: z.strictObject({ boot, lastBoot: boot }),
  resend: z.strictObject({ boot, from: seq, to: seq }),
  vend: vendCommand,
  query: vendCommand,
  void: vendCommand,
  command: z.strictObject({
    cmdId,
    type: z.enum(commandTypes),
    issuedAt: millis,
    expireAt: millis,
  }),
  config: settings,
  planogram,
  recalls,
  apk: release,
  firmware: release,
} as const
export type DownKind = keyof typeof downShapes
export type Down<K extends DownKind = DownKind> = z.output<(typeof downShapes)[K]>
export type Command = Down<'vend'>
export type Control = Down<'command'>

/** Machine's side: reads what came below its own down/; null for a kind it does not know. */
export function readDown(
  topic: string,
  payload: Uint8Array,
): { [K in DownKind]: { kind: K; ts: number; body: Down<K> } }[DownKind] | null {
  const kind = topic.split('/')[3] ?? ''
  const raw = parseJson(payload)
  if (!Object.hasOwn(downShapes, kind) || typeof raw === 'string') return null
  const { ts, ...rest } = raw
  const read = downShapes[kind as DownKind].safeParse(rest)
  return read.success && typeof ts === 'number'
    ? ({ kind, ts, body: read.data } as ReturnType<typeof readDown>)
    : null
}
