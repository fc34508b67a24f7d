import { bi, say } from './text.ts'

/**
 * Days before the end of a licence at which people are told; the last: it has ended. A licence
 * holds on its last day.
 */
export const licenceSteps = [30, 7, 1, -1] as const

type Texts = Readonly<
  Record<'ends' | 'endsToday' | 'ended', Readonly<Record<'title' | 'body', string>>>
>

/** What people hear of a licence that ends, or has; `{n}` is the days that are left. */
export function licenceMessage(
  texts: { readonly zh: Texts; readonly en: Texts },
  {
    daysLeft,
    ...values
  }: { readonly daysLeft: number } & Readonly<Record<string, string | number>>,
): { title: string; body: string } {
  const key = daysLeft < 0 ? 'ended' : daysLeft === 0 ? 'endsToday' : 'ends'
  const both = (part: 'title' | 'body') =>
    bi(
      say(texts.zh[key][part], 'zh-CN', { ...values, n: daysLeft }),
      say(texts.en[key][part], 'en', { ...values, n: daysLeft }),
    )
  return { title: both('title'), body: both('body') }
}
