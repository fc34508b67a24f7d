import { sql } from 'kysely'
import { organisations, staff } from '../../seed/world.ts'
import type { Db } from '../../server/database.ts'
import { hashPassword } from '../../server/passwords.ts'
import { dayMs } from '../../shared/instants.ts'
import { menus } from './menus.ts'
import { permissions } from './permissions.ts'
import { type BuiltinRole, distributionOf, roles } from './roles.ts'

/** The platform's organisation; the system acts in it and the built-in roles belong to it. */
const platformId = 1
export const demoPassword = 'Huodao@2026'

/**
 * Catalogue, menus and built-in roles: what every installation has, with or without demo data. May
 * run at every start, in a transaction: it brings in what is new and leaves alone what an
 * administrator changed in menus and roles.
 */
export async function seedAccess(db: Db, now: Date): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('accounts.seedAccess', 0))`.execute(db)
  await addPlatform(db, now)
  const newCodes = await addPermissions(db)
  await grantSplit(db, newCodes)
  const { ids, added } = await addMenus(db)
  const known = new Map(
    (
      await db
        .selectFrom('roles')
        .select(['id', 'code'])
        .where('org_id', '=', platformId)
        .where('builtin', '=', true)
        .execute()
    ).map((row) => [row.code, row.id]),
  )
  for (const role of roles) {
    const id = await upsertRole(db, role, now)
    const fresh = !known.has(role.code)
    const codes = role.permissions.filter((code) => fresh || newCodes.has(code))
    const paths = withGroups(role.menus).filter((path) => fresh || added.has(path))
    if (codes.length)
      await db
        .insertInto('role_permissions')
        .values(codes.map((code) => ({ role_id: id, permission_code: code })))
        .onConflict((oc) => oc.doNothing())
        .execute()
    const rows = paths
      .flatMap((path) => ids.get(path) ?? [])
      .map((menuId) => ({ role_id: id, menu_id: menuId }))
    if (rows.length)
      await db
        .insertInto('role_menus')
        .values(rows)
        .onConflict((oc) => oc.doNothing())
        .execute()
  }
  await completeSuper(db)
  await addDistributions(db)
}

/**
 * Codes that were part of another one: roles of people's own making that held it keep what they
 * could do.
 */
const splitFrom: Readonly<Record<string, string>> = {
  'device:transfer': 'device:assign',
  'device:limit': 'device:config',
}
async function grantSplit(db: Db, newCodes: ReadonlySet<string>): Promise<void> {
  for (const [code, whole] of Object.entries(splitFrom)) {
    if (!newCodes.has(code)) continue
    await sql`insert into role_permissions (role_id, permission_code) select p.role_id, ${code}
      from role_permissions p join roles r on r.id = p.role_id
      where p.permission_code = ${whole} and not r.builtin on conflict do nothing`.execute(db)
  }
}

/**
 * The super administrator holds every code and every menu, those of later releases and of other
 * people's making too.
 */
async function completeSuper(db: Db): Promise<void> {
  const isSuper = sql`r.code = 'ROLE_SUPER_ADMIN' and r.builtin`
  await sql`insert into role_permissions (role_id, permission_code) select r.id, p.code from roles r
    cross join permissions p where ${isSuper} on conflict do nothing`.execute(db)
  await sql`insert into role_menus (role_id, menu_id) select r.id, m.id from roles r cross
    join menus m where ${isSuper} on conflict do nothing`.execute(db)
}

/** Who may give which roles; a row that is there was decided on by an administrator. */
async function addDistributions(db: Db): Promise<void> {
  const rows = await db
    .selectFrom('roles as r')
    .leftJoin('role_distribution_limits as l', 'l.role_id', 'r.id')
    .select(['r.id', 'r.code', 'l.role_id as there'])
    .where('r.org_id', '=', platformId)
    .where('r.builtin', '=', true)
    .execute()
  const ids = new Map(rows.map((row) => [row.code, row.id]))
  const fresh = rows.filter((row) => row.there === null)
  if (!fresh.length) return
  const given = fresh.flatMap((row) =>
    distributionOf(row.code).targets.map((code) => ({
      role_id: row.id,
      target_role_id: idOf(ids, code),
    })),
  )
  if (given.length)
    await db
      .insertInto('role_distributions')
      .values(given)
      .onConflict((oc) => oc.doNothing())
      .execute()
  await db
    .insertInto('role_distribution_limits')
    .values(
      fresh.map((row) => ({ role_id: row.id, org_kinds: [...distributionOf(row.code).kinds] })),
    )
    .execute()
}

async function addPlatform(db: Db, now: Date): Promise<void> {
  const there = await db
    .selectFrom('organisations')
    .select('id')
    .where('kind', '=', 'PLATFORM')
    .executeTakeFirst()
  if (there) return
  await db
    .insertInto('organisations')
    .values({
      id: platformId,
      parent_id: null,
      path: String(platformId),
      kind: 'PLATFORM',
      name: '货道平台',
      created_at: now,
    })
    .execute()
  await passIds(db, 'organisations', platformId)
}

/** Returns the codes that were not there before. */
async function addPermissions(db: Db): Promise<Set<string>> {
  const before = new Set(
    (await db.selectFrom('permissions').select('code').execute()).map((row) => row.code),
  )
  const rows = permissions.map((p, sort) => ({
    code: p.code,
    menu_group: p.group,
    name_zh: p.zh,
    name_en: p.en,
    sort,
  }))
  await db
    .insertInto('permissions')
    .values(rows)
    .onConflict((oc) =>
      oc.column('code').doUpdateSet((eb) => ({
        menu_group: eb.ref('excluded.menu_group'),
        name_zh: eb.ref('excluded.name_zh'),
        name_en: eb.ref('excluded.name_en'),
        sort: eb.ref('excluded.sort'),
      })),
    )
    .execute()
  return new Set(permissions.map((p) => p.code).filter((code) => !before.has(code)))
}

/** Row ids by path, and the paths that were not there before. */
async function addMenus(db: Db): Promise<{ ids: Map<string, number>; added: Set<string> }> {
  const read = async () =>
    new Map(
      (await db.selectFrom('menus').select(['id', 'path']).execute()).map((row) => [
        row.path,
        row.id,
      ]),
    )
  const before = await read()
  const groups = menus.map((g) => ({
    parent_id: null,
    name: g.name,
    path: g.path,
    title_zh: g.zh,
    title_en: g.en,
    icon: g.icon,
    sort: g.sort,
  }))
  await db
    .insertInto('menus')
    .values(groups)
    .onConflict((oc) => oc.doNothing())
    .execute()
  const parents = await read()
  const pages = menus.flatMap((group) =>
    group.pages.map((page) => ({
      parent_id: parents.get(group.path) ?? null,
      name: page.name,
      path: page.path,
      title_zh: page.zh,
      title_en: page.en,
      sort: page.sort,
      hidden: page.hidden,
      permission_code: page.permission,
    })),
  )
  await db
    .insertInto('menus')
    .values(pages)
    .onConflict((oc) => oc.doNothing())
    .execute()
  const ids = await read()
  return { ids, added: new Set([...ids.keys()].filter((path) => !before.has(path))) }
}

async function upsertRole(db: Db, role: BuiltinRole, now: Date): Promise<number> {
  const row = await db
    .insertInto('roles')
    .values({
      org_id: platformId,
      code: role.code,
      name: role.zh,
      name_en: role.en,
      rank: role.rank,
      data_scope: role.dataScope,
      builtin: true,
      created_at: now,
    })
    .onConflict((oc) =>
      oc.columns(['org_id', 'code']).doUpdateSet({
        name: role.zh,
        name_en: role.en,
        rank: role.rank,
        data_scope: role.dataScope,
        builtin: true,
      }),
    )
    .returning('id')
    .executeTakeFirstOrThrow()
  return row.id
}

const withGroups = (paths: readonly string[]): string[] => [
  ...menus
    .filter((group) => group.pages.some((page) => paths.includes(page.path)))
    .map((group) => group.path),
  ...paths,
]

/**
 * Organisations and staff of the demo, ninety days old, everybody with the demo password. Wants a
 * database without users.
 */
export async function seedDemoPeople(
  db: Db,
  now: Date,
): Promise<{ organisations: Map<string, number>; users: Map<string, number> }> {
  const since = new Date(now.getTime() - 90 * dayMs)
  const orgIds = await addOrganisations(db, since)
  const roleIds = new Map(
    (
      await db.selectFrom('roles').select(['id', 'code']).where('org_id', '=', platformId).execute()
    ).map((row) => [row.code, row.id]),
  )
  const hash = await hashPassword(demoPassword)
  const people = staff.map((person, index) => {
    const home = organisations.find((o) => o.key === person.orgKey)
    return {
      id: index + 1,
      org_id: idOf(orgIds, person.orgKey),
      username: person.username,
      is_principal: home?.contactName === person.realName,
      password_hash: hash,
      real_name: person.realName,
      phone: person.phone,
      consumer_phone: home?.servicePhone ?? '',
      title: person.title,
      region_code: person.regionCode ?? '',
      address: home?.address ?? '',
      created_at: since,
    }
  })
  await db.insertInto('users').values(people).execute()
  await passIds(db, 'users', people.length)
  await db
    .insertInto('user_roles')
    .values(
      staff.map((person, index) => ({
        user_id: index + 1,
        role_id: idOf(roleIds, person.role),
        org_id: idOf(orgIds, person.orgKey),
        created_at: since,
      })),
    )
    .execute()
  return {
    organisations: orgIds,
    users: new Map(people.map((person) => [person.username, person.id])),
  }
}

async function addOrganisations(db: Db, since: Date): Promise<Map<string, number>> {
  const ids = new Map(organisations.map((o, index) => [o.key, platformId + index]))
  const paths = new Map<string, string>()
  const rows = organisations.map((o) => {
    const id = idOf(ids, o.key)
    const path = o.parentKey === null ? String(id) : `${paths.get(o.parentKey)}.${id}`
    paths.set(o.key, path)
    return {
      id,
      parent_id: o.parentKey === null ? null : idOf(ids, o.parentKey),
      path,
      kind: o.kind,
      name: o.name,
      contact_name: o.contactName,
      contact_phone: o.contactPhone,
      service_phone: o.servicePhone,
      region_code: o.regionCode,
      address: o.address,
      created_at: since,
    }
  })
  // the platform is there already and takes the demo's address and age
  await db
    .insertInto('organisations')
    .values(rows)
    .onConflict((oc) =>
      oc.column('id').doUpdateSet((eb) => ({
        name: eb.ref('excluded.name'),
        contact_name: eb.ref('excluded.contact_name'),
        contact_phone: eb.ref('excluded.contact_phone'),
        service_phone: eb.ref('excluded.service_phone'),
        region_code: eb.ref('excluded.region_code'),
        address: eb.ref('excluded.address'),
        created_at: eb.ref('excluded.created_at'),
      })),
    )
    .execute()
  await passIds(db, 'organisations', platformId + rows.length - 1)
  return ids
}

function idOf(ids: ReadonlyMap<string, number>, key: string): number {
  const id = ids.get(key)
  if (id === undefined) throw new Error(`the demo data names ${key}, which is not there`)
  return id
}

/**
 * Draws from the identity sequence until it is past `last`: the application role may use a sequence
 * but not set it.
 */
async function passIds(db: Db, table: 'organisations' | 'users', last: number): Promise<void> {
  const { rows } = await sql<{
    n: number
  }>`select nextval(pg_get_serial_sequence(${table}, 'id')) as n`.execute(db)
  const missing = last - (rows[0]?.n ?? 0)
  if (missing > 0)
    await sql`select count(nextval(pg_get_serial_sequence(${table}, 'id')))
      from generate_series(1, ${missing}::int)`.execute(db)
}
