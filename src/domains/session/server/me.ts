import { sql } from 'kysely'
import { z } from 'zod'
import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, found, iso, refused } from '../../../server/context.ts'
import { rowOf } from '../../../server/rows.ts'
import { columns, shape, updateVersion } from '../../../server/shapes.ts'
import { common, Refusal } from '../../../shared/errors.ts'
import { bi } from '../../../shared/text.ts'
import { missingPictures, uploadedBy } from '../../files/server/pictures.ts'
import { session, sessionErrors } from '../contract.ts'
import { deviceOf, maskPhone } from '../rules.ts'
import { identityProvider } from './identity.ts'
import { endSessions, phoneShown } from './queries.ts'
import { codeHash, spendCode } from './sms.ts'
import { wayChanged, waysOf } from './ways.ts'

type Contract = typeof session
/** Whom customers call and goods are sent to (product book, /info). */
const serviceRoles = ['ROLE_RTU_AGENT', 'ROLE_RTU_SP']

const own = shape(
  session.profile.output.extend({
    roles: z.array(z.strictObject({ zh: z.string(), en: z.string(), code: z.string() })),
  }),
  ['users', 'u'],
  {
    img: sql`u.avatar`,
    orgName: sql`o.name`,
    roles: sql`(select coalesce(json_agg(json_build_object('zh', r.name, 'en', r.name_en, 'code',
      r.code) order by r.rank desc), '[]')
      from user_roles ur join roles r on r.id = ur.role_id where ur.user_id = u.id)`,
  },
  ['roleNames', 'serviceRequired'],
)

export async function profile(ctx: Ctx) {
  const { roles, ...row } = found(
    await own.one(
      ctx.db,
      sql`from users u join organisations o on o.id = u.org_id where u.id = ${ctx.actor.userId}`,
    ),
  )
  return {
    ...row,
    phone: maskPhone(row.phone),
    roleNames: roles.map(({ zh, en }) => ({ zh, en })),
    serviceRequired: roles.some((role) => serviceRoles.includes(role.code)),
  }
}

export const editProfile: Handlers<Contract>['editProfile'] = async (ctx, input) => {
  const before = await profile(ctx)
  if (before.serviceRequired) {
    const missing = [
      ...(input.consumerPhone
        ? []
        : [
            {
              field: 'consumerPhone',
              text: bi('请输入客服电话', 'Enter the customer service phone'),
            },
          ]),
      ...(input.address
        ? []
        : [{ field: 'address', text: bi('请输入详细地址', 'Enter the street address') }]),
    ]
    if (missing.length) throw new Refusal(sessionErrors.serviceMissing, {}, missing)
  }
  if (input.img !== before.img) {
    // a picture somebody else uploaded answers like a missing one
    if ((await missingPictures(ctx, [input.img], uploadedBy(ctx))).length)
      throw new Refusal(common.notFound)
  }
  const { realName, consumerPhone, img: avatar, address, version } = input
  await updateVersion(
    ctx,
    'users',
    { id: before.id, version },
    columns('users', { realName, consumerPhone, avatar, address }),
  )
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
  await sql`update users set phone = ${input.phone}, version = version + 1
    where id = ${ctx.actor.userId}`.execute(ctx.db)
  await phoneShown(ctx, before.id, { first: true })
  await wayChanged(ctx, ways, 'PHONE')
  const after = await profile(ctx)
  ctx.audit({
    id: before.id,
    name: before.username,
    before: { phone: before.phone },
    after: { phone: after.phone },
  })
  return after
}

const lists = session.sessions.output.shape
const agent = { userAgent: z.string() }
const open = shape(
  lists.sessions.element.extend(agent),
  ['sessions', 's'],
  { signedInAt: sql`s.created_at` },
  ['current', 'device'],
)
const signIn = shape(
  lists.recent.element.extend(agent),
  ['login_attempts', 'l'],
  { at: sql`l.created_at` },
  ['device'],
)

export async function sessions(ctx: Ctx) {
  const { userId, sessionId } = ctx.actor
  const rows = await open.all(
    ctx.db,
    sql`from sessions s where s.user_id = ${userId} and s.revoked_at is null
      and s.expires_at > ${ctx.now}
      order by s.id = ${sessionId} desc, s.last_seen_at desc, s.id limit 50`,
  )
  const recent = await signIn.all(
    ctx.db,
    sql`from login_attempts l where l.user_id = ${userId} and l.ok order by l.created_at desc
      limit 5`,
  )
  return {
    sessions: rows.map(({ userAgent, ...row }) => ({
      ...row,
      current: row.id === sessionId,
      device: deviceOf(userAgent),
    })),
    recent: recent.map(({ userAgent, ...row }) => ({ ...row, device: deviceOf(userAgent) })),
  }
}

export const endSession: Handlers<Contract>['endSession'] = async (ctx, input) => {
  const { userId, username: name } = ctx.actor
  const [ended] = await endSessions(
    ctx,
    sql`s.id = ${input.id}::uuid and s.user_id = ${userId}`,
    'KICKED',
  )
  ctx.audit({ id: userId as number, name, after: { ip: found(ended).ip } })
  return { ok: true as const }
}

export const endOthers: Handlers<Contract>['endOthers'] = async (ctx) => {
  const { userId, username: name, sessionId } = ctx.actor
  const ended = await endSessions(
    ctx,
    sql`s.user_id = ${userId} and s.id <> ${sessionId}::uuid`,
    'KICKED',
  )
  ctx.audit({ id: userId as number, name, after: { ended: ended.length } })
  return { ok: true as const }
}

export async function binding(ctx: Ctx) {
  const bound = await rowOf<{ nickname: string; boundAt: Date }>(ctx.db)`
    select nickname, bound_at as "boundAt" from wechat_bindings where user_id = ${ctx.actor.userId}`
  return {
    bound: bound ? { ...bound, boundAt: iso(bound.boundAt) } : null,
    available: identityProvider(ctx.app.config) !== null,
  }
}
