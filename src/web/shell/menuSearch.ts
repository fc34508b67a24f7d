import type { MenuLeaf } from '../menus.ts'

type Pinyin = (text: string) => { full: string; initials: string }
let pinyin: Pinyin | null = null

/** pinyin-pro is large: it loads when somebody puts the cursor into a search field. */
export async function loadPinyin(): Promise<void> {
  if (pinyin) return
  const { pinyin: convert } = await import('pinyin-pro')
  pinyin = (text) => {
    const syllables = convert(text, { toneType: 'none', type: 'array', nonZh: 'consecutive' })
    return {
      full: syllables.join(''),
      initials: syllables.map((syllable) => syllable[0] ?? '').join(''),
    }
  }
}

/** Matches Chinese, English, whole pinyin and initials: `shebei`, `sblb`. */
export function matches(node: { title: string; titleEn: string }, query: string): boolean {
  const wanted = query.trim().toLowerCase().replace(/\s+/g, '')
  if (wanted === '') return true
  if (
    node.title.toLowerCase().includes(wanted) ||
    node.titleEn.toLowerCase().replace(/\s+/g, '').includes(wanted)
  )
    return true
  if (!pinyin || !/^[a-z]+$/.test(wanted)) return false
  const { full, initials } = pinyin(node.title)
  return full.includes(wanted) || initials.includes(wanted)
}

export const searchLeaves = (leaves: readonly MenuLeaf[], query: string): MenuLeaf[] =>
  leaves.filter(
    ({ node, group }) =>
      !node.hidden && (matches(node, query) || (group !== null && matches(group, query))),
  )
