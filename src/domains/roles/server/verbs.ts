import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, found, may, owns } from '../../../server/context.ts'
import { columns, guarding, updateVersion } from '../../../server/shapes.ts'
import type { DataScope } from '../../../shared/access.ts'
import { common, fieldRefusal, Refusal, reject } from '../../../shared/errors.ts'
import { bi, say } from '../../../shared/text.ts'
import { permissions } from '../../accounts/permissions.ts'
import { roles as builtinRoles } from '../../accounts/roles.ts'
import { readOf } from '../../accounts/rules.ts'
import type { RoleDetail, RoleRow, roles } from '../contract.ts'
import {
  editable,
  foreignChanges,
  holds,
  menusWithoutRead,
  mostRoles,
  roleErrors,
  scopesOf,
  takes,
  withoutRead,
} from '../rules.ts'
import { creatableKinds, giverOf, isSuper, offeredRoles, userLimit } from './assign.ts'
import { catalogue, reachOf } from './catalogue.ts'
import * as distribution from './distribution.ts'
import { explain, why } from './explain.ts'
import { checkNames } from './named.ts'
import * as q from './queries.ts'

type Contract = typeof roles

const nameOf = new Map(permissions.map((p) => [p.code, bi(p.zh, p.en)]))

const editorOf = (ctx: Ctx) => ({ ...giverOf(ctx), ...reachOf(ctx) })
/** Nobody acts on people of his rank or above, through their role neither. */
const outranked = (ctx: Ctx, role: q.Role): boolean =>
  !role.others || isSuper(ctx) || role.rank < ctx.actor.rank
function requireOutranked(ctx: Ctx, role: q.Role): void {
  if (!outranked(ctx, role)) throw new Refusal(roleErrors.notOutranked)
}

function shown(ctx: Ctx, role: q.Role): RoleRow {
  const { orgId, others: _, ...row } = role
  const free = owns(ctx, orgId) && editable(editorOf(ctx), row) === null
  return {
    ...row,
    can: {
      update: free && may(ctx, 'role:update'),
      copy: may(ctx, 'role:create'),
      stop: free && outranked(ctx, role) && may(ctx, 'role:update'),
      restore: free && row.builtin && may(ctx, 'role:update'),
      delete: free && !row.builtin && row.userCount === 0 && may(ctx, 'role:delete'),
      preview: may(ctx, 'role:preview'),
    },
  }
}
const detail = async (ctx: Ctx, id: number): Promise<RoleDetail> => {
  const role = found(await q.row(ctx, id))
  const scopes = role.builtin
    ? [role.dataScope]
    : [...new Set<DataScope>([...scopesOf(editorOf(ctx)), role.dataScope])]
  return { ...shown(ctx, role), ...(await q.listsOf(ctx.db, id)), scopes }
}

/** A role of an organisation above may be read, not changed: 404 as for a foreign one. */
async function own(ctx: Ctx, id: number): Promise<q.Role> {
  const role = found(await q.row(ctx, id, true))
  if (!owns(ctx, role.orgId)) throw new Refusal(common.notFound)
  return role
}
async function ownEditable(ctx: Ctx, id: number): Promise<q.Role> {
  const role = await own(ctx, id)
  reject(editable(editorOf(ctx), role))
  return role
}

type Lists = { permissions: readonly string[]; menus: readonly string[] }
type Composed = Lists & { dataScope: DataScope }

/** Nothing goes in or out that the editor does not hold as widely. */
function checkHeld(ctx: Ctx, before: Composed | null, next: Composed): void {
  const composed = ({ permissions: codes, dataScope }: Composed) => ({
    codes: new Set(codes),
    dataScope,
  })
  const foreign = foreignChanges(before && composed(before), composed(next), editorOf(ctx))
  if (foreign.length)
    throw new Refusal(roleErrors.notHeld, {
      names: foreign.map((code) => say(nameOf.get(code) ?? code, 'zh-CN')).join('、'),
    })
}

/**
 * The two lists of a role as they would stand: known, readable, and nothing in or out that the
 * editor does not hold.
 */
