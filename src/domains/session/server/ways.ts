import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { App, Ctx } from '../../../server/context.ts'
import type { Db } from '../../../server/database.ts'
import { publicLink } from '../../../server/publicLink.ts'
import { exists } from '../../../server/rows.ts'
import { bySystem } from '../../../server/run.ts'
import { openSecret, sealSecret } from '../../../server/secretBox.ts'
import { tenantOfOrg } from '../../../server/shares.ts'
import type { Kind, Piece } from '../../../server/work.ts'
import { common, Refusal } from '../../../shared/errors.ts'
import { bi, say } from '../../../shared/text.ts'
import { notify } from '../../notices/server/notify.ts'
import { mayStandFor } from '../../roles/server/assign.ts'
import { locale } from '../locale.ts'
import { sendStates, sendWaits, type WayKind, wayLimits } from '../rules.ts'
import { sha256 } from './identity.ts'
import { holdAccount } from './queries.ts'
import { hasSms, type SendAnswer, type SmsProvider } from './smsProvider.ts'

const messagesName = 'session-way-messages'

/** Everything by which somebody signs in, but the password: that ends whatever is taken back. */
type Ways = {
  phone: string
  wechat: { openid: string; unionid: string; nickname: string; bound_at: string } | null
  factor: { secret: string; confirmed_at: string; codes: string[] } | null
}
export type WaysBefore = {
  userId: number
  orgId: number
  username: string
  known: boolean
  ways: Ways
}

/**
 * Who changes how he himself signs in holds his account from here on, in a session that lasts: what
 * ends all of them comes before or after, never in between.
 */
async function holdOwn(ctx: Ctx, userId: number): Promise<void> {
  holdAccount(ctx, userId)
  const lasts = await exists(ctx.db)`select from sessions
    where id = ${ctx.actor.sessionId}::uuid and revoked_at is null`
  if (!lasts) throw new Refusal(common.tokenRevoked)
}

