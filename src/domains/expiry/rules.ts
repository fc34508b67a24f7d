import { bi, say } from '../../shared/text.ts'
import type { withinDays } from './contract.ts'
import { locale } from './locale.ts'

export const withinOf: Readonly<Record<(typeof withinDays)[number], number>> = {
  d7: 7,
  d30: 30,
  d90: 90,
  d180: 180,
}
/** No product, category or organisation may ask for more. */
export const mostDays = 730
/** Of goods that were fetched. */
export const shownDays = 30

/** How near: past its date, within a week, within a month. */
export const urgency = (daysLeft: number): 'past' | 'week' | 'month' | 'later' =>
  daysLeft < 0 ? 'past' : daysLeft <= 7 ? 'week' : daysLeft <= 30 ? 'month' : 'later'

const both = (make: (lang: 'zh' | 'en') => string) => bi(make('zh'), make('en'))

export type Lot = { road: number; product: string; batchNo: string; expiresOn: string; qty: number }
const named = 8
/** The message about what is to be fetched from one machine. */
export function fetchMessage(name: string, lots: readonly Lot[]): { title: string; body: string } {
  const n = lots.reduce((sum, { qty }) => sum + qty, 0)
  return {
    title: both((lang) => say(locale[lang].message.fetch, 'zh-CN', { name, n })),
    body: both((lang) => {
      const t = locale[lang].message
      const lines = lots.slice(0, named).map((lot) => say(t.lot, 'zh-CN', lot))
      const more = lots.length > named ? say(t.more, 'zh-CN', { n: lots.length }) : ''
      return lines.join(lang === 'zh' ? '；' : '; ') + more
    }),
  }
}

export type Sum = { readonly near: number; readonly expired: number }
/** What a person hears at eight: of all machines that are his, each counted once. */
export const digestMessage = ({ near, expired }: Sum): { title: string; body: string } => ({
  title: both((lang) => locale[lang].message.digest),
  body: both((lang) => {
    const t = locale[lang].message
    const parts = [
      ...(near ? [say(t.near, 'zh-CN', { n: near })] : []),
      ...(expired ? [say(t.expired, 'zh-CN', { n: expired })] : []),
    ]
    return say(t.digestBody, 'zh-CN', { what: parts.join(lang === 'zh' ? '，' : ', ') })
  }),
})