async function checkLists(ctx: Ctx, before: Composed | null, next: Composed): Promise<void> {
  const codes = new Set(next.permissions)
  const unknown = [...codes].filter((code) => !nameOf.has(code))
  if (unknown.length)
    throw fieldRefusal(roleErrors.unknownCode, 'permissions', { names: unknown.join('、') })
  checkHeld(ctx, before, next)
  const [leaning] = withoutRead(codes, readOf)
  if (leaning)
    throw new Refusal(roleErrors.readMissing, {
      action: nameIn(ctx, leaning.code),
      read: nameIn(ctx, leaning.read),
    })
  const pages = await q.menuPages(ctx.db)
  const chosen = pages.filter((page) => next.menus.includes(page.path))
  if (chosen.length !== new Set(next.menus).size) throw new Refusal(common.notFound)
  const [blind] = menusWithoutRead(chosen, codes)
  if (blind?.permission)
    throw new Refusal(roleErrors.menuNeedsRead, {
      title: ctx.lang === 'en' ? blind.en : blind.zh,
      read: nameIn(ctx, blind.permission),
    })
}
const nameIn = (ctx: Ctx, code: string): string => say(nameOf.get(code) ?? code, ctx.lang)

function checkReach(ctx: Ctx, next: { rank: number; dataScope: DataScope }, before?: q.Role): void {
  const editor = editorOf(ctx)
  if (!editor.isSuper && next.rank > editor.rank) throw new Refusal(roleErrors.above)
  if (next.dataScope !== before?.dataScope && !scopesOf(editor).includes(next.dataScope))
    throw new Refusal(roleErrors.scopeTooWide)
}

const unique = guarding({ roles_name: [roleErrors.nameTaken, 'name'] })

type RoleFields = {
  name: string
  nameEn: string
  description: string
  dataScope: DataScope
  rank: number
} & Lists
const written = ({ name, nameEn, description, dataScope, rank }: RoleFields) =>
  columns('roles', { name, nameEn: nameEn || name, description, dataScope, rank })

/** Whoever makes a role may give it. */
async function add(ctx: Ctx, next: RoleFields): Promise<number> {
  checkNames(next)
  await q.lockRoles(ctx)
  if ((await q.customRoles(ctx)) >= mostRoles)
    throw new Refusal(roleErrors.tooMany, { n: mostRoles })
  const code = `ROLE_C_${randomBytes(4).toString('hex').toUpperCase()}`
  const values = {
    ...written(next),
    org_id: ctx.actor.orgId,
    code,
    created_at: ctx.now,
    updated_at: ctx.now,
  }
  const { id } = await unique(
    ctx.db.insertInto('roles').values(values).returning('id').executeTakeFirstOrThrow(),
  )
  await q.writeLists(ctx.db, id, next.permissions, next.menus)
  await distribution.addToOwnRows(ctx, id)
  return id
}

/** The role as it stands now, for the log and whoever did it; `was`: what it was, and whose. */
async function done(ctx: Ctx, id: number, was: { before?: RoleDetail; orgId?: number } = {}) {
  const after = await detail(ctx, id)
  ctx.audit({ id, name: after.name, after, ...was })
  ctx.touch('roles')
  return after
}

const create: Handlers<Contract>['create'] = async (ctx, input) => {
  checkReach(ctx, input)
  await checkLists(ctx, null, input)
  return done(ctx, await add(ctx, input))
}

const update: Handlers<Contract>['update'] = async (ctx, input) => {
  const row = await ownEditable(ctx, input.id)
  const before = await detail(ctx, row.id)
  if (
    row.builtin &&
    (input.name !== row.name || input.rank !== row.rank || input.dataScope !== row.dataScope)
  )
    throw new Refusal(roleErrors.builtinFixed)
  if (!row.builtin) {
    checkReach(ctx, input, row)
    checkNames(input, row)
  }
  await checkLists(ctx, before, input)
  if (
    !(input.permissions.includes('role:update') && input.permissions.includes('role:read')) &&
    !(await q.editsWithout(ctx, row.id))
  )
    throw new Refusal(roleErrors.ownRight)
  const standing = (role: Composed & { rank: number }) => ({
    ...role,
    codes: new Set(role.permissions),
  })
  if (takes(standing(before), standing(input))) requireOutranked(ctx, row)
  // another rank gives and takes all of the role
  if (row.userCount && input.rank !== row.rank) checkHeld(ctx, null, before)
  await unique(bump(ctx, input, written(row.builtin ? { ...input, nameEn: row.nameEn } : input)))
  await q.writeLists(ctx.db, row.id, input.permissions, input.menus)
  return done(ctx, row.id, { before, orgId: row.orgId })
}

const bump = (
  ctx: Ctx,
  seen: { id: number; version: number },
  change: Parameters<typeof updateVersion<'roles'>>[3],
) => updateVersion(ctx, 'roles', seen, { ...change, updated_at: ctx.now }, roleErrors.stale)

