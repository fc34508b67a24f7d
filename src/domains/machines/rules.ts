/**
 * Figures of the gateway; seconds and sizes of the public contract are in docs/device-protocol.md.
 */
export const limits = {
  /**
   * A broker that does not say who is connected: whoever spoke so recently. Offline itself is a
   * setting.
   */
  connectedMs: 180_000,
  /** Messages per second of one machine, and how many at once. */
  rate: 20,
  burst: 100,
  /** Dropped messages of one machine, leaking at `rate`, after which it is shut out. */
  strikes: 200,
  banMs: 60_000,
  /** A message that cannot be read costs as much as so many good ones. */
  badCost: 5,
  /** Below that, people are told of a machine's unreadable messages so often. */
  unreadableMs: 60_000,
  batch: 200,
  /**
   * A row that a person's act holds is waited for so long by everybody. Then its machines wait
   * beside the others: each is tried again every `heldMs`, at most `heldTryMs` long, with so many
   * messages; what is beyond is not acknowledged, so the machine says it again.
   */
  lockMs: 150,
  heldMs: 250,
  heldTryMs: 30,
  heldOfOne: 50,
  heldMost: 2000,
  gatherMs: 5,
  /**
   * A batch that is in conflict is tried so often, then in halves, then its bad message is put
   * aside.
   */
  conflictTries: 5,
  /**
   * Messages that wait for the database, in all and of one organisation; beyond it its machines
   * wait.
   */
  lines: { most: 20_000, mostBytes: 33_554_432, mostOfOne: 5000, mostBytesOfOne: 16_777_216 },
  /** A hole in the numbers is asked for after this long, and again, so many times. */
  gapMs: 3000,
  gapTries: 5,
  /**
   * A machine's clock may differ so much before the timeline says so; beyond `vendMs` a vend counts
   * at receipt.
   */
  skewMs: 300_000,
  vendMs: 600_000,
  /** Beyond it people are told that the clock is wrong. */
  clockAheadMs: 86_400_000,
  clockBehindMs: 31_536_000_000,
  screensMs: 5000,
  keyDays: 35,
  /** A document without an answer is sent again after this long, so many times since the hello. */
  documentMs: 60_000,
  documentTries: 5,
  documentBatch: 200,
  /** Connections of one machine: so many at once, then one every `connectMs`. */
  connects: 20,
  connectMs: 5000,
  /** Wrong secrets of one machine within a minute, after which people are told. */
  wrongSecrets: 20,
  /** A machine's second connections are written down at most this often. */
  takeoverMs: 60_000,
  /** The same habit of a machine is told of so often. */
  toldMs: 3_600_000,
  /** Faults of a machine that are open, or were opened within a day; more share one row. */
  faults: 100,
  /**
   * Even a backlog of days comes with at most so many a second; who says so many more in a row
   * speaks without need.
   */
  steady: 16,
  steadyMost: 600,
  /**
   * How far the counters of a machine may jump and still be believed: its starts, and the facts of
   * one start.
   */
  bootJump: 1000,
  seqJump: 1_000_000,
  seqMost: 1_000_000_000,
}
export type Limits = Readonly<typeof limits>

/**
 * What one connection may carry: 15 facts a second, their answers and a few large reports are far
 * below it.
 */
export const frameLimits = {
  packet: 16_384 + 256,
  packets: 100,
  packetBurst: 500,
  bytes: 131_072,
  byteBurst: 524_288,
  unread: 262_144,
  heldMs: 30_000,
}
/**
 * A fleet behind one address comes back at once: only those who say nothing, or the wrong thing,
 * are counted.
 */
export const connectionLimits = {
  silent: 100,
  silentInAll: 2000,
  refusals: 10,
  refusalBurst: 300,
  knocks: 50,
}

export type Signal = 'strong' | 'medium' | 'weak'

/** core.md, "Online": RSRP >= -90 dBm strong, -100 to -91 medium, below weak. */
export const signalOf = (rsrp: number): Signal =>
  rsrp >= -90 ? 'strong' : rsrp >= -100 ? 'medium' : 'weak'

/**
 * When a vend happened: as told when that is near the receipt, else the receipt (core.md, rule 8).
 */
export const vendTime = (told: Date | null, received: Date): Date =>
  told && Math.abs(told.getTime() - received.getTime()) <= limits.vendMs ? told : received

/**
 * A start of a machine, kept as text that sorts as it happened, so that (boot, seq) is a range of
 * the key's index. Starts are counted within an epoch, which begins with every other secret or
 * board: a letter stands above every digit.
 */
export const bootText = (boot: number, epoch = 0): string =>
  `${epoch ? `e${String(epoch).padStart(6, '0')}` : ''}${String(boot).padStart(12, '0')}`
/** Where a fact stands among those of its machine, as text that sorts. */
export const placeText = (boot: string, seq: number): string =>
  `${boot}/${String(seq).padStart(16, '0')}`
/** Facts wait in a machine for days, not for a year; and nothing has happened tomorrow. */
export const isClockWrong = (told: number, received: number): boolean =>
  told - received > limits.clockAheadMs || received - told > limits.clockBehindMs

export const bootNumber = (text: string): number => Number(text.slice(-12))

/** Counters from here on are the clock of the machine in seconds: they grow while it is off. */
const clockBoots = 1_000_000_000

/**
 * The highest start that can be believed after `last` (null: the first of an epoch). Nobody started
 * more often than once a second.
 */
export function highestBoot(last: number | null, now: number): number {
  const ever = Math.floor(now / 1000) + 86_400
  return last === null || last >= clockBoots ? ever : Math.min(last + limits.bootJump, ever)
}

