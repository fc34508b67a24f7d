import type { ErrorDef } from '../../shared/errors.ts'
import { allowedFrom, defineStates } from '../../shared/moves.ts'
import { compareVersions, type ReleaseKind, releaseErrors } from './rules.ts'

/** How a version comes to machines: the two state tables, and everything the engine decides. */
export const rolloutStateNames = [
  'PENDING',
  'SCHEDULED',
  'RUNNING',
  'PAUSED',
  'DONE',
  'ABORTED',
  'REJECTED',
] as const
export type RolloutState = (typeof rolloutStateNames)[number]
export const rolloutStates = defineStates<RolloutState>({
  name: 'releases.rollout',
  column: 'rollouts.state',
  start: ['PENDING', 'SCHEDULED'],
  moves: {
    PENDING: ['SCHEDULED', 'REJECTED'],
    SCHEDULED: ['RUNNING', 'ABORTED'],
    RUNNING: ['PAUSED', 'DONE', 'ABORTED'],
    PAUSED: ['RUNNING', 'ABORTED', 'DONE'],
    DONE: [],
    ABORTED: [],
    REJECTED: [],
  },
})
export const rolloutFrom = (next: RolloutState): RolloutState[] => allowedFrom(rolloutStates, next)
export const pauses = ['MANUAL', 'CHECKPOINT', 'BREAKER', 'GUARD'] as const
export type Pause = (typeof pauses)[number]

export const updateStateNames = [
  'WAITING',
  'NOTIFIED',
  'DOWNLOADING',
  'DOWNLOADED',
  'INSTALLING',
  'SUCCEEDED',
  'FAILED',
  'TIMED_OUT',
  'ROLLED_BACK',
  'CANCELLED',
  'SKIPPED',
] as const
export type UpdateState = (typeof updateStateNames)[number]
export const updateStates = defineStates<UpdateState>({
  name: 'releases.update',
  column: 'release_updates.state',
  start: ['WAITING'],
  moves: {
    WAITING: ['NOTIFIED', 'FAILED', 'CANCELLED', 'SKIPPED'],
    NOTIFIED: ['DOWNLOADING', 'FAILED', 'CANCELLED', 'SKIPPED'],
    DOWNLOADING: ['DOWNLOADED', 'FAILED', 'TIMED_OUT', 'CANCELLED', 'SKIPPED'],
    DOWNLOADED: ['INSTALLING', 'FAILED', 'CANCELLED', 'SKIPPED'],
    INSTALLING: ['SUCCEEDED', 'FAILED', 'TIMED_OUT', 'ROLLED_BACK'],
    SUCCEEDED: [],
    FAILED: ['WAITING'],
    // it was only silent: what it says later is so
    TIMED_OUT: ['WAITING', 'SUCCEEDED', 'FAILED', 'ROLLED_BACK'],
    ROLLED_BACK: ['WAITING'],
    CANCELLED: [],
    SKIPPED: [],
  },
})
export const updateFrom = (next: UpdateState): UpdateState[] => allowedFrom(updateStates, next)
/** What a machine says of itself, in the words of the protocol. */
export const words = [
  'NOTIFIED',
  'DOWNLOADING',
  'DOWNLOADED',
  'INSTALLING',
  'SUCCEEDED',
  'FAILED',
  'ROLLED_BACK',
] as const
export type Word = (typeof words)[number]

/**
 * Where a word leads: words in between may have been lost, so what can be reached without a person
 * counts; else it stays as it is.
 */
export function heard(state: UpdateState, word: Word): UpdateState {
  const seen = new Set<UpdateState>()
  const open: UpdateState[] = [state]
  for (let at = open.pop(); at; at = open.pop()) {
    for (const next of updateStates.moves[at]) {
      if (next === word) return word
      if (next === 'WAITING' || next === 'TIMED_OUT' || seen.has(next)) continue
      seen.add(next)
      open.push(next)
    }
  }
  return state
}

export type Stage = {
  /** Of all machines, with the stages before it. */
  readonly percent: number
  readonly successPct: number
  readonly errorPct: number
  readonly errorCount: number
  readonly after: 'AUTO' | 'PAUSE'
}
export const presets = {
  all: [100],
  steps: [5, 20, 100],
  canary: [1, 100],
} as const
export const usualStage = { successPct: 95, errorPct: 10, errorCount: 3, after: 'AUTO' } as const

/** Which stage each machine is in; named ones come first, and then nobody else does. */
export function staged(
  ids: readonly number[],
  stages: readonly Pick<Stage, 'percent'>[],
  canary: readonly number[] = [],
): Map<number, number> {
  const first = new Set(canary)
  // not always the same ones begin
  const shuffled = ids
    .filter((id) => !first.has(id))
    .toSorted((a, b) => mixed(a) - mixed(b) || a - b)
  const found = new Map<number, number>(canary.map((id) => [id, 0]))
  const rest = canary.length ? 1 : 0
  shuffled.forEach((id, i) => {
    const stage = stages.findIndex(
      ({ percent }, at) => at >= rest && i < Math.ceil((shuffled.length * percent) / 100),
    )
    found.set(id, stage < 0 ? stages.length - 1 : stage)
  })
  return found
}
const mixed = (id: number) => Math.imul(id, 2_654_435_761) >>> 0

