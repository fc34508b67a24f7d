import { addOrganisations, addUser, numberFrom } from '../../../../test/factories/things.ts'
import { startTestApi, type TestApi } from '../../../../test/support/api.ts'
import type { Ctx } from '../../../server/context.ts'
import { systemScope } from '../../../server/database.ts'
import { bySystem } from '../../../server/run.ts'
import { seedAccess } from '../../accounts/seed.ts'
import { notices } from '../contract.ts'
import { fanOut, publishDue } from './fanout.ts'

/**
 * Platform 1 over agent 2 over operators 3 and 4. `twin` works beside the operator, `gone` and
 * `off` cannot sign in any more.
 */
export const people = {
  super: 1,
  agent: 2,
  operator: 3,
  twin: 4,
  replenisher: 5,
  sibling: 6,
  off: 7,
  gone: 8,
} as const
export type Person = keyof typeof people
const homes: Record<Person, [org: number, role: string]> = {
  super: [1, 'ROLE_SUPER_ADMIN'],
  agent: [2, 'ROLE_RTU_AGENT'],
  operator: [3, 'ROLE_RTU_SP'],
  twin: [3, 'ROLE_RTU_SP'],
  replenisher: [3, 'ROLE_RTU_REPLENISHER'],
  sibling: [4, 'ROLE_RTU_SP'],
  off: [3, 'ROLE_RTU_SP'],
  gone: [3, 'ROLE_RTU_SP'],
}
export const start = new Date('2026-11-21T06:00:00Z')

export type World = TestApi & {
  clock: { now: Date }
  tokens: Record<Person, string>
  system<T>(work: (ctx: Ctx) => Promise<T>): Promise<T>
  /** Runs the loop until nothing is left. */
  settle(): Promise<void>
  as(
    who: Person,
  ): <K extends keyof typeof notices>(
    key: K,
    input?: Record<string, unknown>,
  ) => ReturnType<TestApi['call']>
}

export async function openWorld(): Promise<World> {
  const clock = { now: start }
  const api = await startTestApi({ now: () => clock.now })
  await api.app.database.transact(systemScope, (db) => seedAccess(db, start))
  await addOrganisations(api.sql, [2, 1, 'AGENT'], [3, 2, 'OPERATOR'], [4, 2, 'OPERATOR'])
  for (const [username, id] of Object.entries(people)) {
    const [org_id, role] = homes[username as Person]
    await addUser(api.sql, { id, org_id, username }, role)
  }
  await numberFrom(api.sql, 1000, 'users')
  const tokens = {} as Record<Person, string>
  for (const name of Object.keys(people) as Person[])
    tokens[name] = await api.login(name, {
      expires_at: new Date('2027-06-01T00:00:00Z'),
      last_seen_at: new Date('2027-05-01T00:00:00Z'),
    })
  await api.sql(`update users set status = 'DISABLED' where username = 'off'`)
  await api.sql(`update users set status = 'DISABLED', deleted_at = now() where username = 'gone'`)
  return {
    ...api,
    clock,
    tokens,
    system: (work) => bySystem(api.app, work),
    async settle() {
      while ((await publishDue(api.app)) > 0);
      while ((await fanOut(api.app)) > 0);
    },
    as:
      (who) =>
      (key, input = {}) =>
        api.call(notices[key], input, { token: tokens[who] }),
  }
}

export const picture = 'files/00000000-0000-4000-8000-000000000000.png'
export const draft = (change: Record<string, unknown> = {}) => ({
  title: '系统升级',
  content: '<p>今晚 <strong>22:00</strong> 升级</p>',
  toAll: true,
  ...change,
})
export const later = (clock: { now: Date }, hours: number): string =>
  new Date(clock.now.getTime() + hours * 3_600_000).toISOString()
