import { readXlsx } from 'hucre/xlsx'
import type { Answer, TestApi } from '../../../../test/support/api.ts'
import { startTestApi } from '../../../../test/support/api.ts'
import { permissions } from '../../accounts/permissions.ts'

/** Platform 1 over operators 3 and 4. `super` may everything, the others what their name says; the clock is moved by tests. */
export type World = TestApi & {
  clock: { now: Date }
  as(user: string): (method: 'GET' | 'POST', url: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer>
  upload(user: string, url: string, content: Buffer | string, name?: string): Promise<Answer>
  send(user: string, url: string, payload: Buffer, headers: Record<string, string>): Promise<Answer>
  file(user: string, url: string): Promise<{ status: number; name: string; rows: unknown[][] }>
}
const rights: Readonly<Record<string, { org: number; scope: string; codes: readonly string[] }>> = {
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
export const boundary = 'jobsBOUNDARY'

export async function openWorld(): Promise<World> {
  const clock = { now: new Date('2026-11-21T06:00:00Z') }
  const api = await startTestApi({ now: () => clock.now })
  const { sql } = api
  for (const [id, parent, path, kind] of [
    [1, null, '1', 'PLATFORM'],
    [3, 1, '1.3', 'OPERATOR'],
    [4, 1, '1.4', 'OPERATOR'],
  ])
    await sql('insert into organisations (id, parent_id, path, kind, name) values ($1, $2, $3, $4, $5) on conflict do nothing', [
      id,
      parent,
      path,
      kind,
      `机构${id}`,
    ])
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
  for (const [name, { org, scope, codes }] of Object.entries(rights)) {
    id += 1
    await sql(`insert into users (id, org_id, username, password_hash, real_name) values ($1, $2, $3, 'x', $3)`, [id, org, name])
    await sql(`insert into roles (id, org_id, code, name, name_en, rank, data_scope) values ($1, $2, $3, $4, 'r', 1, $5)`, [
      id,
      org,
      name === 'super' ? 'ROLE_SUPER_ADMIN' : `ROLE_TEST_${id}`,
      name,
      scope,
    ])
    await sql('insert into user_roles (user_id, role_id, org_id) values ($1, $1, $2)', [id, org])
    await sql('insert into role_permissions select $1, unnest($2::text[])', [id, codes])
    tokens.set(name, await api.login(name))
  }
  await sql(`insert into product_categories (id, org_id, name) values (1, 1, '饮料')`)
  for (const [product, org, name] of [
    [1, 3, '=HYPERLINK("http://x","点我")'],
    [2, 3, '可乐'],
    [3, 4, '邻居的水'],
  ])
    await sql(
      `insert into products (id, org_id, category_id, name, model, drug_class, cost_price, retail_price, images) values ($1, $2, 1, $3, '330ml', 'NONE', 123, 350, '{x}')`,
      [product, org, name],
    )
  // rows with ids of their own stand below
  await sql('alter table product_categories alter column id restart with 1000')
  const authorization = (user: string) => tokens.get(user) ?? ''
  const send: World['send'] = async (user, url, payload, headers) => {
    const response = await api.http.inject({ method: 'POST', url: `/api${url}`, payload, headers: { authorization: authorization(user), ...headers } })
    const json = String(response.headers['content-type']).startsWith('application/json')
    return { status: response.statusCode, body: json ? response.json() : response.rawPayload, headers: response.headers }
  }
  return {
    ...api,
    clock,
    as:
      (user) =>
      async (method, url, body, headers = {}) => {
        const json = body === undefined ? {} : { payload: JSON.stringify(body) }
        const response = await api.http.inject({
          method,
          url: `/api${url}`,
          headers: { authorization: authorization(user), ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
          ...json,
        })
        return { status: response.statusCode, body: response.json(), headers: response.headers }
      },
    upload: (user, url, content, name = 'a.xlsx') => {
      const payload = Buffer.concat([
        Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: application/octet-stream\r\n\r\n`),
        Buffer.from(content),
        Buffer.from(`\r\n--${boundary}--\r\n`),
      ])
      return send(user, url, payload, { 'content-type': `multipart/form-data; boundary=${boundary}` })
    },
    send,
    async file(user, url) {
      const response = await api.http.inject({ method: 'GET', url: `/api${url}`, headers: { authorization: authorization(user) } })
      const name = decodeURIComponent(/filename\*=UTF-8''(\S+)/.exec(String(response.headers['content-disposition']))?.[1] ?? '')
      const rows = response.statusCode === 200 ? ((await readXlsx(response.rawPayload)).sheets[0]?.rows ?? []) : []
      return { status: response.statusCode, name, rows }
    },
  }
}