/** Machines of a stage by what became of them. `failed`: also timed out and rolled back. */
export type Counts = {
  readonly total: number
  readonly succeeded: number
  readonly failed: number
  /** Skipped or cancelled: they say nothing. */
  readonly left: number
  readonly open: number
}
export type Verdict = 'GOES_ON' | 'PASSED' | 'BROKEN'
export function verdict(stage: Stage, { total, succeeded, failed, left, open }: Counts): Verdict {
  const size = total - left
  if (failed > 0 && (failed >= stage.errorCount || failed * 100 >= stage.errorPct * size))
    return 'BROKEN'
  if (succeeded * 100 >= stage.successPct * size) return 'PASSED'
  return open === 0 ? 'BROKEN' : 'GOES_ON'
}

/** What the engine does next, from the counts of all stages. */
export type Step =
  | { readonly do: 'NOTHING' }
  | { readonly do: 'PAUSE'; readonly why: Pause }
  | { readonly do: 'NEXT' }
  | { readonly do: 'FINISH' }
export function nextStep(
  stages: readonly Stage[],
  stage: number,
  counts: readonly Counts[],
  { overdue, guarded }: { overdue: boolean; guarded: boolean },
): Step {
  const verdicts = stages.slice(0, stage + 1).map((s, i) => verdict(s, counts[i] as Counts))
  // a machine of an earlier stage that comes late errs for all
  if (verdicts.includes('BROKEN')) return { do: 'PAUSE', why: 'BREAKER' }
  if (guarded) return { do: 'PAUSE', why: 'GUARD' }
  if (overdue) return { do: 'FINISH' }
  if (stage === stages.length - 1)
    return counts.every(({ open }) => open === 0) ? { do: 'FINISH' } : { do: 'NOTHING' }
  if (verdicts[stage] !== 'PASSED') return { do: 'NOTHING' }
  return stages[stage]?.after === 'PAUSE' ? { do: 'PAUSE', why: 'CHECKPOINT' } : { do: 'NEXT' }
}

/** What machines sold in the same hours. `hours`: of machines. */
export type Sales = { readonly orders: number; readonly refunded: number; readonly hours: number }
/** So many orders of each group before they are compared. */
export const guardOrders = 200
export function guardTrips(updated: Sales, others: Sales, dropPct: number): boolean {
  if (updated.orders < guardOrders || others.orders < guardOrders) return false
  const kept = ({ orders, refunded }: Sales) => (orders - refunded) / orders
  const pace = ({ orders, hours }: Sales) => orders / Math.max(1, hours)
  const dropped = (of: (sales: Sales) => number) => 1 - of(updated) / Math.max(1e-9, of(others))
  return Math.max(dropped(kept), dropped(pace)) * 100 > dropPct
}

export type Fitting = {
  readonly board: string
  readonly current: string
  readonly apk: string
  readonly busy: boolean
}
export type Offered = {
  readonly kind: ReleaseKind
  readonly target: string
  readonly versionName: string
  readonly boards: readonly string[]
  readonly minVersion: string
  readonly minApk: string
}
export const unfitReasons = [
  'IN_ROLLOUT',
  'BOARD',
  'SAME',
  'NEWER',
  'MIN_VERSION',
  'MIN_APK',
] as const
export type Unfit = (typeof unfitReasons)[number]
/** Why a machine cannot take a version; one that never said what it runs, takes it. */
export function unfit(machine: Fitting, offered: Offered, downgrade: boolean): Unfit | null {
  const { board, current, apk, busy } = machine
  if (busy) return 'IN_ROLLOUT'
  if (offered.boards.length && !offered.boards.includes(board)) return 'BOARD'
  const order = current ? compareVersions(current, offered.versionName) : -1
  if (order === 0) return 'SAME'
  if (order > 0 && !downgrade) return 'NEWER'
  if (current && offered.minVersion && compareVersions(current, offered.minVersion) < 0)
    return 'MIN_VERSION'
  if (offered.minApk && compareVersions(apk || '0.0.0', offered.minApk) < 0) return 'MIN_APK'
  return null
}

type Asked = {
  readonly kind: ReleaseKind
  readonly stages: readonly Stage[]
  readonly devices: number
  readonly canary: number
}
export function stagesRule({ kind, stages, devices, canary }: Asked): ErrorDef | null {
  const grow = stages.every(({ percent }, i) => i === 0 || percent > (stages[i - 1]?.percent ?? 0))
  if (!grow || stages.at(-1)?.percent !== 100 || (canary > 0 && stages.length < 2))
    return releaseErrors.stageOrder
  const first = canary > 0 ? (canary / devices) * 100 : (stages[0]?.percent ?? 100)
  return kind === 'FIRMWARE' && devices > 20 && first > 20 ? releaseErrors.firstTooLarge : null
}
/** Beyond so many machines somebody else looks at it first. */
export const aloneMost = 50
export const needsApproval = (kind: ReleaseKind, devices: number, downgrade: boolean): boolean =>
  kind === 'FIRMWARE' || devices > aloneMost || downgrade

type Row = { readonly state: RolloutState; readonly createdBy: number | null }
export const decidable = (row: Row, userId: number | null): ErrorDef | null =>
  row.state !== 'PENDING'
    ? releaseErrors.wrongState
    : row.createdBy === userId
      ? releaseErrors.samePerson
      : null

/** Failures that another try may mend: nothing was installed. */
export const passing = ['DOWNLOAD', 'BUSY']
export const silentMinutes = 30
