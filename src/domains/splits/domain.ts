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
  topics: { splits: { rights: ['split:read', 'settlement:read'] } },
  open: {
    'server/note.ts': 'orders and payments say what happened to a sale',
    'web/SplitBlock.tsx': 'the page of an order says whose its money is',
    'server/send.ts': 'a bill of shares says what was paid after all',
    'server/returns.ts': 'a refund takes shares back with it where the channel does so',
  },
  jobs: async (app) => (await import('./server/jobs.ts')).registerSplitJobs(app),
} satisfies Domain<typeof splits>
