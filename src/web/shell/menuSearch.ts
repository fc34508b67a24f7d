import type { CurrentUser } from '../../shared/person.ts'
import type { Screen } from '../../shared/screens.ts'
import { say } from '../../shared/text.ts'
import { isAllowed } from '../guard.ts'
import { leavesOf, type MenuLeaf } from '../menus.ts'

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
    ({ node, group }) => matches(node, query) || (group !== null && matches(group, query)),
  )

/**
 * Every page somebody may open by its name: those his menus show, then those that open by a button
 * elsewhere, each below the group of its neighbour.
 */
export function pagesFor(
  user: Pick<CurrentUser, 'menus' | 'permissions'>,
  screens: readonly Screen[],
): MenuLeaf[] {
  const leaves = leavesOf(user.menus)
  const shown = leaves.filter(({ node }) => !node.hidden)
  const others = screens.filter(
    ({ path, permission }) =>
      !path.includes(':') &&
      !shown.some(({ node }) => node.path === path) &&
      isAllowed(path, user, screens) &&
      (permission === 'self' || user.permissions.includes(permission)),
  )
  return [
    ...shown,
    ...others.map(({ path, title, parent }) => ({
      node: {
        name: path,
        path,
        title: say(title, 'zh-CN'),
        titleEn: say(title, 'en'),
        icon: 'home',
        sort: 0,
        hidden: false,
        children: [],
      },
      group: leaves.find(({ node }) => node.path === path || node.path === parent)?.group ?? null,
    })),
  ]
}
