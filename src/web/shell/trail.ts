import { say } from '../../shared/text.ts'
import { screenOf } from '../guard.ts'
import { leavesOf, type MenuLeaf, titleOf } from '../menus.ts'
import { product } from '../product.ts'

/** The page a path is, or the closest one it lies below. */
const nearest = (path: string, leaves: readonly MenuLeaf[]): MenuLeaf | undefined =>
  leaves
    .filter(({ node }) => path === node.path || path.startsWith(`${node.path}/`))
    .sort((a, b) => b.node.path.length - a.node.path.length)[0]

/** Its own entry, else that of the page it says it belongs to, else of the one it lies below. */
const standsAt = (
  path: string,
  leaves: readonly MenuLeaf[],
  parent: string | undefined,
): MenuLeaf | undefined =>
  leaves.find(({ node }) => node.path === path) ??
  (parent ? nearest(parent, leaves) : undefined) ??
  nearest(path, leaves)

/** Group, page and sub-page of a path, from the user's menus and the product's product.screens. */
export function breadcrumb(
  path: string,
  menus: Parameters<typeof leavesOf>[0],
  lang: 'zh-CN' | 'en',
  home: string,
): string[] {
  if (path === '/home') return [home]
  const leaves = leavesOf(menus)
  const screen = screenOf(path, product.screens)
  const leaf = standsAt(path, leaves, screen?.parent)
  const trail = leaf
    ? [...(leaf.group ? [titleOf(leaf.group, lang)] : []), titleOf(leaf.node, lang)]
    : []
  const own = screen ? say(screen.title, lang) : undefined
  if (own && (!leaf || (leaf.node.path !== path && trail.at(-1) !== own))) trail.push(own)
  return trail.length > 0 ? trail : [path]
}

/**
 * The entry of the side menu a path stands under; a page without an entry stands under its
 * parent's.
 */
export function entryOf(path: string, leaves: readonly MenuLeaf[]): MenuLeaf | undefined {
  const shown = leaves.filter(({ node }) => !node.hidden)
  const parent = screenOf(path, product.screens)?.parent
  return (
    standsAt(path, shown, parent) ??
    (parent && parent !== path ? entryOf(parent, leaves) : undefined)
  )
}

/** The title of a page's tab. */
export const tabTitle = (
  path: string,
  menus: Parameters<typeof leavesOf>[0],
  lang: 'zh-CN' | 'en',
  home: string,
): string => breadcrumb(path, menus, lang, home).at(-1) ?? path
