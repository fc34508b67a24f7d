import { shanghaiDay } from '../../shared/instants.ts'
import { defineStates } from '../../shared/moves.ts'
import { dayMinutes, type Span } from '../program-groups/rules.ts'

/** What may stand in a slot, the strongest last. */
export const ranks = ['DEFAULT', 'BOUND', 'INTERRUPT'] as const
export type Rank = (typeof ranks)[number]
/**
 * A line of a machine's plan: what plays in a slot, and when. `week`: minutes from Monday 00:00.
 * `from` and `to`: the first and the last day. `starts`, `ends`: moments of an interruption, in UTC
 * milliseconds and whole minutes, the end not included.
 */
export type Line = {
  readonly slot: string
  readonly rank: Rank
  readonly groupId: number
  readonly bindingId: number | null
  readonly from: string | null
  readonly to: string | null
  readonly week: readonly Span[]
  readonly starts: number | null
  readonly ends: number | null
}

const minuteMs = 60_000
/** Asia/Shanghai has no summer time. */
const offsetMs = 8 * 3_600_000

/** Day, and minute of the week from Monday on, where the machine stands. */
export function placeOf(at: number): { day: string; minute: number } {
  const local = new Date(at + offsetMs)
  const weekday = (local.getUTCDay() + 6) % 7
  return {
    day: local.toISOString().slice(0, 10),
    minute: weekday * dayMinutes + local.getUTCHours() * 60 + local.getUTCMinutes(),
  }
}

function open(line: Line, at: number, { day, minute }: ReturnType<typeof placeOf>): boolean {
  if (line.starts !== null && at < line.starts) return false
  if (line.ends !== null && at >= line.ends) return false
  if (line.from !== null && day < line.from) return false
  if (line.to !== null && day > line.to) return false
  return line.week.some(([from, to]) => from <= minute && minute < to)
}

/** The stronger one; of two interruptions the later one, which was meant to be seen now. */
function stronger(a: Line, b: Line): Line {
  const by = ranks.indexOf(a.rank) - ranks.indexOf(b.rank)
  if (by !== 0) return by > 0 ? a : b
  return (a.bindingId ?? 0) >= (b.bindingId ?? 0) ? a : b
}

/**
 * What plays in a slot at a moment (UTC milliseconds): an interruption, else what is bound and whose
 * hours are open, else the slot's default. Null: the picture the machine was built with. Server,
 * preview and machines decide by this alone.
 */
export function playing(plan: readonly Line[], slot: string, at: number): Line | null {
  const place = placeOf(at)
  let best: Line | null = null
  for (const line of plan)
    if (line.slot === slot && open(line, at, place)) best = best ? stronger(best, line) : line
  return best
}

export type Piece = { readonly from: number; readonly to: number; readonly line: Line | null }
/** A day of a slot as pieces of minutes, from 0 to 1440, without holes. */
export function barOf(plan: readonly Line[], slot: string, day: string): Piece[] {
  const start = Date.parse(`${day}T00:00:00Z`) - offsetMs
  const { minute: monday } = placeOf(start)
  const own = plan.filter((line) => line.slot === slot)
  const within = (minute: number) => minute > 0 && minute < dayMinutes
  const edges = own.flatMap(({ week, starts, ends }) => [
    ...week.flat().map((minute) => minute - monday),
    ...[starts, ends].flatMap((at) => (at === null ? [] : [(at - start) / minuteMs])),
  ])
  const cuts = [...new Set([0, ...edges.filter(within)])].sort((a, b) => a - b)
  const pieces: Piece[] = []
  for (const [i, from] of cuts.entries()) {
    const piece = {
      ...{ from, to: cuts[i + 1] ?? dayMinutes },
      line: playing(own, slot, start + from * minuteMs),
    }
    const last = pieces.at(-1)
    if (last && last.line === piece.line) pieces[pieces.length - 1] = { ...last, to: piece.to }
    else pieces.push(piece)
  }
  return pieces
}

type State =
  | 'DRAFT'
  | 'PENDING'
  | 'SCHEDULED'
  | 'RUNNING'
  | 'PAUSED'
  | 'ENDED'
  | 'REJECTED'
  | 'REVOKED'
export const bindingStates = defineStates<State>({
  name: 'adBindings',
  column: 'ad_bindings.state',
  start: ['DRAFT', 'SCHEDULED', 'RUNNING'],
  moves: {
    DRAFT: ['PENDING', 'SCHEDULED', 'RUNNING', 'REVOKED'],
    PENDING: ['SCHEDULED', 'RUNNING', 'REJECTED', 'REVOKED'],
    SCHEDULED: ['RUNNING', 'ENDED', 'REVOKED'],
    RUNNING: ['PAUSED', 'ENDED', 'REVOKED'],
    PAUSED: ['RUNNING', 'ENDED', 'REVOKED'],
    REJECTED: ['REVOKED'],
    ENDED: [],
    REVOKED: [],
  },
})
/** It keeps others out of its hours, whether it plays now or not. */
export const holdingStates: readonly State[] = [
  'DRAFT',
  'PENDING',
  'SCHEDULED',
  'RUNNING',
  'PAUSED',
]
/** An interruption of more machines is seen by a second person first. */
export const mostUnseen = 100

/** Of something approved: whether it runs already. */
export const runningState = (
  { dateFrom, startsAt }: { dateFrom: string; startsAt: string | null },
  now: Date,
): 'RUNNING' | 'SCHEDULED' =>
  (startsAt === null ? dateFrom <= shanghaiDay(now) : Date.parse(startsAt) <= now.getTime())
    ? 'RUNNING'
    : 'SCHEDULED'
