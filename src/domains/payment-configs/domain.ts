import type { Domain } from '../../server/domain.ts'
import { paymentConfigs } from './contract.ts'
import { locale } from './locale.ts'
import { screens } from './screens.ts'

/** The companies that receive money, their keys and terms. */
export const domain = {
  contract: paymentConfigs,
  handlers: async () => (await import('./server/verbs.ts')).handlers,
  jobs: async (app) => (await import('./server/jobs.ts')).registerConfigJobs(app),
  locale,
  screens,
  topics: { 'payment-configs': { rights: ['payment-config:read'] } },
} satisfies Domain<typeof paymentConfigs>
