import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { prepared } from '../../../server/bind.ts'
import { found, refused } from '../../../server/context.ts'
import { systemScope } from '../../../server/database.ts'
import { hashPassword } from '../../../server/passwords.ts'
import { hashing } from '../../../server/shares.ts'
import { neighbourhoodOf } from '../../../shared/address.ts'
import { raiseSecurity } from '../../security/server/raise.ts'
import { type factorEndpoints, factorErrors } from '../factorContract.ts'
import * as q from './queries.ts'
import { setPassword } from './reset.ts'
import { hasSms } from './smsProvider.ts'
import { closeSince, isOpenLink, takeUndo } from './ways.ts'

/**
 * The link in the message about a changed way to sign in. Whoever changed it may know the password,
 * so that ends too: a new one comes by SMS to a number that did not change, else from the
 * administrator.
 */
export const undo = prepared<(typeof factorEndpoints)['undo'], string | null>({
  // nobody guesses a token by how long its answer takes, so what opens nothing costs nothing
  async prepare(app, { token }, request) {
    if (!(await app.database.read(systemScope, (db) => isOpenLink(db, token, app.now()))))
      return null
    return hashing(app).take(neighbourhoodOf(request.ip), () =>
      hashPassword(randomBytes(32).toString('base64url')),
    )
  },
  async run(ctx, input, nobodys) {
    const undone = nobodys && (await takeUndo(ctx, input.token))
    if (!undone) return refused(factorErrors.undoOver)
    const { phone } = await closeSince(ctx, undone.userId, undone.ways)
    const account = found(await q.accountById(ctx.db, undone.userId))
    await setPassword(ctx, account, nobodys)
    const sms = hasSms(ctx.app) && phone
    if (!sms)
      await sql`insert into password_resets (org_id, user_id, method, created_at)
        values (${account.org_id}, ${account.id}, 'ADMIN', ${ctx.now})
        on conflict do nothing`.execute(ctx.db)
    await raiseSecurity(ctx, {
      orgId: account.org_id,
      kind: 'WAY_UNDONE',
      subject: account.username,
      detail: { change: undone.kind },
    })
    ctx.audit({
      id: account.id,
      name: account.username,
      after: { change: undone.kind },
      orgId: account.org_id,
    })
    ctx.touch('users')
    ctx.touch('password-resets')
    return { username: account.username, sms }
  },
})
