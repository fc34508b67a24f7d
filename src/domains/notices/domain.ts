import type { Domain } from '../../server/domain.ts'
import { notices } from './contract.ts'
import { locale } from './locale.ts'
import { screens } from './screens.ts'

/** Announcements and messages to people. */
export const domain = {
  contract: notices,
  handlers: async () => (await import('./server/verbs.ts')).handlers,
  locale,
  screens,
  topics: {
    messages: { rights: ['message:read'], shared: true },
    notices: { rights: ['notice:read'] },
  },
  jobs: async (app) => (await import('./server/jobs.ts')).registerNoticeJobs(app),
  open: {
    'server/notify.ts': 'the only writer of messages of the system',
  },
} satisfies Domain<typeof notices>
