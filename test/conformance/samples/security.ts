import { randomUUID } from 'node:crypto'
import { byRow, type DomainSamples, fresh } from './kit.ts'

export const security: DomainSamples = {
  pathIds: { 'security-events id': byRow },
  fieldIds: {},
  samples: {
    'security.close': async (world) => ({
      id: await fresh(
        world,
        `insert into security_events (org_id, kind, subject, first_at, last_at)
          values (3, 'PAYMENT_MISMATCH', '${randomUUID()}', now(), now())`,
      ),
      version: 1,
      remark: '已核对',
    }),
  },
}
