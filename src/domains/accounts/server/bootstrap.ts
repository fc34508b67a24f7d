import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from '../../../server/database.ts'
import { hashPassword } from '../../../server/passwords.ts'

/**
 * The account with which a fresh installation without demo data is opened; null when somebody is
 * there already. Runs after `seedAccess` in system scope. The password exists only in the answer:
 * the caller prints it once.
 */
export async function firstAdministrator(
  db: Db,
  now: Date,
): Promise<{ username: string; password: string } | null> {
  await sql`select pg_advisory_xact_lock(hashtextextended('accounts.firstAdministrator',
    0))`.execute(db)
  if (await db.selectFrom('users').select('id').limit(1).executeTakeFirst()) return null
  const role = await db
    .selectFrom('roles')
    .select(['id', 'org_id'])
    .where('code', '=', 'ROLE_SUPER_ADMIN')
    .where('builtin', '=', true)
    .executeTakeFirstOrThrow()
  const username = 'super'
  const password = randomPassword()
  const user = await db
    .insertInto('users')
    .values({
      org_id: role.org_id,
      username,
      password_hash: await hashPassword(password),
      real_name: '超级管理员',
      must_change_password: true,
      created_at: now,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await db
    .insertInto('user_roles')
    .values({ user_id: user.id, role_id: role.id, org_id: role.org_id, created_at: now })
    .execute()
  return { username, password }
}

/** 96 bits; drawn again until it has a letter and a digit, as the rule for passwords asks. */
function randomPassword(): string {
  const password = randomBytes(12).toString('base64url')
  return /[a-z]/i.test(password) && /\d/.test(password) ? password : randomPassword()
}
