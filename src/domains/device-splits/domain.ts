import type { Domain } from '../../server/domain.ts'
import { deviceSplits } from './contract.ts'
import { locale } from './locale.ts'
import { screens } from './screens.ts'

/** Which strategy counts for the sales of which machine. */
export const domain = {
  contract: deviceSplits,
  handlers: async () => (await import('./server/verbs.ts')).handlers,
  locale,
  screens,
  topics: { 'device-splits': { rights: ['split:read'] } },
  open: {
    'server/counting.ts': 'orders name the version that counts when they are made',
  },
} satisfies Domain<typeof deviceSplits>
