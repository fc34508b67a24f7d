import { type RawBuilder, sql } from 'kysely'
import type { Ctx } from '../../../server/context.ts'
import type { Db } from '../../../server/database.ts'
import { sessionsOf } from '../../../server/live.ts'
import { rowOf, rowsOf } from '../../../server/rows.ts'
import { tenantPath } from '../../../server/shares.ts'
import { addressOf } from '../../../shared/address.ts'
import { phoneShownDays } from '../rules.ts'

export type Account = {
  id: number
  org_id: number
  username: string
  phone: string
  password_hash: string
  usable: boolean
  locked_until: Date | null
  first_since: Date | null
}

const accounts = sql`
    select u.id, u.org_id, u.username, u.phone, u.password_hash, u.locked_until,
      case when u.must_change_password then u.password_changed_at end as first_since,
      u.status = 'ENABLED' and u.deleted_at is null
        and not exists (select 1 from organisations o join organisations a on a.path @> o.path
          where o.id = u.org_id and a.status = 'DISABLED')
        and exists (select 1 from user_roles r where r.user_id = u.id) as usable
    from users u`

/**
 * The account behind a name, with whether it and every organisation above it are enabled. System
 * scope.
 */
export const accountByName = (db: Db, username: string) =>
  rowOf<Account>(db)`${accounts} where lower(u.username) = lower(${username})`
export const accountById = (db: Db, id: number) =>
  rowOf<Account>(db)`${accounts} where u.id = ${id}`
/**
 * Nobody else changes the account until the end of this transaction. What is read with the lock
 * would be of before the wait, so it is read after.
 */
export const holdAccount = (ctx: Ctx, id: number): void =>
  ctx.later(sql`select 1 from users where id = ${id} for no key update`)
/**
 * Whether the account may still come in, with the password and the number it had when it was read;
 * nobody shuts it or changes those until the end of this transaction, or what comes of it would
 * outlive what ends all.
 */
export async function comesIn(ctx: Ctx, { id, password_hash, phone }: Account): Promise<boolean> {
  holdAccount(ctx, id)
  const now = await accountById(ctx.db, id)
  return now?.usable === true && now.password_hash === password_hash && now.phone === phone
}
/**
 * Names and number that stand near an account: whose it is, and the organisations up to the
 * platform.
 */
export async function namesNear(db: Db, userId: number): Promise<string[]> {
  const near = await rowOf<{ words: string[] }>(db)`
    select array[u.real_name, u.phone] || (select array_agg(a.name) from organisations a
      join organisations o on a.path @> o.path where o.id = u.org_id)
      as words from users u where u.id = ${userId}`
  return near?.words ?? []
}
/**
 * Whoever may come in by this contact phone, of these the one with the name if it is given. Where
 * its holder showed lately that the number is his, what other tenants wrote into accounts of theirs
 * does not count.
 */
export async function accountsByPhone(
  db: Db,
  of: { phone: string; username: string | undefined },
  now: Date,
): Promise<Account[]> {
  const since = new Date(now.getTime() - phoneShownDays * 86_400_000)
  return rowsOf<Account>(db)`
    with found as (
      select a.*, ${tenantPath(sql`o.path`)} as tenant,
        coalesce(p.shown_phone = p.phone and p.phone_shown_at > ${since}::timestamptz,
          false) as shown
      from (${accounts} where u.phone = ${of.phone} and u.phone <> ''
        and (${of.username === undefined} or lower(u.username) = lower(${of.username ?? ''}))) a
      join users p on p.id = a.id join organisations o on o.id = a.org_id where a.usable)
    select id, org_id, username, phone, password_hash, usable, locked_until, first_since from found
    where not exists (select 1 from found where shown) or tenant in (select tenant from found
      where shown) order by id limit 50`
}
/**
 * Its holder got a code there and entered it at this account. `first`: he said that it is his; else
 * he had said so before.
 */
export async function phoneShown(
  ctx: Ctx,
  userId: number,
  { first }: { first: boolean },
): Promise<void> {
  await sql`update users set shown_phone = phone, phone_shown_at = ${ctx.now}
    where id = ${userId} and (${first} or shown_phone = phone)`.execute(ctx.db)
}

/**
 * Whether this is the living code of the number, with tries left for this address, without taking
 * it.
 */
export async function codeMatches(
  db: Db,
  of: { phone: string; userId: number | null; ip: string },
  hash: Buffer,
  now: Date,
): Promise<boolean> {
  const code = await rowOf<{ right: boolean }>(db)`
    select code_hash = ${hash} and used_at is null and expires_at > ${now}
      and case when ip = ${addressOf(of.ip)} then tries else stranger_tries end < 5 as right
    from sms_codes where phone = ${of.phone} and purpose = 'RESET' and deliver
      and user_id = ${of.userId}::bigint
    order by created_at desc, id desc limit 1`
  return code?.right === true
}

export function addAttempt(
  ctx: Ctx,
  of: {
    username: string
    userId: number | null
    orgId: number | null
    ok: boolean
    reason: string
  },
): void {
  ctx.later(sql`insert into login_attempts (org_id, username, user_id, ok, reason, ip, user_agent,
    created_at)
    values (${of.orgId}, ${of.username.slice(0, 200)}, ${of.userId}, ${of.ok}, ${of.reason},
      ${ctx.ip}, ${ctx.userAgent}, ${ctx.now})`)
}

/** A sign-in is a proof. */
export function addSession(
  ctx: Ctx,
  user: { id: number; orgId: number },
  tokenHash: Buffer,
  days: number,
): void {
  const until = new Date(ctx.now.getTime() + days * 86_400_000)
  ctx.later(sql`insert into sessions (token_hash, user_id, org_id, ip, user_agent, created_at,
    last_seen_at, proven_at, expires_at)
    values (${tokenHash}, ${user.id}, ${user.orgId}, ${ctx.ip}, ${ctx.userAgent}, ${ctx.now},
      ${ctx.now}, ${ctx.now}, ${until})`)
}

type EndReason = 'LOGOUT' | 'KICKED' | 'PASSWORD_CHANGED' | 'ACCESS_CHANGED'
/**
 * Ends what is open of these people, or of these sessions `s`, and tells their pages; answers whose
 * they were and where.
 */
export async function endSessions(
  ctx: Ctx,
  which: readonly number[] | RawBuilder<unknown>,
  reason: EndReason,
): Promise<{ userId: number; ip: string }[]> {
  const chosen = 'execute' in which ? which : sql`s.user_id = any(${[...which]}::bigint[])`
  const ended = await rowsOf<{ userId: number; ip: string }>(
    ctx.db,
  )`update sessions s set revoked_at = ${ctx.now}, revoke_reason = ${reason}
    where s.revoked_at is null and ${chosen} returning s.user_id as "userId", s.ip`
  for (const { userId } of ended) ctx.touch(sessionsOf(userId))
  ctx.touch('online-users')
  return ended
}
