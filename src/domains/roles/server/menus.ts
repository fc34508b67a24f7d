import { sql } from 'kysely'
import { z } from 'zod'
import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, found, inheritable, may } from '../../../server/context.ts'
import { onlyRow } from '../../../server/rows.ts'
import { columns, type Rows, shape, updateVersion } from '../../../server/shapes.ts'
import { platformOrg } from '../../../shared/access.ts'
import type { Input } from '../../../shared/contract.ts'
import { common, type ErrorDef, fieldRefusal, Refusal } from '../../../shared/errors.ts'
import { menus as builtinMenus } from '../../accounts/menus.ts'
import { permissions } from '../../accounts/permissions.ts'
import { roles as builtinRoles } from '../../accounts/roles.ts'
import { screens } from '../../product.ts'
import { MenuItem, type menus } from '../menuContract.ts'
import { keptMenus, levelsBelow, menuErrors, superCode } from '../rules.ts'

type Contract = typeof menus

/**
 * Menus are the platform's; of roles the built-in ones are named, the platform's and the asker's
 * own: those of all tenants are too many.
 */
const menu = (ctx: Ctx) =>
  shape(
    MenuItem.extend({ children: z.number() }),
    ['menus', 'm'],
    {
      kind: sql`case when m.permission_code is null then 'GROUP' else 'PAGE' end`,
      title: sql`m.title_zh`,
      titleEn: sql`m.title_en`,
      permission: sql`m.permission_code`,
      children: sql`(select count(*) from menus c where c.parent_id = m.id)`,
      roles: sql`(select coalesce(json_agg(json_build_object('id', r.id, 'name', r.name, 'nameEn',
        r.name_en) order by r.rank desc, r.id), '[]')
        from role_menus rm join roles r on r.id = rm.role_id
        where rm.menu_id = m.id and (r.builtin or r.org_id in (${platformOrg}, ${ctx.actor.orgId}))
          and ${inheritable(ctx, 'r.org_id')})`,
    },
    ['builtin', 'known', 'can'],
  )
type Row = Rows<typeof menu>
const menusOf = (ctx: Ctx): Promise<Row[]> =>
  menu(ctx).all(ctx.db, sql`from menus m order by m.sort, m.id`)

const catalogued = new Set(
  builtinMenus.flatMap((group) => [group.path, ...group.pages.map((page) => page.path)]),
)
const pagePaths = new Set([
  ...screens.map((screen) => screen.path).filter((path) => !path.includes(':')),
  ...builtinMenus.flatMap((group) => group.pages.map((page) => page.path)),
])
const known = new Set(screens.map((screen) => screen.path))
const codes = new Set(permissions.map((permission) => permission.code))

function shown(ctx: Ctx, { children, ...row }: Row): MenuItem {
  const kept = keptMenus.includes(row.path)
  return {
    ...row,
    builtin: catalogued.has(row.path),
    known: row.kind === 'GROUP' || known.has(row.path),
    can: {
      update: may(ctx, 'menu:update'),
      stop: may(ctx, 'menu:update') && !(kept && row.status === 'ENABLED'),
      delete: may(ctx, 'menu:delete') && !kept && children === 0,
    },
  }
}

/** Parents before children, siblings in order. */
function inOrder(rows: readonly Row[]): Row[] {
  const below = Map.groupBy(rows, (row) => row.parentId)
  const walk = (parent: number | null): Row[] =>
    (below.get(parent) ?? []).flatMap((row) => [row, ...walk(row.id)])
  return walk(null)
}

const tree: Handlers<Contract>['tree'] = async (ctx) => {
  const rows = inOrder(await menusOf(ctx))
  const taken = new Set(rows.map((row) => row.path))
  return {
    list: rows.map((row) => shown(ctx, row)),
    freePaths: [...pagePaths].filter((path) => !taken.has(path)).toSorted(),
    permissions: permissions.map(({ code, zh, en }) => ({ permission: code, zh, en })),
    mayAdd: may(ctx, 'menu:create'),
  }
}
const one = async (ctx: Ctx, id: number): Promise<Row> =>
  found((await menusOf(ctx)).find((row) => row.id === id))

type Form = Input<Contract['create']>

/** A group makes its path from its name, a page names one of the app's. */
const pathOf = (form: Form): string =>
  form.permission === null && form.path === '' ? `/${form.name}` : form.path

