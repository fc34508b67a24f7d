import type { Domain } from '../../server/domain.ts'
import { expiry } from './contract.ts'
import { locale } from './locale.ts'
import { screens } from './screens.ts'

/** Goods near their date or past it: who is told, and what became of them. */
export const domain = {
  contract: expiry,
  handlers: async () => (await import('./server/verbs.ts')).handlers,
  locale,
  standing: async () => (await import('./server/standing.ts')).standings,
  screens,
  topics: { expiry: { rights: ['near-expiry:read'], watched: ['expiry_items'] } },
  jobs: async (app) => (await import('./server/jobs.ts')).registerExpiryJobs(app),
} satisfies Domain<typeof expiry>
