import type { Domain } from '../../server/domain.ts'
import { drugControl } from './contract.ts'
import { locale } from './locale.ts'
import { screens } from './screens.ts'

/** Which drug may be sold where, and what becomes of what may not. */
export const domain = {
  contract: drugControl,
  handlers: async () => (await import('./server/verbs.ts')).handlers,
  locale,
  standing: async () => (await import('./server/standing.ts')).standings,
  screens,
  topics: {
    duties: { rights: ['near-expiry:read'] },
    excursions: { rights: ['near-expiry:read'], watched: ['temperature_excursions'] },
  },
  jobs: async (app) => (await import('./server/jobs.ts')).registerDrugJobs(app),
} satisfies Domain<typeof drugControl>