function checkForm(form: Form, rows: readonly Row[], self: Row | null): void {
  const refuse = (wrong: boolean, def: ErrorDef, field: string) => {
    if (wrong) throw fieldRefusal(def, field)
  }
  const { permission, name, parentId } = form
  const path = pathOf(form)
  const others = rows.filter((row) => row.id !== self?.id)
  const there = permission === null ? [`/${name}`, self?.path].includes(path) : pagePaths.has(path)
  refuse(!there, menuErrors.pathUnknown, 'path')
  refuse(permission !== null && !codes.has(permission), menuErrors.codeUnknown, 'permission')
  refuse(permission === null && pagePaths.has(path), menuErrors.pageNeedsCode, 'permission')
  refuse(
    others.some((row) => row.path === path),
    menuErrors.pathTaken,
    'path',
  )
  refuse(
    others.some((row) => row.parentId === parentId && row.name === name),
    menuErrors.nameTaken,
    'name',
  )
  const above: Row[] = []
  for (let at = parentId; at !== null; ) {
    const parent = rows.find((row) => row.id === at)
    if (!parent) throw new Refusal(common.notFound)
    if (parent.id === self?.id || above.includes(parent)) throw new Refusal(menuErrors.ownBranch)
    above.push(parent)
    at = parent.parentId
  }
  if (above.length + levelsBelow(rows, self?.id ?? null) > 3) throw new Refusal(menuErrors.tooDeep)
}

const written = (form: Form) => {
  const { title: titleZh, permission: permissionCode, ...fields } = form
  const { parentId, name, titleEn, icon, sort, hidden } = fields
  return columns('menus', {
    ...{ parentId, name, path: pathOf(form), titleZh, titleEn },
    ...{ icon, sort, hidden, permissionCode },
  })
}

/** One at a time: depth and order are looked at as a whole. */
const alone = (ctx: Ctx) =>
  sql`select pg_advisory_xact_lock(hashtextextended('menus', 0))`.execute(ctx.db)

const create: Handlers<Contract>['create'] = async (ctx, input) => {
  await alone(ctx)
  checkForm(input, await menusOf(ctx), null)
  const { id } = await ctx.db
    .insertInto('menus')
    .values(written(input))
    .returning('id')
    .executeTakeFirstOrThrow()
  // the super administrator has every menu; others get it by their role's form
  await sql`insert into role_menus (role_id, menu_id) select id, ${id}::bigint from roles
    where code = ${superCode} and builtin`.execute(ctx.db)
  const after = shown(ctx, await one(ctx, id))
  ctx.audit({ id, name: after.title, after })
  ctx.touch('menus')
  return after
}

const update: Handlers<Contract>['update'] = async (ctx, input) => {
  await alone(ctx)
  const rows = await menusOf(ctx)
  const before = found(rows.find((row) => row.id === input.id))
  checkForm(input, rows, before)
  const moved = pathOf(input) !== before.path || input.permission !== before.permission
  if ((input.hidden && holdsKept(before, rows)) || (moved && keptMenus.includes(before.path)))
    throw new Refusal(menuErrors.kept)
  await updateVersion(ctx, 'menus', input, written(input))
  const after = shown(ctx, await one(ctx, input.id))
  ctx.audit({ id: before.id, name: after.title, before: shown(ctx, before), after })
  ctx.touch('menus')
  return after
}

/** The two menus that stay, and whatever stands above them. */
const holdsKept = (row: Row, rows: readonly Row[]): boolean =>
  keptMenus.includes(row.path) ||
  rows.some((child) => child.parentId === row.id && holdsKept(child, rows))

const setStatus: Handlers<Contract>['setStatus'] = async (ctx, input) => {
  await alone(ctx)
  const rows = await menusOf(ctx)
  const before = found(rows.find((row) => row.id === input.id))
  if (input.status === 'DISABLED' && holdsKept(before, rows)) throw new Refusal(menuErrors.kept)
  await updateVersion(ctx, 'menus', input, { status: input.status })
  ctx.audit({
    id: before.id,
    name: before.title,
    before: { status: before.status },
    after: { status: input.status },
  })
  ctx.touch('menus')
  return shown(ctx, await one(ctx, input.id))
}

