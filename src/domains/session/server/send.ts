import type { FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import { prepared } from '../../../server/bind.ts'
import { type App, type Ctx, refused } from '../../../server/context.ts'
import { systemScope } from '../../../server/database.ts'
import type { SignedIn } from '../../../server/person.ts'
import { requireProof } from '../../../server/proof.ts'
import { Refusal } from '../../../shared/errors.ts'
import { type session, sessionErrors } from '../contract.ts'
import { smsLimits } from '../rules.ts'
import { knownBrowser } from './browsers.ts'
import { admit } from './factor.ts'
import { countFailure, forget, judgeCode } from './guard.ts'
import { identityProvider } from './identity.ts'
import * as q from './queries.ts'
import { baseUrlOf, newTicket, ticketState } from './scan.ts'
import { callerOf } from './signIn.ts'
import { codeHash, giveBack, issueCode, spendCode } from './sms.ts'
import { hasSms } from './smsProvider.ts'

type Contract = typeof session

export async function methods(ctx: Ctx) {
  return {
    scan: identityProvider(ctx.app.config) !== null,
    sms: hasSms(ctx.app),
    demo: ctx.app.config.demo,
  }
}

export const loginsend = prepared<
  Contract['loginsend'],
  { owner: SignedIn | null; baseUrl: string; request: FastifyRequest }
>({
  async prepare(app, input, request) {
    const own = input.purpose === 'bind' || input.purpose === 'changePhone'
    const owner = own ? await callerOf(app, request) : null
    if (owner) await requireProof(app, owner)
    return { owner, baseUrl: baseUrlOf(app.config, request), request }
  },
  async run(ctx, input, { owner, baseUrl, request }) {
    if (input.channel === 'qr') return newTicket(ctx, owner, baseUrl)
    const phone = input.phone as string
    if (owner)
      return sent(
        await issueCode(ctx, {
          phone,
          purpose: 'CHANGE_PHONE',
          userId: owner.userId,
          orgId: owner.orgId,
          deliver: true,
          known: true,
        }),
      )
    const accounts = await q.accountsByPhone(
      ctx.db,
      { phone, username: input.purpose === 'login' ? undefined : (input.username ?? '') },
      ctx.now,
    )
    const [account] = accounts
    const known = await knows(ctx, request, accounts)
    if (input.purpose === 'login')
      return sent(
        await issueCode(ctx, {
          phone,
          purpose: 'LOGIN',
          userId: null,
          orgId: 1,
          deliver: account !== undefined,
          known,
        }),
      )
    if (hasSms(ctx.app)) {
      const whose = {
        userId: account?.id ?? null,
        orgId: account?.org_id ?? 1,
        deliver: account !== undefined,
      }
      return sent(await issueCode(ctx, { phone, purpose: 'RESET', ...whose, known }))
    }
    // nobody can send a code: the administrator is asked, once
    if (account) {
      await sql`insert into password_resets (org_id, user_id, method, created_at)
        values (${account.org_id}, ${account.id}, 'ADMIN', ${ctx.now})
        on conflict do nothing`.execute(ctx.db)
      ctx.touch('password-resets')
    }
    return { sent: false, retryAfter: smsLimits.resendSeconds }
  },
})
/** Whether one of these accounts knows the browser. */
async function knows(
  ctx: Ctx,
  request: FastifyRequest,
  accounts: readonly q.Account[],
): Promise<boolean> {
  for (const { id } of accounts) if (await knownBrowser(ctx.db, request, id, ctx.now)) return true
  return false
}
const sent = (retryAfter: number) => ({ sent: true, retryAfter })

/** Whoever is shut out is told so by reading alone: anybody may try, as often as he likes. */
export async function refuseShut(
  app: App,
  request: FastifyRequest,
  of: { phone: string; username: string | undefined },
): Promise<void> {
  const { shut } = await app.database.readSame(systemScope, async (db) => {
    const [account] = await q.accountsByPhone(db, of, app.now())
    const browser = await knownBrowser(db, request, account?.id, app.now())
    return judgeCode({ db, now: app.now(), ip: request.ip }, of.phone, account, browser)
  })
  if (shut) throw new Refusal(sessionErrors.wrongCode)
}

export const loginv = prepared<Contract['loginv'], FastifyRequest>({
  async prepare(app, input, request) {
    if (input.channel === 'sms')
      await refuseShut(app, request, { phone: input.phone as string, username: input.username })
    return request
  },
  async run(ctx, input, request) {
    if (input.channel === 'qr')
      return ticketState(ctx, input.ticket as string, input.secret as string, request)
    const phone = input.phone as string
    const accounts = await q.accountsByPhone(ctx.db, { phone, username: input.username }, ctx.now)
    const [account] = accounts
    const browser = await knownBrowser(ctx.db, request, account?.id, ctx.now)
    const verdict = await judgeCode(ctx, phone, account, browser)
    const code = codeHash(ctx.app, phone, 'LOGIN', input.smsCode as string)
    const spent = verdict.shut ? null : await spendCode(ctx, { phone, purpose: 'LOGIN' }, code)
    if (!spent || !account) {
      if (spent) await giveBack(ctx, spent)
      q.addAttempt(ctx, { username: phone, userId: null, orgId: null, ok: false, reason: 'CODE' })
      await countFailure(ctx, verdict, account)
      return refused(sessionErrors.wrongCode)
    }
    forget(ctx, verdict)
    if (accounts.length > 1) {
      await giveBack(ctx, spent)
      return refused(sessionErrors.ambiguousPhone)
    }
    await q.phoneShown(ctx, account.id, { first: false })
    return (await admit(ctx, account, request)) ?? refused(sessionErrors.wrongCode)
  },
})
