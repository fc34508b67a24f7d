import { sql } from 'kysely'
import type { z } from 'zod'
import { type Handlers, prepared } from '../../../server/bind.ts'
import { type App, type Ctx, found, may } from '../../../server/context.ts'
import { systemScope } from '../../../server/database.ts'
import type { ImportRow } from '../../../server/importers.ts'
import { hashPassword, nearWords } from '../../../server/passwords.ts'
import { requireProof } from '../../../server/proof.ts'
import { columns, guarding, updateVersion } from '../../../server/shapes.ts'
import { hashing, tenantOf } from '../../../server/shares.ts'
import { fieldRefusal } from '../../../shared/errors.ts'
import { placeName } from '../../../shared/regions.ts'
import { checkAssignable } from '../../roles/server/assign.ts'
import { passwordRule } from '../../session/rules.ts'
import { wayChanged, waysOf } from '../../session/server/verbs.ts'
import { type NewOrganUser, type OrganUserRow, userErrors, type users } from '../contract.ts'
import { maskedPhone, regionRule, servesAs } from '../rules.ts'
import { access } from './access.ts'
import { departments } from './departments.ts'
import { devices } from './devices.ts'
import { type FirstPasswords, firstPasswords } from './firstPasswords.ts'
import { passwordSettings, resetPassword } from './passwords.ts'
import {
  above,
  checkDepartment,
  checkPicture,
  checkRoles,
  giveRoles,
  named,
  openHome,
  requireStanding,
  subject,
} from './people.ts'
import { pharmacists } from './pharmacists.ts'
import * as q from './queries.ts'
import { resets } from './resets.ts'

type Contract = typeof users

export { giveRoles }

/** `isPrincipal`: the one account an organisation is created with. */
export type NewUser = Omit<z.output<typeof NewOrganUser>, 'password' | 'repeat'> & {
  passwordHash: string
  isPrincipal: boolean
}

// whose name it is stays untold: it may be another tenant's
const unique = guarding({ users_username: [userErrors.usernameTaken, 'username'] })
/**
 * Two statements for however many: a thousand single inserts would each wake every cache of rights.
 * Answers their ids by their names.
 */
export async function insertUsers(
  ctx: Ctx,
  people: readonly NewUser[],
): Promise<ReadonlyMap<string, number>> {
  const values = people.map(({ roleIds: _, ...user }) => ({
    ...columns('users', user),
    password_changed_at: ctx.now,
    created_at: ctx.now,
  }))
  const made = await unique(
    ctx.db.insertInto('users').values(values).returning(['id', 'username']).execute(),
  )
  const ids = new Map(made.map((user) => [user.username, user.id]))
  const held = people.flatMap(({ username, orgId, roleIds }) =>
    roleIds.map((roleId) => ({ userId: ids.get(username) as number, roleId, orgId })),
  )
  const granted = { granted_by: ctx.actor.userId, created_at: ctx.now }
  await ctx.db
    .insertInto('user_roles')
    .values(held.map((role) => ({ ...columns('user_roles', role), ...granted })))
    .execute()
  ctx.touch('users')
  return ids
}

/**
 * Puts somebody into an organisation. Who calls writes the log row; refuses with `userErrors`,
 * fields named as in `NewUser`.
 */
export async function addUser(ctx: Ctx, user: NewUser): Promise<number> {
  const home = await openHome(ctx, user.orgId, 1)
  const roles = await checkAssignable(ctx, user.roleIds, user.orgId)
  checkRoles(ctx, roles, home.kind, user.regionCode)
  await checkDepartment(ctx, user.departmentId, user.orgId)
  await checkPicture(ctx, user.avatar)
  return (await insertUsers(ctx, [user])).get(user.username) as number
}

type Named = { readonly username?: string }
export type Accounts = { readonly first: FirstPasswords; readonly taken: (row: Named) => boolean }
/**
 * What accounts of a file need: one password each, at random, so that quick hashes are as good as
 * slow ones, and which names are taken. Those are unique across tenants, so it is asked outside the
 * actor's rows.
 */
export async function accountsOf(
  app: App,
  rows: readonly ImportRow<unknown>[],
  all: readonly ImportRow<Named>[],
): Promise<Accounts> {
  const { 'password.minLength': minLength } = await passwordSettings(app)
  const names = all.flatMap(({ value }) => value.username?.toLowerCase() ?? [])
  const [first, found] = await Promise.all([
    firstPasswords(
      rows.map(({ line }) => line),
      minLength,
    ),
    app.database.read(systemScope, (db) =>
      sql<{
        name: string
      }>`select lower(username) as name from users
        where lower(username) = any(${names}::text[])`.execute(db),
    ),
  ])
  const taken = new Set(found.rows.map(({ name }) => name))
  return {
    first,
    taken: ({ username }) => username !== undefined && taken.has(username.toLowerCase()),
  }
}

