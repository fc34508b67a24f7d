import type { Domain } from '../../server/domain.ts'
import { orderSupplements } from './contract.ts'
import { locale } from './locale.ts'
import { screens } from './screens.ts'

/** The one list of what went wrong with payments and pieces, and how it is put right. */
export const domain = {
  contract: orderSupplements,
  handlers: async () => (await import('./server/verbs.ts')).handlers,
  locale,
  standing: async () => (await import('./server/standing.ts')).standings,
  screens,
} satisfies Domain<typeof orderSupplements>
