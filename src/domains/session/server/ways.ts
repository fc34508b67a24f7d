import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { App, Ctx } from '../../../server/context.ts'
import { bySystem } from '../../../server/run.ts'
import { openSecret, sealSecret } from '../../../server/secretBox.ts'
import type { Kind, Piece } from '../../../server/work.ts'
import { bi, say } from '../../../shared/text.ts'
import { notify } from '../../notices/server/notify.ts'
import { locale } from '../locale.ts'
import { factorLimits, sendStates, sendWaits, type WayKind, wayLimits } from '../rules.ts'
import { sha256 } from './identity.ts'
import { tenantOf } from './queries.ts'
import { hasSms, type SendAnswer, type SmsProvider } from './smsProvider.ts'

const messagesName = 'session-way-messages'

/** Everything by which somebody signs in, but the password: nobody gets an old one back. */
type Ways = {
  phone: string
  wechat: { openid: string; unionid: string; nickname: string; bound_at: string } | null
  factor: { secret: string; confirmed_at: string; codes: string[] } | null
}
export type WaysBefore = { userId: number; orgId: number; username: string; known: boolean; ways: Ways }

/** How somebody signs in now; asked before a change, for `wayChanged`. */
export async function waysOf(ctx: Ctx, userId: number): Promise<WaysBefore> {
  const { rows } = await sql<
    { org_id: number; username: string; known: boolean } & Ways
  >`select u.org_id, u.username, u.shown_phone = u.phone as known, u.phone,
      (select json_build_object('openid', w.openid, 'unionid', w.unionid, 'nickname', w.nickname, 'bound_at', w.bound_at)
        from wechat_bindings w where w.user_id = u.id) as wechat,
      (select json_build_object('secret', encode(f.secret, 'hex'), 'confirmed_at', f.confirmed_at,
          'codes', (select coalesce(json_agg(encode(c.code_hash, 'hex')), '[]') from recovery_codes c where c.user_id = u.id and c.used_at is null))
        from second_factors f where f.user_id = u.id and f.confirmed_at is not null) as factor
    from users u where u.id = ${userId}`.execute(ctx.db)
  const row = rows[0]
  if (!row) throw new Error('no such user')
  const { org_id: orgId, username, known, phone, wechat, factor } = row
  return { userId, orgId, username, known, ways: { phone, wechat, factor } }
}

const use = 'session.ways'
const placeOfBefore = (tokenHash: Buffer) => `way_changes.before|${tokenHash.toString('hex')}`
const placeOfText = (phone: string) => `way_changes.sealed|${phone}`

/** Whoever looks after an account decides how it is opened: what links from before would bring back may be somebody who left, or a thief. */
export async function endLinks(ctx: Ctx, userIds: readonly number[]): Promise<void> {
  await sql`update way_changes set undone_at = ${ctx.now} where user_id = any(${[...userIds]}::bigint[]) and undone_at is null`.execute(ctx.db)
}

/** While a new phone can be taken back, that link takes back everything after it; the new phone, which may be a thief's, gets none. */
async function onNewPhone(ctx: Ctx, userId: number): Promise<boolean> {
  const { rows } = await sql`select 1 from way_changes
    where user_id = ${userId} and kind = 'PHONE' and token_hash is not null and undone_at is null and expires_at > ${ctx.now}`.execute(ctx.db)
  return rows.length > 0
}

/**
 * Tells whoever had the old way in that it changed: a message in the app, and by SMS to the number from before with a link that
 * takes this change back. What an administrator changed has no link, and ends those from before: the number may be that of
 * somebody who left.
 */
export async function wayChanged(ctx: Ctx, before: WaysBefore, kind: WayKind): Promise<void> {
  const { userId, orgId, username, ways } = before
  const byOther = ctx.actor.userId !== null && ctx.actor.userId !== userId
  if (byOther) await endLinks(ctx, [userId])
  const told = byOther ? 'byOther' : (await onNewPhone(ctx, userId)) ? 'later' : 'own'
  const linked = told === 'own'
  const token = randomBytes(32).toString('base64url')
  const hash = sha256(token)
  const { config } = ctx.app
  const reach = /^1[3-9]\d{9}$/.test(ways.phone) && hasSms(ctx.app)
  await ctx.db
    .insertInto('way_changes')
    .values({
      org_id: orgId,
      user_id: userId,
      kind,
      before: linked ? sealSecret(config, use, placeOfBefore(hash), JSON.stringify(ways)) : null,
      token_hash: linked ? hash : null,
      created_at: ctx.now,
      expires_at: new Date(ctx.now.getTime() + wayLimits.undoHours * 3_600_000),
      phone: reach ? ways.phone : '',
      known: before.known,
      sealed: reach ? sealSecret(config, use, placeOfText(ways.phone), messageOf(ctx, username, kind, told, token)) : null,
      send_state: reach ? 'PENDING' : 'NONE',
      next_at: reach ? ctx.now : null,
    })
    .execute()
  await notify(ctx, {
    kind: 'SYSTEM',
    title: bi(locale.zh.enums.way[kind], locale.en.enums.way[kind]),
    body: bi(locale.zh.way[told], locale.en.way[told]),
    link: '/info',
    userIds: [userId],
  })
  if (reach) ctx.afterCommit(() => ctx.app.jobs.poke(messagesName))
}

/** The address of the installation; only ever ours, never what a request says. */
const undoLink = ({ config }: App, token: string): string => {
  const base = config.publicUrl ?? `http://${config.host}:${config.port}${config.basePath}`
  // behind the hash: it reaches no server, no log and no other page
  return `${base.replace(/\/+$/, '')}/login?mode=undo#${token}`
}

