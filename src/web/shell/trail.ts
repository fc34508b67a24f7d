import { screens } from '../../domains/screens.ts'
import { say } from '../../shared/text.ts'
import { screenOf } from '../guard.ts'
import { leavesOf, titleOf } from '../menus.ts'

/** Group, page and sub-page of a path, from the user's menus and the product's screens. */
export function breadcrumb(path: string, menus: Parameters<typeof leavesOf>[0], lang: 'zh-CN' | 'en', home: string): string[] {
  if (path === '/home') return [home]
  const leaf = leavesOf(menus)
    .filter(({ node }) => path === node.path || path.startsWith(`${node.path}/`))
    .sort((a, b) => b.node.path.length - a.node.path.length)[0]
  const screen = screenOf(path, screens)
  const trail = leaf ? [...(leaf.group ? [titleOf(leaf.group, lang)] : []), titleOf(leaf.node, lang)] : []
  const own = screen ? say(screen.title, lang) : undefined
  if (own && (!leaf || (leaf.node.path !== path && trail.at(-1) !== own))) trail.push(own)
  return trail.length > 0 ? trail : [path]
}

/** The title of a page's tab. */
export const tabTitle = (path: string, menus: Parameters<typeof leavesOf>[0], lang: 'zh-CN' | 'en', home: string): string =>
  breadcrumb(path, menus, lang, home).at(-1) ?? path
