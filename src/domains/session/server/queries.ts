import { sql } from 'kysely'
import type { Ctx } from '../../../server/context.ts'
import type { Db } from '../../../server/database.ts'
import { addressOf } from '../../../shared/address.ts'

export type Account = {
  id: number
  org_id: number
  username: string
  password_hash: string
  usable: boolean
  locked_until: Date | null
  first_since: Date | null
}

const accounts = sql`
    select u.id, u.org_id, u.username, u.password_hash, u.locked_until,
      case when u.must_change_password then u.password_changed_at end as first_since,
      u.status = 'ENABLED' and u.deleted_at is null
        and not exists (select 1 from organisations o join organisations a on a.path @> o.path where o.id = u.org_id and a.status = 'DISABLED')
        and exists (select 1 from user_roles r where r.user_id = u.id) as usable
    from users u`

/** The account behind a name, with whether it and every organisation above it are enabled. System scope. */
export const accountByName = async (db: Db, username: string): Promise<Account | undefined> =>
  (await sql<Account>`${accounts} where lower(u.username) = lower(${username})`.execute(db)).rows[0]
export const accountById = async (db: Db, id: number): Promise<Account | undefined> => (await sql<Account>`${accounts} where u.id = ${id}`.execute(db)).rows[0]
/** Whether the account still has the password that was compared; nobody changes it until the end of this transaction. */
export const holds = async (db: Db, account: Account): Promise<boolean> =>
  (await sql`select 1 from users where id = ${account.id} and password_hash = ${account.password_hash} for no key update`.execute(db)).rows.length > 0
/** Names and number that stand near an account: whose it is, and the organisations up to the platform. */
export async function namesNear(db: Db, userId: number): Promise<string[]> {
  const { rows } = await sql<{ words: string[] }>`
    select array[u.real_name, u.phone] || (select array_agg(a.name) from organisations a join organisations o on a.path @> o.path where o.id = u.org_id)
      as words from users u where u.id = ${userId}`.execute(db)
  return rows[0]?.words ?? []
}
/** Everybody with this contact phone. */
export const accountsByPhone = async (db: Db, phone: string): Promise<Account[]> =>
  (await sql<Account>`${accounts} where u.phone = ${phone} and u.phone <> '' order by u.id limit 50`.execute(db)).rows

/** Whether this is the living code of the number, with tries left for this address, without taking it. */
export async function codeMatches(db: Db, of: { phone: string; userId: number | null; ip: string }, hash: Buffer, now: Date): Promise<boolean> {
  const { rows } = await sql<{ right: boolean }>`
    select code_hash = ${hash} and used_at is null and expires_at > ${now}
      and case when ip = ${addressOf(of.ip)} then tries else stranger_tries end < 5 as right
    from sms_codes where phone = ${of.phone} and purpose = 'RESET' and deliver and user_id = ${of.userId}::bigint
    order by created_at desc, id desc limit 1`.execute(db)
  return rows[0]?.right === true
}

export async function addAttempt(
  ctx: Ctx,
  entry: { username: string; userId: number | null; orgId: number | null; ok: boolean; reason: string },
): Promise<void> {
  await ctx.db
    .insertInto('login_attempts')
    .values({
      org_id: entry.orgId,
      username: entry.username.slice(0, 200),
      user_id: entry.userId,
      ok: entry.ok,
      reason: entry.reason,
      ip: ctx.ip,
      user_agent: ctx.userAgent,
      created_at: ctx.now,
    })
    .execute()
}

export async function addSession(ctx: Ctx, user: { id: number; orgId: number }, tokenHash: Buffer, days: number): Promise<void> {
  await ctx.db
    .insertInto('sessions')
    .values({
      token_hash: tokenHash,
      user_id: user.id,
      org_id: user.orgId,
      ip: ctx.ip,
      user_agent: ctx.userAgent,
      created_at: ctx.now,
      last_seen_at: ctx.now,
      // a sign-in is a proof
      proven_at: ctx.now,
      expires_at: new Date(ctx.now.getTime() + days * 86_400_000),
    })
    .execute()
}

export async function revokeSessions(
  db: Db,
  now: Date,
  where: { userId: number } | { sessionId: string },
  reason: 'LOGOUT' | 'KICKED' | 'PASSWORD_CHANGED' | 'ACCESS_CHANGED',
): Promise<void> {
  await db
    .updateTable('sessions')
    .set({ revoked_at: now, revoke_reason: reason })
    .where('revoked_at', 'is', null)
    .where((eb) => ('userId' in where ? eb('user_id', '=', where.userId) : eb('id', '=', where.sessionId)))
    .execute()
}
