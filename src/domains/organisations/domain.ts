import type { Domain } from '../../server/domain.ts'
import { organisations } from './contract.ts'
import { locale } from './locale.ts'
import { screens } from './screens.ts'

/** The tree of organisations. */
export const domain = {
  contract: organisations,
  handlers: async () => (await import('./server/verbs.ts')).handlers,
  locale,
  screens,
  topics: { organisations: { rights: ['org:read'] } },
  importer: async () => (await import('./server/importer.ts')).organisationImporter,
} satisfies Domain<typeof organisations>
