import type { Domain } from '../../server/domain.ts'
import { splitSimulations } from './contract.ts'
import { locale } from './locale.ts'
import { screens } from './screens.ts'

/** What a version of a split strategy would have made of what was sold. */
export const domain = {
  contract: splitSimulations,
  handlers: async () => (await import('./server/verbs.ts')).handlers,
  jobs: async (app) => (await import('./server/jobs.ts')).registerSimulationJobs(app),
  locale,
  screens,
  topics: { 'split-simulations': { rights: ['split-strategy:simulate'] } },
} satisfies Domain<typeof splitSimulations>
