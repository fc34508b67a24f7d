import type { Domain } from '../../server/domain.ts'
import { machines } from './contract.ts'
import { locale } from './locale.ts'

/** Machines as choices of every screen; what they say, and what the gateway knows of them. */
export const domain = {
  contract: machines,
  handlers: async () => (await import('./server/verbs.ts')).handlers,
  locale,
  topics: { shadows: { rights: ['device:read', 'lane:read'], watched: ['device_shadows'] } },
  jobs: async (app) => (await import('./server/jobs.ts')).registerMachineJobs(app),
  open: {
    'server/counters.ts': 'what device_states says about lanes',
    'server/identity.ts':
      'how a machine proves itself, at the gateway and where it loads a release',
    'server/secret.ts': 'how a secret is made and kept',
    'server/events.ts': 'the only writer of what the platform knows about a machine',
    'server/shadows.ts': 'the only writer of what a machine should have',
  },
} satisfies Domain<typeof machines>
