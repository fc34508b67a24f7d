import type { Domain } from '../../server/domain.ts'
import { settings } from './contract.ts'
import { locale } from './locale.ts'
import { screens } from './screens.ts'

/** What the platform and each organisation have set. */
export const domain = {
  contract: settings,
  handlers: async () => (await import('./server/verbs.ts')).handlers,
  locale,
  screens,
  topics: { settings: { rights: ['setting:read'], shared: true } },
  jobs: async (app) => (await import('./server/jobs.ts')).registerSettingsJobs(app),
  open: {
    'usual.ts': 'what holds while nobody has set anything',
    'server/values.ts': 'what an organisation has set',
    'server/calendar.ts': 'on which days banks work',
  },
} satisfies Domain<typeof settings>
