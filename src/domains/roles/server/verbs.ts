import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, found, iso, may, owns } from '../../../server/context.ts'
import type { DataScope } from '../../../shared/access.ts'
import { common, Refusal, reject } from '../../../shared/errors.ts'
import { bi } from '../../../shared/text.ts'
import { permissions } from '../../accounts/permissions.ts'
import { roles as builtinRoles } from '../../accounts/roles.ts'
import { readOf } from '../../accounts/rules.ts'
import type { RoleDetail, RoleRow, roles } from '../contract.ts'
import { editable, foreignChanges, holds, menusWithoutRead, mostRoles, roleErrors, scopesOf, takes, withoutRead } from '../rules.ts'
import { creatableKinds, giverOf, isSuper, offeredRoles, userLimit } from './assign.ts'
import { catalogue, reachOf } from './catalogue.ts'
import * as distribution from './distribution.ts'
import { explain, why } from './explain.ts'
import { checkNames } from './named.ts'
import * as q from './queries.ts'

type Contract = typeof roles

const nameOf = new Map(permissions.map((p) => [p.code, bi(p.zh, p.en)]))
const zhNames = (codes: readonly string[]) => codes.map((code) => (nameOf.get(code) ?? code).split('\u001f')[0]).join('、')

const editorOf = (ctx: Ctx) => ({ ...giverOf(ctx), ...reachOf(ctx) })
/** Nobody acts on people of his rank or above, through their role neither. */
const outranked = (ctx: Ctx, row: q.Row): boolean => !row.others || isSuper(ctx) || row.rank < ctx.actor.rank
function requireOutranked(ctx: Ctx, row: q.Row): void {
  if (!outranked(ctx, row)) throw new Refusal(roleErrors.notOutranked)
}
const barTo = (ctx: Ctx, row: q.Row) => editable(editorOf(ctx), { builtin: row.builtin, identifier: row.code, rank: row.rank })

function shown(ctx: Ctx, row: q.Row): RoleRow {
  const mine = owns(ctx, row.org_id)
  const free = mine && barTo(ctx, row) === null
  return {
    id: row.id,
    name: row.name,
    nameEn: row.name_en,
    identifier: row.code,
    builtin: row.builtin,
    orgName: row.org_name,
    dataScope: row.data_scope,
    rank: row.rank,
    permissionCount: row.codes,
    userCount: row.people,
    status: row.status,
    description: row.description,
    updateTime: iso(row.updated_at),
    version: row.version,
    can: {
      update: free && may(ctx, 'role:update'),
      copy: may(ctx, 'role:create'),
      stop: free && outranked(ctx, row) && may(ctx, 'role:update'),
      restore: free && row.builtin && may(ctx, 'role:update'),
      delete: free && !row.builtin && row.people === 0 && may(ctx, 'role:delete'),
      preview: may(ctx, 'role:preview'),
    },
  }
}
const detail = async (ctx: Ctx, id: number): Promise<RoleDetail> => {
  const row = found(await q.row(ctx, id))
  const scopes = row.builtin ? [row.data_scope] : [...new Set<DataScope>([...scopesOf(editorOf(ctx)), row.data_scope])]
  return { ...shown(ctx, row), permissions: await q.codesOf(ctx.db, id), menus: await q.pathsOf(ctx.db, id), scopes }
}

/** A role of an organisation above may be read, not changed: 404 as for a foreign one. */
async function own(ctx: Ctx, id: number): Promise<q.Row> {
  const row = found(await q.row(ctx, id, true))
  if (!owns(ctx, row.org_id)) throw new Refusal(common.notFound)
  return row
}
async function ownEditable(ctx: Ctx, id: number): Promise<q.Row> {
  const row = await own(ctx, id)
  reject(barTo(ctx, row))
  return row
}

type Lists = { permissions: readonly string[]; menus: readonly string[] }
type Composed = Lists & { dataScope: DataScope }

/** Nothing goes in or out that the editor does not hold as widely. */
function checkHeld(ctx: Ctx, before: Composed | null, next: Composed): void {
  const composed = ({ permissions: codes, dataScope }: Composed) => ({ codes: new Set(codes), dataScope })
  const foreign = foreignChanges(before && composed(before), composed(next), editorOf(ctx))
  if (foreign.length) throw new Refusal(roleErrors.notHeld, { names: zhNames(foreign) })
}

