import type { ErrorDef } from '../../shared/errors.ts'
import { type CalendarDay, type DayType, settingErrors } from './contract.ts'
import type { Level } from './kinds.ts'

/** A value on the way from the platform down to one organisation, `depth` 1 at the top. */
export type Stored<V = unknown> = { orgId: number; depth: number; value: V; locked: boolean }

/**
 * Which of the values counts: of the highest that is locked, else of the nearest. The function
 * app_setting says the same in SQL.
 */
export function effective<S extends Stored>(chain: readonly S[]): S | null {
  const down = [...chain].sort((a, b) => a.depth - b.depth)
  return down.find((row) => row.locked) ?? down.at(-1) ?? null
}

/**
 * The organisation above that forbids a value of one's own; its own lock binds nobody but those
 * below.
 */
export const lockedAbove = <S extends Stored>(chain: readonly S[], orgId: number): S | null => {
  const holder = effective(chain)
  return holder?.locked && holder.orgId !== orgId ? holder : null
}

/** Why this organisation may not have its own value; null when it may. */
export function changeable(
  setting: { level: Level },
  chain: readonly Stored[],
  orgId: number,
  platform: number,
): ErrorDef | null {
  if (setting.level === 'platform' && orgId !== platform) return settingErrors.platformOnly
  return lockedAbove(chain, orgId) ? settingErrors.lockedAbove : null
}

/** Whether banks work on a day of these. */
export const banksWork = (days: ReadonlyMap<string, { type: DayType }>, day: string): boolean => {
  const type = days.get(day)?.type
  return type === 'WORKDAY' || type === 'MAKEUP'
}

/** The type a day has by its weekday alone. */
export const weekType = (day: string): DayType =>
  [0, 6].includes(new Date(`${day}T00:00:00Z`).getUTCDay()) ? 'REST' : 'WORKDAY'

/** Every day of a year with its type: what is stored, else what the weekday says. */
export function yearOf(
  year: number,
  stored: ReadonlyMap<string, { type: DayType; name: string }>,
): { day: string; type: DayType; name: string }[] {
  const days: { day: string; type: DayType; name: string }[] = []
  for (let at = Date.UTC(year, 0, 1); new Date(at).getUTCFullYear() === year; at += 86_400_000) {
    const day = new Date(at).toISOString().slice(0, 10)
    const found = stored.get(day)
    days.push({ day, type: found?.type ?? weekType(day), name: found?.name ?? '' })
  }
  return days
}

/**
 * The special days of a year with one of them changed: those that say more than their weekday does.
 */
export const withDay = (days: readonly CalendarDay[], changed: CalendarDay): CalendarDay[] =>
  days
    .map((day) => (day.day === changed.day ? changed : day))
    .filter((day) => day.day === changed.day || day.type !== weekType(day.day) || day.name !== '')

/** Rows count from 1, as a person counts them. */
export function calendarProblem(
  year: number,
  days: readonly CalendarDay[],
): { def: ErrorDef; values: Record<string, string | number>; row: number } | null {
  const seen = new Map<string, number>()
  for (const [index, { day }] of days.entries()) {
    const row = index + 1
    if (!day.startsWith(`${year}-`))
      return { def: settingErrors.dayElsewhere, values: { row, year }, row }
    const before = seen.get(day)
    if (before) return { def: settingErrors.dayTwice, values: { a: before, b: row }, row }
    seen.set(day, row)
  }
  return null
}

const words: Readonly<Record<string, DayType>> = {
  正常工作日: 'WORKDAY',
  法定节假日: 'HOLIDAY',
  节假日补班: 'MAKEUP',
  休息日: 'REST',
}

/**
 * A file as people write it: a list, or a list under `days`; types as codes or as the
 * specification's words, `date` for `day`.
 */
export function calendarRows(text: string): unknown[] | null {
  let given: unknown
  try {
    given = JSON.parse(text)
  } catch {
    return null
  }
  const list = Array.isArray(given) ? given : (given as { days?: unknown } | null)?.days
  if (!Array.isArray(list)) return null
  return list.map((row: unknown) => {
    if (typeof row !== 'object' || row === null) return row
    const { date, day = date, type, name } = row as Record<string, unknown>
    return {
      day,
      type: typeof type === 'string' ? (words[type] ?? type) : type,
      ...(name === undefined ? {} : { name }),
    }
  })
}

/** From the first of December the next year must be known. */
export const calendarDue = (today: string): number | null =>
  today.slice(5) >= '12-01' ? Number(today.slice(0, 4)) + 1 : null
