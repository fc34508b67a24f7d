import { createHmac, randomBytes } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import { Secret, TOTP } from 'otpauth'
import { type Handlers, prepared } from '../../../server/bind.ts'
import { type Ctx, iso, refused } from '../../../server/context.ts'
import type { Db } from '../../../server/database.ts'
import { tokenHash } from '../../../server/rateKeys.ts'
import { exists, onlyRow, rowOf } from '../../../server/rows.ts'
import { keyFor, openSecret, sealSecret } from '../../../server/secretBox.ts'
import { Refusal } from '../../../shared/errors.ts'
import { raiseSecurity } from '../../security/server/raise.ts'
import { type factorEndpoints, factorErrors } from '../factorContract.ts'
import { factorLimits } from '../rules.ts'
import { factorRequired } from './factorDue.ts'
import { countFailure, forgetFactor, forgive, judgeFactor } from './guard.ts'
import * as q from './queries.ts'
import { startSession } from './signIn.ts'
import { wayChanged, waysOf } from './ways.ts'

type Contract = typeof factorEndpoints
type Who = { id: number; org_id: number; username: string }

const place = (userId: number) => `second_factors.secret|${userId}`
const generator = (secret: Secret, username: string) =>
  new TOTP({
    issuer: 'Huodao',
    label: username,
    secret,
    algorithm: 'SHA1',
    digits: 6,
    period: factorLimits.period,
  })

/**
 * 24 characters of 5 bits: too many to guess, so a keyed hash keeps them (and nobody finds them
 * without the key of the installation).
 */
const letters = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'
const newCode = () => [...randomBytes(24)].map((byte) => letters[byte % 32]).join('')
const grouped = (code: string) => code.replace(/(.{6})(?=.)/g, '$1-')
const codeHash = (ctx: Ctx, userId: number, code: string): Buffer =>
  createHmac('sha256', keyFor(ctx.app.config, 'session.recovery'))
    .update(`${userId}|${code}`)
    .digest()

export const factorOn = (db: Db, userId: number): Promise<boolean> =>
  exists(db)`select 1 from second_factors where user_id = ${userId} and confirmed_at is not null`

type FactorRow = { secret: Buffer; last_step: number }

/**
 * Whether this is the code of now or a recovery code, and takes it: each counts once. Wrong ones
 * count, and too many shut the second step for a while, longer each time; then null, the code was
 * not looked at. A recovery code is too long to guess: it opens what guesses have shut. The row is
 * locked meanwhile, so guesses that come together are counted one after the other. The caller
 * commits.
 */
export async function spendFactor(ctx: Ctx, who: Who, code: string): Promise<boolean | null> {
  const row = await lockFactor(ctx, who, { pending: false })
  if (!row) return false
  const verdict = await judgeFactor(ctx, who)
  if (
    (await spendRecovery(ctx, who.id, code)) ||
    (!verdict.shut && (await spendStep(ctx, who, row, code)))
  ) {
    await forgive(ctx, verdict)
    return true
  }
  if (verdict.shut) return null
  // whoever guesses codes holds the password or an open session already
  if ((await countFailure(ctx, verdict, who)).includes('FACTOR'))
    await raiseSecurity(ctx, {
      orgId: who.org_id,
      kind: 'FACTOR_GUESSED',
      subject: who.username,
      detail: { ip: ctx.ip },
    })
  return false
}

const lockFactor = (
  ctx: Ctx,
  who: Who,
  { pending }: { pending: boolean },
): Promise<FactorRow | undefined> =>
  rowOf<FactorRow>(ctx.db)`select secret, last_step from second_factors
    where user_id = ${who.id} and (confirmed_at is null) = ${pending} for update`

