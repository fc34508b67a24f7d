import type { IncomingHttpHeaders } from 'node:http'
import { sql } from 'kysely'
import type { App } from '../../../server/context.ts'
import { type Scope, systemScope } from '../../../server/database.ts'
import type { Person, View } from '../../../server/person.ts'
import type { DataScope, HomeKind } from '../../../shared/access.ts'
import { common, Refusal } from '../../../shared/errors.ts'
import { accessOf, isPlatformOnly } from '../../accounts/rules.ts'
import { branchOf } from '../../accounts/server/people.ts'

export async function seenThrough<P extends Person>(
  app: App,
  person: P,
  headers: IncomingHttpHeaders,
): Promise<P> {
  const given = [headers['x-view-role'], headers['x-view-org']]
  if (given.every((value) => value === undefined)) return person
  const [role, org] = given.map((value) =>
    value === undefined ? undefined : /^[1-9]\d{0,14}$/.test(String(value)) ? Number(value) : 0,
  )
  if (role !== undefined && org !== undefined) throw new Refusal(common.invalid)
  return role === undefined ? asOrganisation(app, person, org ?? 0) : asRole(app, person, role)
}

async function asRole<P extends Person>(app: App, person: P, id: number): Promise<P> {
  if (!person.permissions.has('role:preview')) throw new Refusal(common.forbidden)
  const row = await app.database.read(person.scopeOf('role:preview'), async (db) => {
    const { rows } = await sql<{
      code: string
      name: string
      name_en: string
      rank: number
      data_scope: DataScope
      permissions: string[]
    }>`
      select r.code, r.name, r.name_en, r.rank, r.data_scope,
        (select coalesce(json_agg(p.permission_code), '[]') from role_permissions p
          where p.role_id = r.id) as permissions
      from roles r where r.id = ${id}`.execute(db)
    return rows[0]
  })
  if (!row) throw new Refusal(common.notFound)
  const ofPlatform = person.ofPlatform && row.data_scope === 'ALL'
  const access = accessOf(
    [{ code: row.code, dataScope: row.data_scope, permissions: row.permissions }],
    ofPlatform,
  )
  const permissions = new Set([...access.keys()].filter((code) => person.permissions.has(code)))
  const view: View = {
    kind: 'role',
    id,
    name: row.name,
    nameEn: row.name_en,
    ownRole: person.role,
    ownOrgId: person.orgId,
    ownPermissions: person.permissions,
  }
  return {
    ...person,
    role: row.code,
    rank: Math.min(person.rank, row.rank),
    ofPlatform,
    permissions,
    view,
  }
}

/** People of the platform who see every organisation. */
export const canViewAs = (person: Pick<Person, 'ofPlatform' | 'scope' | 'permissions'>): boolean =>
  person.ofPlatform && person.scope.all && person.permissions.has('org:read')

async function asOrganisation<P extends Person>(app: App, person: P, id: number): Promise<P> {
  if (!canViewAs(person)) throw new Refusal(common.forbidden)
  const own = await app.database.read(systemScope, async (db) => {
    const { rows } = await sql<{
      name: string
      kind: HomeKind
      path: string
    }>`select name, kind, path::text as path from organisations where id = ${id}`.execute(db)
    return (
      rows[0] && {
        name: rows[0].name,
        home: rows[0].kind,
        branch: await branchOf(db, rows[0].path),
      }
    )
  })
  if (!own) throw new Refusal(common.notFound)
  const scope: Scope = { all: false, ...own.branch, devices: null, watched: null }
  const permissions = new Set([...person.permissions].filter((code) => !isPlatformOnly(code)))
  // his own account, messages and layouts stay his
  const scopeOf: Person['scopeOf'] = (right) => (right === 'self' ? person.scope : scope)
  return {
    ...person,
    orgId: id,
    home: own.home,
    ofPlatform: false,
    permissions,
    scope,
    scopeOf,
    view: {
      kind: 'org',
      id,
      name: own.name,
      nameEn: own.name,
      ownRole: person.role,
      ownOrgId: person.orgId,
      ownPermissions: person.permissions,
    },
  }
}
