import type { Domain } from '../../server/domain.ts'
import { files } from './contract.ts'
import { locale } from './locale.ts'

/** Pictures that people upload. */
export const domain = {
  contract: files,
  handlers: async () => (await import('./server/verbs.ts')).handlers,
  locale,
  jobs: async (app) => (await import('./server/jobs.ts')).registerFileJobs(app),
  open: {
    'server/pictures.ts': 'which pictures a record may name',
    'server/media.ts': 'pictures and films of advertisements come in here alone',
  },
} satisfies Domain<typeof files>
