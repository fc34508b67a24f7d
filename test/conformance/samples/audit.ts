import { randomUUID } from 'node:crypto'
import { logId, place, rowId, worldNow } from '../../support/world.ts'
import { type DomainSamples, fresh, missingId } from './kit.ts'

export const audit: DomainSamples = {
  // a log row, and a recording with the same id
  pathIds: { 'operation-logs id': { own: (where) => logId(where), none: missingId } },
  samples: {
    'audit.verify': async (world) => {
      await world.sql(`update log_checks set state = 'FAILED' where state in ('WAITING','RUNNING')`)
      return {}
    },
    'audit.debug': async () => ({ module: 'orders', minutes: 5 }),
    'audit.stopDebug': async (world) => ({
      id: await fresh(
        world,
        `insert into log_debug_sessions (org_id, module, created_at, until)
          values (1, 'orders', '${worldNow.toISOString()}',
            '${worldNow.toISOString()}'::timestamptz + interval '1 hour')`,
      ),
    }),
    'audit.kick': async (world) => {
      const id = randomUUID()
      await world.sql(
        `insert into sessions (id, token_hash, user_id, org_id, ip, user_agent, created_at,
          last_seen_at, expires_at)
          values ($1, $2, $3, $4, '', '', $5, $5, $5::timestamptz + interval '1 day')`,
        [id, Buffer.from(id), rowId('OWN', 1), place.OWN, worldNow],
      )
      return { ids: [id] }
    },
  },
}
