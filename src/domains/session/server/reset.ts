import { sql } from 'kysely'
import { prepared } from '../../../server/bind.ts'
import { type App, type Ctx, refused } from '../../../server/context.ts'
import { type Db, systemScope } from '../../../server/database.ts'
import { checkPassword, hashPassword, nearWords } from '../../../server/passwords.ts'
import { requireProof } from '../../../server/proof.ts'
import { hashing } from '../../../server/shares.ts'
import { platformOrg } from '../../../shared/access.ts'
import { neighbourhoodOf } from '../../../shared/address.ts'
import { Refusal, reject } from '../../../shared/errors.ts'
import { settingOf } from '../../settings/server/values.ts'
import { type session, sessionErrors } from '../contract.ts'
import { passwordRule } from '../rules.ts'
import { knownBrowser } from './browsers.ts'
import { countFailure, judgeCode, startAnew } from './guard.ts'
import { isShown, ownAccount } from './proof.ts'
import * as q from './queries.ts'
import { refuseShut } from './send.ts'
import { codeHash, spendCode } from './sms.ts'
import { wayChanged, waysOf } from './ways.ts'

type Contract = typeof session

/** Whether the password is the present one or one of the last ones; the history is a setting. */
async function wasUsed(app: App, account: q.Account, password: string): Promise<boolean> {
  const past = await app.database.read(systemScope, async (db) => {
    const length = await settingOf(db, platformOrg, 'password.history')
    return db
      .selectFrom('password_history')
      .select('password_hash')
      .where('user_id', '=', account.id)
      .orderBy('created_at', 'desc')
      .limit(length)
      .execute()
  })
  return hashing(app).take(account.org_id, async () => {
    let used = await checkPassword(account.password_hash, password)
    for (const entry of past) used ||= await checkPassword(entry.password_hash, password)
    return used
  })
}

async function checkNew(
  db: Db,
  account: q.Account,
  password: string,
  used: boolean,
): Promise<void> {
  const min = await settingOf(db, platformOrg, 'password.minLength')
  const near = nearWords(await q.namesNear(db, account.id))
  reject(
    used ? sessionErrors.passwordRepeated : passwordRule(password, account.username, near, min),
  )
}

/** The new password, the old one into the history, every session ended. */
export async function setPassword(ctx: Ctx, account: q.Account, hash: string): Promise<void> {
  await sql`insert into password_history (user_id, org_id, password_hash, created_at)
    values (${account.id}, ${account.org_id}, ${account.password_hash}, ${ctx.now})
    on conflict do nothing`.execute(ctx.db)
  await sql`update users set password_hash = ${hash}, must_change_password = false,
    password_changed_at = ${ctx.now}, locked_until = null
    where id = ${account.id}`.execute(ctx.db)
  await q.endSessions(ctx, [account.id], 'PASSWORD_CHANGED')
  await startAnew(ctx, account)
}

/**
 * Ends every session of the user, this one too; wrong old passwords count towards the lock, and too
 * many end every session.
 */
export const changePassword = prepared<
  Contract['changePassword'],
  { account: q.Account; right: boolean; used: boolean; hash: string }
>({
  async prepare(app, input, _request, actor) {
    // where the second factor is on the password alone moves no way to sign in
    if (actor.secondFactor) await requireProof(app, actor)
    const own = await ownAccount(app, actor.username, input.oldPassword)
    const used = await wasUsed(app, own.account, input.password)
    return {
      ...own,
      used,
      hash: await hashing(app).take(own.account.org_id, () => hashPassword(input.password)),
    }
  },
  async run(ctx, input, { account, right, used, hash }) {
    if (!(await isShown(ctx, account, 'OLD_PASSWORD', () => right)))
      return refused(sessionErrors.wrongOldPassword)
    const before = await waysOf(ctx, account.id)
    await checkNew(ctx.db, account, input.password, used)
    await setPassword(ctx, account, hash)
    await wayChanged(ctx, before, 'PASSWORD')
    ctx.audit({ id: account.id, name: account.username })
    return { ok: true as const }
  },
})