/** The two lists of a role as they would stand: known, readable, and nothing in or out that the editor does not hold. */
async function checkLists(ctx: Ctx, before: Composed | null, next: Composed): Promise<void> {
  const codes = new Set(next.permissions)
  const unknown = [...codes].filter((code) => !nameOf.has(code))
  if (unknown.length) throw new Refusal(roleErrors.unknownCode, { names: unknown.join('、') }, [{ field: 'permissions', text: roleErrors.unknownCode.text }])
  checkHeld(ctx, before, next)
  const [leaning] = withoutRead(codes, readOf)
  if (leaning) throw new Refusal(roleErrors.readMissing, { action: nameIn(ctx, leaning.code), read: nameIn(ctx, leaning.read) })
  const pages = await q.menuPages(ctx.db)
  const chosen = pages.filter((page) => next.menus.includes(page.path))
  if (chosen.length !== new Set(next.menus).size) throw new Refusal(common.notFound)
  const [blind] = menusWithoutRead(chosen, codes)
  if (blind?.permission)
    throw new Refusal(roleErrors.menuNeedsRead, { title: ctx.lang === 'en' ? blind.title_en : blind.title_zh, read: nameIn(ctx, blind.permission) })
}
const nameIn = (ctx: Ctx, code: string): string => (nameOf.get(code) ?? bi(code, code)).split('\u001f')[ctx.lang === 'en' ? 1 : 0] ?? code

function checkReach(ctx: Ctx, next: { rank: number; dataScope: DataScope }, before?: q.Row): void {
  const editor = editorOf(ctx)
  if (!editor.isSuper && next.rank > editor.rank) throw new Refusal(roleErrors.above)
  if (next.dataScope !== before?.data_scope && !scopesOf(editor).includes(next.dataScope)) throw new Refusal(roleErrors.scopeTooWide)
}

async function unique<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if ((error as { constraint?: string }).constraint !== 'roles_name') throw error
    throw new Refusal(roleErrors.nameTaken, {}, [{ field: 'name', text: roleErrors.nameTaken.text }])
  }
}

type NewRole = { name: string; nameEn: string; description: string; dataScope: DataScope; rank: number } & Lists

/** Whoever makes a role may give it. */
async function add(ctx: Ctx, next: NewRole): Promise<number> {
  checkNames(next)
  await q.lockRoles(ctx)
  if ((await q.customRoles(ctx)) >= mostRoles) throw new Refusal(roleErrors.tooMany, { n: mostRoles })
  const { id } = await unique(
    ctx.db
      .insertInto('roles')
      .values({
        org_id: ctx.actor.orgId,
        code: `ROLE_C_${randomBytes(4).toString('hex').toUpperCase()}`,
        name: next.name,
        name_en: next.nameEn || next.name,
        description: next.description,
        data_scope: next.dataScope,
        rank: next.rank,
        created_at: ctx.now,
        updated_at: ctx.now,
      })
      .returning('id')
      .executeTakeFirstOrThrow(),
  )
  await q.writeLists(ctx.db, id, next.permissions, next.menus)
  await distribution.addToOwnRows(ctx, id)
  return id
}

const create: Handlers<Contract>['create'] = async (ctx, input) => {
  checkReach(ctx, input)
  await checkLists(ctx, null, input)
  const after = await detail(ctx, await add(ctx, input))
  ctx.audit({ id: after.id, name: after.name, after })
  ctx.touch('roles')
  return after
}

const update: Handlers<Contract>['update'] = async (ctx, input) => {
  const row = await ownEditable(ctx, input.id)
  const before = await detail(ctx, row.id)
  if (row.builtin && (input.name !== row.name || input.rank !== row.rank || input.dataScope !== row.data_scope)) throw new Refusal(roleErrors.builtinFixed)
  if (!row.builtin) {
    checkReach(ctx, input, row)
    checkNames(input, { name: row.name, nameEn: row.name_en })
  }
  await checkLists(ctx, before, input)
  if (!(input.permissions.includes('role:update') && input.permissions.includes('role:read')) && !(await q.editsWithout(ctx, row.id)))
    throw new Refusal(roleErrors.ownRight)
  const standing = (role: { rank: number; dataScope: DataScope; permissions: readonly string[] }) => ({ ...role, codes: new Set(role.permissions) })
  if (takes(standing(before), standing(input))) requireOutranked(ctx, row)
  // another rank gives and takes all of the role
  if (row.people && input.rank !== row.rank) checkHeld(ctx, null, before)
  await unique(
    bump(ctx, input, {
      name: input.name,
      name_en: row.builtin ? row.name_en : input.nameEn || input.name,
      description: input.description,
      data_scope: input.dataScope,
      rank: input.rank,
    }),
  )
  await q.writeLists(ctx.db, row.id, input.permissions, input.menus)
  const after = await detail(ctx, row.id)
  ctx.audit({ id: row.id, name: after.name, before, after, orgId: row.org_id })
  ctx.touch('roles')
  return after
}

