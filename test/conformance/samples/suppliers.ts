import { randomUUID } from 'node:crypto'
import { picture, place, rowId, worldNow } from '../../support/world.ts'
import { byRow, type DomainSamples, fresh, own, versionOf } from './kit.ts'

const name = () => `供${randomUUID().slice(0, 8)}`
const phone = '13800138000'
const licence = picture('OWN')

export const suppliers: DomainSamples = {
  rows: (where) => ({
    suppliers: { id: rowId(where, 1), org_id: place[where], name: `供${where}`, phone },
    batches: {
      id: rowId(where, 1),
      org_id: place[where],
      product_id: rowId(where, 1),
      supplier_id: rowId(where, 1),
      batch_no: `批${where}`,
      produced_on: '2026-11-01',
      expires_on: '2027-11-01',
    },
    recalls: {
      id: rowId(where, 1),
      org_id: place[where],
      batch_id: rowId(where, 1),
      level: 'I',
      reason: `因${where}`,
      recalled_at: worldNow,
      due_at: worldNow,
      ended_at: worldNow,
    },
    trace_codes: { code: `CODE-${where}`, org_id: place[where], batch_id: rowId(where, 1) },
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