type Ready = {
  account: q.Account | undefined
  browser: Buffer | null
  codes: Buffer
  used: boolean
  hash: string
}

/**
 * The same work for an unknown name, another's number and a wrong code: one code, one password
 * hashed.
 */
export const passwordReset = prepared<Contract['passwordReset'], Ready>({
  async prepare(app, input, request) {
    await refuseShut(app, request, input)
    const [named] = await app.database.read(systemScope, (db) =>
      q.accountsByPhone(db, input, app.now()),
    )
    const codes = codeHash(app, input.phone, 'RESET', input.smsCode)
    // the history costs work, so it is asked only for whoever holds the code; taken is it later
    const right = await app.database.read(systemScope, (db) =>
      q.codeMatches(
        db,
        { phone: input.phone, userId: named?.id ?? null, ip: request.ip },
        codes,
        app.now(),
      ),
    )
    return {
      account: named,
      browser: await app.database.read(systemScope, (db) =>
        knownBrowser(db, request, named?.id, app.now()),
      ),
      codes,
      used: named !== undefined && right && (await wasUsed(app, named, input.password)),
      hash: await hashing(app).take(neighbourhoodOf(request.ip), () =>
        hashPassword(input.password),
      ),
    }
  },
  async run(ctx, input, { account, browser, codes, used, hash }) {
    const verdict = await judgeCode(ctx, input.phone, account, browser)
    const spent = verdict.shut
      ? null
      : await spendCode(
          ctx,
          { phone: input.phone, purpose: 'RESET', userId: account?.id ?? null },
          codes,
        )
    if (!spent || !account) {
      await countFailure(ctx, verdict, account)
      return refused(sessionErrors.wrongCode)
    }
    if (!(await q.comesIn(ctx, account))) return refused(sessionErrors.wrongCode)
    await checkNew(ctx.db, account, input.password, used)
    const before = await waysOf(ctx, account.id)
    await setPassword(ctx, account, hash)
    await wayChanged(ctx, before, 'PASSWORD')
    await sql`update password_resets set state = 'EXPIRED', handled_at = ${ctx.now}
      where user_id = ${account.id} and state = 'PENDING'`.execute(ctx.db)
    await sql`insert into password_resets (org_id, user_id, method, state, created_at, handled_at)
      values (${account.org_id}, ${account.id}, 'SMS', 'DONE', ${ctx.now}, ${ctx.now})`.execute(
      ctx.db,
    )
    ctx.audit({ id: account.id, name: account.username, orgId: account.org_id })
    ctx.touch('password-resets')
    return { ok: true as const }
  },
})

/**
 * The password typed once more before something that cannot be undone by the next person at the
 * desk.
 */
export const unbind = prepared<Contract['unbind'], { account: q.Account; right: boolean }>({
  async prepare(app, input, _request, actor) {
    if (actor.secondFactor) await requireProof(app, actor)
    return ownAccount(app, actor.username, input.password)
  },
  async run(ctx, _input, { account, right }) {
    if (!(await isShown(ctx, account, 'UNBIND', () => right)))
      return refused(sessionErrors.wrongPassword)
    if (!(await unbindWechat(ctx, account.id))) throw new Refusal(sessionErrors.scanOver)
    ctx.audit({ id: account.id, name: account.username })
    return { ok: true as const }
  },
})

/**
 * Takes the binding of a user away and tells him; false when there was none. The caller writes the
 * log row.
 */
export async function unbindWechat(ctx: Ctx, userId: number): Promise<boolean> {
  const before = await waysOf(ctx, userId)
  if (!before.ways.wechat) return false
  await sql`delete from wechat_bindings where user_id = ${userId}`.execute(ctx.db)
  await wayChanged(ctx, before, 'WECHAT_UNBOUND')
  return true
}
