import { addDays } from '../../shared/instants.ts'

export const dimensions = ['ORG', 'DEVICE', 'MERCHANT', 'DAY'] as const
export type Dimension = (typeof dimensions)[number]

export type Span = { readonly grain: 'DAY' | 'MONTH'; readonly from: string; readonly to: string }

const firstOf = (day: string): string => `${day.slice(0, 7)}-01`
const nextMonth = (day: string): string => firstOf(addDays(firstOf(day), 31))

/**
 * The rows that add up to these days, both included: months that are over as a whole, the days
 * before and behind them one by one. `byDay`: only days.
 */
export function spansOf(from: string, to: string, today: string, byDay = false): Span[] {
  const first = from === firstOf(from) ? from : nextMonth(from)
  const end = to < today ? addDays(to, 1) : today
  const last = firstOf(end)
  if (byDay || first >= last) return [{ grain: 'DAY', from, to }]
  const spans: Span[] = [
    { grain: 'DAY', from, to: addDays(first, -1) },
    { grain: 'MONTH', from: first, to: addDays(last, -1) },
    { grain: 'DAY', from: last, to },
  ]
  return spans.filter((span) => span.from <= span.to)
}

/** How far back a bill begins when nobody says. */
export const usualDays = 30