/**
 * The lowest earlier start that a machine may still have something to tell of: it keeps facts for
 * days, and its numbers are known for `keyDays`.
 */
const lowestBoot = (last: number): number =>
  last - (last >= clockBoots ? limits.keyDays * 86_400 : limits.bootJump)

export type Place = { readonly boot: number; readonly seq: number }
/**
 * Whether a fact may count after `last`, the newest place of its machine (null: the first of an
 * epoch). `earlier` is the last number taken of the fact's own start when that is an older one.
 * Whoever lost his memory says hello from far below and hears where he is.
 */
export function isBelievable(last: Place | null, next: Place, now: number, earlier = 0): boolean {
  if (next.seq > limits.seqMost) return false
  if (last && next.boot < last.boot)
    return next.boot >= lowestBoot(last.boot) && next.seq - earlier <= limits.seqJump
  if (next.boot > (last?.boot ?? 0) && next.boot > highestBoot(last?.boot ?? null, now))
    return false
  return next.seq - (last?.boot === next.boot ? last.seq : 0) <= limits.seqJump
}

export type Bucket = { tokens: number; strikes: number; at: number; bannedUntil: number }
export const freshBucket = (limits: Limits, at: number): Bucket => ({
  tokens: limits.burst,
  strikes: 0,
  at,
  bannedUntil: 0,
})

/** Takes `cost` tokens: `drop` when there are none, `ban` when that happens too often. */
export function take(
  limits: Limits,
  bucket: Bucket,
  at: number,
  cost: number,
): 'pass' | 'drop' | 'ban' {
  if (at < bucket.bannedUntil) return 'ban'
  const gained = (Math.max(0, at - bucket.at) / 1000) * limits.rate
  bucket.at = at
  bucket.tokens = Math.min(limits.burst, bucket.tokens + gained)
  bucket.strikes = Math.max(0, bucket.strikes - gained)
  if (bucket.tokens >= cost) {
    bucket.tokens -= cost
    return 'pass'
  }
  bucket.strikes += cost
  if (bucket.strikes < limits.strikes) return 'drop'
  Object.assign(bucket, freshBucket(limits, at), { bannedUntil: at + limits.banMs })
  return 'ban'
}

export type Excess = { over: number; at: number }
/** Counts a message of a machine, leaking at `steady` a second; true when too many are left. */
export function isLoud(limits: Limits, excess: Excess, at: number): boolean {
  excess.over = Math.max(0, excess.over - (Math.max(0, at - excess.at) / 1000) * limits.steady) + 1
  excess.at = at
  return excess.over > limits.steadyMost
}

/**
 * The numbers of one boot that arrived, for finding holes: everything up to `top`, and single ones
 * above it.
 */
export type Seen = {
  boot: number
  top: number
  readonly above: Set<number>
  tail: number
  since: number
  tries: number
}
export const freshSeen = (boot: number, top: number, at: number): Seen => ({
  boot,
  top,
  above: new Set(),
  tail: top,
  since: at,
  tries: 0,
})

export function markSeen(seen: Seen, seq: number, at: number): void {
  if (seq <= seen.top) return
  if (!hasHole(seen)) seen.since = at
  if (seq > seen.top + 1) {
    if (seen.above.size < 2000) seen.above.add(seq)
    return
  }
  seen.top = seq
  advance(seen, at)
}

/** The machine says that it has used the numbers up to `seq`. */
export function markTail(seen: Seen, seq: number, at: number): void {
  if (seq - seen.top > limits.seqJump) return
  if (!hasHole(seen)) seen.since = at
  seen.tail = Math.max(seen.tail, seq)
}

/**
 * The range to ask for again, or null; after `gapTries` the hole stays a hole and the numbers go on
 * above it.
 */
export function askFor(seen: Seen, at: number): { from: number; to: number } | null {
  if (!hasHole(seen) || Math.abs(at - seen.since) < limits.gapMs * 2 ** seen.tries) return null
  const from = seen.top + 1
  const to = seen.above.size ? Math.min(...seen.above) - 1 : seen.tail
  if (seen.tries >= limits.gapTries) {
    seen.top = to
    advance(seen, at)
    return null
  }
  seen.tries += 1
  seen.since = at
  return { from, to }
}

const hasHole = (seen: Seen): boolean => seen.above.size > 0 || seen.tail > seen.top

function advance(seen: Seen, at: number): void {
  while (seen.above.delete(seen.top + 1)) seen.top += 1
  seen.tail = Math.max(seen.tail, seen.top)
  seen.since = at
  seen.tries = 0
}

/** The number a board has from its maker; it signs in with it. */
export const boardNoForm = /^[A-Za-z0-9-]{6,40}$/

/** What a machine answers to a command, and how it ended. */
export type AckCode =
  | 'ACCEPTED'
  | 'DUPLICATE'
  | 'BUSY'
  | 'EXPIRED'
  | 'LANE_FAULT'
  | 'UNKNOWN_LANE'
  | 'VOIDED'
export type ResultCode =
  | 'OK'
  | 'NO_DROP'
  | 'MOTOR_NOT_IN_PLACE'
  | 'MOTOR_NOT_MOVE'
  | 'MOTOR_NOT_RETURN'
  | 'SENSOR_FAULT'
  | 'BUSY'
  | 'DOOR_OPEN'
  | 'TIMEOUT'

/** Sold or scrapped: nothing about it changes any more. */
export const isClosed = ({ lifecycle }: { readonly lifecycle: string }): boolean =>
  lifecycle === 'SOLD' || lifecycle === 'SCRAPPED'

/** Organisations that machines, their boards and their stores may belong to. */
export const ownsMachines = (kind: string): boolean =>
  kind === 'PLATFORM' || kind === 'AGENT' || kind === 'OPERATOR'
