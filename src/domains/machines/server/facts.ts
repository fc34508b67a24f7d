import { sql } from 'kysely'
import { type Ctx, iso } from '../../../server/context.ts'
import { rowsOf } from '../../../server/rows.ts'
import type { Up, UpKind } from '../protocol.ts'
import { limits, vendTime } from '../rules.ts'
import { bootOf, placeOf } from './boots.ts'
import type { ControlFact, RecordControls } from './controls.ts'
import { contradiction, type Doubt, digestOf, foreignCommand, wrongClocks } from './doubts.ts'
import type { Machine } from './identity.ts'
import { applyShadows } from './shadows.ts'
import { applyState } from './states.ts'
import { addTelemetry } from './telemetry.ts'
import type { RecordVends, VendFact } from './vending.ts'

/** A numbered message of a machine and when it came in. */
export type Fact = { readonly machine: Machine; readonly up: Up; readonly at: Date }
/** Who keeps what machines say about commands: orders their vends, people's commands theirs. */
export type Recorders = {
  readonly vends: RecordVends
  readonly controls: RecordControls
  /** What became of apps and firmware. */
  readonly releases?: (ctx: Ctx, words: readonly ReleaseWord[]) => Promise<unknown>
}
/** A word about a release, in its place among the words of the machine. */
export type ReleaseWord = {
  readonly deviceId: number
  readonly kind: 'APK' | 'FIRMWARE'
  /** Version of the document it is about. */
  readonly document: number
  readonly word:
    | 'NOTIFIED'
    | 'DOWNLOADING'
    | 'DOWNLOADED'
    | 'INSTALLING'
    | 'SUCCEEDED'
    | 'FAILED'
    | 'ROLLED_BACK'
  readonly progress: number | null
  readonly code: string
  readonly reason: string
  readonly place: string
  readonly at: Date
}

const answers: ReadonlySet<UpKind> = new Set<UpKind>(['cmd_ack', 'vend_result', 'cmd_result'])
export const isAnswer = (fact: Pick<Fact, 'up'>): boolean => answers.has(fact.up.kind)
const keyOf = (deviceId: number, boot: string, seq: number): string => `${deviceId}/${boot}/${seq}`
const factKey = (fact: Fact): string => keyOf(fact.machine.id, bootOf(fact), fact.up.seq)

/**
 * Writes facts of many machines and their effects in the caller's transaction; a number seen before
 * has none. Effects do not depend on the order of arrival: what a machine said last, by (boot,
 * seq), is what counts. Answers to commands and states do not share a batch, so that each takes its
 * locks in the global order.
 */
export async function applyFacts(
  ctx: Ctx,
  facts: readonly Fact[],
  record: Recorders,
): Promise<{ fresh: readonly Fact[]; doubts: readonly Doubt[] }> {
  const unique = [
    ...new Map(facts.toReversed().map((fact) => [factKey(fact), fact])).values(),
  ].reverse()
  const owners = await takeKeys(ctx, unique)
  const fresh = unique.flatMap((fact) => ownedBy(fact, owners.get(factKey(fact))))
  const doubts = owners.size < facts.length ? await changedRepeats(ctx, facts, owners) : []
  if (fresh.length === 0) return { fresh, doubts }
  const stock = await compareStock(ctx, fresh)
  keepMessages(ctx, fresh, stock.notes)
  doubts.push(...stock.doubts, ...wrongClocks(fresh))
  const told = fresh.filter(isAnswer)
  if (told.length) {
    const controls = await record.controls(ctx, told.map(controlFact))
    const vends = await record.vends(
      ctx,
      told.filter((fact) => fact.up.kind !== 'cmd_result').flatMap(vendFacts),
    )
    if (controls && vends) doubts.push(...doubtfulAnswers(told, controls.own, vends))
  }
  const states = fresh.filter((fact) => !isAnswer(fact))
  if (states.length) {
    doubts.push(...(await applyState(ctx, states)))
    const released = states.flatMap(releaseWords)
    if (released.length) await record.releases?.(ctx, released)
    doubts.push(...(await applyShadows(ctx, states)))
    await addTelemetry(ctx, states)
  }
  return { fresh, doubts }
}

