import { say } from '../../shared/text.ts'
import { screenOf } from '../guard.ts'
import { leavesOf, type MenuLeaf, titleOf } from '../menus.ts'
import { product } from '../product.ts'

/** The page a path is, or the closest one it lies below. */
const nearest = (path: string, leaves: readonly MenuLeaf[]): MenuLeaf | undefined =>
  leaves
    .filter(({ node }) => path === node.path || path.startsWith(`${node.path}/`))
    .sort((a, b) => b.node.path.length - a.node.path.length)[0]

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
  // a sub-page stands below its parent's page, or beside it and names it
  const leaf = nearest(path, leaves) ?? leaves.find(({ node }) => node.path === screen?.parent)
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
  const own = nearest(
    path,
    leaves.filter(({ node }) => !node.hidden),
  )
  const parent = screenOf(path, product.screens)?.parent
  return own ?? (parent && parent !== path ? entryOf(parent, leaves) : undefined)
}

/** The title of a page's tab. */
export const tabTitle = (
  path: string,
  menus: Parameters<typeof leavesOf>[0],
  lang: 'zh-CN' | 'en',
  home: string,
): string => breadcrumb(path, menus, lang, home).at(-1) ?? path
