import { type Handlers, prepared } from '../../../server/bind.ts'
import { type Ctx, found } from '../../../server/context.ts'
import { hashPassword, nearWords } from '../../../server/passwords.ts'
import { requireProof } from '../../../server/proof.ts'
import { hashing, tenantOf } from '../../../server/shares.ts'
import { common, Refusal } from '../../../shared/errors.ts'
import { checkAssignable } from '../../roles/server/assign.ts'
import { passwordRule } from '../../session/rules.ts'
import { wayChanged, waysOf } from '../../session/server/verbs.ts'
import { userErrors, type users } from '../contract.ts'
import { regionRule } from '../rules.ts'
import { batchRoles, batchStatus, logout, remove, setRoles, setStatus } from './access.ts'
import { createDepartment, departments, removeDepartment, updateDepartment } from './departments.ts'
import { devices, setDevices } from './devices.ts'
import { checkDepartment, checkPicture, checkRoles, openHome } from './home.ts'
import { passwordSettings, resetPassword } from './passwords.ts'
import { requireStanding, subject } from './people.ts'
import * as q from './queries.ts'
import { passwordResets, rejectReset } from './resets.ts'
import { listed } from './shown.ts'
import { resetFactor, unbindWechat } from './wechat.ts'

type Contract = typeof users

export type NewUser = {
  orgId: number
  username: string
  passwordHash: string
  realName: string
  phone: string
  consumerPhone: string
  address: string
  /** URL of a picture the actor uploaded, or ''. */
  avatar: string
  roleIds: readonly number[]
  regionCode: string
  departmentId: number | null
  /** The one account an organisation is created with. */
  isPrincipal: boolean
  mustChangePassword: boolean
}

/** Puts somebody into an organisation. Who calls writes the log row; refuses with `userErrors`, fields named as in `NewUser`. */
export async function addUser(ctx: Ctx, user: NewUser): Promise<{ id: number }> {
  const home = await openHome(ctx, user.orgId, 1)
  const roles = await checkAssignable(ctx, user.roleIds, user.orgId)
  checkRoles(ctx, roles, home.kind, user.regionCode)
  await checkDepartment(ctx, user.departmentId, user.orgId)
  await checkPicture(ctx, user.avatar)
  const id = await insertUser(ctx, user)
  await ctx.db
    .insertInto('user_roles')
    .values(roles.map((role) => ({ user_id: id, role_id: role.id, org_id: user.orgId, granted_by: ctx.actor.userId, created_at: ctx.now })))
    .execute()
  ctx.touch('users')
  return { id }
}

async function insertUser(ctx: Ctx, user: NewUser): Promise<number> {
  try {
    const { id } = await ctx.db
      .insertInto('users')
      .values({
        org_id: user.orgId,
        username: user.username,
        password_hash: user.passwordHash,
        real_name: user.realName,
        phone: user.phone,
        consumer_phone: user.consumerPhone,
        address: user.address,
        avatar: user.avatar,
        region_code: user.regionCode,
        department_id: user.departmentId,
        is_principal: user.isPrincipal,
        must_change_password: user.mustChangePassword,
        password_changed_at: ctx.now,
        created_at: ctx.now,
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    return id
  } catch (error) {
    // whose name it is stays untold: it may be another tenant's
    if ((error as { constraint?: string }).constraint !== 'users_username') throw error
    throw new Refusal(userErrors.usernameTaken, {}, [{ field: 'username', text: userErrors.usernameTaken.text }])
  }
}

const create = prepared<Contract['create'], string>({
  async prepare(app, input, _request, actor) {
    const settings = await passwordSettings(app)
    const wrong = passwordRule(input.password, input.username, nearWords([input.realName, input.phone]), settings['password.minLength'])
    if (wrong) throw new Refusal(wrong, {}, [{ field: 'password', text: wrong.text }])
    return hashing(app).take(tenantOf(actor), () => hashPassword(input.password))
  },
  async run(ctx, input, passwordHash) {
    const { password, repeat: _, ...user } = input
    const home = await ctx.db.selectFrom('organisations').select('name').where('id', '=', input.orgId).executeTakeFirst()
    const wrong = passwordRule(password, input.username, nearWords([home?.name ?? '']))
    if (wrong) throw new Refusal(wrong, {}, [{ field: 'password', text: wrong.text }])
    const { id } = await addUser(ctx, { ...user, passwordHash, isPrincipal: false })
    const { mustChangePassword: mustChange, ...after } = user
    ctx.audit({ id, name: user.username, after: { ...after, mustChange }, orgId: user.orgId })
    return { id }
  },
})

const update: Handlers<Contract>['update'] = async (ctx, input) => {
  const before = listed(ctx, found(await q.row(ctx, input.id)))
  const person = await subject(ctx, input.id, 'allowed')
  // his phone is a way to sign in
  if (input.phone !== person.phone) {
    await requireProof(ctx.app, ctx.actor)
    await requireStanding(ctx, person.id)
  }
  const region = regionRule(person.roles, input.regionCode)
  if (region) throw new Refusal(region, {}, [{ field: 'regionCode', text: region.text }])
  // another region is another right: who may not give the role may not move it
  const regional = person.roles.filter((role) => role.dataScope === 'REGION_DRUGS').map((role) => role.id)
  if (regional.length && input.regionCode !== person.region_code) await checkAssignable(ctx, regional, person.org_id)
  await checkDepartment(ctx, input.departmentId, person.org_id)
  if (!input.avatar && person.avatar) throw new Refusal(userErrors.avatarMissing, {}, [{ field: 'avatar', text: userErrors.avatarMissing.text }])
  if (input.avatar !== person.avatar) await checkPicture(ctx, input.avatar)
  const ways = await waysOf(ctx, input.id)
  const changed = await ctx.db
    .updateTable('users')
    .set((eb) => ({
      real_name: input.realName,
      phone: input.phone,
      consumer_phone: input.consumerPhone,
      address: input.address,
      avatar: input.avatar,
      region_code: input.regionCode,
      department_id: input.departmentId,
      version: eb('version', '+', 1),
    }))
    .where('id', '=', input.id)
    .where('version', '=', input.version)
    .executeTakeFirst()
  if (!changed.numUpdatedRows) throw new Refusal(common.stale)
  if (input.phone !== person.phone) await wayChanged(ctx, ways, 'PHONE')
  const row = found(await q.row(ctx, input.id))
  ctx.audit({ id: input.id, name: person.username, before, after: listed(ctx, row), orgId: person.org_id })
  ctx.touch('users')
  return detailed(ctx, row)
}

/** With the whole phone for whoever may change it. */
const detailed = (ctx: Ctx, row: q.Row) => {
  const shown = listed(ctx, row)
  return { ...shown, phone: shown.can.update ? row.phone : shown.phone, mustChangePassword: row.must_change_password }
}

export const handlers: Handlers<Contract> = {
  async list(ctx, input) {
    const { rows, total } = await q.listRows(ctx, input)
    return { list: rows.map((row) => listed(ctx, row)), total }
  },
  get: async (ctx, input) => detailed(ctx, found(await q.row(ctx, input.id))),
  create,
  update,
  setStatus,
  batchStatus,
  setRoles,
  batchRoles,
  devices,
  setDevices,
  resetPassword,
  logout,
  unbindWechat,
  resetFactor,
  remove,
  departments,
  createDepartment,
  updateDepartment,
  removeDepartment,
  passwordResets,
  rejectReset,
}
