import { randomBytes } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import type { Ctx } from '../../../server/context.ts'
import { cookieName, setCookie } from '../../../server/cookies.ts'
import type { Db } from '../../../server/database.ts'
import { tokenHash } from '../../../server/rateKeys.ts'
import { rowOf } from '../../../server/rows.ts'

/**
 * Browsers somebody signed in with, so that strangers who guess cannot keep their person out. The
 * secret opens nothing: it only lets its browser try on. It changes at each sign-in and ends with
 * the password.
 */
const name = 'huodao_browser'
const days = 180
/** Of each account, the latest. */
const most = 20

const secretOf = (request: FastifyRequest): string | null =>
  new RegExp(`(?:^|;\\s*)${cookieName(request, name)}=([\\w-]{43})(?:;|$)`).exec(
    request.headers.cookie ?? '',
  )?.[1] ?? null

/** What stays of this browser, whatever its secret is now, when the account knows it. */
export async function knownBrowser(
  db: Db,
  request: FastifyRequest,
  userId: number | undefined,
  now: Date,
): Promise<Buffer | null> {
  const hash = tokenHash(secretOf(request) ?? '')
  const known = await rowOf<{ id: Buffer }>(
    db,
  )`select uuid_send(browser_id) as id from known_browsers
    where user_id = ${userId ?? null}::bigint and token_hash = ${hash}
      and last_seen_at > ${since(now)}`
  return known?.id ?? null
}
const since = (now: Date) => new Date(now.getTime() - days * 86_400_000)

/**
 * After a sign-in: the browser gets a new secret for all accounts it is known to, this one
 * included.
 */
export function rememberBrowser(
  ctx: Ctx,
  request: FastifyRequest,
  user: { id: number; orgId: number },
): void {
  const secret = randomBytes(32).toString('base64url')
  const [before, next] = [tokenHash(secretOf(request) ?? ''), tokenHash(secret)]
  ctx.later(sql`update known_browsers set token_hash = ${next} where token_hash = ${before}`)
  ctx.later(sql`insert into known_browsers (user_id, org_id, token_hash, browser_id, created_at,
    last_seen_at)
    values (${user.id}, ${user.orgId}, ${next},
      coalesce((select browser_id from known_browsers where token_hash = ${next} limit 1),
        gen_random_uuid()),
      ${ctx.now}, ${ctx.now})
    on conflict (user_id, token_hash) do update set last_seen_at = excluded.last_seen_at`)
  ctx.later(sql`delete from known_browsers where user_id = ${user.id} and token_hash not in (
    select token_hash from known_browsers where user_id = ${user.id}
    order by last_seen_at desc, token_hash limit ${most})`)
  setCookie(request, { name, value: secret, days })
}

export const forgetBrowsers = async (db: Db, userId: number): Promise<void> => {
  await sql`delete from known_browsers where user_id = ${userId}`.execute(db)
}
export const dropOldBrowsers = async (db: Db, now: Date): Promise<void> => {
  await sql`delete from known_browsers where last_seen_at <= ${since(now)}`.execute(db)
}
