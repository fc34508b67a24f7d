import { permissions } from '../../src/domains/accounts/permissions.ts'
import { accessOf, scopeAt } from '../../src/domains/accounts/rules.ts'
import type { DataScope, HomeKind } from '../../src/shared/access.ts'
import { type Place, place, type World } from '../support/world.ts'

/**
 * Everybody with every permission, in every data scope, with and without a region, in a tenant's
 * organisation and in the platform.
 */
export type Scoped = {
  readonly name: string
  readonly scope: DataScope
  readonly home: Place
  readonly region: string
}
const kindOf: Partial<Record<Place, HomeKind>> = { OWN: 'OPERATOR', PLATFORM: 'PLATFORM' }
const scopes: readonly DataScope[] = [
  'ALL',
  'ORG_TREE',
  'ASSIGNED_DEVICES',
  'OWN_LANES',
  'OWN_BUDGET',
  'OWN_GOODS',
  'REGION_DRUGS',
]

export const scopedPeople: readonly Scoped[] = [
  ...scopes.map(
    (scope): Scoped => ({ name: `OWN_${scope}`, scope, home: 'OWN', region: '440300' }),
  ),
  ...['440300', '110000', ''].map(
    (region): Scoped => ({
      name: `REGION_${region || 'NONE'}`,
      scope: 'REGION_DRUGS',
      home: 'PLATFORM',
      region,
    }),
  ),
]
const codes = permissions.map((permission) => permission.code)

/** What the rules let them do; the tests compare it with what the server does. */
export const mayBy = (one: Scoped): ReadonlySet<string> =>
  new Set(
    accessOf(
      [
        {
          code: `ROLE_S_${one.scope}`,
          dataScope: scopeAt(one.scope, kindOf[one.home] as HomeKind),
          permissions: codes,
        },
      ],
      one.home === 'PLATFORM',
    ).keys(),
  )

/** Written past the verbs: nobody could give most of it, and it must be harmless all the same. */
export async function addScopedPeople({ sql }: World): Promise<void> {
  await sql('alter table user_roles disable trigger user')
  for (const scope of scopes) {
    await sql(
      `insert into roles (org_id, code, name, name_en, rank, data_scope)
        values (1, $1, $1, $1, 10, $2)`,
      [`ROLE_S_${scope}`, scope],
    )
    await sql(
      `insert into role_permissions select id, unnest($2::text[]) from roles where code = $1`,
      [`ROLE_S_${scope}`, codes],
    )
  }
  for (const { name, scope, home, region } of scopedPeople) {
    const [made] = await sql<{ id: number }>(
      `insert into users (org_id, username, password_hash, real_name, region_code)
        values ($1, $2, 'x', $2, $3) returning id`,
      [place[home], name, region],
    )
    await sql(
      `insert into user_roles (user_id, role_id, org_id) select $1, id, $2 from roles
        where code = $3`,
      [made?.id, place[home], `ROLE_S_${scope}`],
    )
  }
  await sql('alter table user_roles enable trigger user')
}
