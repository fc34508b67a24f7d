import type { Domain } from '../../server/domain.ts'
import { stockWarnings } from './contract.ts'
import { locale } from './locale.ts'
import { screens } from './screens.ts'

/** Lanes that run out: who is told, and from when on a lane counts as low. */
export const domain = {
  contract: stockWarnings,
  handlers: async () => (await import('./server/verbs.ts')).handlers,
  locale,
  standing: async () => (await import('./server/standing.ts')).standings,
  screens,
  open: {
    'server/replenishers.ts': 'who is told of the goods of a machine',
  },
  jobs: async (app) => (await import('./server/jobs.ts')).registerWarningJobs(app),
} satisfies Domain<typeof stockWarnings>
