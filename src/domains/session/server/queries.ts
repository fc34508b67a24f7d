import { sql } from 'kysely'
import type { Ctx } from '../../../server/context.ts'
import type { Db } from '../../../server/database.ts'
import type { MenuNode } from '../contract.ts'

export type Account = { id: number; org_id: number; username: string; password_hash: string; usable: boolean; locked_until: Date | null; failed_count: number }

/** The account behind a name, with whether it and every organisation above it are enabled. System scope. */
export async function accountByName(db: Db, username: string): Promise<Account | undefined> {
  const { rows } = await sql<Account>`
    select u.id, u.org_id, u.username, u.password_hash, u.locked_until, u.failed_count,
      u.status = 'ENABLED' and not exists (select 1 from organisations o join organisations a on a.path @> o.path where o.id = u.org_id and a.status = 'DISABLED')
        and exists (select 1 from user_roles r where r.user_id = u.id) as usable
    from users u where lower(u.username) = lower(${username})`.execute(db)
  return rows[0]
}

/** Counts a failure; the fifth within the window locks. One conditional statement, so parallel tries cannot slip through. */
export async function countFailure(db: Db, userId: number, now: Date, failures: number, minutes: number): Promise<void> {
  await sql`update users set
      failed_count = case when locked_until <= ${now} then 1 else failed_count + 1 end,
      locked_until = case when locked_until > ${now} then locked_until
        when (case when locked_until <= ${now} then 1 else failed_count + 1 end) >= ${failures} then ${new Date(now.getTime() + minutes * 60_000)}::timestamptz
        else null end
    where id = ${userId}`.execute(db)
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

type Row = { id: number; parent_id: number | null; name: string; path: string; title_zh: string; title_en: string; icon: string; sort: number; hidden: boolean }

/** Menus of all the user's roles, enabled and permitted; the caller prunes what has no screen. */
export async function menuRows(db: Db, userId: number): Promise<Row[]> {
  const { rows } = await sql<Row>`
    select distinct m.id, m.parent_id, m.name, m.path, m.title_zh, m.title_en, m.icon, m.sort, m.hidden
    from menus m join role_menus rm on rm.menu_id = m.id join user_roles ur on ur.role_id = rm.role_id
    where ur.user_id = ${userId} and m.status = 'ENABLED' and (m.permission_code is null or exists (
      select 1 from role_permissions p join user_roles u on u.role_id = p.role_id where u.user_id = ${userId} and p.permission_code = m.permission_code))
    order by m.sort, m.id`.execute(db)
  return rows
}

/** Rows to a tree; leaves are kept when `hasScreen`, groups when something below them is. */
export function menuTree(rows: readonly Row[], hasScreen: (path: string) => boolean): MenuNode[] {
  const below = Map.groupBy(rows, (row) => row.parent_id)
  const build = (parent: number | null): MenuNode[] =>
    (below.get(parent) ?? []).flatMap((row) => {
      const children = build(row.id)
      if (!hasScreen(row.path) && !children.some((child) => !child.hidden)) return []
      return [{ name: row.name, path: row.path, title: row.title_zh, titleEn: row.title_en, icon: row.icon, sort: row.sort, hidden: row.hidden, children }]
    })
  return build(null)
}
