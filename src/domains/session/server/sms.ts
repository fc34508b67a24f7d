import { createHmac, randomInt } from 'node:crypto'
import { sql } from 'kysely'
import type { App, Ctx } from '../../../server/context.ts'
import { keyFor, openSecret, sealSecret } from '../../../server/secretBox.ts'
import { tenantOfOrg } from '../../../server/shares.ts'
import { clock, type Kind, type Piece } from '../../../server/work.ts'
import { addressOf } from '../../../shared/address.ts'
import { Refusal } from '../../../shared/errors.ts'
import { sessionErrors } from '../contract.ts'
import { sendRule, sendStates, sendWaits, smsLimits } from '../rules.ts'
import { hasSms, type Message, type SendAnswer, type SmsProvider } from './smsProvider.ts'

type Purpose = Exclude<Message['purpose'], 'NOTICE'>
const codesName = 'session-sms'

/** How many codes were hashed: tests assert that every way does the same work. */
export const codeWork = { hashed: 0 }
export function codeHash(app: App, phone: string, purpose: Purpose, code: string): Buffer {
  codeWork.hashed += 1
  return createHmac('sha256', keyFor(app.config, 'session.sms'))
    .update(`${phone}|${purpose}|${code}`)
    .digest()
}

const outbox = 'session.sms.outbox'
const placeOf = (phone: string) => `sms_codes.sealed|${phone}`

/** `known`: by somebody signed in, or in a browser that an account with this number knows. */
type Asked = {
  phone: string
  purpose: Purpose
  userId: number | null
  orgId: number
  deliver: boolean
  known: boolean
}
/**
 * A code and the intent to send it. Where nobody waits for it the same row is written and never
 * delivered, so that the answer, the limits and the work tell nothing about the number.
 */
export async function issueCode(ctx: Ctx, to: Asked): Promise<number> {
  if (!hasSms(ctx.app)) throw new Refusal(sessionErrors.smsUnavailable)
  const address = addressOf(ctx.ip)
  // counted and written one after the other for a number and an address; the exclusion constraint
  // repeats the minute
  await sql`select pg_advisory_xact_lock(hashtextextended(${`sms ${to.phone}`}, 0))`.execute(ctx.db)
  await sql`select pg_advisory_xact_lock(hashtextextended(${`sms ip ${address}`}, 0))`.execute(
    ctx.db,
  )
  const change = to.purpose === 'CHANGE_PHONE'
  const mine = change ? to.userId : null
  // codes to a number that may be a stranger's neither use up nor are hidden among those of its
  // owner
  const alike = sql`(purpose = 'CHANGE_PHONE') = ${change}`
  // what people of another tenant ask for does not shut a number for its holder
  const ofTenant = sql`${tenantOfOrg(sql`org_id`)} = ${tenantOfOrg(sql`${to.orgId}::bigint`)}`
  const hour = sql`created_at > ${ctx.now}::timestamptz - interval '1 hour'`
  const { rows } = await sql<{
    phoneHour: number
    phoneDay: number
    ipHour: number
    userHour: number
    userDay: number
    targetDay: number
    last: Date | null
  }>`
    select count(*) filter (where phone = ${to.phone} and known = ${to.known} and ${alike}
      and ${!change} and ${hour}) as "phoneHour",
      count(*) filter (where phone = ${to.phone} and known = ${to.known}
        and ${alike}) as "phoneDay",
      count(*) filter (where ip = ${address} and known = ${to.known} and ${hour}) as "ipHour",
      count(*) filter (where user_id = ${mine}::bigint and purpose = 'CHANGE_PHONE'
        and ${hour}) as "userHour",
      count(*) filter (where user_id = ${mine}::bigint and purpose = 'CHANGE_PHONE') as "userDay",
      count(*) filter (where phone = ${to.phone} and purpose = 'CHANGE_PHONE'
        and ${mine}::bigint is not null and ${ofTenant}) as "targetDay",
      max(resend_at) filter (where phone = ${to.phone}) as last
    from sms_codes where (phone = ${to.phone} or ip = ${address} or user_id = ${mine}::bigint)
      and created_at > ${ctx.now}::timestamptz - interval '24 hours'`.execute(ctx.db)
  const seen = rows[0] ?? {
    phoneHour: 0,
    phoneDay: 0,
    ipHour: 0,
    userHour: 0,
    userDay: 0,
    targetDay: 0,
    last: null,
  }
  const waitSeconds = seen.last ? Math.ceil((seen.last.getTime() - ctx.now.getTime()) / 1000) : 0
  const why = sendRule({
    ...seen,
    waitSeconds,
    known: to.known,
    first: change && seen.targetDay === 0,
  })
  if (why) throw new Refusal(why, { seconds: waitSeconds })
  const code = String(randomInt(1_000_000)).padStart(6, '0')
  const sealed = sealSecret(ctx.app.config, outbox, placeOf(to.phone), code)
  await ctx.db
    .insertInto('sms_codes')
    .values({
      org_id: to.orgId,
      phone: to.phone,
      purpose: to.purpose,
      user_id: to.userId,
      code_hash: codeHash(ctx.app, to.phone, to.purpose, code),
      ip: address,
      known: to.known,
      deliver: to.deliver,
      sealed: to.deliver ? sealed : null,
      send_state: to.deliver ? 'PENDING' : 'NONE',
      next_at: to.deliver ? ctx.now : null,
      created_at: ctx.now,
      resend_at: new Date(ctx.now.getTime() + smsLimits.resendSeconds * 1000),
      expires_at: new Date(ctx.now.getTime() + smsLimits.seconds * 1000),
    })
    .execute()
  ctx.afterCommit(() => ctx.app.jobs.poke(codesName))
  return smsLimits.resendSeconds
}

