import { addDays } from '../../shared/instants.ts'

/** How far back a report begins when nobody says. */
export const usualDays = 30
/** By hour there are many rows for each day. */
export const mostHourDays = 92
/** A chart has one point for each day up to here, then for each month. */
export const mostChartDays = 92

export const salesGroups = [
  ...(['DAY', 'WEEK', 'MONTH', 'DEVICE', 'ORG', 'STORE', 'PAY', 'HOUR'] as const),
] as const
export type SalesGroup = (typeof salesGroups)[number]
export const comparisons = ['BEFORE', 'YEAR', 'NONE'] as const
export type Comparison = (typeof comparisons)[number]

export type Days = { readonly from: string; readonly to: string }
export const daysIn = ({ from, to }: Days): number =>
  Math.round((Date.parse(to) - Date.parse(from)) / 86_400_000) + 1

/** The last thirty days, or as many from the day on that was said. */
export function daysOf(
  given: { from?: string | undefined; to?: string | undefined },
  today: string,
): Days {
  const to = given.to ?? (given.from ? addDays(given.from, usualDays - 1) : today)
  return { from: given.from ?? addDays(to, 1 - usualDays), to }
}

/** What was asked for, or the finer of day and month that these days can be shown by. */
export const timeGroupOf = <G extends string>(asked: G | undefined, days: Days) =>
  asked ?? (daysIn(days) > mostChartDays ? 'MONTH' : 'DAY')

/** The same day a year before; of 29 February the 28th. */
const yearBefore = (day: string): string => {
  const year = Number(day.slice(0, 4)) - 1
  const rest = day.slice(4)
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  return `${year}${rest === '-02-29' && !leap ? '-02-28' : rest}`
}

/** What a period is compared with: as many days before it, or the same days of the year before. */
export function daysBefore(days: Days, by: Comparison): Days | null {
  if (by === 'NONE') return null
  if (by === 'YEAR') return { from: yearBefore(days.from), to: yearBefore(days.to) }
  return { from: addDays(days.from, -daysIn(days)), to: addDays(days.from, -1) }
}

export type Part = Days & { readonly grain: 'DAY' | 'MONTH'; readonly folded: boolean }
const firstOf = (day: string): string => `${day.slice(0, 7)}-01`
export const maxDay = (...days: string[]): string => days.toSorted().at(-1) ?? ''
export const minDay = (...days: string[]): string => days.toSorted()[0] ?? ''
const whole = (part: Part): boolean => part.from <= part.to

/**
 * Which figures add up to these days when those before `until` are added up already: of
 * organisations by day, or of single ones by month where whole months lie within, the running one as
 * far as it is over.
 */
export function partsOf(
  days: Days,
  until: string,
  by: 'ORGANISATIONS' | 'MONTHS' | 'DAYS',
): Part[] {
  const single = { ...days, grain: 'DAY' as const, folded: false }
  if (by === 'DAYS') return [single]
  const end = until <= days.to ? until : addDays(days.to, 1)
  if (by === 'ORGANISATIONS')
    return [
      { from: days.from, to: addDays(end, -1), grain: 'DAY' as const, folded: true },
      { ...single, from: maxDay(end, days.from) },
    ].filter(whole)
  const first =
    days.from === firstOf(days.from) ? days.from : firstOf(addDays(firstOf(days.from), 31))
  const last = end === until ? until : firstOf(end)
  if (first >= last) return [single]
  return [
    { ...single, to: addDays(first, -1) },
    { from: first, to: addDays(last, -1), grain: 'MONTH' as const, folded: true },
    { ...single, from: last },
  ].filter(whole)
}

/** Change as a share (0.082); null when there is nothing to compare with. */
export const changeOf = (now: number | null, before: number | null | undefined): number | null =>
  now === null || !before ? null : (now - before) / before

export const goodsGroups = ['PRODUCT', 'CATEGORY', 'PRODUCT_DEVICE'] as const
export type GoodsGroup = (typeof goodsGroups)[number]
export const equipmentViews = ['ALL', 'OFFLINE', 'IDLE'] as const
/** Machines without an order for so many days sell nothing. */
export const usualIdleDays = 7

export const rankings = ['BEST', 'SLOW'] as const

export const advices = ['ADD_LANES', 'REPLACE', 'KEEP'] as const
export type Advice = (typeof advices)[number]
/** A lane that sells out within so many days wants a second one. */
const soldOutWithin = 3
/** What to do about a product: where its lanes are empty within three days, or nothing left them. */
export const adviceOf = (of: {
  salesNum: number
  laneCount: number
  capacity: number
  days: number
}): Advice => {
  if (of.laneCount === 0) return 'KEEP'
  if (of.salesNum === 0) return 'REPLACE'
  return (of.salesNum / of.days) * soldOutWithin >= of.capacity ? 'ADD_LANES' : 'KEEP'
}

/** The last day of the month that begins with this one. */
export const monthEnd = (first: string): string => addDays(firstOf(addDays(first, 31)), -1)
/** The days of a row, as far as they lie in those that a report is of. */
export function within(
  given: { from?: string | undefined; to?: string | undefined },
  row: Days | null,
  today: string,
): Days {
  const days = daysOf(given, today)
  return row ? { from: maxDay(row.from, days.from), to: minDay(row.to, days.to) } : days
}
