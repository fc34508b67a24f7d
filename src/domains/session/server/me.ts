import { sql } from 'kysely'
import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, found, iso, refused } from '../../../server/context.ts'
import { sessionsOf } from '../../../server/live.ts'
import { common, Refusal } from '../../../shared/errors.ts'
import { bi } from '../../../shared/text.ts'
import { missingPictures, uploadedBy } from '../../files/server/pictures.ts'
import { type session, sessionErrors } from '../contract.ts'
import { deviceOf, maskPhone } from '../rules.ts'
import { identityProvider } from './identity.ts'
import { phoneShown } from './queries.ts'
import { codeHash, spendCode } from './sms.ts'
import { wayChanged, waysOf } from './ways.ts'

type Contract = typeof session
type ProfileRow = {
  id: number
  username: string
  real_name: string
  phone: string
  consumer_phone: string
  avatar: string
  address: string
  region_code: string
  version: number
  org_name: string
  roles: { zh: string; en: string; code: string }[]
}

/** Whom customers call and goods are sent to (product book, /info). */
const serviceRoles = ['ROLE_RTU_AGENT', 'ROLE_RTU_SP']

export async function profile(ctx: Ctx) {
  const { rows } = await sql<ProfileRow>`
    select u.id, u.username, u.real_name, u.phone, u.consumer_phone, u.avatar, u.address, u.region_code, u.version, o.name as org_name,
      (select coalesce(json_agg(json_build_object('zh', r.name, 'en', r.name_en, 'code', r.code) order by r.rank desc), '[]')
        from user_roles ur join roles r on r.id = ur.role_id where ur.user_id = u.id) as roles
    from users u join organisations o on o.id = u.org_id where u.id = ${ctx.actor.userId}`.execute(ctx.db)
  const row = found(rows[0])
  return {
    id: row.id,
    username: row.username,
    realName: row.real_name,
    phone: maskPhone(row.phone),
    consumerPhone: row.consumer_phone,
    img: row.avatar,
    address: row.address,
    regionCode: row.region_code,
    orgName: row.org_name,
    roleNames: row.roles.map(({ zh, en }) => ({ zh, en })),
    serviceRequired: row.roles.some((role) => serviceRoles.includes(role.code)),
    version: row.version,
  }
}

export const editProfile: Handlers<Contract>['editProfile'] = async (ctx, input) => {
  const before = await profile(ctx)
  if (before.serviceRequired) {
    const missing = [
      ...(input.consumerPhone ? [] : [{ field: 'consumerPhone', text: bi('请输入客服电话', 'Enter the customer service phone') }]),
      ...(input.address ? [] : [{ field: 'address', text: bi('请输入详细地址', 'Enter the street address') }]),
    ]
    if (missing.length) throw new Refusal(sessionErrors.serviceMissing, {}, missing)
  }
  if (input.img !== before.img) {
    // a picture somebody else uploaded answers like a missing one
    if ((await missingPictures(ctx, [input.img], uploadedBy(ctx))).length) throw new Refusal(common.notFound)
  }
  const changed = await ctx.db
    .updateTable('users')
    .set((eb) => ({
      real_name: input.realName,
      consumer_phone: input.consumerPhone,
      avatar: input.img,
      address: input.address,
      version: eb('version', '+', 1),
    }))
    .where('id', '=', ctx.actor.userId)
    .where('version', '=', input.version)
    .executeTakeFirst()
  if (!changed.numUpdatedRows) throw new Refusal(common.stale)
  const after = await profile(ctx)
  ctx.audit({ id: before.id, name: before.username, before, after })
  return after
}

export const changePhone: Handlers<Contract>['changePhone'] = async (ctx, input) => {
  const before = await profile(ctx)
  const spent = await spendCode(
    ctx,
    { phone: input.phone, purpose: 'CHANGE_PHONE', userId: ctx.actor.userId },
    codeHash(ctx.app, input.phone, 'CHANGE_PHONE', input.smsCode),
  )
  if (!spent) return refused(sessionErrors.wrongCode)
  const ways = await waysOf(ctx, before.id)
  await sql`update users set phone = ${input.phone}, version = version + 1 where id = ${ctx.actor.userId}`.execute(ctx.db)
  await phoneShown(ctx, before.id, { first: true })
  await wayChanged(ctx, ways, 'PHONE')
  const after = await profile(ctx)
  ctx.audit({ id: before.id, name: before.username, before: { phone: before.phone }, after: { phone: after.phone } })
  return after
}

type SessionRow = { id: string; ip: string; user_agent: string; created_at: Date; last_seen_at: Date }

export async function sessions(ctx: Ctx) {
  const { rows } = await sql<SessionRow>`select id, ip, user_agent, created_at, last_seen_at from sessions
    where user_id = ${ctx.actor.userId} and revoked_at is null and expires_at > ${ctx.now} order by last_seen_at desc, id limit 50`.execute(ctx.db)
  const { rows: recent } = await sql<{ created_at: Date; ip: string; user_agent: string }>`select created_at, ip, user_agent from login_attempts
    where user_id = ${ctx.actor.userId} and ok order by created_at desc limit 5`.execute(ctx.db)
  return {
    sessions: rows
      .map((row) => ({
        id: row.id,
        current: row.id === ctx.actor.sessionId,
        ip: row.ip,
        device: deviceOf(row.user_agent),
        signedInAt: iso(row.created_at),
        lastSeenAt: iso(row.last_seen_at),
      }))
      .sort((a, b) => Number(b.current) - Number(a.current)),
    recent: recent.map((row) => ({ at: iso(row.created_at), ip: row.ip, device: deviceOf(row.user_agent) })),
  }
}

export const endSession: Handlers<Contract>['endSession'] = async (ctx, input) => {
  const { rows } = await sql<{ ip: string }>`update sessions set revoked_at = ${ctx.now}, revoke_reason = 'KICKED'
    where id = ${input.id}::uuid and user_id = ${ctx.actor.userId} and revoked_at is null returning ip`.execute(ctx.db)
  const row = found(rows[0])
  ctx.audit({ id: ctx.actor.userId as number, name: ctx.actor.username, after: { ip: row.ip } })
  ctx.touch(sessionsOf(ctx.actor.userId as number))
  return { ok: true as const }
}

export const endOthers: Handlers<Contract>['endOthers'] = async (ctx) => {
  const done = await sql`update sessions set revoked_at = ${ctx.now}, revoke_reason = 'KICKED'
    where user_id = ${ctx.actor.userId} and id <> ${ctx.actor.sessionId}::uuid and revoked_at is null`.execute(ctx.db)
  ctx.audit({ id: ctx.actor.userId as number, name: ctx.actor.username, after: { ended: Number(done.numAffectedRows ?? 0n) } })
  ctx.touch(sessionsOf(ctx.actor.userId as number))
  return { ok: true as const }
}

export async function binding(ctx: Ctx) {
  const bound = await ctx.db.selectFrom('wechat_bindings').select(['nickname', 'bound_at']).where('user_id', '=', ctx.actor.userId).executeTakeFirst()
  return { bound: bound ? { nickname: bound.nickname, boundAt: iso(bound.bound_at) } : null, available: identityProvider(ctx.app.config) !== null }
}