export type Spent = { id: number } | null
/**
 * Counts a try on the latest code somebody got and takes it when it is right; one statement, so
 * parallel tries cannot slip through. Who asked for the code has tries of his own: guesses from
 * elsewhere do not use them up, nor does asking in a wrong name.
 */
export async function spendCode(
  ctx: Ctx,
  of: { phone: string; purpose: Purpose; userId?: number | null },
  hash: Buffer,
): Promise<Spent> {
  const home = sql`(ip = ${addressOf(ctx.ip)})`
  const { rows } = await sql<{ id: number; right: boolean }>`
    update sms_codes set tries = tries + ${home}::int,
      stranger_tries = stranger_tries + 1 - ${home}::int,
      used_at = case when code_hash = ${hash} then ${ctx.now}::timestamptz end
    where id = (select id from sms_codes where phone = ${of.phone} and purpose = ${of.purpose}
      and deliver
        and (${of.userId === undefined} or user_id = ${of.userId ?? null}::bigint)
        order by created_at desc, id desc limit 1)
      and used_at is null and case when ${home} then tries
      else stranger_tries end < ${smsLimits.tries} and expires_at > ${ctx.now}
    returning id, used_at is not null as right`.execute(ctx.db)
  const row = rows[0]
  return row?.right ? { id: row.id } : null
}

/** The code was right but something else is missing: it may be used once more. */
export const giveBack = async (ctx: Ctx, spent: NonNullable<Spent>): Promise<void> => {
  await ctx.db.updateTable('sms_codes').set({ used_at: null }).where('id', '=', spent.id).execute()
}

type Due = Piece & {
  id: number
  phone: string
  purpose: Purpose
  sealed: Buffer
  username: string | null
  late: boolean
}
const contents: Readonly<Record<Purpose, string>> = {
  LOGIN: '登录验证码',
  RESET: '重置密码验证码',
  CHANGE_PHONE: '更换手机号验证码',
}
/**
 * To a number that is not the account's yet: whoever reads it by mistake knows that it is not his.
 */
const whose = ({ purpose, username }: Due) =>
  purpose === 'CHANGE_PHONE' && username ? `，用于账号 ${username}，非本人账号请忽略` : ''

/** Sends codes; those that are not sent end with their five minutes. */
export const codeKind = (app: App, provider: SmsProvider): Kind<Due, SendAnswer> => ({
  name: codesName,
  table: 'sms_codes',
  begins: sql`send_state = 'SENDING'`,
  reads: sql`(select u.username from users u where u.id = t.user_id) as username,
    t.expires_at <= ${clock(app)} as late`,
  atOnce: 8,
  leaseSeconds: 30,
  waits: sendWaits,
  async do(row) {
    if (row.late) return { state: 'FAILED', reason: 'expired' }
    const code = openSecret(app.config, outbox, placeOf(row.phone), row.sealed)
    const content = `【货道】${contents[row.purpose]} ${code}${whose(row)}，5 分钟内有效，请勿告诉他人`
    return provider.send({
      key: `code-${row.id}`,
      phone: row.phone,
      purpose: row.purpose,
      code,
      content,
    })
  },
  mark: (ctx, { ours }, to) =>
    sql`update sms_codes set send_state = ${sendStates[to.state]},
      last_error = ${'reason' in to ? to.reason : ''}, next_at = ${to.nextAt},
      sealed = case when ${to.state === 'RETRY'} then sealed end where ${ours}`.execute(ctx.db),
})
