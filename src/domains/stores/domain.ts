import type { Domain } from '../../server/domain.ts'
import { stores } from './contract.ts'
import { locale } from './locale.ts'
import { screens } from './screens.ts'

/** Places where machines stand. */
export const domain = {
  contract: stores,
  handlers: async () => (await import('./server/verbs.ts')).handlers,
  locale,
  screens,
  topics: { stores: { rights: ['store:read'] } },
} satisfies Domain<typeof stores>
