import { randomUUID } from 'node:crypto'
import {
  add,
  addOrganisations,
  addRole as newRole,
  addUser as newUser,
} from '../../../../test/factories/things.ts'
import { startTestApi, type TestApi } from '../../../../test/support/api.ts'
import { systemScope } from '../../../server/database.ts'
import { seedAccess } from '../../accounts/seed.ts'

/**
 * Platform 1 > agent 2 > operators 3 and 4, sponsor 6 below the agent; operator 5 beside it. `boss`
 * and `second` are super administrators, `chief` administers the agent's organisations with a role
 * of rank 60, `keeper` fills machines of 3.
 */
export type World = TestApi & {
  at(days: number): void
  userId(username: string): Promise<number>
  roleId(code: string): Promise<number>
  addUser(
    username: string,
    org: number,
    role: string,
    change?: Record<string, unknown>,
  ): Promise<number>
  picture(username: string): Promise<string>
}
const start = Date.parse('2026-11-21T06:00:00Z')
export const userCodes = [
  'read',
  'create',
  'update',
  'delete',
  'export',
  'assign-role',
  'lookup',
  'reset-password',
].map((action) => `user:${action}`)

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
    userId: async (username) =>
      Number(
        (await sql<{ id: number }>('select id from users where username = $1', [username]))[0]?.id,
      ),
    roleId: async (code) =>
      Number((await sql<{ id: number }>('select id from roles where code = $1', [code]))[0]?.id),
    addUser(username, org, role, change = {}) {
      return newUser(
        sql,
        { org_id: org, username, phone: '13800138000', created_at: new Date(clock++), ...change },
        role,
      )
    },
    async picture(username) {
      const url = `files/${randomUUID()}.png`
      const [user] = await sql<{ id: number; org_id: number }>(
        'select id, org_id from users where username = $1',
        [username],
      )
      if (user) await add(sql, 'uploads', { org_id: user.org_id, user_id: user.id, url })
      return url
    },
  }
  await addOrganisations(
    sql,
    [2, 1, 'AGENT'],
    [3, 2, 'OPERATOR'],
    [4, 2, 'OPERATOR'],
    [5, 1, 'OPERATOR'],
    [6, 2, 'SPONSOR'],
  )
  await addRole(world, 2, 'ROLE_C_CHIEF', 60, [
    ...userCodes,
    'department:read',
    'department:update',
    'device:read',
    'device:assign',
  ])
  await addRole(world, 5, 'ROLE_C_OTHER', 60, [...userCodes])
  for (const target of [
    'ROLE_RTU_REPLENISHER',
    'ROLE_RTU_REPAIRER',
    'ROLE_SPONSOR',
    'ROLE_DRUG_REGULATOR',
  ])
    await sql(
      `insert into role_distributions select a.id, b.id from roles a, roles b
        where a.code in ('ROLE_C_CHIEF', 'ROLE_C_OTHER') and b.code = $1 on conflict do nothing`,
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

export const addRole = (
  { sql }: TestApi,
  org_id: number,
  code: string,
  rank: number,
  codes: readonly string[],
): Promise<number> => newRole(sql, { org_id, code, rank }, codes)
