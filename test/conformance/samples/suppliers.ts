import { randomUUID } from 'node:crypto'
import { picture, place, rowId } from '../../support/world.ts'
import { byRow, type DomainSamples, fresh, own, versionOf } from './kit.ts'

const name = () => `供${randomUUID().slice(0, 8)}`
const phone = '13800138000'
const licence = picture('OWN')

export const suppliers: DomainSamples = {
  rows: (where) => ({
    suppliers: { id: rowId(where, 1), org_id: place[where], name: `供${where}`, phone },
  }),
  pathIds: { 'suppliers id': byRow },
  samples: {
    'suppliers.create': async () => ({ name: name(), phone, licence }),
    'suppliers.update': async (world) => ({
      id: own,
      version: await versionOf(world, 'suppliers', own),
      name: name(),
      phone,
      licence,
    }),
    'suppliers.remove': async (world) => ({
      id: await fresh(
        world,
        `insert into suppliers (org_id, name, phone) values (3, '${name()}', '${phone}')`,
      ),
      version: 1,
    }),
  },
}
