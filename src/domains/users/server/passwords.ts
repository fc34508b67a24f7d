import { sql } from 'kysely'
import { prepared } from '../../../server/bind.ts'
import type { App } from '../../../server/context.ts'
import { type Scope, systemScope } from '../../../server/database.ts'
import { checkPassword, hashPassword, nearWords } from '../../../server/passwords.ts'
import { rowsOf } from '../../../server/rows.ts'
import { hashing, tenantOf } from '../../../server/shares.ts'
import { fieldRefusal } from '../../../shared/errors.ts'
import { sessionErrors } from '../../session/contract.ts'
import { passwordRule } from '../../session/rules.ts'
import {
  endSessions,
  namesNear,
  startAnew,
  wayChanged,
  waysOf,
} from '../../session/server/verbs.ts'
import { settingsOf } from '../../settings/server/values.ts'
import type { users } from '../contract.ts'
import { madePassword } from './firstPasswords.ts'
import { named, requireStanding, subject } from './people.ts'

/** What an installation asks of passwords. */
export const passwordSettings = (app: App) =>
  app.database.read(systemScope, (db) =>
    settingsOf(db, 1, ['password.minLength', 'password.history']),
  )

/**
 * The hashes nobody may come back to: the present one and those before it; as many as remembered,
 * whoever it is about.
 */
async function pastHashes(
  app: App,
  scope: Scope,
  userId: number,
  remembered: number,
): Promise<(string | undefined)[]> {
  const hashes = await app.database.read(scope, async (db) => {
    const rows = await rowsOf<{ hash: string }>(db)`
      (select password_hash as hash from users where id = ${userId}) union all
      (select password_hash from password_history where user_id = ${userId} order by created_at desc
        limit ${Math.max(0, remembered - 1)})`
    return rows.map((row) => row.hash)
  })
  return Array.from({ length: Math.max(1, remembered) }, (_, i) => hashes[i])
}

type Ready = { made: string | null; hash: string; repeated: boolean; minLength: number }

/**
 * A new password for somebody below; nobody ever sees the old one. Answers the request for it, if
 * there is one.
 */
export const resetPassword = prepared<(typeof users)['resetPassword'], Ready>({
  // before anybody knows whether the person may be seen, so the work is the same for a foreign and
  // a missing one
  async prepare(app, input, _request, actor) {
    const { 'password.minLength': minLength, 'password.history': remembered } =
      await passwordSettings(app)
    const made = input.password === undefined ? madePassword(minLength) : null
    const password = input.password ?? (made as string)
    const before = made ? [] : await pastHashes(app, actor.scope, input.id, remembered)
    return hashing(app).take(tenantOf(actor), async () => {
      let repeated = false
      for (const past of before) repeated = (await checkPassword(past, password)) || repeated
      return { made, hash: await hashPassword(password), repeated, minLength }
    })
  },
  async run(ctx, input, { made, hash, repeated, minLength }) {
    const person = await subject(ctx, input.id)
    await requireStanding(ctx, person.id)
    const wrong =
      input.password === undefined
        ? null
        : repeated
          ? sessionErrors.passwordRepeated
          : passwordRule(
              input.password,
              person.username,
              nearWords(await namesNear(ctx.db, person.id)),
              minLength,
            )
    if (wrong) throw fieldRefusal(wrong, 'password')
    const before = await waysOf(ctx, person.id)
    await sql`insert into password_history (user_id, org_id, password_hash, created_at)
      select id, org_id, password_hash, ${ctx.now} from users where id = ${person.id}
      on conflict do nothing`.execute(ctx.db)
    await sql`update users set password_hash = ${hash},
      must_change_password = ${input.mustChangePassword}, password_changed_at = ${ctx.now},
      locked_until = null where id = ${person.id}`.execute(ctx.db)
    const { numAffectedRows: answered } = await sql`update password_resets
        set state = 'DONE', handled_by = ${ctx.actor.userId}, handled_at = ${ctx.now}
      where user_id = ${person.id} and state = 'PENDING'`.execute(ctx.db)
    await endSessions(ctx, [person.id], 'PASSWORD_CHANGED')
    await startAnew(ctx, { ...person, org_id: person.orgId })
    await wayChanged(ctx, before, 'PASSWORD')
    ctx.audit({
      ...named(person),
      after: {
        made: made !== null,
        mustChange: input.mustChangePassword,
        answered: Number(answered),
      },
    })
    ctx.touch('users')
    ctx.touch('password-resets')
    return { password: made }
  },
})