/**
 * Repeats have no effect; one that says something else than the first time is somebody else's, or a
 * counter that was lost.
 */
async function changedRepeats(
  ctx: Ctx,
  facts: readonly Fact[],
  taken: ReadonlyMap<string, number>,
): Promise<Doubt[]> {
  const firsts = new Map<string, Fact>()
  const changed: Fact[] = []
  const repeats: Fact[] = []
  for (const fact of facts) {
    const key = factKey(fact)
    const other = firsts.get(key)
    if (!other) firsts.set(key, fact)
    else if (!digestOf(fact).equals(digestOf(other))) changed.push(fact)
    if (!taken.has(key)) repeats.push(fact)
  }
  if (repeats.length) {
    const rows = await rowsOf<{ n: number }>(ctx.db)`
      select x.n from unnest(${repeats.map((fact) => fact.machine.id)}::bigint[],
        ${repeats.map(bootOf)}::text[], ${repeats.map((fact) => fact.up.seq)}::bigint[],
        ${repeats.map(digestOf)}::bytea[]) with ordinality as x (device_id, boot, seq, digest, n)
      join device_message_keys k on k.device_id = x.device_id and k.boot = x.boot and k.seq = x.seq
      where k.digest <> x.digest`
    for (const { n } of rows)
      if (!changed.includes(repeats[n - 1] as Fact)) changed.push(repeats[n - 1] as Fact)
  }
  return changed.map((fact) => contradiction(fact, 'REPEATED_NUMBER'))
}

/**
 * Answers to commands that the machine was never given, and those that say another end than the
 * first one.
 */
function doubtfulAnswers(
  told: readonly Fact[],
  controls: ReadonlySet<string>,
  vends: { own: ReadonlySet<string>; contradicted: ReadonlySet<string> },
): Doubt[] {
  return told.flatMap((fact) => {
    const key = `${fact.machine.id}/${fact.up.body.cmdId}`
    if (!vends.own.has(key) && !controls.has(key)) return [foreignCommand(fact)]
    return vends.contradicted.has(key) && fact.up.kind !== 'cmd_result'
      ? [contradiction(fact, 'RESULT', { cmdId: String(fact.up.body.cmdId) })]
      : []
  })
}

/**
 * A fact whose effect cannot be written is kept with a note, so that it can be looked at and done
 * again.
 */
export async function parkFact(ctx: Ctx, fact: Fact, reason: string): Promise<void> {
  const owners = await takeKeys(ctx, [fact])
  const kept = ownedBy(fact, owners.get(factKey(fact)))
  if (kept.length) keepMessages(ctx, kept, new Map([[factKey(fact), `no effect: ${reason}`]]))
}

/**
 * The numbers that are new, each with the owner the machine has now: its connection may still be
 * that of an earlier one.
 */
async function takeKeys(ctx: Ctx, facts: readonly Fact[]): Promise<Map<string, number>> {
  const rows = await rowsOf<{ device_id: number; boot: string; seq: number; org_id: number }>(
    ctx.db,
  )`
    insert into device_message_keys (device_id, boot, seq, org_id, received_at, digest)
    select x.device_id, x.boot, x.seq, (select d.org_id from devices d where d.id = x.device_id),
      x.at, x.digest
    from unnest(${facts.map((fact) => fact.machine.id)}::bigint[], ${facts.map(bootOf)}::text[],
      ${facts.map((fact) => fact.up.seq)}::bigint[],
      ${facts.map((fact) => iso(fact.at))}::timestamptz[],
      ${facts.map(digestOf)}::bytea[]) as x (device_id, boot, seq, at, digest)
    order by x.device_id, x.boot, x.seq
    on conflict do nothing returning device_id, boot, seq, org_id`
  return new Map(rows.map((row) => [keyOf(row.device_id, row.boot, row.seq), row.org_id]))
}
const ownedBy = (fact: Fact, orgId: number | undefined): Fact[] =>
  orgId === undefined ? [] : [{ ...fact, machine: { ...fact.machine, orgId } }]