/** The order of all siblings at once; whoever saw other siblings is stale. */
const sort: Handlers<Contract>['sort'] = async (ctx, input) => {
  await alone(ctx)
  const siblings = (await menusOf(ctx)).filter((row) => row.parentId === input.parentId)
  const versions = new Map(input.items.map((item) => [item.id, item.version]))
  if (
    siblings.length !== input.items.length ||
    siblings.some((row) => versions.get(row.id) !== row.version)
  )
    throw new Refusal(common.stale)
  for (const [at, item] of input.items.entries()) {
    const row = siblings.find((sibling) => sibling.id === item.id)
    const next = (at + 1) * (input.parentId === null ? 10 : 1)
    if (row && row.sort !== next) await updateVersion(ctx, 'menus', item, { sort: next })
  }
  const parent = input.parentId === null ? null : await one(ctx, input.parentId)
  ctx.audit({
    id: input.parentId ?? 0,
    name: parent?.title ?? '顶级菜单',
    before: { order: siblings.map((row) => row.name) },
    after: { order: input.items.map((item) => siblings.find((row) => row.id === item.id)?.name) },
  })
  ctx.touch('menus')
  return { ok: true as const }
}

const catalogueMenus = builtinRoles.flatMap((role) =>
  role.menus.map((path) => ({ code: role.code, path })),
)

/**
 * Built-in menus as in a fresh installation, deleted ones back; menus of one's own making stay
 * where they are.
 */
const restore: Handlers<Contract>['restore'] = async (ctx) => {
  await alone(ctx)
  const there = await menusOf(ctx)
  for (const group of builtinMenus) {
    const parent = await put(ctx, null, { ...group, permission: null, hidden: false })
    for (const page of group.pages) await put(ctx, parent, { ...page, icon: '' })
  }
  // who has a page by the catalogue gets it back when it was deleted for everybody
  await sql`
    insert into role_menus (role_id, menu_id) select r.id, m.id
    from jsonb_to_recordset(${JSON.stringify(catalogueMenus)}::jsonb) as c(code text, path text)
    join roles r on r.code = c.code and r.builtin join menus m on m.path = c.path
    where m.path <> all(${there.map((row) => row.path)}::text[]) on conflict do nothing`.execute(
    ctx.db,
  )
  await sql`insert into role_menus (role_id, menu_id) select r.id, m.id from roles r cross
    join menus m where r.code = ${superCode} and r.builtin on conflict do nothing`.execute(ctx.db)
  ctx.audit({ id: 0, name: '全部菜单' })
  ctx.touch('menus')
  return { ok: true as const }
}

type Original = {
  name: string
  path: string
  zh: string
  en: string
  icon: string
  sort: number
  hidden: boolean
  permission: string | null
}
async function put(ctx: Ctx, parentId: number | null, page: Original): Promise<number> {
  const { id } = await onlyRow<{ id: number }>(ctx.db)`
    insert into menus (parent_id, name, path, title_zh, title_en, icon, sort, hidden,
      permission_code)
    values (${parentId}, ${page.name}, ${page.path}, ${page.zh}, ${page.en}, ${page.icon},
      ${page.sort}, ${page.hidden}, ${page.permission})
    on conflict (path) do update
    set parent_id = excluded.parent_id, name = excluded.name, title_zh = excluded.title_zh,
      title_en = excluded.title_en, icon = excluded.icon,
      sort = excluded.sort, hidden = excluded.hidden, permission_code = excluded.permission_code,
      status = 'ENABLED', version = menus.version + 1
    returning id`
  return id
}

const remove: Handlers<Contract>['remove'] = async (ctx, input) => {
  await alone(ctx)
  const before = await one(ctx, input.id)
  if (keptMenus.includes(before.path)) throw new Refusal(menuErrors.kept)
  if (before.children) throw new Refusal(menuErrors.hasChildren)
  await ctx.db.deleteFrom('menus').where('id', '=', before.id).execute()
  ctx.audit({ id: before.id, name: before.title, before: shown(ctx, before) })
  ctx.touch('menus')
  return { ok: true as const }
}

export const handlers: Handlers<Contract> = {
  tree,
  get: async (ctx, input) => shown(ctx, await one(ctx, input.id)),
  create,
  update,
  setStatus,
  sort,
  restore,
  remove,
}
