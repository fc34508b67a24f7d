import type { Domain } from '../../server/domain.ts'
import { orderCleanups } from './contract.ts'
import { locale } from './locale.ts'
import { screens } from './screens.ts'

/** Test and dead orders out of lists and figures, and back. */
export const domain = {
  contract: orderCleanups,
  handlers: async () => (await import('./server/verbs.ts')).handlers,
  locale,
  screens,
} satisfies Domain<typeof orderCleanups>
