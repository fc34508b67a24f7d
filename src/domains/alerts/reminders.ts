import type { AlertKind } from './contract.ts'

/** When people are reminded of alerts nobody has taken on. */

const minute = 60_000
/** The choices of the setting alarm.repeat. */
export const remindEvery: Readonly<Record<'off' | 's30' | 'm1' | 'm30' | 'h1', number | null>> = {
  off: null,
  s30: minute / 2,
  m1: minute,
  m30: 30 * minute,
  h1: 60 * minute,
}
/** Nobody gets up for these: outside of business hours they wait. */
const forTheDay: ReadonlySet<AlertKind> = new Set([
  'OFFLINE',
  'POWER_FAIL',
  'AREA_OFFLINE',
  'CARRIER_OFFLINE',
  'SIM_EXPIRING',
])
/** What has two weeks is said once a day, however often the rest is. */
const atMostEvery: Partial<Record<AlertKind, number>> = { SIM_EXPIRING: 24 * 60 * minute }

/** `deviceId` is 0 for an alert of many machines, `lastAt` when people last heard of it. */
export type Unhandled = {
  readonly id: number
  readonly orgId: number
  readonly deviceId: number
  readonly kind: AlertKind
  readonly lastAt: number
}
type Hours = (where: { readonly orgId: number; readonly deviceId: number }) => boolean

/**
 * Of which alerts people are reminded now. When one of an organisation is due, those that would be
 * within a quarter of the interval come along, so that many open alerts are one message. Outside of
 * business hours nobody hears of what can wait for the day.
 */
export function dueReminders(
  now: number,
  open: readonly Unhandled[],
  everyOf: (orgId: number) => number | null,
  openHours: Hours,
): number[] {
  return [...Map.groupBy(open, (alert) => alert.orgId)].flatMap(([orgId, own]) => {
    const every = everyOf(orgId)
    if (every === null) return []
    const told = own.filter((alert) => !forTheDay.has(alert.kind) || openHours(alert))
    /** How much of its interval has gone by. */
    const gone = ({ kind, lastAt }: Unhandled) =>
      (now - lastAt) / Math.max(every, atMostEvery[kind] ?? 0)
    if (!told.some((alert) => gone(alert) >= 1)) return []
    return told.filter((alert) => gone(alert) >= 0.75).map((alert) => alert.id)
  })
}
