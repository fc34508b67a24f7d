import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Ctx } from '../../../server/context.ts'
import { writeLog } from '../../../server/logRow.ts'
import { exists, rowOf } from '../../../server/rows.ts'
import { bySystem } from '../../../server/run.ts'
import { platformOrg } from '../../../shared/access.ts'
import { addressOf } from '../../../shared/address.ts'
import { raiseSecurity } from '../../security/server/raise.ts'
import { settingsOf } from '../../settings/server/values.ts'
import { sessionErrors } from '../contract.ts'
import { guardRules, shutMinutes } from '../rules.ts'
import { forgetBrowsers } from './browsers.ts'

type Kind = keyof typeof guardRules
type Guard = { readonly kind: Kind; readonly account: Buffer | null; readonly key: Buffer }
type Account = { readonly id: number; readonly org_id: number; readonly username: string }
/**
 * Who tries: the account, or the name as typed that nobody has; from where, and the browser if it
 * is known.
 */
export type Trier = {
  readonly name: string
  readonly account: Account | undefined
  readonly ip: string
  readonly browser: Buffer | null
}
type Looking = Pick<Ctx, 'db' | 'now'>
export type Verdict = { readonly shut: boolean; readonly guards: readonly Guard[] }

const hashOf = (...parts: readonly (string | Buffer)[]): Buffer => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part).update('|')
  return hash.digest()
}
/**
 * By its id, however the name is written; what was counted before a name was given is not about its
 * account.
 */
const accountOf = ({ id }: Pick<Account, 'id'>): Buffer => hashOf('id', String(id))
const nobodyOf = (name: string): Buffer => hashOf('name', name.toLowerCase())
const guardOf = (kind: Kind, account: Buffer, ...parts: readonly (string | Buffer)[]): Guard => ({
  kind,
  account,
  key: hashOf(kind, account, ...parts),
})
const addressGuard = (kind: 'ADDRESS' | 'CODE', ip: string): Guard => ({
  kind,
  account: null,
  key: hashOf(kind, addressOf(ip)),
})

/**
 * Whether this trier may try now. A known browser answers for itself alone; a stranger for his
 * address at this account, for all strangers, and for his address. Tries at one account are decided
 * one after the other, so that parallel ones cannot slip through; a name that nobody has does the
 * same work.
 */
export async function judge(
  ctx: Ctx,
  { name, account: found, ip, browser }: Trier,
): Promise<Verdict> {
  const account = found ? accountOf(found) : nobodyOf(name)
  if (browser) return inTurn(ctx, account, [guardOf('BROWSER', account, browser)])
  // the address last: rows are locked in this order
  return inTurn(ctx, account, [
    guardOf('PAIR', account, addressOf(ip)),
    guardOf('ACCOUNT', account),
    addressGuard('ADDRESS', ip),
  ])
}
/**
 * Who is signed in and shows who he is: all sessions of the account count together, and strangers
 * cannot keep him from it.
 */
export async function judgeInside(ctx: Ctx, of: Account): Promise<Verdict> {
  const account = accountOf(of)
  const { shut } = await inTurn(ctx, account, [guardOf('INSIDE', account)])
  // a wrong one counts at the sign-in from here, too
  return { shut, guards: [guardOf('INSIDE', account), guardOf('PAIR', account, addressOf(ctx.ip))] }
}
/**
 * The second step; whoever calls holds the row of the second factor, so tries come one after the
 * other.
 */
export const judgeFactor = (ctx: Ctx, account: Account): Promise<Verdict> =>
  look(ctx, [guardOf('FACTOR', accountOf(account))])
/**
 * Codes by SMS: a browser the account knows answers for itself, everybody else for the number,
 * whoever has it or nobody, and for his address over all numbers; apart from passwords: who sends
 * wrong codes shuts nobody of his address out of a sign-in by password.
 */
export function judgeCode(
  ctx: Looking & Pick<Ctx, 'ip'>,
  phone: string,
  account: Account | undefined,
  browser: Buffer | null,
): Promise<Verdict> {
  if (account && browser) return look(ctx, [guardOf('BROWSER', accountOf(account), browser)])
  return look(ctx, [guardOf('NUMBER', hashOf('phone', phone)), addressGuard('CODE', ctx.ip)])
}

function inTurn(ctx: Ctx, account: Buffer, guards: readonly Guard[]): Promise<Verdict> {
  ctx.later(
    sql`select pg_advisory_xact_lock(hashtextextended(${`sign in ${account.toString('hex')}`}, 0))`,
  )
  return look(ctx, guards)
}
async function look(ctx: Looking, guards: readonly Guard[]): Promise<Verdict> {
  const keys = guards.map(({ key }) => key)
  return {
    shut: await exists(
      ctx.db,
    )`select 1 from sign_in_guards where until > ${ctx.now} and key = any(${keys}::bytea[])`,
    guards,
  }
}

/**
 * Counts a failure; answers what it shut. What is shut counts nothing more, and does the same work.
 */