function keepMessages(ctx: Ctx, facts: readonly Fact[], extra: ReadonlyMap<string, string>): void {
  ctx.later(sql`
    insert into device_messages (org_id, created_at, device_id, boot, seq, kind, device_ts, payload,
      note)
    select x.org_id, x.at, x.device_id, x.boot, x.seq, x.kind, x.ts, x.payload::jsonb, x.note
    from unnest(${facts.map((fact) => fact.machine.orgId)}::bigint[],
      ${facts.map((fact) => iso(fact.at))}::timestamptz[],
      ${facts.map((fact) => fact.machine.id)}::bigint[],
      ${facts.map(bootOf)}::text[], ${facts.map((fact) => fact.up.seq)}::bigint[],
      ${facts.map((fact) => fact.up.kind)}::text[],
      ${facts.map((fact) => (fact.up.ts === null ? null : iso(new Date(fact.up.ts))))}::timestamptz[], ${facts.map((fact) => JSON.stringify(fact.up.body))}::text[],
      ${facts.map((fact) => noteOf(fact, extra.get(factKey(fact))))}::text[]) as x (org_id, at,
      device_id, boot, seq, kind, ts, payload, note)`)
}

function noteOf({ up, at }: Fact, extra: string | undefined): string | null {
  const notes = up.notes.length ? [`rejected: ${up.notes.join(', ')}`] : []
  // other facts may have waited in the machine; a hello is told at once, so its time shows the
  // clock
  const skew = up.ts === null ? 0 : up.ts - at.getTime()
  if (up.kind === 'hello' && Math.abs(skew) > limits.skewMs)
    notes.push(`clock differs by ${Math.round(skew / 1000)} s`)
  if (extra) notes.push(extra)
  return notes.length ? notes.join('; ').slice(0, 300) : null
}

/** A word about a command; whose it is only its keeper knows. */
function controlFact({ machine, up }: Fact): ControlFact {
  const { cmdId, ack, ok, reason } = up.body as {
    cmdId: string
    ack?: string
    ok?: boolean
    reason?: string
  }
  if (up.kind === 'cmd_result')
    return {
      deviceId: machine.id,
      cmdId,
      word: { kind: 'result', ok: ok === true, reason: reason ?? '' },
    }
  return { deviceId: machine.id, cmdId, word: { kind: 'ack', ack: ack ?? 'ACCEPTED' } }
}

/** That a document of a release was taken or refused is a word about it as well. */
function releaseWords(fact: Fact): ReleaseWord[] {
  const { machine, up, at } = fact
  const { what, version, stage, ok, progress, code, reason } = up.body as {
    what?: ReleaseWord['kind'] | 'CONFIG'
    version?: number
    stage?: ReleaseWord['word']
    ok?: boolean
    progress?: number
    code?: string
    reason?: string
  }
  if ((up.kind !== 'ota' && up.kind !== 'applied') || version === undefined) return []
  if (what !== 'APK' && what !== 'FIRMWARE') return []
  const said = { deviceId: machine.id, kind: what, document: version, place: placeOf(fact), at }
  if (up.kind === 'ota' && stage)
    return [
      {
        ...{ ...said, word: stage, progress: progress ?? null },
        ...{ code: code ?? '', reason: reason ?? '' },
      },
    ]
  const refused = { word: 'FAILED', code: 'REFUSED', reason: reason ?? '' } as const
  const taken = { word: 'NOTIFIED', code: '', reason: '' } as const
  return [{ ...said, ...(ok ? taken : refused), progress: null }]
}

