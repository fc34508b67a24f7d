import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { type Handlers, prepared } from '../../../server/bind.ts'
import { type Ctx, found, isoOrNull, refused } from '../../../server/context.ts'
import { systemScope } from '../../../server/database.ts'
import { checkPassword, commonPasswords, hashPassword } from '../../../server/passwords.ts'
import { tokenHash } from '../../../server/sessions.ts'
import { common, Refusal, reject } from '../../../shared/errors.ts'
import { screens } from '../../screens.ts'
import { type session, sessionErrors } from '../contract.ts'
import { lockout, passwordRule } from '../rules.ts'
import * as q from './queries.ts'

type Contract = typeof session

const screenPaths = new Set(screens.map((screen) => screen.path))

/** Sign-in: the same work and the same answer whether the name is unknown, wrong, locked or disabled. */
export const login = prepared<Contract['login'], { account: q.Account | undefined; matches: boolean }>({
  async prepare(app, input) {
    const account = await app.database.read(systemScope, (db) => q.accountByName(db, input.username))
    return { account, matches: await checkPassword(account?.password_hash, input.password) }
  },
  async run(ctx, input, { account, matches }) {
    const locked = account?.locked_until != null && account.locked_until > ctx.now
    const reason = !account ? 'UNKNOWN' : locked ? 'LOCKED' : !matches ? 'WRONG' : !account.usable ? 'DISABLED' : 'OK'
    await q.addAttempt(ctx, { username: input.username, userId: account?.id ?? null, orgId: account?.org_id ?? null, ok: reason === 'OK', reason })
    if (account && reason === 'WRONG') await q.countFailure(ctx.db, account.id, ctx.now, lockout.failures, lockout.minutes)
    if (!account || reason !== 'OK') return refused(sessionErrors.wrongCredentials)
    const token = randomBytes(32).toString('base64url')
    await ctx.db.updateTable('users').set({ failed_count: 0, locked_until: null }).where('id', '=', account.id).execute()
    await q.addSession(ctx, { id: account.id, orgId: account.org_id }, tokenHash(token), ctx.app.config.sessionDays)
    return { token }
  },
})

async function user(ctx: Ctx) {
  const { rows } = await sql<{
    id: number
    username: string
    real_name: string
    avatar: string
    title: string
    must_change_password: boolean
    org_id: number
    org_name: string
    role_name: string
  }>`
    select u.id, u.username, u.real_name, u.avatar, u.title, u.must_change_password, u.org_id, o.name as org_name,
      (select r.name from user_roles ur join roles r on r.id = ur.role_id where ur.user_id = u.id order by r.rank desc limit 1) as role_name
    from users u join organisations o on o.id = u.org_id where u.id = ${ctx.actor.userId}`.execute(ctx.db)
  const row = found(rows[0])
  return {
    id: row.id,
    username: row.username,
    realName: row.real_name,
    role: ctx.actor.role,
    is_superuser: ctx.actor.role === 'ROLE_SUPER_ADMIN',
    img: row.avatar,
    title: row.title || row.role_name,
    menus: q.menuTree(await q.menuRows(ctx.db, row.id), (path) => screenPaths.has(path)),
    permissions: [...ctx.actor.permissions].sort(),
    orgId: row.org_id,
    orgName: row.org_name,
    mustChangePassword: row.must_change_password,
  }
}

async function logout(ctx: Ctx) {
  await q.revokeSessions(ctx.db, ctx.now, { sessionId: ctx.actor.sessionId as string }, 'LOGOUT')
  ctx.audit({ id: ctx.actor.userId as number, name: ctx.actor.username })
  return { ok: true as const }
}

async function profile(ctx: Ctx) {
  const { rows } = await sql<{
    id: number
    username: string
    real_name: string
    phone: string
    consumer_phone: string
    avatar: string
    address: string
    version: number
    org_name: string
    roles: { zh: string; en: string }[]
    last_at: Date | null
    last_ip: string | null
  }>`
    select u.id, u.username, u.real_name, u.phone, u.consumer_phone, u.avatar, u.address, u.version, o.name as org_name,
      (select coalesce(json_agg(json_build_object('zh', r.name, 'en', r.name_en) order by r.rank desc), '[]') from user_roles ur join roles r on r.id = ur.role_id where ur.user_id = u.id) as roles,
      a.created_at as last_at, a.ip as last_ip
    from users u join organisations o on o.id = u.org_id
    left join lateral (select created_at, ip from login_attempts l where lower(l.username) = lower(u.username) and l.ok order by created_at desc limit 1) a on true
    where u.id = ${ctx.actor.userId}`.execute(ctx.db)
  const row = found(rows[0])
  return {
    id: row.id,
    username: row.username,
    realName: row.real_name,
    phone: row.phone,
    consumerPhone: row.consumer_phone,
    img: row.avatar,
    address: row.address,
    orgName: row.org_name,
    roleNames: row.roles,
    version: row.version,
    lastLogin: row.last_at ? { at: isoOrNull(row.last_at) as string, ip: row.last_ip ?? '' } : null,
  }
}

