import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { type Database, type Db, type Scope, systemScope } from '../../../server/database.ts'
import type { Person } from '../../../server/person.ts'
import type { DataScope, HomeKind } from '../../../shared/access.ts'
import { regionPrefix } from '../../../shared/place.ts'
import { accessOf, type HeldRole, scopeAt } from '../rules.ts'

type PersonRow = {
  id: number
  username: string
  org_id: number
  org_path: string
  org_kind: HomeKind
  status: string
  region_code: string
  must_change_password: boolean
  password_changed_at: Date
  org_closed: boolean
  second_factor: boolean
  roles:
    | { code: string; rank: number; data_scope: DataScope; status: string; permissions: string[] }[]
    | null
  menus: string | null
}

/**
 * Null when the account or any organisation above it is disabled. Not cached: for background work
 * in somebody's name.
 */
export async function loadPerson(database: Database, userId: number): Promise<Person | null> {
  return database.read(systemScope, async (db) => {
    const { rows } = await sql<PersonRow>`
      select u.id, u.username, u.org_id, o.path::text as org_path, o.kind as org_kind, u.status,
        u.region_code, u.must_change_password, u.password_changed_at,
        exists (select 1 from organisations a
          where a.path @> o.path and a.status = 'DISABLED') as org_closed,
        exists (select 1 from second_factors f
          where f.user_id = u.id and f.confirmed_at is not null) as second_factor,
        (select json_agg(json_build_object('code', r.code, 'rank', r.rank, 'data_scope',
          r.data_scope, 'status', r.status,
            'permissions', (select coalesce(json_agg(p.permission_code), '[]')
              from role_permissions p where p.role_id = r.id)) order by r.rank desc, r.id)
          from user_roles ur join roles r on r.id = ur.role_id where ur.user_id = u.id) as roles,
        (select md5(string_agg(m::text, ',' order by m.id)) from menus m where m.id in (
          select rm.menu_id from role_menus rm join user_roles ur on ur.role_id = rm.role_id
          where ur.user_id = u.id)) as menus
      from users u join organisations o on o.id = u.org_id where u.id = ${userId}`.execute(db)
    const row = rows[0]
    if (row?.status !== 'ENABLED' || row.org_closed || !row.roles?.length) return null
    const ofPlatform = !row.org_path.includes('.')
    const live = row.roles.filter((role) => role.status === 'ENABLED')
    const held = live.map((role) => ({
      code: role.code,
      dataScope: scopeAt(role.data_scope, row.org_kind),
      permissions: role.permissions,
    }))
    const access = accessOf(held, ofPlatform)
    const scopes = await scopesOf(db, row, held)
    const bounded = held.some((role) => role.dataScope === 'REGION_DRUGS')
    const widest = scopes(
      new Set<DataScope>(bounded ? ['REGION_DRUGS'] : held.map((role) => role.dataScope)),
    )
    const permissions = new Set(access.keys())
    return {
      userId: row.id,
      username: row.username,
      orgId: row.org_id,
      role: live[0]?.code ?? '',
      rank: Math.max(0, ...live.map((role) => role.rank)),
      home: row.org_kind,
      tenant: Number(row.org_path.split('.')[1] ?? row.org_id),
      ofPlatform,
      permissions,
      heldBy: access,
      scope: widest,
      scopeOf: (right) => {
        const kinds = access.get(right)
        return kinds ? scopes(kinds) : widest
      },
      secondFactor: row.second_factor,
      password: { mustChange: row.must_change_password, changedAt: row.password_changed_at },
      mark: createHash('sha256')
        .update(
          JSON.stringify([
            [...permissions].sort(),
            live[0]?.code,
            row.org_id,
            row.menus,
            row.second_factor,
          ]),
        )
        .digest('base64url')
        .slice(0, 12),
    }
  })
}

/**
 * The rows behind each kind of scope; what needs rows of its own is read once, only when a role
 * asks for it.
 */
async function scopesOf(
  db: Db,
  row: PersonRow,
  held: readonly HeldRole[],
): Promise<(kinds: ReadonlySet<DataScope>) => Scope> {
  const { orgs, ancestors } = await branchOf(db, row.org_path)
  const asked = new Set(held.map((role) => role.dataScope))
  const region = asked.has('REGION_DRUGS') ? await regionScope(db, row, ancestors) : null
  const devices = asked.has('ASSIGNED_DEVICES') ? await assignedDevices(db, row.id) : []
  return (kinds) => {
    if (kinds.has('REGION_DRUGS') && region) return region
    if (kinds.has('ALL') && row.org_kind === 'PLATFORM') return systemScope
    if (kinds.has('ALL') || kinds.has('ORG_TREE'))
      return { all: false, orgs, ancestors, devices: null, watched: null }
    // own lanes, own budget, own goods: no machine is theirs; their rows lie in their own
    // organisation
    return {
      all: false,
      orgs,
      ancestors,
      devices: kinds.has('ASSIGNED_DEVICES') ? devices : [],
      watched: null,
    }
  }
}

/** An organisation with all below it, and what stands above. */
export async function branchOf(db: Db, path: string): Promise<Pick<Scope, 'orgs' | 'ancestors'>> {
  const { rows } = await sql<{ id: number; below: boolean }>`
    select id, path <@ ${path}::ltree as below from organisations
    where path <@ ${path}::ltree or path @> ${path}::ltree`.execute(db)
  return {
    orgs: rows.filter((o) => o.below).map((o) => o.id),
    ancestors: rows.filter((o) => !o.below).map((o) => o.id),
  }
}

async function assignedDevices(db: Db, userId: number): Promise<number[]> {
  const { rows } = await sql<{
    id: number
  }>`select device_id as id from device_assignments
    where user_id = ${userId} and to_at is null`.execute(db)
  return rows.map((row) => row.id)
}

/**
 * Drug machines of the region, whoever owns them. They are looked at; their owners stay out, and
 * his own machines are no task of his.
 */
async function regionScope(db: Db, row: PersonRow, ancestors: readonly number[]): Promise<Scope> {
  const prefix = `${regionPrefix(row.region_code)}%`
  const { rows: drugs } = await sql<{ id: number }>`
    select id from devices where kind = 'DRUG' and ${row.region_code} <> ''
      and county like ${prefix}`.execute(db)
  // his own organisation holds his account and preferences
  return {
    all: false,
    orgs: [row.org_id],
    ancestors,
    devices: [],
    watched: drugs.map((drug) => drug.id),
  }
}
