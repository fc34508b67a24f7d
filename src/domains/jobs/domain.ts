import type { Domain } from '../../server/domain.ts'
import { jobs } from './contract.ts'
import { locale } from './locale.ts'
import { screens } from './screens.ts'

/** Exports, imports, and the console of background work. */
export const domain = {
  contract: jobs,
  handlers: async () => (await import('./server/verbs.ts')).handlers,
  locale,
  screens,
  topics: { 'job-console': { rights: ['job-console:read'] } },
  open: {
    'server/exports.ts': 'what may be exported may be had at times',
    'server/kept.ts': 'and stands among the downloads',
  },
  jobs: async (app) => (await import('./server/jobs.ts')).registerJobJobs(app),
} satisfies Domain<typeof jobs>
