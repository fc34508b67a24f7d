import type { Domain } from '../../server/domain.ts'
import { replenishment } from './contract.ts'
import { locale } from './locale.ts'
import { screens } from './screens.ts'

/** Visits of people who fill machines: what they counted, put in and took out. */
export const domain = {
  contract: replenishment,
  handlers: async () => (await import('./server/verbs.ts')).handlers,
  locale,
  screens,
  topics: { replenishment: { rights: ['replenish:read'] } },
  jobs: async (app) => (await import('./server/jobs.ts')).registerReplenishmentJobs(app),
} satisfies Domain<typeof replenishment>
