import type { Domain } from '../../server/domain.ts'
import { reports } from './contract.ts'
import { locale } from './locale.ts'
import { screens } from './screens.ts'

/** The figures of the home page. */
export const domain = {
  contract: reports,
  handlers: async () => (await import('./server/verbs.ts')).handlers,
  locale,
  screens,
} satisfies Domain<typeof reports>
