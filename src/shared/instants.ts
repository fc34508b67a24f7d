/**
 * Instants are UTC in the database and on the wire; the business day is Asia/Shanghai, which has no
 * summer time.
 */
const shanghaiOffset = 8 * 3_600_000
export const dayMs = 86_400_000

/** What clocks show in Shanghai, `2026-11-22T14:05:09.000Z`; its Z says nothing. */
export const shanghaiClock = (at: Date): string =>
  new Date(at.getTime() + shanghaiOffset).toISOString()

/** The Shanghai calendar day of an instant, `YYYY-MM-DD`. */
export const shanghaiDay = (at: Date): string => shanghaiClock(at).slice(0, 10)

/** The instant at which a Shanghai day begins. */
export const startOfDay = (day: string): Date =>
  new Date(Date.parse(`${day}T00:00:00Z`) - shanghaiOffset)

/** The day `n` days later (or earlier). */
export const addDays = (day: string, n: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + n * dayMs).toISOString().slice(0, 10)

/** The beginning of the instant's hour. */
export const startOfHour = (at: Date): Date =>
  new Date(Math.floor(at.getTime() / 3_600_000) * 3_600_000)

/** The hour of day 0-23 in Shanghai. */
export const shanghaiHour = (at: Date): number =>
  new Date(at.getTime() + shanghaiOffset).getUTCHours()
