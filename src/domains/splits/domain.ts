import type { Domain } from '../../server/domain.ts'

/** Who is owed what of a sale. */
export const domain = {
  open: {
    'server/note.ts': 'orders and payments say what happened to a sale',
  },
  jobs: async (app) => (await import('./server/jobs.ts')).registerSplitJobs(app),
} satisfies Domain
