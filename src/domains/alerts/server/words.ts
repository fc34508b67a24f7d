import { regionName } from '../../../shared/regions.ts'
import { bi, type Lang, say } from '../../../shared/text.ts'
import { locale as boards } from '../../boards/locale.ts'
import { locale as machines } from '../../machines/locale.ts'
import type { AlertKind } from '../contract.ts'
import { locale } from '../locale.ts'

/** What an alert says to people, in both languages. */
export type Told = {
  kind: AlertKind
  subject: string
  data: Readonly<Record<string, unknown>>
  times: number
  rtuNumber: string | null
  nickname: string | null
  /** Of an alert of many machines: the first of them, and how many. */
  numbers: readonly string[]
  deviceCount: number
}

export const both = (texts: (lang: 'zh' | 'en') => string): string => bi(texts('zh'), texts('en'))
const word = (from: Readonly<Record<string, string>>, key: string): string => from[key] ?? key
const text = (value: unknown): string =>
  value === undefined || value === null ? '' : String(value)
export const fill = (template: string, values: Record<string, string | number>) =>
  say(template, 'zh-CN', values)

/** What is wrong, without the machine: the list's line. */
export function contentOf(alert: Told): string {
  return both((lang) => {
    const t = locale[lang].content
    const line = fill(t[alert.kind], {
      code: word(machines[lang].enums.faultCode, alert.subject),
      roads: lanesOf(alert.data.roads, t.lanes),
      detail: text(alert.data.detail),
      day: text(alert.data.day),
      sim: alert.subject,
      region: regionName(alert.subject) ?? alert.subject,
      carrier: word(boards[lang].enums.carrier, alert.subject),
      n: alert.deviceCount,
    })
    return line.trim()
  })
}
const lanesOf = (roads: unknown, template: string): string =>
  Array.isArray(roads) && roads.length
    ? fill(template, { roads: roads.slice(0, 10).join(', ') })
    : ''

/** The heading of a message: which machine, and what. */
export function titleOf(alert: Told): string {
  const name = alert.nickname || alert.rtuNumber || ''
  return both((lang) =>
    [name, say(contentOf(alert), langOf(lang))].filter(Boolean).join(lang === 'zh' ? '：' : ': '),
  )
}

/** The rest: number, named machines, how often. */
export function bodyOf(alert: Told): string {
  return both((lang) => {
    const t = locale[lang].message
    const named = alert.numbers.slice(0, 20).join(lang === 'zh' ? '、' : ', ')
    return [
      alert.rtuNumber
        ? fill(t.machine, { number: alert.rtuNumber })
        : fill(alert.deviceCount > 20 ? t.machinesMore : t.machines, {
            named,
            n: alert.deviceCount,
          }),
      ...(alert.times > 1 ? [fill(t.times, { n: alert.times })] : []),
    ].join(lang === 'zh' ? '；' : '; ')
  })
}
const langOf = (lang: 'zh' | 'en'): Lang => (lang === 'zh' ? 'zh-CN' : 'en')
