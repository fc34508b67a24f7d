import type { Domain } from '../../server/domain.ts'
import { suppliers } from './contract.ts'
import { locale } from './locale.ts'
import { screens } from './screens.ts'

/** Who goods come from. */
export const domain = {
  contract: suppliers,
  handlers: async () => (await import('./server/verbs.ts')).handlers,
  locale,
  standing: async () => (await import('./server/standing.ts')).standings,
  screens,
  jobs: async (app) => (await import('./server/jobs.ts')).registerSupplierJobs(app),
  topics: { suppliers: { rights: ['supplier:read'] } },
} satisfies Domain<typeof suppliers>
