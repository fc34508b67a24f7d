import type { Domain } from '../../server/domain.ts'
import { releases } from './contract.ts'
import { locale } from './locale.ts'
import { screens } from './screens.ts'

/** What runs on machines: versions of apps and firmware, signed elsewhere, let out in stages. */
export const domain = {
  contract: releases,
  handlers: async () => (await import('./server/verbs.ts')).handlers,
  jobs: async (app) => (await import('./server/jobs.ts')).registerReleaseJobs(app),
  locale,
  screens,
  topics: { releases: { rights: ['apk:read', 'firmware:read'], shared: true } },
  open: {
    'manifest.ts': 'what a machine believes, and who signs it',
    'server/document.ts': 'what a machine should do about a release',
    'server/words.ts': 'what machines say about releases',
    'server/download.ts': 'the bytes of a release, for machines',
  },
} satisfies Domain<typeof releases>
