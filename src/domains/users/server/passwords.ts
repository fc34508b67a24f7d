import { randomInt } from 'node:crypto'
import { sql } from 'kysely'
import { prepared } from '../../../server/bind.ts'
import type { App } from '../../../server/context.ts'
import { systemScope } from '../../../server/database.ts'
import { checkPassword, commonPasswords, hashPassword } from '../../../server/passwords.ts'
import { Refusal } from '../../../shared/errors.ts'
import { sessionErrors } from '../../session/contract.ts'
import { passwordRule } from '../../session/rules.ts'
import { startAnew } from '../../session/server/verbs.ts'
import { settingsOf } from '../../settings/server/values.ts'
import type { users } from '../contract.ts'
import { subject } from './people.ts'
import { endSessions } from './sessions.ts'

type Contract = typeof users

// without what people mix up when they read a password to each other: 0 O 1 l I
const letters = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ'
const digits = '23456789'

/** What an installation asks of passwords, and one that satisfies it. */
export const passwordSettings = (app: App) => app.database.read(systemScope, (db) => settingsOf(db, 1, ['password.minLength', 'password.history']))

/** Fourteen letters and digits, about 80 bits, of both kinds. */
export function madePassword(minLength: number): string {
  const all = letters + digits
  for (;;) {
    const made = Array.from({ length: Math.max(14, minLength) }, () => all[randomInt(all.length)]).join('')
    if (/[a-zA-Z]/.test(made) && /\d/.test(made)) return made
  }
}

/** The hashes nobody may come back to: the present one and those before it. */
async function pastHashes(app: App, userId: number, remembered: number): Promise<string[]> {
  return app.database.read(systemScope, async (db) => {
    const { rows } = await sql<{ hash: string }>`
      (select password_hash as hash from users where id = ${userId}) union all
      (select password_hash from password_history where user_id = ${userId} order by created_at desc limit ${Math.max(0, remembered - 1)})`.execute(db)
    return rows.map((row) => row.hash)
  })
}

type Ready = { made: string | null; hash: string; repeated: boolean; minLength: number }

/** A new password for somebody below; nobody ever sees the old one. Answers the request for it, if there is one. */
export const resetPassword = prepared<Contract['resetPassword'], Ready>({
  async prepare(app, input) {
    const { 'password.minLength': minLength, 'password.history': remembered } = await passwordSettings(app)
    const made = input.password === undefined ? madePassword(minLength) : null
    const password = input.password ?? (made as string)
    let repeated = false
    if (!made) for (const hash of await pastHashes(app, input.id, remembered)) repeated ||= await checkPassword(hash, password)
    return { made, hash: await hashPassword(password), repeated, minLength }
  },
  async run(ctx, input, { made, hash, repeated, minLength }) {
    const person = await subject(ctx, input.id)
    const wrong =
      input.password === undefined
        ? null
        : repeated
          ? sessionErrors.passwordRepeated
          : passwordRule(input.password, person.username, commonPasswords(), minLength)
    if (wrong) throw new Refusal(wrong, {}, [{ field: 'password', text: wrong.text }])
    await sql`insert into password_history (user_id, org_id, password_hash, created_at)
      select id, org_id, password_hash, ${ctx.now} from users where id = ${person.id} on conflict do nothing`.execute(ctx.db)
    await ctx.db
      .updateTable('users')
      .set({ password_hash: hash, must_change_password: input.mustChangePassword, password_changed_at: ctx.now, failed_count: 0, locked_until: null })
      .where('id', '=', person.id)
      .execute()
    const { numUpdatedRows: answered } = await ctx.db
      .updateTable('password_resets')
      .set({ state: 'DONE', handled_by: ctx.actor.userId, handled_at: ctx.now })
      .where('user_id', '=', person.id)
      .where('state', '=', 'PENDING')
      .executeTakeFirst()
    await endSessions(ctx, [person.id], 'PASSWORD_CHANGED')
    await startAnew(ctx, person)
    ctx.audit({
      id: person.id,
      name: person.username,
      after: { made: made !== null, mustChange: input.mustChangePassword, answered: Number(answered) },
      orgId: person.org_id,
    })
    ctx.touch('users')
    ctx.touch('password-resets')
    return { password: made }
  },
})
