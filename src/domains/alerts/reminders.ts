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
const ofAway: ReadonlySet<AlertKind> = new Set([
  'OFFLINE',
  'POWER_FAIL',
  'AREA_OFFLINE',
  'CARRIER_OFFLINE',
])

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
 * business hours nobody hears of machines that are away.
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
    const told = own.filter((alert) => !ofAway.has(alert.kind) || openHours(alert))
    if (!told.some((alert) => now - alert.lastAt >= every)) return []
    return told.filter((alert) => now - alert.lastAt >= every * 0.75).map((alert) => alert.id)
  })
}
