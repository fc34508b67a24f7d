import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestDatabase, testDatabase } from '../../../../test/support/postgres.ts'
import { organisations, staff } from '../../../seed/world.ts'
import { type Database, openDatabase, systemScope } from '../../../server/database.ts'
import { checkPassword } from '../../../server/passwords.ts'
import { permissions } from '../permissions.ts'
import { roles } from '../roles.ts'
import { demoPassword, seedAccess, seedDemoPeople } from '../seed.ts'
import { firstAdministrator } from './bootstrap.ts'
import { menuRows, menuTree, rolesOf } from './menuTree.ts'

const now = new Date('2026-07-01T04:00:00Z')
let home: TestDatabase
let database: Database

beforeAll(async () => {
  home = await testDatabase()
  database = await openDatabase({ url: home.ownerUrl, reads: 1, writes: 2, statementMs: 20_000 })
})
afterAll(async () => {
  await database.close()
  await home.drop()
})

const access = () => database.transact(systemScope, (db) => seedAccess(db, now))
const snapshot = () =>
  database.read(systemScope, async (db) => {
    const { rows } = await sql<{ all: unknown }>`select json_build_array(
      (select json_agg(p order by code) from permissions p), (select json_agg(m order by id)
        from menus m), (select json_agg(r order by id) from roles r),
      (select json_agg(o order by id) from organisations o),
      (select json_agg(x order by role_id, permission_code) from role_permissions x),
      (select json_agg(y order by role_id, menu_id) from role_menus y)) as all`.execute(db)
    return rows[0]?.all
  })

const every = new Set(permissions.map((p) => p.code))

describe('seeding access and people', () => {
  test('built-in data comes once, however often it is asked for', async () => {
    await access()
    const first = await snapshot()
    await access()
    expect(await snapshot()).toEqual(first)
    const counts = await database.read(systemScope, (db) =>
      sql<{
        p: number
        r: number
        o: number
      }>`select (select count(*) from permissions) as p, (select count(*) from roles) as r,
        (select id from organisations) as o`.execute(db),
    )
    expect(counts.rows[0]).toEqual({ p: permissions.length, r: roles.length, o: 1 })
  })

  test('what an administrator changed stays, what a release adds comes in', async () => {
    await database.transact(systemScope, async (db) => {
      await sql`delete from role_permissions
        where permission_code = 'order:clean' and role_id = (select id from roles
          where code = 'ROLE_RTU_SP')`.execute(db)
      await sql`update menus set title_zh = '机器' where path = '/device'`.execute(db)
      await sql`delete from role_permissions where permission_code = 'fault:read'`.execute(db)
      await sql`delete from permissions where code = 'fault:read'`.execute(db)
    })
    await access()
    const { rows } = await database.read(systemScope, (db) =>
      sql<{ cleaners: number; title: string; faults: number }>`select
      (select count(*) from role_permissions where permission_code = 'order:clean') as cleaners,
      (select title_zh from menus where path = '/device') as title,
      (select count(*) from role_permissions
        where permission_code = 'fault:read') as faults`.execute(db),
    )
    const holders = (code: string) => roles.filter((role) => role.permissions.includes(code)).length
    expect(rows[0]).toEqual({
      cleaners: holders('order:clean') - 1,
      title: '机器',
      faults: holders('fault:read'),
    })
  })

  test('a right that is split off goes to the roles of people’s own making that held the whole', async () => {
    const held = await database.transact(systemScope, async (db) => {
      await sql`delete from role_permissions where permission_code = 'device:transfer'`.execute(db)
      await sql`delete from permissions where code = 'device:transfer'`.execute(db)
      await sql`insert into roles (org_id, code, name, name_en, rank, data_scope)
        values (1, 'ROLE_OWN', '自建', 'own', 1, 'ORG_TREE')`.execute(db)
      await sql`insert into role_permissions select id, 'device:assign' from roles
        where code = 'ROLE_OWN'`.execute(db)
      await seedAccess(db, now)
      const { rows } = await sql<{
        code: string
      }>`select r.code from role_permissions p join roles r on r.id = p.role_id
        where p.permission_code = 'device:transfer' order by 1`.execute(db)
      await sql`delete from role_permissions
        where role_id = (select id from roles where code = 'ROLE_OWN')`.execute(db)
      await sql`delete from roles where code = 'ROLE_OWN'`.execute(db)
      return rows.map(({ code }) => code)
    })
    expect(held).toEqual(['ROLE_ADMIN', 'ROLE_OWN', 'ROLE_RTU_AGENT', 'ROLE_SUPER_ADMIN'])
  })

  test('demo people stand in their organisations and new ids do not collide', async () => {
    const ids = await database.transact(systemScope, (db) => seedDemoPeople(db, now))
    expect([ids.organisations.size, ids.users.size]).toEqual([organisations.length, staff.length])
    await database.transact(systemScope, async (db) => {
      const { rows } = await sql<{
        n: number
        wrong: number
        old: number
        closed: number
      }>`select count(*) as n,
        count(*) filter (where not exists (select from user_roles r
          where r.user_id = u.id and r.org_id = u.org_id)) as wrong,
        count(*) filter (where u.created_at = ${new Date('2026-04-02T04:00:00Z')}) as old,
        count(distinct password_hash) as closed from users u`.execute(db)
      expect(rows[0]).toEqual({ n: 45, wrong: 0, old: 45, closed: 1 })
      const operator = await db
        .selectFrom('users')
        .select(['id', 'org_id', 'password_hash'])
        .where('username', '=', 'operator')
        .executeTakeFirstOrThrow()
      expect(operator.org_id).toBe(ids.organisations.get('op-xiaoyuan'))
      expect(await checkPassword(operator.password_hash, demoPassword)).toBe(true)
      expect(
        menuTree(
          await menuRows(db, await rolesOf(db, ids.users.get('replenisher') ?? 0), every),
          () => true,
        ).map((group) => group.name),
      ).toEqual(['stock', 'log', 'complaint'])
      const path = await db
        .selectFrom('organisations')
        .select('path')
        .where('id', '=', ids.organisations.get('op-xianda') ?? 0)
        .executeTakeFirstOrThrow()
      expect(path.path).toBe(
        `1.${ids.organisations.get('agent-south')}.${ids.organisations.get('op-xianda')}`,
      )
      const next = await sql<{
        id: number
      }>`select nextval(pg_get_serial_sequence('organisations', 'id')) as id`.execute(db)
      expect(next.rows[0]?.id).toBeGreaterThan(organisations.length)
    })
    expect(await database.transact(systemScope, (db) => firstAdministrator(db, now))).toBeNull()
  })

  test('an installation without users gets one administrator with a password of his own', async () => {
    await database.transact(systemScope, async (db) => {
      await sql`delete from users`.execute(db)
    })
    const first = await database.transact(systemScope, (db) => firstAdministrator(db, now))
    expect(first?.username).toBe('super')
    expect(first?.password).toMatch(/^(?=.*\d)(?=.*[a-z])[\w-]{16}$/i)
    await database.transact(systemScope, async (db) => {
      const row = await db
        .selectFrom('users')
        .select(['id', 'must_change_password', 'password_hash'])
        .executeTakeFirstOrThrow()
      expect(row.must_change_password).toBe(true)
      expect(await checkPassword(row.password_hash, first?.password ?? '')).toBe(true)
      expect(
        menuTree(await menuRows(db, await rolesOf(db, row.id), every), () => true),
      ).toHaveLength(23)
    })
  })
})
