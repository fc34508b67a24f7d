import { addOrganisations, addPermissions, addRole, addUser } from '../factories/things.ts'
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
  send(
    user: number,
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    url: string,
    body?: unknown,
  ): Promise<Answer>
  raw(user: number, url: string, payload: Buffer, headers: Record<string, string>): Promise<Answer>
  /** As the owner: sees all rows. */
  rows: TestApi['sql']
  one<T = Record<string, unknown>>(text: string, values?: unknown[]): Promise<T>
}

/**
 * Platform 1 over agent 2 over operators 3 and 4; operator 5 and supplier 6 stand beside the agent.
 * Users 1 to 5 hold all of `permissions` in the organisation of their number; the row of each user
 * and of his role is 900 more.
 */
export async function openOrgTree({
  now,
  permissions,
  people,
}: {
  now: Date
  permissions: readonly string[]
  people: readonly Person[]
}): Promise<OrgTree> {
  const api = await startTestApi({ now: () => now })
  const { sql } = api
  await addOrganisations(
    sql,
    [1, null, 'PLATFORM'],
    [2, 1, 'AGENT'],
    [3, 2, 'OPERATOR'],
    [4, 2, 'OPERATOR'],
    [5, 1, 'OPERATOR'],
    [6, 1, 'SUPPLIER'],
  )
  await addPermissions(sql, permissions)
  const everybody = [
    ...[1, 2, 3, 4, 5].map((id) => ({
      user: id,
      org: id,
      scope: id === 1 ? ('ALL' as const) : ('ORG_TREE' as const),
      permissions,
      role: undefined,
    })),
    ...people,
  ]
  const tokens = new Map<number, string>()
  for (const { user, org, scope, permissions: held, role = `ROLE_TEST_${user}` } of everybody) {
    const [id, username] = [900 + user, `test${user}`]
    await addRole(sql, { id, org_id: org, code: role, data_scope: scope }, held)
    await addUser(sql, { id, org_id: org, username, real_name: `员工${user}` }, role)
    tokens.set(user, await api.login(username))
  }
  return {
    ...api,
    now,
    raw: (user, url, payload, headers) => api.ask(tokens.get(user), 'POST', url, payload, headers),
    send: (user, method, url, body) => api.ask(tokens.get(user), method, url, body),
    rows: sql,
    one: async <T>(text: string, values: unknown[] = []) => (await sql<T>(text, values))[0] as T,
  }
}
