import type { ErrorDef } from '../../shared/errors.ts'
import { defineStates } from '../../shared/moves.ts'
import { programGroupErrors } from './contract.ts'

/** Minutes of a day, the end not included. */
export type Span = readonly [from: number, to: number]
type Window = { readonly from: string; readonly to: string }

export const dayMinutes = 1440
const minutesOf = (clock: string): number => Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3))
export const clockOf = (minutes: number): string =>
  `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`

/** One over midnight is two of the same day: from its beginning on, and up to its end. */
export function spansOf(windows: readonly Window[]): Span[] {
  return windows.flatMap(({ from, to }): Span[] => {
    const [start, end] = [minutesOf(from), minutesOf(to)]
    if (start < end) return [[start, end]]
    return end === 0
      ? [[start, dayMinutes]]
      : [
          [start, dayMinutes],
          [0, end],
        ]
  })
}

/** Touching is no overlap: each ends before the minute in which the next begins. */
export function spansMeet(spans: readonly Span[]): boolean {
  const sorted = spans.toSorted(([a], [b]) => a - b)
  return sorted.some(([from], i) => i > 0 && from < (sorted[i - 1] as Span)[1])
}

export function windowsFinding(windows: readonly Window[]): { def: ErrorDef; at: string } | null {
  const empty = windows.findIndex(({ from, to }) => from === to)
  if (empty >= 0) return { def: programGroupErrors.endFirst, at: `windows.${empty}.to` }
  return spansMeet(spansOf(windows)) ? { def: programGroupErrors.overlap, at: 'windows' } : null
}

/** Hours of a day on these weekdays (1 is Monday), as minutes of the week. */
export const weekOf = (weekdays: readonly number[], spans: readonly Span[]): Span[] =>
  joined(
    weekdays.flatMap((weekday) =>
      spans.map(([from, to]): Span => {
        const monday = (weekday - 1) * dayMinutes
        return [monday + from, monday + to]
      }),
    ),
  )
function joined(spans: readonly Span[]): Span[] {
  const out: [number, number][] = []
  for (const [from, to] of spans.toSorted(([a], [b]) => a - b)) {
    const last = out.at(-1)
    if (last && from <= last[1]) last[1] = Math.max(last[1], to)
    else out.push([from, to])
  }
  return out
}

/** As PostgreSQL writes a set of ranges. */
export const multirange = (spans: readonly Span[]): string =>
  `{${spans.map(([from, to]) => `[${from},${to})`).join(',')}}`

export const groupStates = defineStates<'DRAFT' | 'ENABLED' | 'DISABLED'>({
  name: 'programGroups',
  column: 'program_groups.state',
  start: ['DRAFT'],
  moves: { DRAFT: ['ENABLED'], ENABLED: ['DISABLED'], DISABLED: ['ENABLED'] },
})

/** Whose materials a group may show: its own organisation's and those of organisations below it. */
export const mostItems = 50
export const mostWindows = 6
