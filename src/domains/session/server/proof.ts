import { prepared } from '../../../server/bind.ts'
import { type App, type Ctx, found, refused } from '../../../server/context.ts'
import { systemScope } from '../../../server/database.ts'
import { checkPassword } from '../../../server/passwords.ts'
import { hashing } from '../../../server/shares.ts'
import { Refusal } from '../../../shared/errors.ts'
import { type factorEndpoints, factorErrors } from '../factorContract.ts'
import { factorOn, spendFactor } from './factor.ts'
import { countFailure, forgive, judgeInside } from './guard.ts'
import * as q from './queries.ts'

/**
 * Whether somebody at an open session showed who he is; `right` answers null when it was not looked
 * at. Wrong ones count together, whatever they were for; too many end every session of the account.
 * While it is shut nothing is looked at or counted, and he is told so, right or wrong: he would
 * take his own password for a wrong one.
 */
export async function isShown(
  ctx: Ctx,
  account: q.Account,
  reason: 'OLD_PASSWORD' | 'UNBIND' | 'PROOF',
  right: () => boolean | null | Promise<boolean | null>,
): Promise<boolean> {
  const verdict = await judgeInside(ctx, account)
  const shown = verdict.shut ? null : await right()
  if (shown === null) throw new Refusal(factorErrors.proofShut)
  if (shown) {
    await forgive(ctx, verdict)
    return true
  }
  q.addAttempt(ctx, {
    username: account.username,
    userId: account.id,
    orgId: account.org_id,
    ok: false,
    reason,
  })
  if ((await countFailure(ctx, verdict, account)).includes('INSIDE'))
    await q.endSessions(ctx, [account.id], 'KICKED')
  return false
}

/** The account of whoever is signed in, with whether this is its password. */
export async function ownAccount(
  app: App,
  username: string,
  password: string | undefined,
): Promise<{ account: q.Account; right: boolean }> {
  const account = found(await app.database.read(systemScope, (db) => q.accountByName(db, username)))
  return {
    account,
    right:
      password !== undefined &&
      (await hashing(app).take(account.org_id, () =>
        checkPassword(account.password_hash, password),
      )),
  }
}

export const prove = prepared<
  (typeof factorEndpoints)['prove'],
  { account: q.Account; right: boolean }
>({
  prepare: (app, input, _request, actor) => ownAccount(app, actor.username, input.password),
  async run(ctx, input, { account, right }) {
    const byCode = await factorOn(ctx.db, account.id)
    const shown = () =>
      !byCode ? right : input.code === undefined ? false : spendFactor(ctx, account, input.code)
    ctx.audit({
      id: account.id,
      name: account.username,
      after: { by: byCode ? 'code' : 'account' },
    })
    if (!(await isShown(ctx, account, 'PROOF', shown)))
      return refused(byCode ? factorErrors.wrongFactor : factorErrors.wrongProof)
    await ctx.db
      .updateTable('sessions')
      .set({ proven_at: ctx.now, unproven_refunds: 0 })
      .where('id', '=', ctx.actor.sessionId)
      .execute()
    return { ok: true as const }
  },
})