const setStatus: Handlers<Contract>['setStatus'] = async (ctx, input) => {
  const row = await ownEditable(ctx, input.id)
  if (input.status === 'DISABLED' && !isSuper(ctx) && !(await q.editsWithout(ctx, row.id)))
    throw new Refusal(roleErrors.ownRight)
  if (input.status !== row.status) {
    if (input.status === 'DISABLED') requireOutranked(ctx, row)
    // a role that starts again gives what it holds anew, one that stops takes it
    checkHeld(ctx, null, await detail(ctx, row.id))
  }
  await bump(ctx, input, { status: input.status })
  ctx.audit({
    id: row.id,
    name: row.name,
    before: { status: row.status },
    after: { status: input.status },
    orgId: row.orgId,
  })
  ctx.touch('roles')
  return detail(ctx, row.id)
}

/** What the actor does not hold is left out, and so is what leans on it. */
const copy: Handlers<Contract>['copy'] = async (ctx, input) => {
  const row = found(await q.row(ctx, input.id))
  const editor = editorOf(ctx)
  const allowed = scopesOf(editor)
  const dataScope = allowed.includes(row.dataScope) ? row.dataScope : (allowed[0] ?? 'ORG_TREE')
  const lists = await q.listsOf(ctx.db, row.id)
  const held = new Set(lists.permissions.filter((code) => holds(editor, dataScope, code)))
  for (const { code } of withoutRead(held, readOf)) held.delete(code)
  const pages = await q.menuPages(ctx.db)
  const menus = pages
    .filter(
      (page) =>
        lists.menus.includes(page.path) && page.permission !== null && held.has(page.permission),
    )
    .map((page) => page.path)
  const id = await add(ctx, {
    name: input.name,
    nameEn: '',
    description: row.description,
    dataScope,
    rank: Math.min(row.rank, 99, editor.rank),
    permissions: [...held],
    menus,
  })
  return done(ctx, id)
}

const restore: Handlers<Contract>['restore'] = async (ctx, input) => {
  const row = await ownEditable(ctx, input.id)
  const original = builtinRoles.find((role) => role.code === row.identifier)
  if (!row.builtin || !original) throw new Refusal(roleErrors.onlyBuiltin)
  const before = await detail(ctx, row.id)
  await bump(ctx, input, { description: '', status: 'ENABLED' })
  await q.writeLists(ctx.db, row.id, original.permissions, original.menus)
  return done(ctx, row.id, { before, orgId: row.orgId })
}

const remove: Handlers<Contract>['remove'] = async (ctx, input) => {
  const row = await own(ctx, input.id)
  if (row.builtin) throw new Refusal(roleErrors.builtinStays)
  reject(editable(editorOf(ctx), row))
  if (row.userCount) throw new Refusal(roleErrors.inUse, { n: row.userCount })
  const before = await detail(ctx, row.id)
  // people who are deleted do not keep a role alive; their log rows keep what they were
  await sql`delete from user_roles ur using users u
    where u.id = ur.user_id and ur.role_id = ${row.id} and u.deleted_at is not null`.execute(ctx.db)
  const gone = await ctx.db.deleteFrom('roles').where('id', '=', row.id).executeTakeFirst()
  if (!gone.numDeletedRows) throw new Refusal(common.notFound)
  ctx.audit({ id: row.id, name: row.name, before, orgId: row.orgId })
  ctx.touch('roles')
  return { ok: true as const }
}

const assignable: Handlers<Contract>['assignable'] = async (ctx, input) => ({
  list: (await offeredRoles(ctx, input)).map(({ id, code: identifier, ...role }) => {
    const { name, nameEn, rank, dataScope, builtin } = role
    return { id, identifier, name, nameEn, rank, dataScope, builtin }
  }),
  orgKinds: (await creatableKinds(ctx)) as 'AGENT'[],
  maxUsers: await userLimit(ctx),
})

async function side(ctx: Ctx, id: number) {
  const { name, nameEn, dataScope, rank } = found(await q.row(ctx, id))
  return { id, name, nameEn, dataScope, rank, ...(await q.listsOf(ctx.db, id)) }
}

export const handlers: Handlers<Contract> = {
  async list(ctx, input) {
    const { rows, total } = await q.listRows(ctx, input)
    return { list: rows.map((row) => shown(ctx, row)), total }
  },
  assignable,
  catalogue,
  diff: async (ctx, input) => ({ a: await side(ctx, input.a), b: await side(ctx, input.b) }),
  get: (ctx, input) => detail(ctx, input.id),
  create,
  update,
  setStatus,
  copy,
  restore,
  remove,
  distribution: distribution.read,
  beyond: distribution.beyond,
  distribute: distribution.save,
  restoreDistribution: distribution.restore,
  explain,
  why,
}
