import type { Domain } from '../../server/domain.ts'
import { stock } from './contract.ts'
import { locale } from './locale.ts'
import { screens } from './screens.ts'

/** Every movement of goods. */
export const domain = {
  contract: stock,
  handlers: async () => (await import('./server/verbs.ts')).handlers,
  locale,
  screens,
  topics: { stock: { rights: ['stock-flow:read'], watched: ['stock_flows'] } },
  open: {
    'errors.ts': 'why goods cannot be put in',
    'expiry.ts': 'when goods must not be loaded any more',
    'server/move.ts': 'the only writer of what a lane holds',
  },
} satisfies Domain<typeof stock>
