import type { Domain } from '../../server/domain.ts'
import { releases } from './contract.ts'
import { locale } from './locale.ts'
import { screens } from './screens.ts'

/** What runs on machines: versions of apps and firmware, signed elsewhere, let out in stages. */
export const domain = {
  contract: releases,
  handlers: async () => (await import('./server/verbs.ts')).handlers,
  locale,
  screens,
  topics: { releases: { rights: ['apk:read', 'firmware:read'], shared: true } },
  open: {
    'manifest.ts': 'what a machine believes, and who signs it',
  },
} satisfies Domain<typeof releases>
