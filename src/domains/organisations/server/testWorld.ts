import {
  add,
  addPermissions,
  addRole,
  grant,
  numberFrom,
} from '../../../../test/factories/things.ts'
import type { RowError } from '../../../server/importers.ts'
import { act, systemCaller } from '../../../server/run.ts'
import { loadPerson } from '../../accounts/server/people.ts'
import {
  addDevice,
  openWorld as openDevices,
  people,
  type World,
} from '../../devices/server/testWorld.ts'
import { organisationImporter } from './importer.ts'

/**
 * Organisations of the devices' world: platform 1 over agent 2 over operators 3 and 4; operator 5
 * and supplier 6 below the platform. Users 1 (rank 50), 2 (40), 3 (30) manage people; role 990 is
 * the plain one they may give.
 */
const codes = [
  'org:read',
  'org:create',
  'org:update',
  'org:delete',
  'org:move',
  'org:export',
  'user:read',
  'user:assign-role',
  'user:create',
  'device:create',
]

export async function openWorld(): Promise<World> {
  const world = await openDevices()
  const { sql } = world
  await addPermissions(sql, codes)
  await addRole(sql, { id: 990, org_id: 1, code: 'ROLE_PLAIN', name: '普通', builtin: true })
  await addRole(sql, {
    id: 991,
    org_id: 1,
    code: 'ROLE_SUPPLIER',
    name: '供应商',
    data_scope: 'OWN_GOODS',
    builtin: true,
  })
  await addRole(sql, { id: 992, org_id: 1, code: 'ROLE_HIGH', name: '高', rank: 80, builtin: true })
  for (const [user, rank] of [
    [people.platform, 50],
    [people.agent, 40],
    [people.operator, 30],
  ] as const) {
    await world.rows('update roles set rank = $2 where id = $1', [900 + user, rank])
    await grant(sql, [900 + user], codes)
    for (const target of [990, 991])
      await world.rows('insert into role_distributions values ($1, $2)', [900 + user, target])
    await world.rows(`insert into role_distribution_limits (role_id, org_kinds) values ($1, $2)`, [
      900 + user,
      user === people.operator ? '{SUPPLIER}' : '{AGENT,OPERATOR,SPONSOR,SUPPLIER,SCHOOL}',
    ])
    await add(sql, 'uploads', { org_id: user, user_id: 900 + user, url: avatar(user) })
  }
  await numberFrom(sql, 1000, 'organisations')
  await numberFrom(sql, 2000, 'users')
  return world
}

/**
 * What the platform does with a file that is applied: everything in one transaction, undone when a
 * row is wrong.
 */
export async function runImport(
  world: World,
  user: number,
  rows: readonly { line: number; value: unknown }[],
): Promise<readonly RowError[]> {
  const person = await loadPerson(world.app.database, 900 + user)
  if (!person) throw new Error('nobody')
  const actor = { ...person, sessionId: null, scope: person.scopeOf('org:create') }
  const ready = await organisationImporter.prepare?.(world.app, rows as never, rows as never)
  let errors: readonly RowError[] = []
  await act(
    world.app,
    { ...systemCaller(actor), actor },
    { audit: null, scope: 'actor' },
    async (ctx) => {
      errors = await organisationImporter.run({ ...ctx, audit: () => {} }, rows as never, ready)
      if (errors.length) throw new Error('undone')
    },
  ).catch((error: Error) => {
    if (error.message !== 'undone') throw error
  })
  return errors
}
export { addDevice, people, type World }

/** A picture the user uploaded. */
export const avatar = (user: number): string =>
  `files/0000000${user}-0000-4000-8000-000000000000.png`
let made = 0
export const fresh = (change: Record<string, unknown> = {}, user = people.platform) => {
  made += 1
  return {
    parentId: 1,
    kind: 'AGENT',
    name: `机构-${made}`,
    username: `fresh.${made}`,
    password: 'Zebra-crossing7',
    repeat: 'Zebra-crossing7',
    realName: '王五',
    roleIds: [990],
    phone: '13800138000',
    consumerPhone: '400-830-1866',
    regionCode: '440305',
    address: '科苑路15号',
    avatar: avatar(user),
    licences: [],
    creditCode: '91440300708461136T',
    ...change,
  }
}
