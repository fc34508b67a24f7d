import type { LanePatch } from '../../contract.ts'
import type { ShownRoad } from '../shown.ts'

/** What was changed in a lane and not saved yet; null is a field a person emptied. */
export type Draft = Omit<{ [K in keyof LanePatch]?: LanePatch[K] | null }, 'id'>
export type Field = keyof Draft
/** `seen`: the lane when its draft began, so that a change by somebody else does not go under. */
type Held = { fields: Draft; seen: ShownRoad }
export type Drafts = ReadonlyMap<number, Held>

/**
 * Where the drafts are, and the way back and forth. `last` names the field that is being typed
 * into: its keystrokes are one step.
 */
export type History = {
  now: Drafts
  past: readonly Drafts[]
  future: readonly Drafts[]
  last: string | null
}
export const blank: History = { now: new Map(), past: [], future: [], last: null }
const longest = 50

export function step(held: History, next: Drafts, key: string | null = null): History {
  const typing = key !== null && key === held.last
  return {
    now: next,
    past: typing ? held.past : [...held.past, held.now].slice(-longest),
    future: [],
    last: key,
  }
}
export function back(held: History): History {
  const before = held.past.at(-1)
  return before
    ? { now: before, past: held.past.slice(0, -1), future: [held.now, ...held.future], last: null }
    : held
}
export function forth(held: History): History {
  const [next, ...rest] = held.future
  return next ? { now: next, past: [...held.past, held.now], future: rest, last: null } : held
}

/**
 * The drafts with other fields for some lanes; a field that says what the lane says already is
 * none.
 */
export function edited(
  drafts: Drafts,
  roads: Iterable<ShownRoad>,
  fieldsOf: (road: ShownRoad, held: Draft) => Draft,
): Drafts {
  const next = new Map(drafts)
  for (const road of roads) {
    const held = next.get(road.id)
    const wanted = Object.entries(fieldsOf(road, held?.fields ?? {})).filter(
      ([key, value]) => value !== undefined && value !== road[key as keyof ShownRoad],
    )
    if (wanted.length === 0) next.delete(road.id)
    else
      next.set(road.id, { fields: Object.fromEntries(wanted) as Draft, seen: held?.seen ?? road })
  }
  return next
}

/** Fields a draft is about to overwrite although somebody else changed them since it began. */
export function conflicts(
  drafts: Drafts,
  roads: ReadonlyMap<number, ShownRoad>,
): Map<number, Field[]> {
  const found = new Map<number, Field[]>()
  for (const [id, { fields, seen }] of drafts) {
    const road = roads.get(id)
    const theirs = (Object.keys(fields) as Field[]).filter(
      (key) => road && road[key] !== seen[key] && road[key] !== fields[key],
    )
    if (theirs.length > 0) found.set(id, theirs)
  }
  return found
}
