import { shanghaiClock, shanghaiDay } from '../shared/instants.ts'
import type { Lang } from '../shared/text.ts'

/** Instants are shown in the zone of the business day, whatever the zone of the browser. */

/** `2026-11-21 14:02:11`: details, exports. */
export const fullTime = (at: Date): string => shanghaiClock(at).slice(0, 19).replace('T', ' ')

/** With the zone, for tooltips. */
export const zonedTime = (at: Date): string => `${fullTime(at)} UTC+8`

/** Tables: today `14:05`, this year `11-21 14:05`, older `2025-11-21 14:05`. */
export function shortTime(at: Date, now: Date): string {
  const text = shanghaiClock(at)
  const [day, time] = [text.slice(0, 10), text.slice(11, 16)]
  const today = shanghaiDay(now)
  if (day === today) return time
  return day.slice(0, 4) === today.slice(0, 4) ? `${day.slice(5)} ${time}` : `${day} ${time}`
}

/** `3小时` / `3h`: how long ago. */
export function age(at: Date, now: Date, lang: Lang): string {
  const minutes = Math.max(0, Math.floor((now.getTime() - at.getTime()) / 60_000))
  if (minutes < 1) return lang === 'en' ? 'now' : '\u521a\u521a'
  const [n, zh, en] =
    minutes < 60
      ? [minutes, '\u5206\u949f', 'm']
      : minutes < 1440
        ? [Math.floor(minutes / 60), '\u5c0f\u65f6', 'h']
        : [Math.floor(minutes / 1440), '\u5929', 'd']
  return `${n}${lang === 'en' ? en : zh}`
}
