import type { Domain } from '../../server/domain.ts'
import { geo } from './contract.ts'
import { locale } from './locale.ts'

/** Maps and outlines of regions. */
export const domain = {
  contract: geo,
  handlers: async () => (await import('./server/verbs.ts')).handlers,
  locale,
} satisfies Domain<typeof geo>
