import type { Domain } from '../../server/domain.ts'
import { security } from './contract.ts'
import { locale } from './locale.ts'
import { screens } from './screens.ts'

/** What should not happen and did. */
export const domain = {
  contract: security,
  handlers: async () => (await import('./server/verbs.ts')).handlers,
  locale,
  screens,
  topics: { security: { rights: ['security:read'] } },
  open: {
    'server/raise.ts': 'the only writer of security events',
  },
} satisfies Domain<typeof security>