function vendFacts({ machine, up, at }: Fact): VendFact[] {
  const { cmdId, ack, result, dropDetected, durationMs } = up.body as {
    cmdId: string
    ack?: string
    result?: string
    dropDetected?: boolean
    durationMs?: number
  }
  const when = vendTime(up.ts === null ? null : new Date(up.ts), at)
  const facts: VendFact[] = []
  if (ack)
    facts.push({
      kind: 'ack',
      deviceId: machine.id,
      cmdId,
      ack: ack as (VendFact & { kind: 'ack' })['ack'],
      at: when,
    })
  // a repeated command is answered with the result it had
  if (result && (!ack || ack === 'DUPLICATE')) {
    facts.push({
      kind: 'result',
      deviceId: machine.id,
      cmdId,
      result: result as (VendFact & { kind: 'result' })['result'],
      dropDetected: dropDetected ?? false,
      durationMs: durationMs ?? 0,
      at: when,
    })
  }
  return facts
}

type Counted = { lane: number; count: number }
type OurLane = { quantity: number; capacity: number; told: boolean }

/**
 * Counters of machines are compared with our stock, never written over it. A count that says two
 * things of one lane is no count; one that leaves a lane out says nothing of it. What cannot be is
 * told to people.
 */
async function compareStock(
  ctx: Ctx,
  facts: readonly Fact[],
): Promise<{ notes: Map<string, string>; doubts: Doubt[] }> {
  const reports = facts.filter((fact) => fact.up.kind === 'stock')
  const notes = new Map<string, string>()
  const doubts: Doubt[] = []
  if (reports.length === 0) return { notes, doubts }
  const ids = reports.map((fact) => fact.machine.id)
  const rows = await rowsOf<OurLane & { device_id: number; road_index: number }>(ctx.db)`
    select device_id, road_index, quantity, capacity, status <> 'MERGED' as told from lanes
    where device_id = any(${ids}::bigint[]) and archived_at is null
    order by device_id, road_index`
  const waiting = await rowsOf<{ device_id: number }>(ctx.db)`
    select device_id from device_shadows
    where device_id = any(${ids}::bigint[]) and kind = 'PLANOGRAM' and applied <> wanted`
  const ours = Map.groupBy(rows, (row) => row.device_id)
  const behind = new Set(waiting.map((row) => row.device_id))
  for (const fact of reports) {
    const lanes = new Map((ours.get(fact.machine.id) ?? []).map((row) => [row.road_index, row]))
    const { note, doubt } = compared(
      fact.up.body.lanes as readonly Counted[],
      lanes,
      behind.has(fact.machine.id),
    )
    if (note) notes.set(factKey(fact), note)
    if (doubt) doubts.push(contradiction(fact, 'STOCK', doubt))
  }
  return { notes, doubts }
}

/**
 * `behind`: the machine does not work with our lanes yet, so which of them it names says nothing.
 */
function compared(
  told: readonly Counted[],
  ours: ReadonlyMap<number, OurLane>,
  behind: boolean,
): { note?: string; doubt?: Partial<Counted> | undefined } {
  const counts = new Map<number, number>()
  for (const { lane, count } of told) {
    if (counts.has(lane)) return { note: `refused: lane ${lane} twice`, doubt: { lane, count } }
    counts.set(lane, count)
  }
  const differ = told.filter(({ lane, count }) => ours.get(lane)?.quantity !== count)
  const missing = [...ours].flatMap(([lane, { told }]) => (told && !counts.has(lane) ? [lane] : []))
  const note = [
    ...(differ.length
      ? [
          `stock differs: ${differ.map(({ lane, count }) => `lane ${lane} ${count} (${ours.get(lane)?.quantity ?? 'none'})`).join(', ')}`,
        ]
      : []),
    ...(missing.length ? [`lanes not named: ${missing.join(', ')}`] : []),
  ].join('; ')
  const tooMany = differ.find(
    ({ lane, count }) => count > (ours.get(lane)?.capacity ?? (behind ? 999 : 0)),
  )
  const [absent] = behind ? [] : missing
  return { note, doubt: tooMany ?? (absent === undefined ? undefined : { lane: absent }) }
}
