import { randomUUID } from 'node:crypto'
import { startTestApi, type TestApi } from '../../../../test/support/api.ts'
import { systemScope } from '../../../server/database.ts'
import { seedAccess } from '../../accounts/seed.ts'

/**
 * Platform 1 > agent 2 > operators 3 and 4, sponsor 6 below the agent; operator 5 beside it. `boss` and `second` are super
 * administrators, `chief` administers the agent's organisations with a role of rank 60, `keeper` fills machines of 3.
 */
export type World = TestApi & {
  at(days: number): void
  userId(username: string): Promise<number>
  roleId(code: string): Promise<number>
  addUser(username: string, org: number, role: string, change?: Record<string, unknown>): Promise<number>
  picture(username: string): Promise<string>
}
const start = Date.parse('2026-11-21T06:00:00Z')
export const userCodes = ['read', 'create', 'update', 'delete', 'export', 'assign-role', 'lookup', 'reset-password'].map((action) => `user:${action}`)

export async function openWorld(): Promise<World> {
  let clock = start
  const api = await startTestApi({ now: () => new Date(clock++) })
  const { sql } = api
  await api.app.database.transact(systemScope, (db) => seedAccess(db, new Date(start)))
  const world: World = {
    ...api,
    at: (days) => {
      clock += days * 86_400_000
    },
    userId: async (username) => Number((await sql<{ id: number }>('select id from users where username = $1', [username]))[0]?.id),
    roleId: async (code) => Number((await sql<{ id: number }>('select id from roles where code = $1', [code]))[0]?.id),
    async addUser(username, org, role, change = {}) {
      const row = { org_id: org, username, password_hash: 'x', real_name: username, phone: '13800138000', created_at: new Date(clock++), ...change }
      const names = Object.keys(row)
      const [user] = await sql<{ id: number }>(
        `insert into users (${names.join(', ')}) values (${names.map((_, i) => `$${i + 1}`).join(', ')}) returning id`,
        Object.values(row),
      )
      await sql('insert into user_roles (user_id, role_id, org_id) select $1, id, $2 from roles where code = $3', [user?.id, org, role])
      return Number(user?.id)
    },
    async picture(username) {
      const url = `files/${randomUUID()}.png`
      await sql(
        `insert into uploads (org_id, user_id, kind, mime, bytes, sha256, url) select org_id, id, 'IMAGE', 'image/png', 9, 'x', $2 from users where username = $1`,
        [username, url],
      )
      return url
    },
  }
  for (const [id, parent, path, kind] of [
    [2, 1, '1.2', 'AGENT'],
    [3, 2, '1.2.3', 'OPERATOR'],
    [4, 2, '1.2.4', 'OPERATOR'],
    [5, 1, '1.5', 'OPERATOR'],
    [6, 2, '1.2.6', 'SPONSOR'],
  ] as const)
    await sql('insert into organisations (id, parent_id, path, kind, name) values ($1, $2, $3, $4, $5)', [id, parent, path, kind, `机构${id}`])
  await addRole(world, 2, 'ROLE_C_CHIEF', 60, [...userCodes, 'department:read', 'department:update', 'device:read', 'device:assign'])
  await addRole(world, 5, 'ROLE_C_OTHER', 60, [...userCodes])
  for (const target of ['ROLE_RTU_REPLENISHER', 'ROLE_RTU_REPAIRER', 'ROLE_SPONSOR', 'ROLE_DRUG_REGULATOR'])
    await sql(
      `insert into role_distributions select a.id, b.id from roles a, roles b where a.code in ('ROLE_C_CHIEF', 'ROLE_C_OTHER') and b.code = $1 on conflict do nothing`,
      [target],
    )
  for (const [username, org, role] of [
    ['boss', 1, 'ROLE_SUPER_ADMIN'],
    ['second', 1, 'ROLE_SUPER_ADMIN'],
    ['chief', 2, 'ROLE_C_CHIEF'],
    ['peer', 2, 'ROLE_C_CHIEF'],
    ['other', 5, 'ROLE_C_OTHER'],
    ['keeper', 3, 'ROLE_RTU_REPLENISHER'],
    ['stranger', 5, 'ROLE_RTU_REPLENISHER'],
  ] as const)
    await world.addUser(username, org, role)
  return world
}

export async function addRole({ sql }: TestApi, org: number, code: string, rank: number, codes: readonly string[]): Promise<void> {
  const [role] = await sql<{ id: number }>(
    `insert into roles (org_id, code, name, name_en, rank, data_scope) values ($1, $2, $2, $2, $3, 'ORG_TREE') returning id`,
    [org, code, rank],
  )
  await sql('insert into role_permissions select $1, unnest($2::text[])', [role?.id, codes])
}
