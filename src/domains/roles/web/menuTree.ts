import type { MenuItem } from '../menuContract.ts'

export type MenuNode = MenuItem & { children?: MenuNode[] }

/** Rows in tree order to the nested rows of a table. */
export function treeOf(list: readonly MenuItem[], parent: number | null = null): MenuNode[] {
  return list
    .filter((row) => row.parentId === parent)
    .map((row) => {
      const children = treeOf(list, row.id)
      return children.length ? { ...row, children } : row
    })
}

/** The siblings of `id` with it drawn to the place of `to`; null when they are no siblings. */
export function moved<R extends { id: number; parentId: number | null }>(
  list: readonly R[],
  id: number,
  to: number,
): R[] | null {
  const [own, target] = [list.find((row) => row.id === id), list.find((row) => row.id === to)]
  if (!own || !target || own === target || own.parentId !== target.parentId) return null
  const siblings = list.filter((row) => row.parentId === own.parentId)
  const at = siblings.indexOf(target)
  const rest = siblings.filter((row) => row !== own)
  rest.splice(at, 0, own)
  return rest
}

/** Menus whose titles, name, path or right hold the words, with everything above them. */
export function narrowed(list: readonly MenuItem[], words: string): MenuItem[] {
  const above = new Map(list.map((row) => [row.id, row.parentId]))
  const kept = new Set<number>()
  for (const { id, title, titleEn, name, path, permission } of list) {
    if (![title, titleEn, name, path, permission].join(' ').toLowerCase().includes(words)) continue
    for (let at: number | null = id; at !== null; at = above.get(at) ?? null) kept.add(at)
  }
  return list.filter((row) => kept.has(row.id))
}