async function spendStep(ctx: Ctx, who: Who, row: FactorRow, code: string): Promise<boolean> {
  const digits = code.replaceAll(' ', '')
  if (!/^\d{6}$/.test(digits)) return false
  const secret = Secret.fromBase32(
    openSecret(ctx.app.config, 'session.factor', place(who.id), row.secret),
  )
  const timestamp = ctx.now.getTime()
  const delta = generator(secret, who.username).validate({
    token: digits,
    timestamp,
    window: factorLimits.window,
  })
  if (delta === null) return false
  const step = Math.floor(timestamp / 1000 / factorLimits.period) + delta
  const done = await sql`update second_factors set last_step = ${step}
      where user_id = ${who.id} and last_step < ${step}`.execute(ctx.db)
  return done.numAffectedRows === 1n
}

async function spendRecovery(ctx: Ctx, userId: number, code: string): Promise<boolean> {
  const done = await sql`update recovery_codes set used_at = ${ctx.now}
    where user_id = ${userId}
      and code_hash = ${codeHash(ctx, userId, code.toUpperCase().replaceAll(/[\s-]/g, ''))}
      and used_at is null`.execute(ctx.db)
  return done.numAffectedRows === 1n
}

/**
 * What every way to sign in ends with: a session, or where the second factor is on the ticket of
 * the second step; null when the account was shut or its password changed since it was read.
 */
export async function admit(
  ctx: Ctx,
  user: q.Account,
  request: FastifyRequest,
): Promise<{ token: string } | { factorTicket: string; expiresIn: number } | null> {
  if (!(await q.comesIn(ctx, user))) return null
  if (!(await factorOn(ctx.db, user.id))) return { token: await start(ctx, user, request) }
  const ticket = randomBytes(32).toString('base64url')
  const until = new Date(ctx.now.getTime() + factorLimits.ticketSeconds * 1000)
  await sql`insert into factor_tickets (token_hash, org_id, user_id, created_at, expires_at)
    values (${tokenHash(ticket)}, ${user.org_id}, ${user.id}, ${ctx.now}, ${until})`.execute(ctx.db)
  return { factorTicket: ticket, expiresIn: factorLimits.ticketSeconds }
}

/** The browser becomes a known one here, so never before the second step. */
const start = (ctx: Ctx, { id, org_id, username }: Who, request: FastifyRequest) =>
  startSession(ctx, { id, orgId: org_id, username }, request)

/**
 * A wrong code, a used one and an account that was shut meanwhile answer alike; a ticket has five
 * tries.
 */
const passFactor = prepared<Contract['passFactor'], FastifyRequest>({
  prepare: async (_app, _input, request) => request,
  async run(ctx, input, request) {
    const hash = tokenHash(input.ticket)
    // the account before its ticket, as `setPassword` takes them: a new password comes before or
    // after, never in between
    await sql`select 1 from users u join factor_tickets t on t.user_id = u.id
      where t.token_hash = ${hash} for no key update of u`.execute(ctx.db)
    const tried = await rowOf<{ user_id: number }>(
      ctx.db,
    )`update factor_tickets set tries = tries + 1
      where token_hash = ${hash} and used_at is null and tries < 5 and expires_at > ${ctx.now}
      returning user_id`
    const account = tried && (await q.accountById(ctx.db, tried.user_id))
    if (!account) throw new Refusal(factorErrors.ticketOver)
    if (!account.usable || !(await spendFactor(ctx, account, input.code))) {
      q.addAttempt(ctx, {
        username: account.username,
        userId: account.id,
        orgId: account.org_id,
        ok: false,
        reason: 'FACTOR',
      })
      return refused(factorErrors.wrongFactor)
    }
    await sql`update factor_tickets set used_at = ${ctx.now} where token_hash = ${hash}`.execute(
      ctx.db,
    )
    return { token: await start(ctx, account, request) }
  },
})

const me = (ctx: Ctx): Who => ({
  id: ctx.actor.userId as number,
  org_id: ctx.actor.orgId,
  username: ctx.actor.username,
})

export const factor: Handlers<Contract>['factor'] = async (ctx) => {
  const { since, recoveryLeft } = await onlyRow<{ since: Date | null; recoveryLeft: number }>(
    ctx.db,
  )`
    select (select confirmed_at from second_factors where user_id = ${me(ctx).id}) as since,
      (select count(*) from recovery_codes
        where user_id = ${me(ctx).id} and used_at is null) as "recoveryLeft"`
  return {
    on: since !== null,
    since: since && iso(since),
    recoveryLeft,
    required: await factorRequired(ctx.app, ctx.actor),
  }
}

