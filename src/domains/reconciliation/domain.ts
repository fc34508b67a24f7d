import type { Domain } from '../../server/domain.ts'
import { reconciliation } from './contract.ts'
import { locale } from './locale.ts'
import { screens } from './screens.ts'

/** Whether orders, payments, refunds, stock, ledger and the bills of channels agree, day by day. */
export const domain = {
  contract: reconciliation,
  handlers: async () => (await import('./server/verbs.ts')).handlers,
  jobs: async (app) => (await import('./server/jobs.ts')).registerReconciliationJobs(app),
  locale,
  standing: async () => (await import('./server/standing.ts')).standings,
  screens,
  topics: { reconciliation: { rights: ['recon:read'] } },
} satisfies Domain<typeof reconciliation>