/** How somebody signs in now; asked before a change, for `wayChanged`. */
export async function waysOf(ctx: Ctx, userId: number): Promise<WaysBefore> {
  if (ctx.actor.userId === userId) await holdOwn(ctx, userId)
  const { rows } = await sql<
    { org_id: number; username: string; known: boolean } & Ways
  >`select u.org_id, u.username, u.shown_phone = u.phone as known, u.phone,
      (select json_build_object('openid', w.openid, 'unionid', w.unionid, 'nickname', w.nickname,
        'bound_at', w.bound_at)
        from wechat_bindings w where w.user_id = u.id) as wechat,
      (select json_build_object('secret', encode(f.secret, 'hex'), 'confirmed_at', f.confirmed_at,
          'codes', (select coalesce(json_agg(encode(c.code_hash, 'hex')), '[]')
            from recovery_codes c where c.user_id = u.id and c.used_at is null))
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

/**
 * After a new password by an administrator, and for an account that ended, links have nothing left
 * to take back.
 */
export async function endLinks(ctx: Ctx, userIds: readonly number[]): Promise<void> {
  await sql`update way_changes set undone_at = ${ctx.now}
    where user_id = any(${[...userIds]}::bigint[]) and undone_at is null`.execute(ctx.db)
}

/**
 * While a new phone can be taken back, that link takes back everything after it; the new phone,
 * which may be a thief's, gets none.
 */
async function onNewPhone(ctx: Ctx, userId: number): Promise<boolean> {
  const { rows } = await sql`select 1 from way_changes
    where user_id = ${userId} and kind = 'PHONE' and token_hash is not null and undone_at is null
      and expires_at > ${ctx.now}`.execute(ctx.db)
  return rows.length > 0
}

/**
 * Tells whoever had the old way in that it changed: a message in the app, and by SMS to the number
 * from before with a link that takes this change back. What an administrator changed has no link;
 * what open ones would take back, he takes back with it.
 */
export async function wayChanged(ctx: Ctx, before: WaysBefore, kind: WayKind): Promise<void> {
  const { userId, orgId, username, ways } = before
  const byOther = ctx.actor.userId !== null && ctx.actor.userId !== userId
  if (byOther) await takeBack(ctx, [userId], kind)
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
      by_org: byOther ? ctx.actor.orgId : null,
      kind,
      before: linked ? sealWays(ctx, hash, ways) : null,
      token_hash: linked ? hash : null,
      created_at: ctx.now,
      expires_at: new Date(ctx.now.getTime() + wayLimits.undoHours * 3_600_000),
      phone: reach ? ways.phone : '',
      known: before.known,
      sealed: reach
        ? sealSecret(
            config,
            use,
            placeOfText(ways.phone),
            messageOf(ctx, username, kind, told, token),
          )
        : null,
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

/** Behind the hash: it reaches no server, no log and no other page. */
const undoLink = ({ config }: App, token: string): string =>
  publicLink(config, `/login?mode=undo#${token}`)

const clock = new Intl.DateTimeFormat('sv-SE', {
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  timeZone: 'Asia/Shanghai',
})
const texts = {
  own: locale.zh.way.sms,
  later: locale.zh.way.smsLater,
  byOther: locale.zh.way.smsByOther,
}
const messageOf = (
  ctx: Ctx,
  username: string,
  kind: WayKind,
  told: keyof typeof texts,
  token: string,
): string =>
  `【货道】${say(texts[told], 'zh-CN', {
    username,
    at: clock.format(ctx.now),
    what: locale.zh.enums.way[kind],
    hours: wayLimits.undoHours,
    link: undoLink(ctx.app, token),
  })}`

type Due = Piece & {
  id: number
  org_id: number
  by_org: number | null
  phone: string
  known: boolean
  sealed: Buffer
}

/**
 * Takes a place among the messages of the day, unless it is one too many. An administrator writes
 * what numbers he likes into accounts, and changes them as often: what people of one organisation
 * cause for others counts for them alone. What a tenant sends to one number counts together, and an
 * account whose number nobody showed holds back none of one whose holder did.
 */
async function place(ctx: Ctx, row: Due): Promise<boolean> {
  const own = row.by_org === null
  const tenant = tenantOfOrg(sql`${row.by_org ?? row.org_id}::bigint`)
  // one after the other for a tenant, whichever processes send
  await sql`select pg_advisory_xact_lock(hashtextextended('way messages ' || ${tenant}::text,
    0))`.execute(ctx.db)
  const { rows } = await sql<{
    here: number
    unknown: number
  }>`select count(*) filter (where not known and by_org = ${row.by_org}) as unknown,
      count(*) filter (where phone = ${row.phone} and (known or not ${row.known})) as here
    from way_changes where placed and id <> ${row.id}
      and created_at > ${ctx.now}::timestamptz - interval '24 hours' and (by_org is null) = ${own}
      and ${tenantOfOrg(sql`coalesce(by_org, org_id)`)} = ${tenant}`.execute(ctx.db)
  const { here = 0, unknown = 0 } = rows[0] ?? {}
  const room =
    here < wayLimits.perPhoneDay && (own || row.known || unknown < wayLimits.toUnknownDay)
  if (room) await sql`update way_changes set placed = true where ${row.ours}`.execute(ctx.db)
  return room
}

/**
 * One after the other, so that they come in their order. What is not sent in the end gives its
 * place back.
 */
export const wayMessageKind = (app: App, provider: SmsProvider): Kind<Due, SendAnswer> => ({
  name: messagesName,
  table: 'way_changes',
  begins: sql`send_state = 'SENDING'`,
  atOnce: 1,
  leaseSeconds: 30,
  waits: sendWaits,
  async do(row) {
    if (!(await bySystem(app, (ctx) => place(ctx, row))))
      return { state: 'FAILED', reason: 'limit of the day' }
    return provider.send({
      key: `notice-${row.id}`,
      phone: row.phone,
      purpose: 'NOTICE',
      code: '',
      content: openSecret(app.config, use, placeOfText(row.phone), row.sealed),
    })
  },
  mark: (ctx, { ours }, to) =>
    sql`update way_changes set send_state = ${sendStates[to.state]},
      last_error = ${'reason' in to ? to.reason : ''}, next_at = ${to.nextAt},
      sealed = case when ${to.state === 'RETRY'} then sealed end, placed = placed
        and ${to.state !== 'FAILED'} where ${ours}`.execute(ctx.db),
})

type Undone = { userId: number; orgId: number; kind: WayKind; ways: Ways }

export const isOpenLink = (db: Db, token: string, now: Date): Promise<boolean> =>
  exists(db)`select from way_changes where token_hash = ${sha256(token)} and undone_at is null
    and expires_at > ${now}`

/**
 * Takes the change behind a link, once, and with it every later one: their links went to ways that
 * are gone now.
 */
export async function takeUndo(ctx: Ctx, token: string): Promise<Undone | null> {
  const hash = sha256(token)
  // the account before its links, as every change of it takes them: what ends them comes before or
  // after, never in between
  await sql`select 1 from users u join way_changes w on w.user_id = u.id
    where w.token_hash = ${hash} for no key update of u`.execute(ctx.db)
  const { rows } = await sql<Link & { org_id: number; kind: WayKind }>`
    update way_changes set undone_at = ${ctx.now}
    where token_hash = ${hash} and undone_at is null and expires_at > ${ctx.now}
    returning id, user_id, org_id, kind, token_hash, before`.execute(ctx.db)
  const row = rows[0]
  if (!row) return null
  await sql`update way_changes set undone_at = ${ctx.now}
    where user_id = ${row.user_id} and id > ${row.id} and undone_at is null`.execute(ctx.db)
  return { userId: row.user_id, orgId: row.org_id, kind: row.kind, ways: waysBehind(ctx, row) }
}

type Link = { id: number; user_id: number; token_hash: Buffer; before: Buffer }
const waysBehind = ({ app }: Ctx, { token_hash, before }: Link) =>
  JSON.parse(openSecret(app.config, use, placeOfBefore(token_hash), before)) as Ways
const sealWays = ({ app }: Ctx, hash: Buffer, ways: Ways): Buffer =>
  sealSecret(app.config, use, placeOfBefore(hash), JSON.stringify(ways))

/**
 * Takes away what came since: WeChat, second factor, recovery codes, number. What went meanwhile
 * stays gone, because it may be a thief's, or lie with whoever found a phone. With a second factor
 * goes the number that it guarded. Answers whether something went, and whether a number is left.
 */
export async function closeSince(
  ctx: Ctx,
  userId: number,
  then: Ways,
  givenPhone = false,
): Promise<{ went: boolean; phone: boolean }> {
  const { ways: now } = await waysOf(ctx, userId)
  const wechat =
    now.wechat !== null &&
    (now.wechat.openid !== then.wechat?.openid || now.wechat.bound_at !== then.wechat.bound_at)
  const factor = now.factor !== null && now.factor.secret !== then.factor?.secret
  const phone = now.phone !== '' && !givenPhone && (factor || now.phone !== then.phone)
  if (wechat) await sql`delete from wechat_bindings where user_id = ${userId}`.execute(ctx.db)
  await sql`delete from second_factors
    where user_id = ${userId} and (confirmed_at is null or ${factor})`.execute(ctx.db)
  const { numAffectedRows: codes = 0n } =
    await sql`delete from recovery_codes where user_id = ${userId} and used_at is null
    and encode(code_hash, 'hex') <> all(${then.factor?.codes ?? []}::text[])`.execute(ctx.db)
  if (phone)
    await sql`update users set phone = '', version = version + 1 where id = ${userId}`.execute(
      ctx.db,
    )
  return { went: wechat || factor || phone || codes > 0n, phone: now.phone !== '' && !phone }
}

/**
 * An administrator who may stand for these people takes back what their open links would: what he
 * gives them works for nobody else. Only a new password ends the links as well, because nothing
 * that they close is left; else what he made of the account is what they go back to. From whoever
 * may not stand for somebody, links stay as they are.
 */
export async function takeBack(
  ctx: Ctx,
  userIds: readonly number[],
  kind?: WayKind,
): Promise<void> {
  const { rows } = await sql<Link>`select id, user_id, token_hash, before from way_changes
      where user_id = any(${[...userIds]}::bigint[])
    and token_hash is not null and undone_at is null and expires_at > ${ctx.now}
    order by user_id, id`.execute(ctx.db)
  for (const [userId, links] of Map.groupBy(rows, (row) => row.user_id)) {
    if (!(await mayStandFor(ctx, userId))) continue
    const { went } = await closeSince(
      ctx,
      userId,
      waysBehind(ctx, links[0] as Link),
      kind === 'PHONE',
    )
    const { ways } = await waysOf(ctx, userId)
    for (const { id, token_hash } of links)
      await sql`update way_changes set before = ${sealWays(ctx, token_hash, ways)}
        where id = ${id}`.execute(ctx.db)
    if (kind === 'PASSWORD') await endLinks(ctx, [userId])
    if (!went) continue
    await notify(ctx, {
      kind: 'SYSTEM',
      title: bi(locale.zh.way.takenBack, locale.en.way.takenBack),
      body: bi(locale.zh.way.takenBackBody, locale.en.way.takenBackBody),
      link: '/info',
      userIds: [userId],
    })
  }
}
