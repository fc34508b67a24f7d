import { CompiledQuery } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { openWorld, place, type World, worldNow } from '../../../../test/support/world.ts'
import { type Scope, systemScope } from '../../../server/database.ts'
import { audit } from '../contract.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.close())

describe('two hundred thousand rows', () => {
  type Plan = { 'Node Type': string; 'Relation Name'?: string; Plans?: Plan[] }
  const nodes = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodes)]
  /** The statements of the list as the application sends them, explained as the application role in the reader's scope. */
  async function plans(input: Record<string, unknown>, token: string, scope: Scope): Promise<{ plan: Plan; ms: number }[]> {
    const sent = vi.spyOn(pg.Client.prototype, 'query')
    expect((await world.call(audit.list, input, { token })).status).toBe(200)
    const statements = sent.mock.calls.filter(([text]) => typeof text === 'string' && /^select .*from operation_logs l/s.test(text)) as unknown as [
      string,
      unknown[],
    ][]
    sent.mockRestore()
    return world.app.database.read(scope, (db) =>
      Promise.all(
        statements.map(async ([text, values]) => {
          const { rows } = await db.executeQuery<{ 'QUERY PLAN': { Plan: Plan; 'Execution Time': number }[] }>(
            CompiledQuery.raw(`explain (analyze, format json) ${text}`, values),
          )
          const explained = rows[0]?.['QUERY PLAN'][0]
          return { plan: explained?.Plan as Plan, ms: explained?.['Execution Time'] ?? 0 }
        }),
      ),
    )
  }
  beforeAll(async () => {
    await world.sql(
      `insert into operation_logs (org_id, created_at, user_id, actor_org_id, username, level, action, content, resource_id, ip_address, request_id)
      select case when n % 10 = 0 then 3 else 4 end, $1::timestamptz - n * interval '26 seconds', 1, 3, 'x', 'INFO', 'orders.refund', '退款：' || n, (n % 5000)::text, '10.0.0.1', n::text
      from generate_series(1, 200000) n`,
      [worldNow],
    )
    await world.sql('analyze operation_logs')
  }, 60_000)
  test.each([
    ['the first page of an organisation', {}, 'ROLE_FULL'],
    ['the first page of the platform', {}, 'ROLE_SUPER_ADMIN'],
    ['words', { keyword: '19999' }, 'ROLE_FULL'],
    ['the history of a thing', { targetId: '77', module: 'orders' }, 'ROLE_FULL'],
    ['a user', { username: 'role_full' }, 'ROLE_FULL'],
  ])('%s reads neither other months nor whole tables', async (_, input, who) => {
    const tree: Scope = { all: false, orgs: [place.OWN, place.CHILD], ancestors: [place.PARENT, place.PLATFORM], devices: null, watched: null }
    const found = await plans(input, await world.login(who), who === 'ROLE_FULL' ? tree : systemScope)
    expect(found.length).toBeGreaterThan(0)
    for (const { plan, ms } of found) {
      const read = nodes(plan).filter((node) => node['Relation Name']?.startsWith('operation_logs'))
      expect(
        read.filter((node) => node['Node Type'] === 'Seq Scan' && node['Relation Name'] !== 'operation_logs_default').map((node) => node['Relation Name']),
      ).toEqual([])
      if (!('targetId' in input))
        expect(
          [...new Set(read.map((node) => node['Relation Name']))].filter((name) => name !== 'operation_logs_202611' && name !== 'operation_logs_default'),
        ).toEqual([])
      expect(ms).toBeLessThan(500)
    }
  })
})