export async function countFailure(
  ctx: Ctx,
  { shut, guards }: Verdict,
  account: Account | undefined,
): Promise<readonly Kind[]> {
  const shutNow: Kind[] = []
  const rule = await settingsOf(ctx.db, platformOrg, ['login.maxFailures', 'login.lockMinutes'])
  for (const { kind, account: about, key } of guards) {
    const { factor, minutes } = guardRules[kind]
    const over = sql`(g.until is not null
      or g.since <= ${new Date(ctx.now.getTime() - minutes * 60_000)})`
    const row = await rowOf<{ failures: number; strikes: number }>(ctx.db)`
      insert into sign_in_guards as g (key, org_id, account, kind, failures, since)
      select ${key}, ${about ? (account?.org_id ?? platformOrg) : platformOrg}, ${about}, ${kind},
        1, ${ctx.now}::timestamptz where not ${shut}::boolean
      on conflict (key) do update set
        failures = case when ${over} then 1 else g.failures + 1 end, since = case
          when ${over} then excluded.since else g.since end,
        strikes = case when g.until <= ${new Date(ctx.now.getTime() - 86_400_000)} then 0
          else g.strikes end, until = null
      where g.until is null or g.until <= excluded.since
      returning failures, strikes`
    const most = factor * rule['login.maxFailures']
    if (row && row.failures >= most) {
      await shutFor(ctx, kind, key, shutMinutes(rule['login.lockMinutes'], row.strikes), account)
      shutNow.push(kind)
    }
    // a guessed second factor is told by its own name
    if (
      row &&
      kind !== 'FACTOR' &&
      (row.failures === most || (kind === 'ACCOUNT' && row.failures === Math.ceil(most / 2)))
    )
      tell(ctx, kind, row, account)
  }
  return shutNow
}

async function shutFor(
  ctx: Ctx,
  kind: Kind,
  key: Buffer,
  minutes: number,
  account: Account | undefined,
): Promise<void> {
  const until = new Date(ctx.now.getTime() + minutes * 60_000)
  await sql`update sign_in_guards set until = ${until}, strikes = strikes + 1
    where key = ${key}`.execute(ctx.db)
  // shown to whoever looks after the account
  if (kind === 'ACCOUNT')
    await sql`update users set locked_until = ${until}
      where id = ${account?.id ?? null}::bigint`.execute(ctx.db)
}

/**
 * The log row, and word to people. Nobody waits for it, so that the answer takes as long as for a
 * name nobody has. One address that is shut once may be somebody who forgot; twice within a day, or
 * many addresses, is pressure.
 */
function tell(
  ctx: Ctx,
  kind: Kind,
  { failures, strikes }: { failures: number; strikes: number },
  account: Account | undefined,
): void {
  const { app, ip, userAgent, requestId, lang } = ctx
  const write = () =>
    bySystem(app, async (system) => {
      const own = { ...system, ip, userAgent, requestId, lang }
      const detail = { address: ip, failures, strikes: strikes + 1 }
      if (kind === 'ADDRESS' || kind === 'CODE')
        return raiseSecurity(own, {
          orgId: platformOrg,
          kind: 'SIGN_IN_PRESSURE',
          subject: addressOf(ip),
          detail,
        })
      if (!account) return
      if (kind !== 'ACCOUNT')
        await logLock({
          ...own,
          actor: {
            ...system.actor,
            userId: account.id,
            username: account.username,
            orgId: account.org_id,
          },
        })
      if (kind === 'ACCOUNT' || strikes > 0)
        await raiseSecurity(own, {
          orgId: account.org_id,
          kind: 'SIGN_IN_PRESSURE',
          subject: account.username,
          detail,
        })
    }).catch((error: unknown) => app.log.error({ err: error }, 'pressure on a sign-in'))
  ctx.afterCommit(() => void write())
}
const logLock = (ctx: Ctx): Promise<void> =>
  writeLog(
    ctx,
    'session.lock',
    { id: ctx.actor.userId as number, name: ctx.actor.username },
    {
      result: 'REFUSED',
      errorName: sessionErrors.wrongCredentials.name,
      startedAt: performance.now(),
    },
  )

/**
 * Whoever is in has proven it: his own counter is emptied, that of his address and of strangers
 * stays.
 */
export function forget(ctx: Ctx, { guards }: Verdict): void {
  const own = guards
    .filter(({ kind }) => kind === 'PAIR' || kind === 'BROWSER')
    .map(({ key }) => key)
  ctx.later(sql`delete from sign_in_guards where key = any(${own}::bytea[])`)
}
/** The same where others guess meanwhile: the next time it stays shut as long as it would have. */
export async function forgive(ctx: Ctx, { guards }: Verdict): Promise<void> {
  const own = guards
    .filter(({ kind }) => kind === 'INSIDE' || kind === 'FACTOR')
    .map(({ key }) => key)
  await sql`update sign_in_guards set failures = 0, until = null
    where key = any(${own}::bytea[])`.execute(ctx.db)
}
/** Another second factor: guesses at the one before tell nothing about it. */
export async function forgetFactor(ctx: Ctx, account: Account): Promise<void> {
  await sql`delete from sign_in_guards
    where key = ${guardOf('FACTOR', accountOf(account)).key}`.execute(ctx.db)
}
/**
 * A new password: what was guessed before tells nothing, nobody is kept out; browsers and begun
 * sign-ins from before are strangers.
 */
export async function startAnew(ctx: Ctx, user: Account): Promise<void> {
  await sql`delete from sign_in_guards
    where account = ${accountOf(user)} and kind <> 'FACTOR'`.execute(ctx.db)
  await forgetBrowsers(ctx.db, user.id)
  await sql`update factor_tickets set used_at = ${ctx.now}
    where user_id = ${user.id} and used_at is null`.execute(ctx.db)
  await sql`update scan_tickets set state = 'EXPIRED'
    where user_id = ${user.id} and state in ('WAITING','SCANNED','CONFIRMED')
      and consumed_at is null`.execute(ctx.db)
}
/** Guards whose time is over. */
export const dropOldGuards = async (ctx: Ctx): Promise<void> => {
  const old = new Date(ctx.now.getTime() - 2 * 86_400_000)
  await sql`delete from sign_in_guards
    where since < ${old} and (until is null or until < ${old})`.execute(ctx.db)
}
