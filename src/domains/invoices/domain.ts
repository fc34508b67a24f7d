import type { Domain } from '../../server/domain.ts'
import { invoices } from './contract.ts'
import { locale } from './locale.ts'
import { screens } from './screens.ts'

/** Invoices of what organisations collected. */
export const domain = {
  contract: invoices,
  handlers: async () => (await import('./server/verbs.ts')).handlers,
  jobs: async (app) => (await import('./server/jobs.ts')).registerInvoiceJobs(app),
  locale,
  standing: async () => (await import('./server/standing.ts')).standings,
  screens,
  open: {
    'server/reds.ts': 'a refund says that it happened',
  },
  topics: { invoices: { rights: ['invoice:read'] } },
} satisfies Domain<typeof invoices>
