import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { nodes, plansOf } from '../../../../test/support/plans.ts'
import { openWorld, place, type World, worldNow } from '../../../../test/support/world.ts'
import { type Scope, systemScope } from '../../../server/database.ts'
import { audit } from '../contract.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.close())

describe('two hundred thousand rows', () => {
  const list = (input: Record<string, unknown>, token: string, scope: Scope) =>
    plansOf(
      world.app,
      scope,
      async () => expect((await world.call(audit.list, input, { token })).status).toBe(200),
      /^select .*from operation_logs l/s,
    )
  beforeAll(async () => {
    await world.sql(
      `insert into operation_logs (org_id, created_at, user_id, actor_org_id, username, level,
        action, content, resource_id, ip_address, request_id)
      select case when n % 10 = 0 then 3 else 4 end, $1::timestamptz - n * interval '26 seconds', 1,
        3, 'x', 'INFO', 'orders.refund', '退款：' || n, (n % 5000)::text, '10.0.0.1', n::text
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
    const tree: Scope = {
      all: false,
      orgs: [place.OWN, place.CHILD],
      ancestors: [place.PARENT, place.PLATFORM],
      devices: null,
      watched: null,
    }
    const found = await list(
      input,
      await world.login(who),
      who === 'ROLE_FULL' ? tree : systemScope,
    )
    expect(found.length).toBeGreaterThan(0)
    for (const { plan, ms } of found) {
      const read = nodes(plan).filter((node) => node['Relation Name']?.startsWith('operation_logs'))
      expect(
        read
          .filter(
            (node) =>
              node['Node Type'] === 'Seq Scan' &&
              node['Relation Name'] !== 'operation_logs_default',
          )
          .map((node) => node['Relation Name']),
      ).toEqual([])
      if (!('targetId' in input))
        expect(
          [...new Set(read.map((node) => node['Relation Name']))].filter(
            (name) => name !== 'operation_logs_202611' && name !== 'operation_logs_default',
          ),
        ).toEqual([])
      expect(ms).toBeLessThan(500)
    }
  })
})
