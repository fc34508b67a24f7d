import type { Domain } from '../../server/domain.ts'
import { devices } from './contract.ts'
import { locale } from './locale.ts'
import { screens } from './screens.ts'

/** Machines: list, map, form, life. */
export const domain = {
  contract: devices,
  handlers: async () => (await import('./server/verbs.ts')).handlers,
  locale,
  standing: async () => (await import('./server/standing.ts')).standings,
  screens,
  topics: {
    devices: {
      rights: ['device:read', 'device:assign', 'dashboard:read'],
      watched: ['devices', 'device_states', 'device_faults'],
    },
  },
  jobs: async (app) => (await import('./server/places.ts')).registerDeviceJobs(app),
  importer: async () => (await import('./server/importer.ts')).deviceImporter,
} satisfies Domain<typeof devices>
