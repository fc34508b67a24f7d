import type { Domain } from '../../server/domain.ts'
import { batches } from './contract.ts'
import { locale } from './locale.ts'
import { screens } from './screens.ts'

/** Batches of goods, their recall, and the trace codes of their boxes. */
export const domain = {
  contract: batches,
  handlers: async () => (await import('./server/verbs.ts')).handlers,
  locale,
  screens,
  topics: { batches: { rights: ['batch:read'], shared: true } },
  jobs: async (app) => (await import('./server/jobs.ts')).registerBatchJobs(app),
  importer: async () => (await import('./server/importer.ts')).importers,
} satisfies Domain<typeof batches>
