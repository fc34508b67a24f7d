import { z } from 'zod'
import { bi, say } from './text.ts'

/**
 * When a machine is open, week by week in Asia/Shanghai. No window at all: the organisation's
 * setting device.businessHours.
 */

const clockText = bi('时间格式为 HH:mm', 'A time is HH:mm')
const clock = z.string(clockText).regex(/^([01]\d|2[0-3]):[0-5]\d$/, clockText)
const chooseDays = bi('请选择星期', 'Choose the days')
/** 1 is Monday, as in ISO 8601. */
const day = z.number(chooseDays).int(chooseDays).min(1, chooseDays).max(7, chooseDays)
const Window = z
  .strictObject({
    days: z.array(day, chooseDays).min(1, chooseDays).max(7, chooseDays),
    from: clock,
    to: clock,
  })
  .refine((w) => w.from !== w.to, {
    path: ['to'],
    message: bi('开始和结束不能相同', 'Start and end are the same'),
  })
export type BusinessWindow = z.infer<typeof Window>

export const windowsOfDay = 3
const mostText = bi(`每天最多${windowsOfDay}个时段`, `At most ${windowsOfDay} windows a day`)
const names = [
  bi('周一', 'Monday'),
  bi('周二', 'Tuesday'),
  bi('周三', 'Wednesday'),
  bi('周四', 'Thursday'),
  bi('周五', 'Friday'),
  bi('周六', 'Saturday'),
  bi('周日', 'Sunday'),
] as const
const nameOf = (day: number, lang: 'zh-CN' | 'en'): string => say(names[day - 1] as string, lang)

const week = 7 * 1440
const minutes = (clock: string): number => Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3))
type Stretch = { readonly day: number; readonly start: number; readonly end: number }
/**
 * Minutes since Monday 00:00. A window past midnight belongs to the day it begins on; 23:59 is the
 * end of its day.
 */
const stretches = (windows: readonly BusinessWindow[]): Stretch[] =>
  windows
    .flatMap(({ days, from, to }) =>
      [...new Set(days)].map((day) => {
        const midnight = (day - 1) * 1440
        const end =
          to === '23:59' ? 1440 : minutes(to) > minutes(from) ? minutes(to) : minutes(to) + 1440
        return { day, start: midnight + minutes(from), end: midnight + end }
      }),
    )
    .sort((a, b) => a.start - b.start)

/** What is wrong with a week, in words; null when nothing is. */
export function hoursProblem(windows: readonly BusinessWindow[]): string | null {
  const all = stretches(windows)
  for (const [day, own] of Map.groupBy(all, (stretch) => stretch.day))
    if (own.length > windowsOfDay)
      return bi(
        `${nameOf(day, 'zh-CN')}最多${windowsOfDay}个时段`,
        `At most ${windowsOfDay} windows on ${nameOf(day, 'en')}`,
      )
  const [first] = all
  if (!first) return null
  // Sunday's night runs into Monday
  const row = [...all, { ...first, start: first.start + week, end: first.end + week }]
  for (const [i, stretch] of row.entries()) {
    const before = row[i - 1]
    if (before && stretch.start < before.end)
      return bi(
        `${nameOf(stretch.day, 'zh-CN')}的时段重叠`,
        `The windows of ${nameOf(stretch.day, 'en')} overlap`,
      )
  }
  return null
}

/** The same week always reads the same: days in order, windows by their first day and time. */
const arranged = (windows: readonly BusinessWindow[]): BusinessWindow[] =>
  windows
    .map((window) => ({ ...window, days: [...new Set(window.days)].sort() }))
    .sort((a, b) => (a.days[0] as number) - (b.days[0] as number) || a.from.localeCompare(b.from))

export const BusinessHours = z
  .array(Window)
  .max(7 * windowsOfDay, mostText)
  .superRefine((windows, at) => {
    const message = hoursProblem(windows)
    if (message) at.addIssue({ code: 'custom', message })
  })
  .transform(arranged)

/** Minutes of that day (0–1440) between which it is open; the night before may run into it. */
export const opensOn = (windows: readonly BusinessWindow[], day: number): [number, number][] => {
  const midnight = (day - 1) * 1440
  return stretches(windows).flatMap(({ start, end }) =>
    [0, week].flatMap((back): [number, number][] => {
      const from = Math.max(0, start - back - midnight)
      const to = Math.min(1440, end - back - midnight)
      return from < to ? [[from, to]] : []
    }),
  )
}

/** Whether the machine is open at an instant; null while it has no hours of its own. */
export function isOpen(windows: readonly BusinessWindow[], now: number): boolean | null {
  if (windows.length === 0) return null
  // the epoch was a Thursday
  const minute = (Math.floor(now / 60_000) + 8 * 60 + 3 * 1440) % week
  return stretches(windows).some(
    ({ start, end }) => (minute >= start && minute < end) || minute + week < end,
  )
}

/** Days that follow one another as pairs of first and last: 1, 2, 3, 6 is 1–3 and 6. */
export function dayRuns(days: readonly number[]): [first: number, last: number][] {
  const runs: [number, number][] = []
  for (const day of [...days].sort()) {
    const last = runs.at(-1)
    if (last && day === last[1] + 1) last[1] = day
    else runs.push([day, day])
  }
  return runs
}
