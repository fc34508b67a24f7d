import { startTestApi, type TestApi } from './api.ts'

/** Whoever signs in besides the people of the five organisations. */
export type Person = {
  readonly user: number
  readonly org: number
  readonly scope: 'ORG_TREE' | 'ASSIGNED_DEVICES'
  readonly permissions: readonly string[]
  /** A role the product knows by name; usually one of the test's own. */
  readonly role?: string
}
// biome-ignore lint/suspicious/noExplicitAny: answers of many shapes, looked into by tests
export type Answer = { status: number; body: any }
export type OrgTree = TestApi & {
  now: Date
  /** A path under /api as user 1 to 5, or as one of `people`. */
  send(user: number, method: 'GET' | 'POST' | 'PUT' | 'DELETE', url: string, body?: unknown): Promise<Answer>
  raw(user: number, url: string, payload: Buffer, headers: Record<string, string>): Promise<Answer>
  /** As the owner: sees all rows. */
  rows: TestApi['sql']
  one<T = Record<string, unknown>>(text: string, values?: unknown[]): Promise<T>
}

/**
 * Platform 1 over agent 2 over operators 3 and 4; operator 5 and supplier 6 stand beside the agent. Users 1 to 5 hold all of
 * `permissions` in the organisation of their number; the row of each user and of his role is 900 more.
 */
export async function openOrgTree({ now, permissions, people }: { now: Date; permissions: readonly string[]; people: readonly Person[] }): Promise<OrgTree> {
  const api = await startTestApi({ now: () => now })
  const { http, sql } = api
  await sql(`insert into organisations (id, parent_id, path, kind, name) values (1, null, '1', 'PLATFORM', '机构1'), (2, 1, '1.2', 'AGENT', '机构2'),
    (3, 2, '1.2.3', 'OPERATOR', '机构3'), (4, 2, '1.2.4', 'OPERATOR', '机构4'), (5, 1, '1.5', 'OPERATOR', '机构5'), (6, 1, '1.6', 'SUPPLIER', '机构6')
    on conflict do nothing`)
  await sql(`insert into permissions select code, 'test', code, code, 1 from unnest($1::text[]) as code on conflict do nothing`, [permissions])
  const everybody = [...[1, 2, 3, 4, 5].map((id) => ({ user: id, org: id, scope: id === 1 ? 'ALL' : 'ORG_TREE', permissions, role: undefined })), ...people]
  const tokens = new Map<number, string>()
  for (const { user, org, scope, permissions: held, role = `ROLE_TEST_${user}` } of everybody) {
    const [id, name] = [900 + user, `test${user}`]
    await sql(`insert into users (id, org_id, username, password_hash, real_name) values ($1, $2, $3, 'x', $4)`, [id, org, name, `员工${user}`])
    await sql(`insert into roles (id, org_id, code, name, name_en, rank, data_scope) values ($1, $2, $3, $3, 'r', 1, $4)`, [id, org, role, scope])
    await sql('insert into user_roles (user_id, role_id, org_id) values ($1, $1, $2)', [id, org])
    await sql('insert into role_permissions select $1, unnest($2::text[])', [id, held])
    tokens.set(user, await api.login(name))
  }
  const raw: OrgTree['raw'] = async (user, url, payload, headers) => {
    const response = await http.inject({ method: 'POST', url: `/api${url}`, payload, headers: { authorization: tokens.get(user) ?? '', ...headers } })
    return { status: response.statusCode, body: response.json() }
  }
  return {
    ...api,
    now,
    raw,
    async send(user, method, url, body) {
      const response = await http.inject({
        method,
        url: `/api${url}`,
        headers: { authorization: tokens.get(user) ?? '', ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
        ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
      })
      return { status: response.statusCode, body: response.json() }
    },
    rows: sql,
    one: async <T>(text: string, values: unknown[] = []) => (await sql<T>(text, values))[0] as T,
  }
}
