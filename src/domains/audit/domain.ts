import type { Domain } from '../../server/domain.ts'
import { audit } from './contract.ts'
import { locale } from './locale.ts'
import { screens } from './screens.ts'

/** The operation log, its chain and its checks. */
export const domain = {
  contract: audit,
  handlers: async () => (await import('./server/verbs.ts')).handlers,
  locale,
  screens,
  topics: {
    'log-checks': { rights: ['log:verify'] },
    'log-debug': { rights: ['log:debug'] },
    'online-users': { rights: ['user:read'] },
  },
  open: {
    'server/chain/seal.ts': 'the head of the chain, to name it elsewhere',
  },
  jobs: async (app) => (await import('./server/jobs.ts')).registerAuditJobs(app),
} satisfies Domain<typeof audit>
