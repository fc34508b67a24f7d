import type { Domain } from '../../server/domain.ts'
import { deviceCommands } from './contract.ts'
import { locale } from './locale.ts'

/** Orders to a machine: reboot, lock, query, test vend. */
export const domain = {
  contract: deviceCommands,
  handlers: async () => (await import('./server/verbs.ts')).handlers,
  locale,
  topics: { commands: { rights: ['device:read'] } },
  jobs: async (app) => (await import('./server/jobs.ts')).registerCommandJobs(app),
} satisfies Domain<typeof deviceCommands>
