import {
  addDays,
  shanghaiDay,
  shanghaiHour,
  startOfDay,
  startOfHour,
} from '../../shared/instants.ts'

/** Key of the TOTAL grain. */
export const totalAt = new Date('2000-01-01T00:00:00Z')

/** The last `n` Shanghai days, today last. */
export function lastDays(now: Date, n: number): string[] {
  const today = shanghaiDay(now)
  return Array.from({ length: n }, (_, i) => addDays(today, i - n + 1))
}

/** Starts of the hours of the Shanghai day so far, the running one last. */
export function hoursOfToday(now: Date): Date[] {
  const start = startOfDay(shanghaiDay(now)).getTime()
  return Array.from({ length: shanghaiHour(now) + 1 }, (_, i) => new Date(start + i * 3_600_000))
}

/** Yesterday until the same minute: whole hours come from rollups, the begun one from orders. */
export function sameTimeYesterday(now: Date): { from: Date; hour: Date; until: Date } {
  const until = new Date(now.getTime() - 86_400_000)
  return { from: startOfDay(shanghaiDay(until)), hour: startOfHour(until), until }
}

/** Change as a share (0.082); null when there is nothing to compare with. */
export const changeShare = (now: number, before: number): number | null =>
  before === 0 ? null : (now - before) / before

/** The same days in the address of another page. */
export const periodOf = (days: number): string => {
  const period = lastDays(new Date(), days)
  return `from=${period[0]}&to=${period.at(-1)}`
}
