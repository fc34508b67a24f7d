import { CurrentUser, type MenuNode } from '../shared/person.ts'

/** What the guard makes of GET /auth/user: the user, or the reason why the menus cannot be used. */
export function readUser(answer: unknown): CurrentUser | 'menus' | 'user' {
  const found = (typeof answer === 'object' && answer !== null ? answer : {}) as { menus?: unknown }
  if (!menusAreFine(found.menus)) return 'menus'
  const parsed = CurrentUser.safeParse(answer)
  return parsed.success ? parsed.data : 'user'
}

export function menusAreFine(menus: unknown): boolean {
  if (!Array.isArray(menus)) return false
  return menus.every((node: unknown) => {
    if (typeof node !== 'object' || node === null) return false
    const { name, path, children } = node as Partial<MenuNode>
    return (
      typeof name === 'string' &&
      name !== '' &&
      typeof path === 'string' &&
      path !== '' &&
      (children === undefined || menusAreFine(children))
    )
  })
}

/** Every leaf with the titles above it, in menu order. */
export type MenuLeaf = { readonly node: MenuNode; readonly group: MenuNode | null }
export const leavesOf = (menus: readonly MenuNode[], group: MenuNode | null = null): MenuLeaf[] =>
  menus.flatMap((node) =>
    node.children.length > 0 ? leavesOf(node.children, node) : [{ node, group }],
  )

/** All paths the menus authorise; hidden nodes count, groups do not. */
export const pathsOf = (menus: readonly MenuNode[]): string[] =>
  leavesOf(menus).map((leaf) => leaf.node.path)

export const titleOf = (node: { title: string; titleEn: string }, lang: string): string =>
  lang === 'en' && node.titleEn !== '' ? node.titleEn : node.title
