import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { common, type ErrorDef } from '../shared/errors.ts'
import type { Actor, App } from './context.ts'
import { type Database, type Scope, systemScope } from './database.ts'

/** Who a token is. Sessions are looked up at every request; what an actor may do is cached until the access version moves. */

const cache = new Map<number, { version: number; actor: Omit<Actor, 'sessionId'> | null }>()

export const tokenHash = (token: string): Buffer => createHash('sha256').update(token).digest()

type SessionRow = {
  id: string
  user_id: number
  revoke_reason: string | null
  expires_at: Date
  last_seen_at: Date
  version: number
}

export async function actorOfToken(app: App, token: string): Promise<Actor | ErrorDef> {
  const session = await app.database.read(systemScope, async (db) => {
    const { rows } = await sql<SessionRow>`select s.id, s.user_id, s.revoke_reason, s.expires_at, s.last_seen_at, v.version
      from sessions s cross join access_version v where s.token_hash = ${tokenHash(token)}`.execute(db)
    return rows[0]
  })
  const now = app.now()
  if (!session) return common.tokenUnknown
  if (session.revoke_reason === 'LOGOUT') return common.tokenUnknown
  if (session.revoke_reason === 'ACCESS_CHANGED') return common.accountClosed
  if (session.revoke_reason) return common.tokenRevoked
  const idle = now.getTime() - session.last_seen_at.getTime()
  if (session.expires_at <= now || idle > app.config.sessionIdleMinutes * 60_000) return common.tokenTimedOut
  const known = cache.get(session.user_id)
  const actor = known?.version === session.version ? known.actor : await loadActor(app.database, session.user_id)
  if (known?.version !== session.version) {
    if (cache.size > 10_000) cache.clear()
    cache.set(session.user_id, { version: session.version, actor })
  }
  if (!actor) return common.accountClosed
  if (idle > 60_000) {
    await app.database.transact(systemScope, (db) => db.updateTable('sessions').set({ last_seen_at: now }).where('id', '=', session.id).execute())
  }
  return { ...actor, sessionId: session.id }
}

type ActorRow = {
  id: number
  username: string
  org_id: number
  org_path: string
  status: string
  region_code: string
  org_closed: boolean
  roles: { code: string; rank: number; data_scope: string }[] | null
  permissions: string[] | null
}

/** null when the account or any organisation above it is disabled. */
async function loadActor(database: Database, userId: number): Promise<Omit<Actor, 'sessionId'> | null> {
  return database.read(systemScope, async (db) => {
    const { rows } = await sql<ActorRow>`
      select u.id, u.username, u.org_id, o.path::text as org_path, u.status, u.region_code,
        exists (select 1 from organisations a where a.path @> o.path and a.status = 'DISABLED') as org_closed,
        (select json_agg(json_build_object('code', r.code, 'rank', r.rank, 'data_scope', r.data_scope) order by r.rank desc)
          from user_roles ur join roles r on r.id = ur.role_id where ur.user_id = u.id) as roles,
        (select array_agg(distinct rp.permission_code) from user_roles ur join role_permissions rp on rp.role_id = ur.role_id where ur.user_id = u.id) as permissions
      from users u join organisations o on o.id = u.org_id where u.id = ${userId}`.execute(db)
    const row = rows[0]
    if (row?.status !== 'ENABLED' || row.org_closed || !row.roles?.length) return null
    const { rows: tree } = await sql<{ id: number; below: boolean }>`
      select id, path <@ ${row.org_path}::ltree as below from organisations where path <@ ${row.org_path}::ltree or path @> ${row.org_path}::ltree`.execute(db)
    const below = tree.filter((o) => o.below).map((o) => o.id)
    const ancestors = tree.filter((o) => !o.below).map((o) => o.id)
    const scopes = new Set(row.roles.map((role) => role.data_scope))
    const scope = await scopeOf(scopes)
    return { userId: row.id, username: row.username, orgId: row.org_id, role: row.roles[0]?.code ?? '', permissions: new Set(row.permissions ?? []), scope }

    async function scopeOf(kinds: Set<string>): Promise<Scope> {
      if (kinds.has('ALL')) return systemScope
      if (kinds.has('ORG_TREE')) return { all: false, orgs: below, ancestors, devices: null }
      if (kinds.has('REGION_DRUGS')) {
        // read-only by his permissions; the machines bound the rows, whoever owns them
        const prefix = `${(row as ActorRow).region_code.replace(/(00)+$/, '')}%`
        const { rows: drugs } = await sql<{ id: number; org_id: number }>`select id, org_id from devices where kind = 'DRUG' and county like ${prefix}`.execute(
          db,
        )
        const orgs = [...new Set(drugs.map((d) => d.org_id))]
        // goods and types may belong to whoever stands above the owners
        const { rows: above } = await sql<{
          id: number
        }>`select distinct a.id from organisations o join organisations a on a.path @> o.path where o.id = any(${orgs}::bigint[])`.execute(db)
        // his own organisation holds his account and preferences
        return {
          all: false,
          orgs: [...new Set([(row as ActorRow).org_id, ...orgs])],
          ancestors: [...new Set([...ancestors, ...above.map((a) => a.id)])],
          devices: drugs.map((d) => d.id),
        }
      }
      if (kinds.has('ASSIGNED_DEVICES')) {
        const { rows: assigned } = await sql<{
          device_id: number
        }>`select device_id from device_assignments where user_id = ${userId} and to_at is null`.execute(db)
        return { all: false, orgs: below, ancestors, devices: assigned.map((a) => a.device_id) }
      }
      // own lanes, own budget, own goods: their rows come with their domains; until then only the own organisation
      return { all: false, orgs: below, ancestors, devices: [] }
    }
  })
}
