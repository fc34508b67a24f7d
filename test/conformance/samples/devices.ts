import type { World } from '../../support/world.ts'
import { freshDevice } from './boards.ts'
import { byRow, type DomainSamples, own, versionOf } from './kit.ts'

const standing = async (world: World, lifecycle: string): Promise<number> => {
  const id = await freshDevice(world)
  const closed = lifecycle === 'SCRAPPED' ? ', board_no = null, card = null' : ''
  await world.sql(`update devices set lifecycle = $2${closed} where id = $1`, [id, lifecycle])
  return id
}

/**
 * Leaving service and coming back, and sales stopped for many; the rest of devices stands in
 * samples.ts.
 */
export const devices: DomainSamples = {
  fieldIds: {
    'devices storeId': byRow,
    'devices tagIds': byRow,
    'devices on': byRow,
    'devices off': byRow,
  },
  samples: {
    'devices.retire': async (world) => {
      const id = await standing(world, 'PAUSED')
      const [row] = await world.sql<{ rtu_number: string }>(
        'select rtu_number from devices where id = $1',
        [id],
      )
      return {
        id,
        version: await versionOf(world, 'devices', id),
        to: 'SCRAPPED',
        reason: '测试',
        confirmNumber: row?.rtu_number,
      }
    },
    'devices.restore': async (world) => {
      const id = await standing(world, 'SCRAPPED')
      return { id, version: await versionOf(world, 'devices', id), reason: '测试' }
    },
    'devices.tagMany': async (world) => ({
      ids: [await standing(world, 'OPERATING')],
      on: [own],
      off: [],
    }),
    'devices.pauseMany': async (world) => ({
      ids: [await standing(world, 'OPERATING')],
      reason: '测试',
    }),
  },
}
