import type { Domain } from '../../server/domain.ts'
import { alerts } from './contract.ts'
import { locale } from './locale.ts'
import { screens } from './screens.ts'

/** What goes wrong at machines: rules, alerts, and the channels that tell somebody. */
export const domain = {
  contract: alerts,
  handlers: async () => (await import('./server/verbs.ts')).handlers,
  locale,
  standing: async () => (await import('./server/standing.ts')).standings,
  screens,
  topics: {
    'alert-channels': { rights: ['alarm-rule:read'] },
    'alert-rules': { rights: ['alarm-rule:read'] },
    alerts: { rights: ['alarm:read'] },
  },
  jobs: async (app) => (await import('./server/jobs.ts')).registerAlertJobs(app),
  open: {
    'server/left.ts': 'what ends with an owner',
    'server/mail.ts': 'mail leaves through the server that an organisation has',
    'server/recipients.ts': 'and to addresses that said yes',
    'server/outbox.ts': 'and within what it may send in a day',
  },
} satisfies Domain<typeof alerts>
