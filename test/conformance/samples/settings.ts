import { place } from '../../support/world.ts'
import type { DomainSamples } from './kit.ts'

export const settings: DomainSamples = {
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
