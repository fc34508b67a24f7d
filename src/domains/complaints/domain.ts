import type { Domain } from '../../server/domain.ts'
import { complaints } from './contract.ts'
import { locale } from './locale.ts'
import { screens } from './screens.ts'

/** Complaints of customers and what became of them. */
export const domain = {
  contract: complaints,
  handlers: async () => (await import('./server/verbs.ts')).handlers,
  locale,
  standing: async () => (await import('./server/standing.ts')).standings,
  screens,
  topics: { complaints: { rights: ['complaint:read'] } },
  jobs: async (app) => (await import('./server/jobs.ts')).registerComplaintJobs(app),
} satisfies Domain<typeof complaints>