const enrolFactor: Handlers<Contract>['enrolFactor'] = async (ctx) => {
  const { id, org_id, username } = me(ctx)
  const secret = new Secret({ size: 20 })
  const sealed = sealSecret(ctx.app.config, 'session.factor', place(id), secret.base32)
  const done = await sql`insert into second_factors (user_id, org_id, secret, created_at)
      values (${id}, ${org_id}, ${sealed}, ${ctx.now})
    on conflict (user_id) do update
    set secret = excluded.secret, created_at = excluded.created_at, last_step = 0
      where second_factors.confirmed_at is null`.execute(ctx.db)
  if (!done.numAffectedRows) throw new Refusal(factorErrors.factorOn)
  ctx.audit({ id, name: username })
  return { secret: secret.base32, uri: generator(secret, username).toString() }
}

async function giveCodes(ctx: Ctx, { id, org_id }: Who): Promise<string[]> {
  const codes = Array.from({ length: factorLimits.recoveryCodes }, newCode)
  const hashes = codes.map((code) => codeHash(ctx, id, code))
  await sql`delete from recovery_codes where user_id = ${id}`.execute(ctx.db)
  await sql`insert into recovery_codes (user_id, org_id, code_hash)
    select ${id}, ${org_id}, unnest(${hashes}::bytea[])`.execute(ctx.db)
  return codes.map(grouped)
}

const confirmFactor: Handlers<Contract>['confirmFactor'] = async (ctx, input) => {
  const who = me(ctx)
  const before = await waysOf(ctx, who.id)
  if (before.ways.factor) throw new Refusal(factorErrors.factorOn)
  const row = await lockFactor(ctx, who, { pending: true })
  if (!row || !(await spendStep(ctx, who, row, input.code)))
    return refused(factorErrors.wrongFactor)
  await sql`update second_factors set confirmed_at = ${ctx.now} where user_id = ${who.id}`.execute(
    ctx.db,
  )
  await forgetFactor(ctx, who)
  // from now on the password is no proof; who showed himself by it elsewhere shows himself again
  await sql`update sessions set proven_at = null
    where user_id = ${who.id} and id <> ${ctx.actor.sessionId}::uuid`.execute(ctx.db)
  const recoveryCodes = await giveCodes(ctx, who)
  await wayChanged(ctx, before, 'FACTOR_ON')
  ctx.audit({ id: who.id, name: who.username })
  return { recoveryCodes }
}

const newRecoveryCodes: Handlers<Contract>['newRecoveryCodes'] = async (ctx) => {
  const who = me(ctx)
  const before = await waysOf(ctx, who.id)
  if (!before.ways.factor) throw new Refusal(factorErrors.factorOff)
  const recoveryCodes = await giveCodes(ctx, who)
  await wayChanged(ctx, before, 'RECOVERY_CODES')
  ctx.audit({ id: who.id, name: who.username })
  return { recoveryCodes }
}

const dropFactor: Handlers<Contract>['dropFactor'] = async (ctx) => {
  const who = me(ctx)
  if (await factorRequired(ctx.app, ctx.actor)) throw new Refusal(factorErrors.factorKept)
  if (!(await removeFactor(ctx, who.id))) throw new Refusal(factorErrors.factorOff)
  ctx.audit({ id: who.id, name: who.username })
  return { ok: true as const }
}

/**
 * Takes the second factor of somebody away and tells him; false when there was none. The caller
 * writes the log row.
 */
export async function removeFactor(ctx: Ctx, userId: number): Promise<boolean> {
  const before = await waysOf(ctx, userId)
  if (!before.ways.factor) return false
  await sql`delete from second_factors where user_id = ${userId}`.execute(ctx.db)
  await wayChanged(ctx, before, 'FACTOR_OFF')
  return true
}

export const factorHandlers = {
  passFactor,
  factor,
  enrolFactor,
  confirmFactor,
  newRecoveryCodes,
  dropFactor,
}
