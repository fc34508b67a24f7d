import type { Domain } from '../../server/domain.ts'
import { session } from './contract.ts'
import { locale } from './locale.ts'
import { screens } from './screens.ts'

/** Signing in, and who somebody is while he is signed in. */
export const domain = {
  contract: session,
  handlers: async () => (await import('./server/verbs.ts')).handlers,
  locale,
  screens,
  jobs: async (app) => (await import('./server/jobs.ts')).registerSessionJobs(app),
  open: {
    'server/identity.ts': 'who a phone is',
  },
} satisfies Domain<typeof session>
