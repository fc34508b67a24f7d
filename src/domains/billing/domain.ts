import type { Domain } from '../../server/domain.ts'
import { billing } from './contract.ts'
import { locale } from './locale.ts'
import { screens } from './screens.ts'

/** The page of money: what came in, whose it is, when it arrives. */
export const domain = {
  contract: billing,
  handlers: async () => (await import('./server/verbs.ts')).handlers,
  jobs: async (app) => (await import('./server/jobs.ts')).registerBillingJobs(app),
  locale,
  screens,
  topics: { ledger: { rights: ['ledger:read', 'account:read'] } },
  open: {
    'server/statements.ts': 'whose statements somebody may have',
    'server/statementFor.ts': 'statements that come by themselves',
    'server/statementFile.ts': 'statements are files of the API',
    'web/Tabs.tsx': 'tabs of the page of money that other domains fill',
    'server/keep.ts': 'figures of bills, kept in the transactions that move money',
  },
} satisfies Domain<typeof billing>