const create = prepared<Contract['create'], string>({
  async prepare(app, input, _request, actor) {
    const settings = await passwordSettings(app)
    const wrong = passwordRule(
      input.password,
      input.username,
      nearWords([input.realName, input.phone]),
      settings['password.minLength'],
    )
    if (wrong) throw fieldRefusal(wrong, 'password')
    return hashing(app).take(tenantOf(actor), () => hashPassword(input.password))
  },
  async run(ctx, { password, repeat: _, ...user }, passwordHash) {
    const home = await ctx.db
      .selectFrom('organisations')
      .select('name')
      .where('id', '=', user.orgId)
      .executeTakeFirst()
    const wrong = passwordRule(password, user.username, nearWords([home?.name ?? '']))
    if (wrong) throw fieldRefusal(wrong, 'password')
    const id = await addUser(ctx, { ...user, passwordHash, isPrincipal: false })
    const { mustChangePassword: mustChange, ...after } = user
    ctx.audit({ id, name: user.username, after: { ...after, mustChange }, orgId: user.orgId })
    return { id }
  },
})

const update: Handlers<Contract>['update'] = async (ctx, { id, version, ...input }) => {
  const before = listed(ctx, found(await q.row(ctx, id)))
  const person = await subject(ctx, id, 'allowed')
  // his phone is a way to sign in
  if (input.phone !== person.phone) {
    await requireProof(ctx.app, ctx.actor)
    await requireStanding(ctx, id)
  }
  const region = regionRule(person.roles, input.regionCode)
  if (region) throw fieldRefusal(region, 'regionCode')
  // another region is another right: who may not give the role may not move it
  const regional = person.roles
    .filter((role) => role.dataScope === 'REGION_DRUGS')
    .map((role) => role.id)
  if (regional.length && input.regionCode !== person.regionCode)
    await checkAssignable(ctx, regional, person.orgId)
  await checkDepartment(ctx, input.departmentId, person.orgId)
  if (!input.avatar && person.avatar) throw fieldRefusal(userErrors.avatarMissing, 'avatar')
  if (input.avatar !== person.avatar) await checkPicture(ctx, input.avatar)
  const ways = await waysOf(ctx, id)
  await updateVersion(ctx, 'users', { id, version }, columns('users', input))
  if (input.phone !== person.phone) await wayChanged(ctx, ways, 'PHONE')
  const row = found(await q.row(ctx, id))
  ctx.audit({ ...named(person), before, after: listed(ctx, row) })
  ctx.touch('users')
  return detailed(ctx, row)
}

/** The row as people see it, with what this actor may do to it. */
function listed(ctx: Ctx, { factor, mustChangePassword: _, ...user }: q.User): OrganUserRow {
  const below = above(ctx, user.roles[0]?.rank ?? 0)
  const other = below && user.id !== ctx.actor.userId
  return {
    ...user,
    role: user.roles[0]?.code ?? '',
    roleName: user.roles
      .map((role) => (ctx.lang === 'en' ? role.nameEn : role.name))
      .join(ctx.lang === 'en' ? ', ' : '、'),
    roles: user.roles.map(({ rank: _, dataScope: __, ...chip }) => chip),
    phone: maskedPhone(user.phone),
    area: placeName(user.regionCode, ' '),
    can: {
      update: below && may(ctx, 'user:update'),
      status: other && may(ctx, 'user:update'),
      roles: other && may(ctx, 'user:assign-role'),
      devices: other && may(ctx, 'device:assign') && servesAs(user.roles).length > 0,
      reset: other && may(ctx, 'user:reset-password'),
      logout: other && may(ctx, 'user:update'),
      unbind: below && user.wechatBound && may(ctx, 'user:update'),
      factor: other && factor && may(ctx, 'user:reset-password'),
      delete: other && !user.isPrincipal && may(ctx, 'user:delete'),
    },
  }
}
/** With the whole phone for whoever may change it. */
const detailed = (ctx: Ctx, row: q.User) => {
  const shown = listed(ctx, row)
  return {
    ...shown,
    phone: shown.can.update ? row.phone : shown.phone,
    mustChangePassword: row.mustChangePassword,
  }
}

export const handlers: Handlers<Contract> = {
  async list(ctx, input) {
    const { rows, total } = await q.listRows(ctx, input)
    return { list: rows.map((row) => listed(ctx, row)), total }
  },
  get: async (ctx, input) => detailed(ctx, found(await q.row(ctx, input.id))),
  create,
  update,
  ...access,
  ...devices,
  resetPassword,
  ...departments,
  ...resets,
  ...pharmacists,
}
