import type { Domain } from '../../server/domain.ts'
import { withdrawals } from './contract.ts'
import { locale } from './locale.ts'
import { screens } from './screens.ts'

/** Money that organisations take out: asked for, agreed to, and paid once. */
export const domain = {
  contract: withdrawals,
  handlers: async () => (await import('./server/verbs.ts')).handlers,
  jobs: async (app) => (await import('./server/jobs.ts')).registerWithdrawalJobs(app),
  locale,
  standing: async () => (await import('./server/standing.ts')).standings,
  screens,
  topics: { withdrawals: { rights: ['withdrawal:read'] } },
  open: {
    'server/pay.ts': 'what a channel says of a transfer wakes who asks it',
  },
} satisfies Domain<typeof withdrawals>
