import type { Domain } from '../../server/domain.ts'
import { payments } from './contract.ts'

/** Payment channels and their word. */
export const domain = {
  contract: payments,
  handlers: async () => (await import('./server/verbs.ts')).handlers,
  open: {
    'server/receive.ts': 'who tells of money',
    'server/providers.ts': 'a refund that is asked for again under its number',
    'server/fees.ts': 'a bill corrects what its channel took',
    'server/fetchBill.ts': 'a bill is asked for in one way',
    'server/funds.ts': 'what moved on an account, which the daily comparison reads',
    'server/splitBills.ts': 'what was paid on to receivers, which the daily comparison reads',
    'server/bills.ts': 'bills of channels, which the daily comparison reads',
    'server/trial.ts': 'whether a merchant would be paid',
    'server/takeIn.ts': 'money that a bill names is taken in as if its channel had told us',
  },
  jobs: async (app) => (await import('./server/jobs.ts')).registerPaymentJobs(app),
} satisfies Domain<typeof payments>
