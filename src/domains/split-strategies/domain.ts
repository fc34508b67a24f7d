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
} satisfies Domain<typeof splitStrategies>
