import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestDatabase, testDatabase } from '../../../../test/support/postgres.ts'
import { organisations, staff } from '../../../seed/world.ts'
import type { Ctx } from '../../../server/context.ts'
import { type Database, openDatabase, type Scope, systemScope } from '../../../server/database.ts'
import { accounts } from '../contract.ts'
import { seedAccess, seedDemoPeople } from '../seed.ts'
import { handlers } from './verbs.ts'

const now = new Date('2026-07-01T04:00:00Z')
let home: TestDatabase
let database: Database
let ids: Awaited<ReturnType<typeof seedDemoPeople>>

beforeAll(async () => {
  home = await testDatabase()
  database = await openDatabase({ url: home.ownerUrl, reads: 2, writes: 2, statementMs: 20_000 })
  ids = await database.transact(systemScope, async (db) => {
    await seedAccess(db, now)
    return seedDemoPeople(db, now)
  })
})
afterAll(async () => {
  await database.close()
  await home.drop()
})

const org = (key: string) => ids.organisations.get(key) ?? 0
const scopeOf = (below: string[], above: string[]): Scope => ({
  all: false,
  orgs: below.map(org),
  ancestors: above.map(org),
  devices: null,
  watched: null,
})
const operatorScope = () =>
  scopeOf(['op-xianda', 'supplier', 'tenant'], ['platform', 'agent-south'])

async function ask<K extends keyof typeof accounts>(
  scope: Scope,
  key: K,
  input: Record<string, unknown> = {},
) {
  const endpoint = accounts[key]
  return database.read(scope, async (db) => {
    const ctx = { db, actor: { scope } } as unknown as Ctx
    const handler = handlers[key] as (ctx: Ctx, input: unknown) => Promise<unknown>
    return endpoint.output.parse(await handler(ctx, endpoint.input.parse(input)))
  })
}
const users = async (scope: Scope, input: Record<string, unknown> = {}) =>
  accounts.userOptions.output.parse(await ask(scope, 'userOptions', input))
const orgs = async (scope: Scope) =>
  accounts.organisationOptions.output.parse(await ask(scope, 'organisationOptions'))

describe('organisation options', () => {
  test('the platform sees the whole tree, parents first', async () => {
    const { list, total } = await orgs(systemScope)
    expect(total).toBe(organisations.length)
    list.forEach((row, at) => {
      expect(
        row.parentId === null || list.slice(0, at).some((before) => before.id === row.parentId),
        row.name,
      ).toBe(true)
    })
    expect(list.filter((row) => row.parentId === null).map((row) => row.kind)).toEqual(['PLATFORM'])
  })

  test('an operator sees himself as the top and nobody beside him', async () => {
    const { list } = await orgs(operatorScope())
    expect(list.map((row) => [row.id, row.parentId])).toEqual([
      [org('op-xianda'), null],
      [org('supplier'), org('op-xianda')],
      [org('tenant'), org('op-xianda')],
    ])
  })

  test('no scope, no rows', async () => {
    expect(await orgs(scopeOf([], []))).toEqual({ list: [], total: 0 })
  })
})

describe('user options', () => {
  test('filters by role and words, and pages', async () => {
    expect((await users(systemScope)).total).toBe(staff.length)
    const agents = await users(systemScope, {
      roleCode: 'ROLE_RTU_AGENT',
      pageSize: 3,
      sort: 'userName',
    })
    expect(agents.list.map((row) => row.userName)).toEqual(['agent', 'luojianping', 'shenjiayi'])
    expect((await users(systemScope, { keyword: 'LUOJIAN' })).list.map((row) => row.name)).toEqual([
      '罗建平',
    ])
    expect((await users(systemScope, { keyword: '%' })).total).toBe(0)
  })

  test('the row is the specification’s user', async () => {
    const { list } = await users(systemScope, { keyword: 'operator' })
    expect(list).toEqual([
      {
        id: ids.users.get('operator'),
        userName: 'operator',
        name: '杨帆',
        avatar: '',
        role: 'ROLE_RTU_SP',
        address: organisations.find((o) => o.key === 'op-xiaoyuan')?.address,
        createTime: '2026-04-02T04:00:00.000Z',
      },
    ])
  })

  test('those who were chosen are found by their numbers, disabled ones too, foreign ones not', async () => {
    const [mine, foreign] = [
      ids.users.get('finance') as number,
      ids.users.get('operator') as number,
    ]
    await database.transact(systemScope, (db) =>
      db.updateTable('users').set({ status: 'DISABLED' }).where('id', '=', mine).execute(),
    )
    const found = await users(operatorScope(), { ids: [mine, foreign] })
    await database.transact(systemScope, (db) =>
      db.updateTable('users').set({ status: 'ENABLED' }).where('id', '=', mine).execute(),
    )
    expect(found.list.map((row) => row.userName)).toEqual(['finance'])
  })

  test('an operator finds his own people, with their role, and no disabled ones', async () => {
    const mine = staff.filter((person) =>
      ['op-xianda', 'supplier', 'tenant'].includes(person.orgKey),
    )
    const found = await users(operatorScope(), { pageSize: 100 })
    expect(found.list.map((row) => [row.userName, row.role]).toSorted()).toEqual(
      mine.map((person) => [person.username, person.role]).toSorted(),
    )
    await database.transact(systemScope, (db) =>
      db
        .updateTable('users')
        .set({ status: 'DISABLED' })
        .where('username', '=', 'tenant')
        .execute(),
    )
    expect((await users(operatorScope())).total).toBe(mine.length - 1)
  })
})
