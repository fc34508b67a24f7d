import { sql } from 'kysely'
import type { Ctx } from '../../../server/context.ts'
import type { Db } from '../../../server/database.ts'
import { writeLog } from '../../../server/logRow.ts'
import { sessionErrors } from '../contract.ts'

export type Account = { id: number; org_id: number; username: string; password_hash: string; usable: boolean; locked_until: Date | null; failed_count: number }

const accounts = sql`
    select u.id, u.org_id, u.username, u.password_hash, u.locked_until, u.failed_count,
      u.status = 'ENABLED' and u.deleted_at is null
        and not exists (select 1 from organisations o join organisations a on a.path @> o.path where o.id = u.org_id and a.status = 'DISABLED')
        and exists (select 1 from user_roles r where r.user_id = u.id) as usable
    from users u`

/** The account behind a name, with whether it and every organisation above it are enabled. System scope. */
export const accountByName = async (db: Db, username: string): Promise<Account | undefined> =>
  (await sql<Account>`${accounts} where lower(u.username) = lower(${username})`.execute(db)).rows[0]
export const accountById = async (db: Db, id: number): Promise<Account | undefined> => (await sql<Account>`${accounts} where u.id = ${id}`.execute(db)).rows[0]
/** Everybody with this contact phone. */
export const accountsByPhone = async (db: Db, phone: string): Promise<Account[]> =>
  (await sql<Account>`${accounts} where u.phone = ${phone} and u.phone <> '' order by u.id limit 50`.execute(db)).rows

/** Whether this is the living code of the number, without taking it. */
export async function codeMatches(db: Db, phone: string, userId: number | null, hash: Buffer, now: Date): Promise<boolean> {
  const { rows } = await sql<{
    right: boolean
  }>`select deliver and code_hash = ${hash} and used_at is null and tries < 5 and expires_at > ${now} and user_id = ${userId}::bigint as right
    from sms_codes where phone = ${phone} and purpose = 'RESET' order by created_at desc, id desc limit 1`.execute(db)
  return rows[0]?.right === true
}

/** How often this went wrong within the last minutes. */
export async function recentAttempts(ctx: Ctx, userId: number, reason: string, minutes: number): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*) as n from login_attempts
    where user_id = ${userId} and not ok and reason = ${reason} and created_at > ${new Date(ctx.now.getTime() - minutes * 60_000)}::timestamptz`.execute(ctx.db)
  return rows[0]?.n ?? 0
}

/** Counts a failure; the fifth within the window locks, once, and leaves a row. One conditional statement, so parallel tries cannot slip through. */
export async function countFailure(ctx: Ctx, account: Account, failures: number, minutes: number): Promise<void> {
  const { now } = ctx
  const { rows } = await sql<{ locks: boolean }>`update users set
      failed_count = case when locked_until <= ${now} then 1 else failed_count + 1 end,
      locked_until = case when locked_until > ${now} then locked_until
        when (case when locked_until <= ${now} then 1 else failed_count + 1 end) >= ${failures} then ${new Date(now.getTime() + minutes * 60_000)}::timestamptz
        else null end
    where id = ${account.id} returning failed_count = ${failures} as locks`.execute(ctx.db)
  if (!rows[0]?.locks) return
  const actor = { userId: account.id, username: account.username, orgId: account.org_id }
  await writeLog(
    { ...ctx, actor },
    'session.lock',
    { id: account.id, name: account.username },
    { result: 'REFUSED', errorName: sessionErrors.wrongCredentials.name, startedAt: performance.now() },
  )
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
