import type { Db } from '../../../server/database.ts'
import { rowsOf } from '../../../server/rows.ts'
import type { MenuNode } from '../../../shared/person.ts'
import { menuWithheld } from '../rules.ts'

export type MenuRow = Omit<MenuNode, 'children'> & { id: number; parentId: number | null }
/** A menu and which of somebody's roles list it. */
export type MenuFact = MenuRow & {
  enabled: boolean
  permission: string | null
  listedBy: { id: number; enabled: boolean }[]
}

/** Every menu there is, in order. */
export const menuFacts = (db: Db, roleIds: readonly number[]): Promise<MenuFact[]> =>
  rowsOf<MenuFact>(db)`
    select m.id, m.parent_id as "parentId", m.name, m.path, m.title_zh as title,
      m.title_en as "titleEn", m.icon, m.sort, m.hidden,
      m.status = 'ENABLED' as enabled, m.permission_code as permission,
      (select coalesce(json_agg(json_build_object('id', r.id, 'enabled', r.status = 'ENABLED')
        order by r.rank desc, r.id), '[]')
        from role_menus rm join roles r on r.id = rm.role_id
        where rm.menu_id = m.id and r.id = any(${[...roleIds]}::bigint[])) as "listedBy"
    from menus m order by m.sort, m.id`

export async function rolesOf(db: Db, userId: number): Promise<number[]> {
  const rows = await rowsOf<{ id: number }>(
    db,
  )`select role_id as id from user_roles where user_id = ${userId}`
  return rows.map((row) => row.id)
}

/**
 * Menus these roles give: enabled, listed by an enabled one of them, and one may read what is
 * behind. The caller prunes what has no screen.
 */
export const menuRows = async (
  db: Db,
  roleIds: readonly number[],
  permissions: ReadonlySet<string>,
): Promise<MenuFact[]> =>
  (await menuFacts(db, roleIds)).filter((menu) => menuWithheld(menu, permissions) === null)

const mostLevels = 3

/**
 * Rows to a tree; leaves are kept when `hasScreen`, groups when something below them is. Whatever
 * damaged rows say, what comes out is a finite tree of at most three levels: a row whose parent is
 * missing, or that stands below itself, is never reached.
 */
export function menuTree(
  rows: readonly MenuRow[],
  hasScreen: (path: string) => boolean,
): MenuNode[] {
  const below = Map.groupBy(rows, (row) => row.parentId)
  const build = (parent: number | null, level: number): MenuNode[] =>
    level > mostLevels
      ? []
      : (below.get(parent) ?? []).flatMap((row) => {
          const children = build(row.id, level + 1)
          if (!hasScreen(row.path) && !children.some((child) => !child.hidden)) return []
          const { name, path, title, titleEn, icon, sort, hidden } = row
          return [{ name, path, title, titleEn, icon, sort, hidden, children }]
        })
  return build(null, 1)
}
