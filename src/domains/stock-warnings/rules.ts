import { bi, say } from '../../shared/text.ts'
import type { longerThan, warningKinds } from './contract.ts'
import { locale } from './locale.ts'

const hour = 3_600_000
export const lastingMs: Readonly<Record<(typeof longerThan)[number], number>> = {
  h4: 4 * hour,
  d1: 24 * hour,
  d3: 72 * hour,
  d7: 168 * hour,
}

/**
 * A warning is worth a message when it has stood so long: what an unpaid order holds comes back
 * when its time to pay is over.
 */
export const settledMs = 5 * 60_000

/** Lanes of one machine that people are told of. */
export type Short = {
  readonly name: string
  readonly lanes: readonly {
    readonly kind: (typeof warningKinds)[number]
    readonly road: number
    readonly product: string
  }[]
}

const named = 10
/** Title and body of the message about a machine, in both languages. */
export function messageOf({ name, lanes }: Short): { title: string; body: string } {
  const counts = Map.groupBy(lanes, ({ kind }) => kind)
  const both = (make: (lang: 'zh' | 'en') => string) => bi(make('zh'), make('en'))
  const title = both((lang) => {
    const t = locale[lang].message
    const parts = (['SOLD_OUT', 'LOW', 'COUNT'] as const).flatMap((kind) => {
      const n = counts.get(kind)?.length ?? 0
      return n ? [say(t[kind], 'zh-CN', { n })] : []
    })
    return say(t.title, 'zh-CN', { name, what: parts.join(lang === 'zh' ? '，' : ', ') })
  })
  const body = both((lang) => {
    const t = locale[lang].message
    const lines = lanes
      .slice(0, named)
      .map(({ kind, road, product }) =>
        say(t.lane, 'zh-CN', { road, product, kind: locale[lang].enums.kind[kind] }),
      )
    const more = lanes.length > named ? say(t.more, 'zh-CN', { n: lanes.length }) : ''
    return lines.join(lang === 'zh' ? '；' : '; ') + more
  })
  return { title, body }
}
