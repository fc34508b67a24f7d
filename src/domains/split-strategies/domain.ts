import type { Domain } from '../../server/domain.ts'
import { splitStrategies } from './contract.ts'
import { locale } from './locale.ts'
import { screens } from './screens.ts'

/** Who is owed what of the sales of an organisation: strategies and their versions. */
export const domain = {
  contract: splitStrategies,
  handlers: async () => (await import('./server/verbs.ts')).handlers,
  locale,
  screens,
  topics: { 'split-strategies': { rights: ['split-strategy:read'] } },
  open: {
    'server/content.ts': 'a simulation speaks for exactly what it was about',
    'server/queries.ts': 'versions and what their merchants take, as a simulation divides by them',
  },
} satisfies Domain<typeof splitStrategies>
