import type { Domain } from '../../server/domain.ts'
import { payoutAccounts } from './contract.ts'
import { locale } from './locale.ts'
import { screens } from './screens.ts'

/** Where organisations want their money. */
export const domain = {
  contract: payoutAccounts,
  handlers: async () => (await import('./server/verbs.ts')).handlers,
  locale,
  screens,
  topics: { 'payout-accounts': { rights: ['payout-account:read'] } },
  open: {
    'server/accounts.ts': 'what a withdrawal takes from an account',
  },
} satisfies Domain<typeof payoutAccounts>
