import { sql } from 'kysely'
import { z } from 'zod'
import { prepared } from '../../../server/bind.ts'
import { type Ctx, found, visible } from '../../../server/context.ts'
import { noScope } from '../../../server/database.ts'
import type { Person } from '../../../server/person.ts'
import { rowOf } from '../../../server/rows.ts'
import { type Rows, shape } from '../../../server/shapes.ts'
import type { HomeKind } from '../../../shared/access.ts'
import type { MenuNode } from '../../../shared/person.ts'
import { permissions } from '../../accounts/permissions.ts'
import { menuWithheld, scopeAt } from '../../accounts/rules.ts'
import { type MenuFact, menuFacts, menuTree } from '../../accounts/server/menuTree.ts'
import { loadPerson } from '../../accounts/server/people.ts'
import { screens } from '../../product.ts'
import { type roles, Scope } from '../contract.ts'
import {
  type CodeAnswer,
  type Explanation,
  type PageAnswer,
  type PageReason,
  RoleHeld,
} from '../explained.ts'
import { type Holder, type Right, rightsOf } from '../reasons.ts'
import { explainRow } from './explainRow.ts'

/**
 * What somebody may do and see, and why. It asks the same functions that decide at every request.
 */

const heldRole = shape(
  RoleHeld.extend({ dataScope: Scope, permissions: z.array(z.string()) }),
  ['roles', 'r'],
  {
    identifier: sql`r.code`,
    enabled: sql`r.status = 'ENABLED'`,
    permissions: sql`array(select p.permission_code from role_permissions p
      where p.role_id = r.id)`,
  },
)
type HeldRole = Rows<typeof heldRole>
const rolesOfUser = (ctx: Ctx, userId: number) =>
  heldRole.all(
    ctx.db,
    sql`from user_roles ur join roles r on r.id = ur.role_id where ur.user_id = ${userId}
      order by r.rank desc, r.id`,
  )
const holdersIn = (home: HomeKind, roles: readonly HeldRole[]): Holder[] =>
  roles.map((role) => ({
    ...role,
    code: role.identifier,
    dataScope: scopeAt(role.dataScope, home),
  }))
const shownRole = ({ permissions: _, ...role }: HeldRole) => role

const byCode = new Map(permissions.map((permission) => [permission.code, permission]))
const codeAnswer = (code: string, right: Right): CodeAnswer => ({
  permission: code,
  zh: byCode.get(code)?.zh ?? code,
  en: byCode.get(code)?.en ?? code,
  group: byCode.get(code)?.group ?? '',
  ...right,
})

type Subject = { user: Explanation['user']; enabled: boolean; home: HomeKind }

const subjectOf = async (ctx: Ctx, userId: number): Promise<Subject> =>
  found(
    await rowOf<Subject>(ctx.db)`select u.status = 'ENABLED' as enabled, o.kind as home,
        json_build_object('id', u.id, 'userName', u.username, 'name', u.real_name, 'orgName',
          o.name) as user
      from users u join organisations o on o.id = u.org_id
      where u.id = ${userId} and u.deleted_at is null and ${visible(ctx, 'u.org_id')}`,
  )

const screenPaths = new Set(screens.map((screen) => screen.path))
const pathsIn = (nodes: readonly MenuNode[]): string[] =>
  nodes.flatMap((node) => [node.path, ...pathsIn(node.children)])

/** Why a page is not in the tree although the row itself is fine: what it hangs on is not there. */
function pageReason(
  menu: MenuFact,
  all: ReadonlyMap<number, MenuFact>,
  held: ReadonlySet<string>,
  closed: boolean,
): PageReason {
  if (closed) return 'CLOSED'
  const own = menuWithheld(menu, held)
  if (own) return own
  for (let above = all.get(menu.parentId ?? 0); above; above = all.get(above.parentId ?? 0)) {
    const missing = menuWithheld(above, held)
    if (missing) return missing === 'MENU_DISABLED' ? 'GROUP_DISABLED' : 'GROUP_MISSING'
  }
  return 'NO_SCREEN'
}

function pageAnswers(
  facts: readonly MenuFact[],
  held: ReadonlySet<string>,
  closed: boolean,
): PageAnswer[] {
  const all = new Map(facts.map((menu) => [menu.id, menu]))
  const given = closed ? [] : facts.filter((menu) => menuWithheld(menu, held) === null)
  const served = new Set(pathsIn(menuTree(given, (path) => screenPaths.has(path))))
  const groupOf = (menu: MenuFact): MenuFact => {
    const above = all.get(menu.parentId ?? 0)
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
        zh: menu.title,
        en: menu.titleEn,
        groupZh: group.title,
        groupEn: group.titleEn,
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

/**
 * The person is loaded as for a session of his own, before a connection of the asker's is taken.
 */
export const explain = prepared<
  (typeof roles)['explain'],
  { person: Person | null; asker: Person | null }
>({
  prepare: async (app, input, _request, actor) => ({
    person: await loadPerson(app.database, input.id),
    asker: await loadPerson(app.database, actor.userId ?? 0),
  }),
  async run(ctx, input, { person, asker }): Promise<Explanation> {
    const subject = await subjectOf(ctx, input.id)
    const held = await rolesOfUser(ctx, subject.user.id)
    const closed = person
      ? null
      : !subject.enabled
        ? 'USER_DISABLED'
        : held.length
          ? 'ORG_DISABLED'
          : 'NO_ROLE'
    const right = rightsOf(
      holdersIn(subject.home, held),
      subject.home === 'PLATFORM',
      closed !== null,
    )
    const facts = await menuFacts(
      ctx.db,
      held.map((role) => role.id),
    )
    const pages = pageAnswers(facts, person?.permissions ?? new Set(), closed !== null)
    const wanted = input.code === undefined ? [...byCode.keys()] : [input.code]
    return {
      user: subject.user,
      closed,
      roles: held.map(shownRole),
      pages: input.page === undefined ? pages : pages.filter((page) => page.path === input.page),
      rights: wanted.map((code) => codeAnswer(code, right(code))),
      row:
        input.resource && input.rowId
          ? await explainRow(
              ctx,
              { resource: input.resource, wanted: input.rowId, asker },
              reach(right, person),
            )
          : null,
    }
  },
})

/** The same for oneself and one code. */
export async function why(ctx: Ctx, input: { code: string }) {
  const held = await rolesOfUser(ctx, ctx.actor.userId ?? 0)
  const right = rightsOf(holdersIn(ctx.actor.home, held), ctx.actor.ofPlatform, false)
  return { right: codeAnswer(input.code, right(input.code)), roles: held.map(shownRole) }
}
