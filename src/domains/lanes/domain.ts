import type { Domain } from '../../server/domain.ts'
import { lanes } from './contract.ts'
import { locale } from './locale.ts'
import { screens } from './screens.ts'

/** Lanes: goods, prices, plans, copies. */
export const domain = {
  contract: lanes,
  handlers: async () => (await import('./server/verbs.ts')).handlers,
  locale,
  screens,
  topics: {
    'lane-copies': { rights: ['lane:copy'] },
    lanes: { rights: ['lane:read'], watched: ['lanes'] },
  },
  jobs: async (app) => (await import('./server/jobs.ts')).registerLaneJobs(app),
  open: {
    'server/repaired.ts': 'which lanes sell again',
    'server/warnLevels.ts': 'from when on lanes count as low',
  },
} satisfies Domain<typeof lanes>
