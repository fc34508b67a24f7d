import { sql } from 'kysely'
import { type Handlers, prepared } from '../../../server/bind.ts'
import { type Ctx, refused } from '../../../server/context.ts'
import type { SignedIn } from '../../../server/signedIn.ts'
import { type session, sessionErrors } from '../contract.ts'
import { smsLimits } from '../rules.ts'
import { identityProvider } from './identity.ts'
import * as q from './queries.ts'
import { baseUrlOf, newTicket, ticketState } from './scan.ts'
import { callerOf, startSession } from './signIn.ts'
import { codeHash, giveBack, issueCode, spendCode } from './sms.ts'
import { hasSms } from './smsProvider.ts'

type Contract = typeof session

export async function methods(ctx: Ctx) {
  return { scan: identityProvider(ctx.app.config) !== null, sms: hasSms(ctx.app), demo: ctx.app.config.demo }
}

export const loginsend = prepared<Contract['loginsend'], { owner: SignedIn | null; baseUrl: string }>({
  async prepare(app, input, request) {
    const own = input.purpose === 'bind' || input.purpose === 'changePhone'
    return { owner: own ? await callerOf(app, request) : null, baseUrl: baseUrlOf(app.config, request) }
  },
  async run(ctx, input, { owner, baseUrl }) {
    if (input.channel === 'qr') return newTicket(ctx, owner, baseUrl)
    const phone = input.phone as string
    if (owner) return sent(await issueCode(ctx, { phone, purpose: 'CHANGE_PHONE', userId: owner.userId, orgId: owner.orgId, deliver: true }))
    const accounts = (await q.accountsByPhone(ctx.db, phone)).filter(
      (account) => account.usable && (input.purpose === 'login' || account.username.toLowerCase() === input.username?.toLowerCase()),
    )
    if (input.purpose === 'login') return sent(await issueCode(ctx, { phone, purpose: 'LOGIN', userId: null, orgId: 1, deliver: accounts.length > 0 }))
    const account = accounts[0]
    if (hasSms(ctx.app))
      return sent(await issueCode(ctx, { phone, purpose: 'RESET', userId: account?.id ?? null, orgId: account?.org_id ?? 1, deliver: account !== undefined }))
    // nobody can send a code: the administrator is asked, once
    if (account) {
      await sql`insert into password_resets (org_id, user_id, method, created_at) values (${account.org_id}, ${account.id}, 'ADMIN', ${ctx.now}) on conflict do nothing`.execute(
        ctx.db,
      )
      ctx.touch('password-resets')
    }
    return { sent: false, retryAfter: smsLimits.resendSeconds }
  },
})
const sent = (retryAfter: number) => ({ sent: true, retryAfter })

export const loginv: Handlers<Contract>['loginv'] = async (ctx, input) => {
  if (input.channel === 'qr') return ticketState(ctx, input.ticket as string, input.secret as string)
  const phone = input.phone as string
  const spent = await spendCode(ctx, { phone, purpose: 'LOGIN' }, codeHash(ctx.app, phone, 'LOGIN', input.smsCode as string))
  const accounts = (await q.accountsByPhone(ctx.db, phone)).filter(
    (account) => account.usable && (input.username === undefined || account.username.toLowerCase() === input.username.toLowerCase()),
  )
  const [account] = accounts
  if (!spent || !account) {
    if (spent) await giveBack(ctx, spent)
    await q.addAttempt(ctx, { username: phone, userId: null, orgId: null, ok: false, reason: 'CODE' })
    return refused(sessionErrors.wrongCode)
  }
  if (accounts.length > 1) {
    await giveBack(ctx, spent)
    return refused(sessionErrors.ambiguousPhone)
  }
  return { token: await startSession(ctx, { id: account.id, orgId: account.org_id, username: account.username }) }
}
