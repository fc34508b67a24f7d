import { randomUUID } from 'node:crypto'
import { picture, rowId } from '../../support/world.ts'
import { byRow, type DomainSamples, fresh, missingId, own, versionOf } from './kit.ts'

const fields = () => ({
  batchNo: randomUUID().slice(0, 8),
  producedOn: '2026-01-01',
  expiresOn: '2028-01-01',
  report: picture('OWN'),
})
const another = (world: Parameters<typeof fresh>[0], status = 'NORMAL') =>
  fresh(
    world,
    `insert into batches (org_id, product_id, supplier_id, batch_no, produced_on, expires_on,
      status, recall_level, recalled_at)
    values (3, ${own}, ${own}, '${randomUUID().slice(0, 8)}', '2026-01-01', '2028-01-01',
      '${status}', 'I', now())`,
  )

/** Rows of batches stand after those of their suppliers (suppliers.ts). */
export const batches: DomainSamples = {
  pathIds: { 'batches id': { ...byRow, shared: true } },
  fieldIds: { supplierId: { own: (where) => rowId(where, 1), none: missingId, shared: true } },
  samples: {
    'batches.create': async () => ({ ...fields(), productId: own, supplierId: own }),
    'batches.update': async (world) => ({
      id: own,
      version: await versionOf(world, 'batches', own),
      ...fields(),
    }),
    'batches.recall': async (world) => ({
      id: await another(world),
      version: 1,
      level: 'I',
      reason: '异物',
    }),
    'batches.unrecall': async (world) => ({
      id: await another(world, 'RECALLED'),
      version: 1,
      reason: '误报',
    }),
    'batches.addCodes': async () => ({ id: own, codes: [randomUUID()] }),
  },
}
