import type { Domain } from '../../server/domain.ts'
import { splitReceivers } from './contract.ts'
import { locale } from './locale.ts'
import { screens } from './screens.ts'

/** Who is paid shares of sales by the channel. */
export const domain = {
  contract: splitReceivers,
  handlers: async () => (await import('./server/verbs.ts')).handlers,
  locale,
  screens,
  topics: { 'split-receivers': { rights: ['receiver:read'] } },
  jobs: async (app) => (await import('./server/jobs.ts')).registerReceiverJobs(app),
} satisfies Domain<typeof splitReceivers>
