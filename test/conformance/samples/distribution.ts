import { place, rowId, type World } from '../../support/world.ts'
import { freshDevice } from './boards.ts'
import { byRow, type DomainSamples, fresh, own, versionOf } from './kit.ts'

const personOf = async ({ sql }: World, username: string): Promise<number> =>
  Number((await sql<{ id: number }>('select id from users where username = $1', [username]))[0]?.id)

export const distribution: DomainSamples = {
  pathIds: { 'devices assignmentId': byRow },
  fieldIds: { userIds: byRow, 'device-assignments userId': byRow },
  samples: {
    'distribution.transfer': async (world) => ({
      id: await freshDevice(world),
      version: 1,
      orgId: place.CHILD,
    }),
    'distribution.giveBack': async (world) => ({
      id: await freshDevice(world, place.CHILD),
      version: 1,
    }),
    'distribution.assign': async (world) => ({
      id: await freshDevice(world),
      kind: 'REPLENISHER',
      userIds: [await personOf(world, 'ROLE_RTU_REPLENISHER')],
    }),
    'distribution.unassign': async (world) => {
      const id = await freshDevice(world)
      return {
        id,
        assignmentId: await fresh(
          world,
          `insert into device_assignments (org_id, device_id, user_id, kind)
            values (3, ${id}, ${rowId('OWN', 1)}, 'REPLENISHER')`,
        ),
      }
    },
    'distribution.setStore': async (world) => ({
      id: own,
      version: await versionOf(world, 'devices', own),
      storeId: own,
    }),
    'distribution.assignMany': async (world) => ({
      deviceIds: [await freshDevice(world)],
      kind: 'STORE',
      storeId: own,
    }),
    'distribution.removeMany': async (world) => {
      const deviceIds = [await freshDevice(world)]
      await world.sql('update devices set store_id = $1 where id = any($2)', [
        own,
        [...deviceIds, own],
      ])
      return { deviceIds, kind: 'STORE' }
    },
  },
}
