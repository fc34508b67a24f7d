import type { Domain } from '../../server/domain.ts'
import { drugControl } from './contract.ts'
import { locale } from './locale.ts'
import { screens } from './screens.ts'

/** Which drug may be sold where, and what becomes of what may not. */
export const domain = {
  contract: drugControl,
  handlers: async () => (await import('./server/verbs.ts')).handlers,
  locale,
  screens,
} satisfies Domain<typeof drugControl>