const clock = new Intl.DateTimeFormat('sv-SE', { month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', timeZone: 'Asia/Shanghai' })
const texts = { own: locale.zh.way.sms, later: locale.zh.way.smsLater, byOther: locale.zh.way.smsByOther }
const messageOf = (ctx: Ctx, username: string, kind: WayKind, told: keyof typeof texts, token: string): string =>
  `【货道】${say(texts[told], 'zh-CN', {
    username,
    at: clock.format(ctx.now),
    what: locale.zh.enums.way[kind],
    hours: wayLimits.undoHours,
    link: undoLink(ctx.app, token),
  })}`

type Due = Piece & { id: number; org_id: number; phone: string; known: boolean; sealed: Buffer }

/** Whether the tenant had its share of today: an administrator writes what numbers he likes into his accounts, and changes them as often. */
async function isMuch(ctx: Ctx, row: Due): Promise<boolean> {
  const { rows } = await sql<{ here: number; all: number }>`select count(*) filter (where w.phone = ${row.phone}) as here, count(*) as all
    from way_changes w join organisations o on o.id = w.org_id
    where w.send_state = 'SENT' and w.created_at > ${ctx.now}::timestamptz - interval '24 hours'
      and ${tenantOf(sql`o.path`)} = (select ${tenantOf(sql`m.path`)} from organisations m where m.id = ${row.org_id})`.execute(ctx.db)
  const { here = 0, all = 0 } = rows[0] ?? {}
  return here >= wayLimits.perPhoneDay || (!row.known && all >= wayLimits.toUnknownDay)
}

/** Sends messages one after the other, or together they would pass the limit of the day. */
export const wayMessageKind = (app: App, provider: SmsProvider): Kind<Due, SendAnswer> => ({
  name: messagesName,
  table: 'way_changes',
  begins: sql`send_state = 'SENDING'`,
  atOnce: 1,
  leaseSeconds: 30,
  waits: sendWaits,
  async do(row) {
    if (await bySystem(app, (ctx) => isMuch(ctx, row))) return { state: 'FAILED', reason: 'limit of the day' }
    return provider.send({ phone: row.phone, purpose: 'NOTICE', code: '', content: openSecret(app.config, use, placeOfText(row.phone), row.sealed) })
  },
  mark: (ctx, { ours }, to) =>
    sql`update way_changes set send_state = ${sendStates[to.state]}, last_error = ${'reason' in to ? to.reason : ''}, next_at = ${to.nextAt},
      sealed = case when ${to.state === 'RETRY'} then sealed end where ${ours}`.execute(ctx.db),
})

export type Undone = { userId: number; orgId: number; kind: WayKind; ways: Ways }

/** Takes the change behind a link, once, and with it every later one: their links went to ways that are gone now. */
export async function takeUndo(ctx: Ctx, token: string): Promise<Undone | null> {
  const hash = sha256(token)
  // the account before its links, as every change of it takes them: what ends them comes before or after, never in between
  await sql`select 1 from users u join way_changes w on w.user_id = u.id where w.token_hash = ${hash} for no key update of u`.execute(ctx.db)
  const { rows } = await sql<{ id: number; user_id: number; org_id: number; kind: WayKind; before: Buffer }>`
    update way_changes set undone_at = ${ctx.now} where token_hash = ${hash} and undone_at is null and expires_at > ${ctx.now}
    returning id, user_id, org_id, kind, before`.execute(ctx.db)
  const row = rows[0]
  if (!row) return null
  await sql`update way_changes set undone_at = ${ctx.now} where user_id = ${row.user_id} and id > ${row.id} and undone_at is null`.execute(ctx.db)
  const ways = JSON.parse(openSecret(ctx.app.config, use, placeOfBefore(hash), row.before)) as Ways
  return { userId: row.user_id, orgId: row.org_id, kind: row.kind, ways }
}

/**
 * The ways as they were: number, WeChat, second factor. A number stays a way in only where it is the number of now and nothing that
 * guards it is taken away: it may have gone to somebody else, and an undo closes an account but never opens it. Answers whether it stays.
 */
export async function restoreWays(ctx: Ctx, { userId, orgId, ways }: Undone): Promise<boolean> {
  const { wechat, factor } = ways
  const { ways: now } = await waysOf(ctx, userId)
  const kept = ways.phone !== '' && now.phone === ways.phone && !(now.factor && !factor)
  const phone = kept ? ways.phone : ''
  await sql`update users set phone = ${phone}, version = version + 1 where id = ${userId}`.execute(ctx.db)
  await sql`delete from wechat_bindings where user_id = ${userId}`.execute(ctx.db)
  if (wechat)
    await sql`insert into wechat_bindings (user_id, org_id, openid, unionid, nickname, bound_at)
      values (${userId}, ${orgId}, ${wechat.openid}, ${wechat.unionid}, ${wechat.nickname}, ${wechat.bound_at}::timestamptz) on conflict do nothing`.execute(
      ctx.db,
    )
  await sql`delete from second_factors where user_id = ${userId}`.execute(ctx.db)
  if (!factor) return kept
  // every code that may have been used since is used
  const lastStep = Math.floor(ctx.now.getTime() / 1000 / factorLimits.period) + factorLimits.window
  const codes = factor.codes.filter((code) => now.factor?.codes.includes(code))
  await sql`insert into second_factors (user_id, org_id, secret, confirmed_at, last_step, created_at)
    values (${userId}, ${orgId}, decode(${factor.secret}, 'hex'), ${factor.confirmed_at}::timestamptz, ${lastStep}, ${ctx.now})`.execute(ctx.db)
  await sql`insert into recovery_codes (user_id, org_id, code_hash) select ${userId}, ${orgId}, decode(c, 'hex') from unnest(${codes}::text[]) c`.execute(
    ctx.db,
  )
  return kept
}
