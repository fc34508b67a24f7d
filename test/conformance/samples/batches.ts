import { randomUUID } from 'node:crypto'
import { picture, rowId, type World } from '../../support/world.ts'
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

/** Of the same organisation; the samples are sent by whoever holds everything. */
const somebodyElse = async ({ sql }: World): Promise<number> =>
  Number(
    (
      await sql<{ id: number }>(
        `select id from users where org_id = 3 and status = 'ENABLED' and username <> 'ROLE_FULL'
          order by id limit 1`,
      )
    )[0]?.id,
  )

/** Rows of batches stand after those of their suppliers (suppliers.ts). */
export const batches: DomainSamples = {
  pathIds: {
    'batches id': { ...byRow, shared: true },
    'recalls id': { ...byRow, shared: true },
    'trace-codes code': { own: (where) => `CODE-${where}`, none: 'CODE-OF-NOBODY', shared: true },
  },
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
      notice: picture('OWN'),
    }),
    'batches.unrecall': async (world) => ({
      id: await another(world, 'RECALLED'),
      version: 1,
      reason: '误报',
    }),
    'batches.remove': async (world) => ({ id: await another(world), version: 1 }),
    'batches.destroy': async (world) => {
      await world.sql('update batches set received_qty = 1000000 where id = $1', [own])
      return { id: own, qty: 1, witnessId: await somebodyElse(world), photos: [picture('OWN')] }
    },
    'batches.confirmEnd': async (world) => {
      const batchId = await another(world, 'RECALLED')
      const asker = await somebodyElse(world)
      const id = await fresh(
        world,
        `insert into recalls (org_id, batch_id, level, reason, recalled_at, due_at, asked_by,
          asked_at, end_reason)
        values (3, ${batchId}, 'I', '异物', now(), now(), ${asker}, now(), '误报')`,
      )
      return { id, version: 1, accept: true }
    },
    'batches.upload': async () => ({}),
    'batches.addCodes': async () => ({ id: own, codes: [randomUUID()] }),
  },
}
