import type { Domain } from '../../server/domain.ts'
import { users } from './contract.ts'
import { locale } from './locale.ts'
import { screens } from './screens.ts'

/** People with an account, their departments and forgotten passwords. */
export const domain = {
  contract: users,
  handlers: async () => (await import('./server/verbs.ts')).handlers,
  locale,
  screens,
  topics: {
    departments: { rights: ['department:read'] },
    'password-resets': { rights: ['user:reset-password'] },
    users: { rights: ['user:read'] },
  },
  jobs: async (app) => (await import('./server/jobs.ts')).registerUserJobs(app),
  importer: async () => (await import('./server/importer.ts')).userImporter,
  open: {
    'server/firstPasswords.ts': 'passwords made for somebody else',
  },
} satisfies Domain<typeof users>
