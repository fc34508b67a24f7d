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
    'errors.ts': 'why goods cannot be moved',
    'expiry.ts': 'when goods are not sold any more',
    'server/goods.ts': 'locks that the goods in a lane are the reason of',
    'server/move.ts': 'the only writer of what a lane holds',
    'server/recalledList.ts': 'what machines know of recalls',
  },
} satisfies Domain<typeof stock>
