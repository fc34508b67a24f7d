import { randomUUID } from 'node:crypto'
import { place, rowId } from '../../support/world.ts'
import { byRow, type DomainSamples, fresh, own, versionOf } from './kit.ts'

const name = () => `店${randomUUID().slice(0, 8)}`

export const stores: DomainSamples = {
  rows: (where) => ({
    stores: {
      id: rowId(where, 1),
      org_id: place[where],
      store_name: `店${where}`,
      lng: 114,
      lat: 22,
    },
  }),
  pathIds: { 'stores id': byRow },
  fieldIds: { storeId: byRow, 'stores userId': byRow },
  samples: {
    'stores.create': async () => ({ storeName: name(), userId: own }),
    'stores.update': async (world) => ({
      id: own,
      version: await versionOf(world, 'stores', own),
      storeName: name(),
    }),
    'stores.remove': async (world) => ({
      id: await fresh(world, `insert into stores (org_id, store_name) values (3, '${name()}')`),
      version: 1,
    }),
  },
}
