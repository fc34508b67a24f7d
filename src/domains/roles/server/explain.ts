import { sql } from 'kysely'
import { prepared } from '../../../server/bind.ts'
import { type Ctx, found, visible } from '../../../server/context.ts'
import { noScope } from '../../../server/database.ts'
import type { Person } from '../../../server/person.ts'
import type { DataScope, HomeKind } from '../../../shared/access.ts'
import { permissions } from '../../accounts/permissions.ts'
import { menuWithheld, scopeAt } from '../../accounts/rules.ts'
import { screens } from '../../product.ts'
import type { MenuNode } from '../../session/contract.ts'
import { type MenuFact, menuFacts, menuTree } from '../../session/server/menus.ts'
import { loadPerson } from '../../session/server/people.ts'
import type { roles } from '../contract.ts'
import type { CodeAnswer, Explanation, PageAnswer, PageReason } from '../explained.ts'
import { type Holder, type Right, rightsOf } from '../reasons.ts'
import { explainRow } from './explainRow.ts'

/** What somebody may do and see, and why. It asks the same functions that decide at every request. */

type HeldRow = Omit<Holder, 'dataScope'> & { name: string; name_en: string; rank: number; data_scope: DataScope }

async function rolesOfUser(ctx: Ctx, userId: number): Promise<HeldRow[]> {
  const { rows } = await sql<HeldRow>`
    select r.id, r.code, r.name, r.name_en, r.rank, r.data_scope, r.status = 'ENABLED' as enabled,
      array(select p.permission_code from role_permissions p where p.role_id = r.id) as permissions
    from user_roles ur join roles r on r.id = ur.role_id where ur.user_id = ${userId} order by r.rank desc, r.id`.execute(ctx.db)
  return rows
}
const holderOf =
  (home: HomeKind) =>
  (row: HeldRow): Holder => ({ id: row.id, code: row.code, dataScope: scopeAt(row.data_scope, home), permissions: row.permissions, enabled: row.enabled })
const shownRole = (row: HeldRow) => ({
  id: row.id,
  name: row.name,
  nameEn: row.name_en,
  identifier: row.code,
  enabled: row.enabled,
  rank: row.rank,
  dataScope: row.data_scope,
})

const byCode = new Map(permissions.map((permission) => [permission.code, permission]))
const codeAnswer = (code: string, right: Right): CodeAnswer => ({
  permission: code,
  zh: byCode.get(code)?.zh ?? code,
  en: byCode.get(code)?.en ?? code,
  group: byCode.get(code)?.group ?? '',
  ...right,
})

type Subject = { id: number; username: string; real_name: string; org_name: string; enabled: boolean; home: HomeKind }

async function subjectOf(ctx: Ctx, userId: number): Promise<Subject> {
  const { rows } = await sql<Subject>`
    select u.id, u.username, u.real_name, o.name as org_name, u.status = 'ENABLED' as enabled, o.kind as home
    from users u join organisations o on o.id = u.org_id where u.id = ${userId} and u.deleted_at is null and ${visible(ctx, 'u.org_id')}`.execute(ctx.db)
  return found(rows[0])
}

const screenPaths = new Set(screens.map((screen) => screen.path))
const pathsIn = (nodes: readonly MenuNode[]): string[] => nodes.flatMap((node) => [node.path, ...pathsIn(node.children)])

/** Why a page is not in the tree although the row itself is fine: what it hangs on is not there. */
function pageReason(menu: MenuFact, all: ReadonlyMap<number, MenuFact>, held: ReadonlySet<string>, closed: boolean): PageReason {
  if (closed) return 'CLOSED'
  const own = menuWithheld(menu, held)
  if (own) return own
  for (let above = all.get(menu.parent_id ?? 0); above; above = all.get(above.parent_id ?? 0)) {
    const missing = menuWithheld(above, held)
    if (missing) return missing === 'MENU_DISABLED' ? 'GROUP_DISABLED' : 'GROUP_MISSING'
  }
  return 'NO_SCREEN'
}

function pageAnswers(facts: readonly MenuFact[], held: ReadonlySet<string>, closed: boolean): PageAnswer[] {
  const all = new Map(facts.map((menu) => [menu.id, menu]))
  const given = closed ? [] : facts.filter((menu) => menuWithheld(menu, held) === null)
  const served = new Set(pathsIn(menuTree(given, (path) => screenPaths.has(path))))
  const groupOf = (menu: MenuFact): MenuFact => {
    const above = all.get(menu.parent_id ?? 0)
    return above ? groupOf(above) : menu
  }
  return facts
    .filter((menu) => menu.permission !== null)
    .toSorted((a, b) => facts.indexOf(groupOf(a)) - facts.indexOf(groupOf(b)))
    .map((menu) => {
      const group = groupOf(menu)
      const shown = served.has(menu.path)
      return {
        path: menu.path,
        zh: menu.title_zh,
        en: menu.title_en,
        groupZh: group.title_zh,
        groupEn: group.title_en,
        permission: menu.permission,
        shown,
        hidden: menu.hidden,
        through: menu.listedBy.filter((role) => role.enabled).map((role) => role.id),
        reason: shown ? null : pageReason(menu, all, held, closed),
      }
    })
}

const reach = (right: (code: string) => Right, person: Person | null) => (code: string) => ({
  ...right(code),
  scope: person?.scopeOf(code as `${string}:${string}`) ?? noScope,
  drugsOnly: (person?.scope.watched ?? null) !== null,
})

/** The person is loaded as for a session of his own, before a connection of the asker's is taken. */
export const explain = prepared<(typeof roles)['explain'], { person: Person | null; asker: Person | null }>({
  prepare: async (app, input, _request, actor) => ({
    person: await loadPerson(app.database, input.id),
    asker: await loadPerson(app.database, actor.userId ?? 0),
  }),
  async run(ctx, input, { person, asker }): Promise<Explanation> {
    const subject = await subjectOf(ctx, input.id)
    const held = await rolesOfUser(ctx, subject.id)
    const closed = person ? null : !subject.enabled ? 'USER_DISABLED' : held.length ? 'ORG_DISABLED' : 'NO_ROLE'
    const right = rightsOf(held.map(holderOf(subject.home)), subject.home === 'PLATFORM', closed !== null)
    const facts = await menuFacts(
      ctx.db,
      held.map((role) => role.id),
    )
    const pages = pageAnswers(facts, person?.permissions ?? new Set(), closed !== null)
    const wanted = input.code === undefined ? [...byCode.keys()] : [input.code]
    return {
      user: { id: subject.id, userName: subject.username, name: subject.real_name, orgName: subject.org_name },
      closed,
      roles: held.map(shownRole),
      pages: input.page === undefined ? pages : pages.filter((page) => page.path === input.page),
      rights: wanted.map((code) => codeAnswer(code, right(code))),
      row: input.resource && input.rowId ? await explainRow(ctx, { resource: input.resource, wanted: input.rowId, asker }, reach(right, person)) : null,
    }
  },
})

/** The same for oneself and one code. */
export async function why(ctx: Ctx, input: { code: string }) {
  const held = await rolesOfUser(ctx, ctx.actor.userId ?? 0)
  const { rows } = await sql<{ home: HomeKind }>`
    select o.kind as home from users u join organisations o on o.id = u.org_id where u.id = ${ctx.actor.userId}`.execute(ctx.db)
  const right = rightsOf(held.map(holderOf(found(rows[0]).home)), ctx.actor.ofPlatform, false)
  return { right: codeAnswer(input.code, right(input.code)), roles: held.map(shownRole) }
}
