import { sql } from 'kysely'
import type { App } from '../../../server/context.ts'
import { systemScope } from '../../../server/database.ts'
import { perApp } from '../../../server/perApp.ts'
import type { PasswordAge, Person } from '../../../server/person.ts'
import { tokenHash } from '../../../server/rateKeys.ts'
import { platformOrg } from '../../../shared/access.ts'
import { common, type ErrorDef } from '../../../shared/errors.ts'
import { loadPerson } from '../../accounts/server/people.ts'
import {
  cachedSetting,
  noteSettingsVersions,
  type SettingsVersion,
} from '../../settings/server/values.ts'
import { passwordExpired } from '../rules.ts'

/**
 * Who a token is. Sessions are looked up at every request; what an actor may do is cached until the
 * access version of his tenant moves.
 */

export const passwordDue = async (app: App, password: PasswordAge): Promise<boolean> =>
  password.mustChange ||
  passwordExpired(
    password.changedAt,
    await cachedSetting(app, platformOrg, 'password.maxAgeDays'),
    app.now(),
  )

const peopleOf = perApp(
  () => new Map<number, { version: string; person: Promise<Person | null> }>(),
)

type SessionRow = {
  id: string
  user_id: number
  revoke_reason: string | null
  expires_at: Date
  last_seen_at: Date
  proven_at: Date | null
  version: string
  settings: SettingsVersion[]
}

/** `watching`: a stream asks again by itself, which is nothing that a person did. */
export async function actorOfToken(
  app: App,
  token: string,
  { watching = false } = {},
): Promise<(Person & { readonly sessionId: string }) | ErrorDef> {
  const session = await app.database.readSame(systemScope, async (db) => {
    const { rows } =
      await sql<SessionRow>`select s.id, s.user_id, s.revoke_reason, s.expires_at, s.last_seen_at,
        s.proven_at, v.version, (select coalesce(jsonb_agg(jsonb_build_object(
          'tenant', c.tenant_id, 'version', c.version)), '[]') from settings_versions c
          where c.tenant_id in (${platformOrg}, tenant_of_path(o.path))) as settings
      from sessions s join users u on u.id = s.user_id join organisations o on o.id = u.org_id
      cross join lateral (select coalesce(string_agg(a.tenant_id || ':' || a.version, ' '
        order by a.tenant_id), '') as version from access_versions a
        where a.tenant_id in (${platformOrg}, tenant_of_path(o.path), case when nlevel(o.path) = 1
          or u.region_code <> '' then 0 end)) v
      where s.token_hash = ${tokenHash(token)}`.execute(db)
    return rows[0]
  })
  const now = app.now()
  if (!session) return common.tokenUnknown
  if (session.revoke_reason === 'LOGOUT') return common.tokenUnknown
  if (session.revoke_reason === 'ACCESS_CHANGED') return common.accountClosed
  if (session.revoke_reason) return common.tokenRevoked
  const idle = now.getTime() - session.last_seen_at.getTime()
  noteSettingsVersions(app, session.settings)
  const idleMinutes = await cachedSetting(app, platformOrg, 'session.idleMinutes')
  if (session.expires_at <= now || (idleMinutes > 0 && idle > idleMinutes * 60_000))
    return common.tokenTimedOut
  const person = await cached(app, session.user_id, session.version)
  if (!person) return common.accountClosed
  if (idle > 60_000 && !watching) {
    await app.database.transact(systemScope, (db) =>
      db.updateTable('sessions').set({ last_seen_at: now }).where('id', '=', session.id).execute(),
    )
  }
  return { ...person, sessionId: session.id, provenAt: session.proven_at }
}

/** Read once for all who ask at the same time. */
function cached(app: App, userId: number, version: string): Promise<Person | null> {
  const cache = peopleOf(app)
  const known = cache.get(userId)
  if (known?.version === version) return known.person
  const person = loadPerson(app.database, userId)
  if (cache.size > 10_000) cache.clear()
  const entry = { version, person }
  cache.set(userId, entry)
  // a failure is not kept
  person.catch(() => cache.get(userId) === entry && cache.delete(userId))
  return person
}
