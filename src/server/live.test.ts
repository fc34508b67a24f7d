import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { audit } from '../domains/audit/contract.ts'
import { organisations } from '../domains/organisations/contract.ts'
import { users } from '../domains/users/contract.ts'
import { openWorld, type World } from '../domains/users/server/testWorld.ts'

let world: World
let base = ''
beforeAll(async () => {
  world = await openWorld()
  await world.http.listen({ host: '127.0.0.1', port: 0 })
  base = `http://127.0.0.1:${(world.http.server.address() as AddressInfo).port}`
})
afterAll(async () => {
  world.app.live.endStreams()
  await world.close()
})

/** An open page; its stream ends when the server ends it. */
async function open(token: string): Promise<Promise<unknown>[]> {
  const response = await fetch(`${base}/api/me/events`, { headers: { authorization: token } })
  expect(response.status).toBe(200)
  return [response.text()]
}
const within = (ms: number, [ended]: Promise<unknown>[]) =>
  Promise.race([ended?.then(() => 'ended'), new Promise((resolve) => setTimeout(() => resolve('open'), ms))])

type Act = (root: string, id: number) => Promise<{ status: number }>
const acts: [string, Act][] = [
  ['kicked in the list of users', (root, id) => world.call(users.logout, { id }, { token: root })],
  [
    'kicked in the list of sessions',
    async (root) => {
      const { body } = await world.call(audit.online, { keyword: 'keeper' }, { token: root })
      return world.call(audit.kick, { ids: body.list.map((row: { id: string }) => row.id) }, { token: root })
    },
  ],
  ['in an organisation that is disabled', (root) => world.call(organisations.setStatus, { id: 3, version: 1, status: 'DISABLED' }, { token: root })],
]

test.each(acts)('the open page of somebody who is %s hears of it at once, another stays', async (_, act) => {
  const root = await world.login('boss')
  const kept = await open(root)
  const left = await open(await world.login('keeper'))
  expect((await act(root, await world.userId('keeper'))).status).toBe(200)
  expect(await within(3000, left)).toBe('ended')
  expect(await within(100, kept)).toBe('open')
})
