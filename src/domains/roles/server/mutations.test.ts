import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { endpoints } from '../../../../test/support/registry.ts'
import { roles as catalogue } from '../../accounts/roles.ts'
import { accessOf, type HeldRole } from '../../accounts/rules.ts'
import { scopesOf } from '../rules.ts'

/**
 * Removing any single line of the rights breaks a test. A line of the catalogue: it is written down
 * beside this file. A line of what enforces it: the conformance matrix
 * (test/conformance/access.test.ts) compares what every endpoint answers with the catalogue. Both
 * comparisons run here on rights with one line changed, which they must notice.
 */
type World = {
  roles: readonly HeldRole[]
  access: (role: string) => ReadonlyMap<string, ReadonlySet<string>>
}
const platform = ['ROLE_SUPER_ADMIN', 'ROLE_ADMIN']
const real: World = worldOf(catalogue)

function worldOf(roles: readonly HeldRole[]): World {
  const known = new Map(
    roles.map((role) => [role.code, accessOf([role], platform.includes(role.code))]),
  )
  return { roles, access: (role) => known.get(role) ?? new Map() }
}

/**
 * The matrix: what each built-in role may do by the catalogue, at every endpoint, and over which
 * rows.
 */
function differences(world: World): string[] {
  return catalogue.flatMap((role) =>
    endpoints.flatMap(({ name, endpoint }) => {
      if (!endpoint.access.includes(':')) return []
      const [wanted, found] = [
        real.access(role.code).get(endpoint.access),
        world.access(role.code).get(endpoint.access),
      ]
      if ((wanted === undefined) !== (found === undefined)) return [`${role.code} ${name}`]
      return wanted && found && String([...wanted].sort()) !== String([...found].sort())
        ? [`${role.code} ${name} rows`]
        : []
    }),
  )
}

const without = (role: string, code: string): World =>
  worldOf(
    catalogue.map((held) =>
      held.code === role
        ? { ...held, permissions: held.permissions.filter((other) => other !== code) }
        : held,
    ),
  )
const scoped = (role: string, dataScope: HeldRole['dataScope']): World =>
  worldOf(catalogue.map((held) => (held.code === role ? { ...held, dataScope } : held)))
const granted = (role: string, code: string): World =>
  worldOf(
    catalogue.map((held) =>
      held.code === role ? { ...held, permissions: [...held.permissions, code] } : held,
    ),
  )

/**
 * What the catalogue gives, one line per role and resource. A change of it is a decision: it is
 * seen in the diff of the file.
 */
const written = (world: World): string =>
  `${world.roles
    .flatMap((role) => [
      `${role.code} ${role.dataScope}`,
      ...[...Map.groupBy([...role.permissions].sort(), (code) => code.split(':')[0])].map(
        ([resource, codes]) =>
          `  ${resource}: ${codes.map((code) => code.split(':')[1]).join(' ')}`,
      ),
    ])
    .join('\n')}\n`

test('the catalogue is what is written down', () =>
  expect(written(real)).toMatchFileSnapshot('./rights.snapshot.txt'))

/** What each endpoint asks for. */
test('the endpoints ask for what is written down', () =>
  expect(
    `${endpoints
      .map(
        ({ name, endpoint }) =>
          `${name} ${endpoint.access}${endpoint.scope === 'system' ? ' (every row)' : ''}`,
      )
      .sort()
      .join('\n')}\n`,
  ).toMatchFileSnapshot('./endpoints.snapshot.txt'))

test('untouched rights are seen as equal', () =>
  expect(differences(worldOf(catalogue))).toEqual([]))

test.each([
  ['permission of the operator', without('ROLE_RTU_SP', 'device:update')],
  ['read of the operator, which takes its actions along', without('ROLE_RTU_SP', 'order:read')],
  ['refund of finance', without('ROLE_FINANCE', 'order:refund')],
  ['stock flow of the replenisher', without('ROLE_RTU_REPLENISHER', 'stock-flow:read')],
  ['lanes of the lane tenant', without('ROLE_LANE_TENANT', 'lane:update')],
  ['drugs of the regulator', without('ROLE_DRUG_REGULATOR', 'product:read')],
  ['a right more than the catalogue', granted('ROLE_RTU_REPAIRER', 'lane:merge')],
  ['scope of the replenisher', scoped('ROLE_RTU_REPLENISHER', 'ORG_TREE')],
  ['scope of the regulator', scoped('ROLE_DRUG_REGULATOR', 'ORG_TREE')],
  ['scope of the lane tenant', scoped('ROLE_LANE_TENANT', 'ORG_TREE')],
] as [string, World][])('%s: one line changed is noticed', (_, world) => {
  expect(differences(world).length).toBeGreaterThan(0)
  expect(written(world)).not.toBe(
    readFileSync(join(import.meta.dirname, 'rights.snapshot.txt'), 'utf8'),
  )
})

test('every single permission of every role that an endpoint asks for is noticed when it goes', () => {
  const asked = new Set(endpoints.map(({ endpoint }) => endpoint.access))
  const silent = catalogue.flatMap((role) =>
    role.permissions.filter(
      (code) =>
        asked.has(code as 'self') &&
        real.access(role.code).has(code) &&
        !differences(without(role.code, code)).length,
    ),
  )
  expect(silent).toEqual([])
})

test('the form offers the widest scope to the platform alone', () => {
  expect(scopesOf({ ofPlatform: true, everything: true, wholeTree: true })).toContain('ALL')
  expect(scopesOf({ ofPlatform: true, everything: false, wholeTree: true })).not.toContain('ALL')
  expect(scopesOf({ ofPlatform: false, everything: false, wholeTree: true })).not.toContain('ALL')
  expect(scopesOf({ ofPlatform: false, everything: false, wholeTree: false })).not.toContain(
    'ORG_TREE',
  )
})
