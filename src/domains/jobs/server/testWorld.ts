import { readXlsx } from 'hucre/xlsx'
import {
  add,
  addOrganisations,
  addRole,
  addUser,
  numberFrom,
} from '../../../../test/factories/things.ts'
import type { Answer, TestApi } from '../../../../test/support/api.ts'
import { startTestApi } from '../../../../test/support/api.ts'
import type { DB } from '../../../server/schema.ts'
import { permissions } from '../../accounts/permissions.ts'

/**
 * Platform 1 over operators 3 and 4. `super` may everything, the others what their name says; the
 * clock is moved by tests.
 */
export type World = TestApi & {
  clock: { now: Date }
  as(
    user: string,
  ): (
    method: 'GET' | 'POST',
    url: string,
    body?: unknown,
    headers?: Record<string, string>,
  ) => Promise<Answer>
  upload(user: string, url: string, content: Buffer | string, name?: string): Promise<Answer>
  send(user: string, url: string, payload: Buffer, headers: Record<string, string>): Promise<Answer>
  file(user: string, url: string): Promise<{ status: number; name: string; rows: unknown[][] }>
}
const rights: Readonly<
  Record<string, { org: number; scope: DB['roles']['data_scope']; codes: readonly string[] }>
> = {
  super: { org: 1, scope: 'ALL', codes: permissions.map((permission) => permission.code) },
  operator: {
    org: 3,
    scope: 'ORG_TREE',
    codes: [
      'product:read',
      'product:export',
      'product:cost',
      'device:read',
      'device:export',
      'product-category:create',
      'product-category:read',
      'upload:create',
    ],
  },
  sibling: { org: 4, scope: 'ORG_TREE', codes: ['product:read', 'product:export'] },
  reader: { org: 3, scope: 'ORG_TREE', codes: ['product:read'] },
}

export async function openWorld(): Promise<World> {
  const clock = { now: new Date('2026-11-21T06:00:00Z') }
  const api = await startTestApi({ now: () => clock.now })
  const { sql } = api
  await addOrganisations(sql, [1, null, 'PLATFORM'], [3, 1, 'OPERATOR'], [4, 1, 'OPERATOR'])
  for (const [sort, permission] of permissions.entries())
    await sql('insert into permissions values ($1, $2, $3, $4, $5) on conflict do nothing', [
      permission.code,
      permission.group,
      permission.zh,
      permission.en,
      sort,
    ])
  const tokens = new Map<string, string>()
  let id = 900
  for (const [username, { org, scope, codes }] of Object.entries(rights)) {
    id += 1
    const code = username === 'super' ? 'ROLE_SUPER_ADMIN' : `ROLE_TEST_${id}`
    await addRole(sql, { id, org_id: org, code, name: username, data_scope: scope }, codes)
    await addUser(sql, { id, org_id: org, username }, code)
    tokens.set(username, await api.login(username))
  }
  await add(sql, 'product_categories', { id: 1, org_id: 1 })
  for (const [product, org_id, name] of [
    [1, 3, '=HYPERLINK("http://x","点我")'],
    [2, 3, '可乐'],
    [3, 4, '邻居的水'],
  ] as const)
    await add(sql, 'products', {
      id: product,
      org_id,
      name,
      model: '330ml',
      cost_price: 123,
      retail_price: 350,
    })
  await numberFrom(sql, 1000, 'product_categories')
  return {
    ...api,
    clock,
    as:
      (user) =>
      (...asked) =>
        api.ask(tokens.get(user), ...asked),
    upload: (user, url, content, name = 'a.xlsx') =>
      api.sendFile(tokens.get(user), url, content, name),
    send: (user, url, payload, headers) => api.ask(tokens.get(user), 'POST', url, payload, headers),
    async file(user, url) {
      const response = await api.http.inject({
        method: 'GET',
        url: `/api${url}`,
        headers: { authorization: tokens.get(user) ?? '' },
      })
      const name = decodeURIComponent(
        /filename\*=UTF-8''(\S+)/.exec(String(response.headers['content-disposition']))?.[1] ?? '',
      )
      const rows =
        response.statusCode === 200
          ? ((await readXlsx(response.rawPayload)).sheets[0]?.rows ?? [])
          : []
      return { status: response.statusCode, name, rows }
    },
  }
}
