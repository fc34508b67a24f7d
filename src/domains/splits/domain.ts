import type { Domain } from '../../server/domain.ts'
import { splits } from './contract.ts'
import { locale } from './locale.ts'
import { screens } from './screens.ts'

/** Who is owed what of a sale, and what became of it. */
export const domain = {
  contract: splits,
  handlers: async () => (await import('./server/verbs.ts')).handlers,
  locale,
  screens,
  topics: { splits: { rights: ['split:read'] } },
  open: {
    'server/note.ts': 'orders and payments say what happened to a sale',
    'server/timeline.ts': 'the timeline of an order says how its money went on',
    'server/owed.ts': 'a withdrawal takes what may be had',
  },
  jobs: async (app) => (await import('./server/jobs.ts')).registerSplitJobs(app),
} satisfies Domain<typeof splits>
