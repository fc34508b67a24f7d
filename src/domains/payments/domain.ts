import type { Domain } from '../../server/domain.ts'
import { payments } from './contract.ts'

/** Payment channels and their word. */
export const domain = {
  contract: payments,
  handlers: async () => (await import('./server/verbs.ts')).handlers,
  open: {
    'server/providers.ts': 'channels the refund job calls',
  },
} satisfies Domain<typeof payments>
