import type { Domain } from '../../server/domain.ts'

/** Accounts and vouchers: where money stands. */
export const domain = {
  open: {
    'server/post.ts': 'the only writer of vouchers',
    'server/owed.ts': 'balances and withdrawals say what may be had',
  },
} satisfies Domain
