import type { Domain } from '../../server/domain.ts'
import { referrers } from './contract.ts'
import { locale } from './locale.ts'
import { screens } from './screens.ts'

/** People who introduced a site or an operator. */
export const domain = {
  contract: referrers,
  handlers: async () => (await import('./server/verbs.ts')).handlers,
  jobs: async (app) => (await import('./server/jobs.ts')).registerReferrerJobs(app),
  locale,
  screens,
  open: {
    'server/people.ts': 'who is paid, by the name of his papers',
  },
  topics: { referrers: { rights: ['referrer:read'] } },
} satisfies Domain<typeof referrers>
