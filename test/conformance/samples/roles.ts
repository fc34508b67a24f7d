import { randomUUID } from 'node:crypto'
import { place, type World } from '../../support/world.ts'
import { byRow, type DomainSamples, fresh, missingId, own, versionOf } from './kit.ts'

/** Built-in roles have the numbers of their order in the seed; the replenisher's follows. */
const operator = 4
const role = () => ({
  name: `角${randomUUID().slice(0, 8)}`,
  nameEn: '',
  description: '',
  dataScope: 'ORG_TREE',
  rank: 5,
  permissions: ['device:read'],
  menus: ['/device/device-list'],
})
const menu = () => ({
  parentId: null,
  name: `m${randomUUID().slice(0, 8)}`,
  title: '自建',
  titleEn: 'Own',
  sort: 990,
  path: '',
  icon: '',
  permission: null,
  hidden: false,
})
const freshMenu = async ({ sql }: World) => {
  const name = menu().name
  const [row] = await sql<{ id: number }>(
    `insert into menus (name, path, title_zh, title_en, sort)
      values ($1, '/' || $1, '组', 'Group', 991) returning id`,
    [name],
  )
  return { id: Number(row?.id), version: 1, name, path: `/${name}` }
}

export const roles: DomainSamples = {
  pathIds: {
    'roles id': { ...byRow, shared: true },
    // menus belong to everybody: no place has one that another has not
    'menus id': {
      own: (where) => (where === 'SIBLING' ? missingId : 1),
      none: missingId,
      shared: true,
    },
  },
  // roles of the organisations above are listed
  fieldIds: {
    'roles orgId': { own: (where) => place[where], none: missingId, shared: true },
    'roles ids': { ...byRow, shared: true },
    'role-distributions orgId': { own: (where) => place[where], none: missingId, shared: true },
  },
  samples: {
    'roles.create': async () => role(),
    'roles.update': async (world) => ({
      ...role(),
      id: own,
      version: await versionOf(world, 'roles', own),
    }),
    'roles.setStatus': async (world) => ({
      id: own,
      version: await versionOf(world, 'roles', own),
      status: 'ENABLED',
    }),
    'roles.copy': async () => ({ id: own, name: role().name }),
    'roles.restore': async (world) => ({
      id: operator,
      version: await versionOf(world, 'roles', operator),
    }),
    'roles.remove': async (world) => ({
      id: await fresh(
        world,
        `insert into roles (org_id, code, name, name_en, rank, data_scope)
          values (3, 'ROLE_C_${randomUUID().slice(0, 8).toUpperCase()}', '${role().name}', 'x', 5,
            'ORG_TREE')`,
      ),
    }),
    'roles.distribute': async (world) => {
      const [row] = await world.sql<{ version: number }>(
        'select version from role_distribution_limits where role_id = 4',
      )
      return {
        rows: [
          {
            roleId: operator,
            targets: [operator + 1],
            orgKinds: ['SUPPLIER'],
            maxUsers: 50,
            version: row?.version,
          },
        ],
      }
    },
    'roles.restoreDistribution': async () => ({}),
    'menus.create': async () => menu(),
    'menus.update': async (world) => {
      const { id, version, name, path } = await freshMenu(world)
      return { ...menu(), id, version, name, path }
    },
    'menus.setStatus': async (world) => {
      const { id, version } = await freshMenu(world)
      return { id, version, status: 'DISABLED' }
    },
    'menus.sort': async (world) => ({
      parentId: null,
      items: await world.sql(
        'select id::int, version from menus where parent_id is null order by sort desc, id',
      ),
    }),
    'menus.restore': async () => ({}),
    'menus.remove': async (world) => ({ id: (await freshMenu(world)).id }),
  },
}
