import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { roles } from '../../src/domains/accounts/roles.ts'
import { endpointNamed, endpoints } from '../support/registry.ts'
import { openWorld, type World, worldNow } from '../support/world.ts'
import { params } from './samples.ts'

/**
 * Permission matrix: every endpoint for every built-in role and for whoever has no right to be here. The probe carries an unknown
 * field, so that who may pass meets 400 and nothing is changed; who may not, 401 or 403 before that.
 */
let world: World
const tokens = new Map<string, string | undefined>()
const ago = (minutes: number) => new Date(worldNow.getTime() - minutes * 60_000)

beforeAll(async () => {
  world = await openWorld()
  for (const role of [...roles.map((r) => r.code), 'ROLE_NOTHING', 'disabled']) tokens.set(role, await world.login(role))
  tokens.set('anonymous', undefined)
  tokens.set('malformed', 'Bearer')
  tokens.set('unknown', 'x'.repeat(43))
  tokens.set('expired', await world.login('ROLE_SUPER_ADMIN', { created_at: ago(120), expires_at: ago(60) }))
  tokens.set('idle', await world.login('ROLE_SUPER_ADMIN', { created_at: ago(600), last_seen_at: ago(200) }))
  tokens.set('signed out', await world.login('ROLE_SUPER_ADMIN', { revoked_at: ago(1), revoke_reason: 'LOGOUT' }))
  tokens.set('kicked', await world.login('ROLE_SUPER_ADMIN', { revoked_at: ago(1), revoke_reason: 'KICKED' }))
  tokens.set('password changed', await world.login('ROLE_SUPER_ADMIN', { revoked_at: ago(1), revoke_reason: 'PASSWORD_CHANGED' }))
  tokens.set('role changed', await world.login('ROLE_SUPER_ADMIN', { revoked_at: ago(1), revoke_reason: 'ACCESS_CHANGED' }))
})
afterAll(() => world?.close())

const outside: Record<string, number> = {
  anonymous: 110001,
  malformed: 110001,
  unknown: 110003,
  expired: 110002,
  idle: 110002,
  'signed out': 110003,
  kicked: 110004,
  'password changed': 110004,
  'role changed': 110103,
  disabled: 110103,
}
const permitted = (role: string, access: string) => !access.includes(':') || (roles.find((r) => r.code === role)?.permissions.includes(access) ?? false)
const probe = async (name: string, who: string) => {
  const endpoint = endpointNamed(name)
  return world.call(endpoint, { ...params(endpoint, 'OWN', world), surelyUnknown: 1 }, { token: tokens.get(who) })
}

describe.each(endpoints)('$name', ({ name, endpoint }) => {
  const passes = 400
  it('opens to the roles that hold its permission and to nobody else', async () => {
    for (const role of [...roles.map((r) => r.code), 'ROLE_NOTHING']) {
      const { status, body } = await probe(name, role)
      expect([role, status, body.code]).toEqual(permitted(role, endpoint.access) ? [role, passes, passes * 1000 + 1] : [role, 403, 403001])
    }
  })
  it('is closed without a living session, unless open', async () => {
    for (const [who, code] of Object.entries(outside)) {
      const { status, body } = await probe(name, who)
      expect([who, status, body.code]).toEqual(endpoint.access === 'open' ? [who, passes, passes * 1000 + 1] : [who, 401, code])
      expect(Object.keys(body).sort()).toEqual(
        endpoint.access === 'open' ? ['code', 'error', 'errors', 'message', 'requestId'] : ['code', 'error', 'message', 'requestId'],
      )
    }
  })
})

describe('a session', () => {
  it('ends on the next request when the organisation above is disabled', async () => {
    const token = await world.login('ROLE_RTU_SP')
    const user = endpointNamed('session.user')
    expect((await world.call(user, {}, { token })).status).toBe(200)
    await world.sql(`update organisations set status = 'DISABLED' where id = 2`)
    expect((await world.call(user, {}, { token })).body.code).toBe(110103)
    await world.sql(`update organisations set status = 'ENABLED' where id = 2`)
    expect((await world.call(user, {}, { token })).status).toBe(200)
  })
  it('loses a permission on the next request', async () => {
    const token = await world.login('ROLE_RTU_SP')
    const list = endpointNamed('products.list')
    expect((await world.call(list, {}, { token })).status).toBe(200)
    const removed = await world.sql<{ role_id: number }>(
      `delete from role_permissions where permission_code = 'product:read' and role_id = (select id from roles where code = 'ROLE_RTU_SP') returning role_id`,
    )
    expect((await world.call(list, {}, { token })).body.code).toBe(403001)
    await world.sql(`insert into role_permissions values ($1, 'product:read')`, [removed[0]?.role_id])
  })
})
