import { randomUUID } from 'node:crypto'
import { picture, place, rowId, type World } from '../../support/world.ts'
import { byRow, type DomainSamples, fresh, missingId, own, type Source } from './kit.ts'

const shared: Source = { own: (where) => rowId(where, 1), none: missingId, shared: true }
const person = () => ({
  realName: '王五',
  phone: '13800138000',
  consumerPhone: '400-830-1866',
  address: '科技路1号',
  regionCode: '440300',
  departmentId: own,
})
const lowest = async ({ sql }: World): Promise<number> =>
  Number((await sql<{ id: number }>(`select id from roles where code = 'ROLE_NOTHING'`))[0]?.id)

/** Somebody below the actor; `serving` with machines. */
async function newcomer(world: World, serving = false): Promise<number> {
  const id = await fresh(
    world,
    `insert into users (org_id, username, password_hash, real_name)
      values (${place.OWN}, 'u-${randomUUID().slice(0, 12)}', 'x', '员')`,
  )
  if (serving)
    await world.sql(
      `insert into roles (org_id, code, name, name_en, rank, data_scope)
        values (1, 'ROLE_C_SERVING', 'ROLE_C_SERVING', 'x', 1, 'ASSIGNED_DEVICES')
        on conflict do nothing`,
    )
  await world.sql(
    'insert into user_roles (user_id, role_id, org_id) select $1, id, $2 from roles where code = $3',
    [id, place.OWN, serving ? 'ROLE_C_SERVING' : 'ROLE_NOTHING'],
  )
  return id
}
const department = (world: World) =>
  fresh(
    world,
    `insert into departments (org_id, name) values (${place.OWN}, '部${randomUUID().slice(0, 8)}')`,
  )
const name = () => `部${randomUUID().slice(0, 8)}`

export const users: DomainSamples = {
  pathIds: { 'organ-users id': byRow, 'departments id': byRow, 'password-resets id': byRow },
  fieldIds: {
    'organ-users deviceIds': byRow,
    'organ-users departmentId': byRow,
    'organ-users roleIds': shared,
    'departments parentId': byRow,
  },
  samples: {
    'users.create': async (world) => ({
      ...person(),
      username: `u-${randomUUID().slice(0, 12)}`,
      password: 'Zebra-crossing7',
      repeat: 'Zebra-crossing7',
      orgId: place.OWN,
      roleIds: [await lowest(world)],
      avatar: picture('OWN'),
    }),
    'users.update': async (world) => ({
      ...person(),
      id: await newcomer(world),
      version: 1,
      avatar: picture('OWN'),
    }),
    'users.setPharmacist': async (world) => ({
      id: await newcomer(world),
      licenceNo: `PH${Math.random().toString().slice(2, 14)}`,
      validUntil: '2100-01-01',
    }),
    'users.setStatus': async (world) => ({ id: await newcomer(world), status: 'DISABLED' }),
    'users.batchStatus': async (world) => ({
      ids: [await newcomer(world), await newcomer(world)],
      status: 'DISABLED',
    }),
    'users.setRoles': async (world) => {
      const id = await newcomer(world)
      await world.sql('insert into user_roles (user_id, role_id, org_id) values ($1, $2, 3)', [
        id,
        own,
      ])
      return { id, version: 1, roleIds: [await lowest(world), own] }
    },
    'users.batchRoles': async (world) => ({
      ids: [await newcomer(world)],
      roleIds: [await lowest(world)],
    }),
    'users.setDevices': async (world) => ({ id: await newcomer(world, true), deviceIds: [own] }),
    'users.resetPassword': async (world) => ({ id: await newcomer(world) }),
    'users.logout': async (world) => ({ id: await newcomer(world) }),
    'users.unbindWechat': async (world) => {
      const id = await newcomer(world)
      await world.sql(
        `insert into wechat_bindings (user_id, org_id, openid, nickname) values ($1, 3, $2, '微')`,
        [id, randomUUID()],
      )
      return { id }
    },
    'users.resetFactor': async (world) => {
      const id = await newcomer(world)
      await world.sql(
        `insert into second_factors (user_id, org_id, secret, confirmed_at, created_at)
          values ($1, 3, 'x', now(), now())`,
        [id],
      )
      return { id }
    },
    'users.remove': async (world) => ({ id: await newcomer(world), version: 1 }),
    'users.createDepartment': async () => ({
      orgId: place.OWN,
      parentId: own,
      name: name(),
      sort: 1,
    }),
    'users.updateDepartment': async (world) => ({
      id: await department(world),
      version: 1,
      parentId: own,
      name: name(),
      sort: 2,
    }),
    'users.removeDepartment': async (world) => ({ id: await department(world) }),
    'users.rejectReset': async (world) => ({
      id: await fresh(
        world,
        `insert into password_resets (org_id, user_id, method)
          values (${place.OWN}, ${await newcomer(world)}, 'ADMIN')`,
      ),
      reason: '本人未申请',
    }),
  },
}
