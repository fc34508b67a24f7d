import { randomUUID } from 'node:crypto'
import { place, rowId } from '../../support/world.ts'
import { byRow, type DomainSamples, fresh, own, versionOf } from './kit.ts'

const name = () => `名${randomUUID().slice(0, 8)}`

export const deviceTags: DomainSamples = {
  rows: (where) => ({
    device_tags: { id: rowId(where, 1), org_id: place[where], name: `名${where}`, tone: 'BLUE' },
  }),
  pathIds: { 'device-tags id': byRow },
  samples: {
    'deviceTags.create': async () => ({ name: name(), tone: 'BLUE' }),
    'deviceTags.update': async (world) => ({
      id: own,
      version: await versionOf(world, 'device_tags', own),
      name: name(),
      tone: 'RED',
    }),
    'deviceTags.remove': async (world) => ({
      id: await fresh(world, `insert into device_tags (org_id, name) values (3, '${name()}')`),
      version: 1,
    }),
  },
}