const editProfile: Handlers<Contract>['editProfile'] = async (ctx, input) => {
  const before = await profile(ctx)
  if (input.img && input.img !== before.img) {
    // a picture somebody else uploaded answers like a missing one
    found(await ctx.db.selectFrom('uploads').select('id').where('url', '=', input.img).where('user_id', '=', ctx.actor.userId).executeTakeFirst())
  }
  const changed = await ctx.db
    .updateTable('users')
    .set((eb) => ({ real_name: input.realName, phone: input.phone, avatar: input.img, address: input.address, version: eb('version', '+', 1) }))
    .where('id', '=', ctx.actor.userId)
    .where('version', '=', input.version)
    .executeTakeFirst()
  if (!changed.numUpdatedRows) throw new Refusal(common.stale)
  const after = await profile(ctx)
  ctx.audit({ id: before.id, name: before.username, before, after })
  return after
}

/** Ends every session of the user, this one too; a wrong old password counts towards the lock. */
export const changePassword = prepared<Contract['changePassword'], { account: q.Account; right: boolean; repeated: boolean; hash: string }>({
  async prepare(app, input, _request, actor) {
    const account = found(await app.database.read(systemScope, (db) => q.accountByName(db, actor.username)))
    const right = await checkPassword(account.password_hash, input.oldPassword)
    const past = await app.database.read(systemScope, (db) =>
      db.selectFrom('password_history').select('password_hash').where('user_id', '=', account.id).orderBy('created_at', 'desc').limit(5).execute(),
    )
    let repeated = input.password === input.oldPassword
    for (const entry of past) repeated ||= await checkPassword(entry.password_hash, input.password)
    return { account, right, repeated, hash: await hashPassword(input.password) }
  },
  async run(ctx, input, { account, right, repeated, hash }) {
    const locked = account.locked_until != null && account.locked_until > ctx.now
    if (!right || locked) {
      if (!locked) await q.countFailure(ctx.db, account.id, ctx.now, lockout.failures, lockout.minutes)
      await q.addAttempt(ctx, { username: account.username, userId: account.id, orgId: account.org_id, ok: false, reason: 'OLD_PASSWORD' })
      return refused(sessionErrors.wrongOldPassword)
    }
    reject(repeated ? sessionErrors.passwordRepeated : passwordRule(input.password, account.username, commonPasswords()))
    await ctx.db
      .insertInto('password_history')
      .values({ user_id: account.id, org_id: account.org_id, password_hash: account.password_hash, created_at: ctx.now })
      .execute()
    await ctx.db
      .updateTable('users')
      .set({ password_hash: hash, must_change_password: false, failed_count: 0, locked_until: null })
      .where('id', '=', account.id)
      .execute()
    await q.revokeSessions(ctx.db, ctx.now, { userId: account.id }, 'PASSWORD_CHANGED')
    ctx.audit({ id: account.id, name: account.username })
    return { ok: true as const }
  },
})

async function preferences(ctx: Ctx) {
  const rows = await ctx.db.selectFrom('preferences').select(['key', 'value']).where('user_id', '=', ctx.actor.userId).execute()
  return Object.fromEntries(rows.map((row) => [row.key, row.value]))
}

const savePreference: Handlers<Contract>['savePreference'] = async (ctx, input) => {
  const value = JSON.stringify(input.value ?? null)
  if (value.length > 8000) throw new Refusal(common.tooLarge)
  await sql`insert into preferences (user_id, org_id, key, value, updated_at) values (${ctx.actor.userId}, ${ctx.actor.orgId}, ${input.key}, ${value}::jsonb, ${ctx.now})
    on conflict (user_id, key) do update set value = excluded.value, updated_at = excluded.updated_at`.execute(ctx.db)
  return { ok: true as const }
}

export const handlers: Handlers<Contract> = { login, user, logout, profile, editProfile, changePassword, preferences, savePreference }
