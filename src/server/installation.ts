import { sql } from 'kysely'
import { withClient } from './catalogue.ts'
import type { Config } from './config.ts'
import { type Database, type Db, systemScope } from './database.ts'
import { sign } from './secretBox.ts'

/** What a database says of itself; null: nobody has said it yet. */
export type Installation = { demo: boolean | null; keyCheck: string | null }
type Wanted = Pick<Config, 'demo' | 'production' | 'secretKey'>

export const keyCheck = (secretKey: string): string =>
  sign(secretKey, 'installation', '').toString('hex')

/** Why this database is not served with these settings; null when it is. */
export function installationProblem(
  { demo, keyCheck: kept }: Installation,
  config: Wanted,
): string | null {
  if (kept !== null && kept !== keyCheck(config.secretKey))
    return 'SECRET_KEY (or secret.key in DATA_DIR) is not the key with which the secrets in this database were made: start with that one.'
  if (demo === true && config.production)
    return 'This database holds the demo business, whose passwords are public: production wants another database, an empty one.'
  if (demo === false && config.demo)
    return 'This database holds a real business, not the demo: start with --production, or with DEMO=0 (the demo opens simulated ways to sign in).'
  return null
}

/** Every process asks before it serves. */
export async function refuseWrongInstallation(
  database: Pick<Database, 'read'>,
  config: Wanted,
): Promise<void> {
  const rows = await database.read(
    systemScope,
    async (db) =>
      (await sql<Installation>`select demo, key_check as "keyCheck" from installation`.execute(db))
        .rows,
  )
  const problem = installationProblem(rows[0] ?? { demo: null, keyCheck: null }, config)
  if (problem) throw new Error(problem)
}

/** The first start says what the database is from now on. */
export async function sayInstallation(db: Db, { demo, secretKey }: Wanted): Promise<void> {
  await sql`update installation
    set demo = coalesce(demo, ${demo}), key_check = coalesce(key_check, ${keyCheck(secretKey)})
    where demo is null or key_check is null`.execute(db)
}

/** A login that can change tables and roles is no login for a server that strangers talk to. */
export async function refuseOwner(url: string): Promise<void> {
  const { rows } = await withClient(url, (client) =>
    client.query<{
      login: string
      why: string | null
    }>(`select current_user as login, case when rolsuper then 'is a superuser'
      when rolcreaterole or rolbypassrls then 'may make roles or bypass row policies'
      when (select pg_has_role(datdba, 'member') from pg_database
        where datname = current_database()) then 'owns the database'
      when exists (select from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where n.nspname = 'public' and pg_has_role(c.relowner, 'member'))
        then 'owns the tables' end as why from pg_roles where rolname = current_user`),
  )
  const [found] = rows
  if (found?.why)
    throw new Error(
      `DATABASE_URL signs in as ${found.login}, which ${found.why}. Give the server a login of its own and the owner's in DATABASE_OWNER_URL (docs/operations.md, Production), or start with --allow-owner.`,
    )
}
