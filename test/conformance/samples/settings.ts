import { logId, place, worldNow } from '../../support/world.ts'
import type { DomainSamples } from './kit.ts'

export const settings: DomainSamples = {
  rows: (where) => ({
    operation_logs: {
      id: logId(where) + 1000,
      org_id: place[where],
      created_at: worldNow,
      username: `员${where}`,
      level: 'INFO',
      action: 'settings.save',
      content: 'x',
      resource_id: String(place[where]),
      before: JSON.stringify({ 'order.maxPieces': { value: `值${where}` } }),
      after: JSON.stringify({ 'order.maxPieces': { value: 6 } }),
      ip_address: '',
      request_id: 'x',
    },
  }),
  samples: {
    'settings.save': async (world) => {
      const [row] = await world.sql<{ version: number }>(
        `select version from settings where org_id = 3 and key = 'order.maxPieces'`,
      )
      return {
        orgId: place.OWN,
        changes: [
          {
            key: 'order.maxPieces',
            value: 20 + Math.floor(Math.random() * 12),
            version: row?.version ?? 0,
          },
        ],
      }
    },
    'settings.reset': async (world) => {
      await world.sql(
        `insert into settings (org_id, key, value) values (3, 'home.refresh', '"h1"')
          on conflict do nothing`,
      )
      return { key: 'home.refresh', orgId: place.OWN, version: 1 }
    },
    'settings.notifyTest': async () => ({}),
    'settings.importCalendar': async () => ({
      year: 2030,
      days: [{ day: '2030-01-01', type: 'HOLIDAY', name: '元旦' }],
    }),
  },
}