type Change = Partial<{ name: string; name_en: string; description: string; data_scope: DataScope; rank: number; status: 'ENABLED' | 'DISABLED' }>
async function bump(ctx: Ctx, seen: { id: number; version: number }, change: Change): Promise<void> {
  const changed = await ctx.db
    .updateTable('roles')
    .set((eb) => ({ ...change, updated_at: ctx.now, version: eb('version', '+', 1) }))
    .where('id', '=', seen.id)
    .where('version', '=', seen.version)
    .executeTakeFirst()
  if (!changed.numUpdatedRows) throw new Refusal(roleErrors.stale)
}

const setStatus: Handlers<Contract>['setStatus'] = async (ctx, input) => {
  const row = await ownEditable(ctx, input.id)
  if (input.status === 'DISABLED' && !isSuper(ctx) && !(await q.editsWithout(ctx, row.id))) throw new Refusal(roleErrors.ownRight)
  if (input.status !== row.status) {
    if (input.status === 'DISABLED') requireOutranked(ctx, row)
    // a role that starts again gives what it holds anew, one that stops takes it
    checkHeld(ctx, null, await detail(ctx, row.id))
  }
  await bump(ctx, input, { status: input.status })
  ctx.audit({ id: row.id, name: row.name, before: { status: row.status }, after: { status: input.status }, orgId: row.org_id })
  ctx.touch('roles')
  return detail(ctx, row.id)
}

/** What the actor does not hold is left out, and so is what leans on it. */
const copy: Handlers<Contract>['copy'] = async (ctx, input) => {
  const row = found(await q.row(ctx, input.id))
  const editor = editorOf(ctx)
  const allowed = scopesOf(editor)
  const dataScope = allowed.includes(row.data_scope) ? row.data_scope : (allowed[0] ?? 'ORG_TREE')
  const held = new Set((await q.codesOf(ctx.db, row.id)).filter((code) => holds(editor, dataScope, code)))
  for (const { code } of withoutRead(held, readOf)) held.delete(code)
  const pages = await q.menuPages(ctx.db)
  const paths = await q.pathsOf(ctx.db, row.id)
  const menus = pages.filter((page) => paths.includes(page.path) && page.permission !== null && held.has(page.permission)).map((page) => page.path)
  const id = await add(ctx, {
    name: input.name,
    nameEn: '',
    description: row.description,
    dataScope,
    rank: Math.min(row.rank, 99, editor.rank),
    permissions: [...held],
    menus,
  })
  const after = await detail(ctx, id)
  ctx.audit({ id, name: after.name, after })
  ctx.touch('roles')
  return after
}

const restore: Handlers<Contract>['restore'] = async (ctx, input) => {
  const row = await ownEditable(ctx, input.id)
  const original = builtinRoles.find((role) => role.code === row.code)
  if (!row.builtin || !original) throw new Refusal(roleErrors.onlyBuiltin)
  const before = await detail(ctx, row.id)
  await bump(ctx, input, { description: '', status: 'ENABLED' })
  await q.writeLists(ctx.db, row.id, original.permissions, original.menus)
  const after = await detail(ctx, row.id)
  ctx.audit({ id: row.id, name: row.name, before, after, orgId: row.org_id })
  ctx.touch('roles')
  return after
}

const remove: Handlers<Contract>['remove'] = async (ctx, input) => {
  const row = await own(ctx, input.id)
  if (row.builtin) throw new Refusal(roleErrors.builtinStays)
  reject(barTo(ctx, row))
  if (row.people) throw new Refusal(roleErrors.inUse, { n: row.people })
  const before = await detail(ctx, row.id)
  // people who are deleted do not keep a role alive; their log rows keep what they were
  await sql`delete from user_roles ur using users u where u.id = ur.user_id and ur.role_id = ${row.id} and u.deleted_at is not null`.execute(ctx.db)
  const gone = await ctx.db.deleteFrom('roles').where('id', '=', row.id).executeTakeFirst()
  if (!gone.numDeletedRows) throw new Refusal(common.notFound)
  ctx.audit({ id: row.id, name: row.name, before, orgId: row.org_id })
  ctx.touch('roles')
  return { ok: true as const }
}

const assignable: Handlers<Contract>['assignable'] = async (ctx, input) => {
  const list = await offeredRoles(ctx, input)
  return {
    list: list.map((role) => ({
      id: role.id,
      identifier: role.code,
      name: role.name,
      nameEn: role.name_en,
      rank: role.rank,
      dataScope: role.data_scope,
      builtin: role.builtin,
    })),
    orgKinds: (await creatableKinds(ctx)) as 'AGENT'[],
    maxUsers: await userLimit(ctx),
  }
}

async function side(ctx: Ctx, id: number) {
  const row = found(await q.row(ctx, id))
  return {
    id: row.id,
    name: row.name,
    nameEn: row.name_en,
    dataScope: row.data_scope,
    rank: row.rank,
    permissions: await q.codesOf(ctx.db, id),
    menus: await q.pathsOf(ctx.db, id),
  }
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
