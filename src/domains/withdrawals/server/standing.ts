import { sql } from 'kysely'
import { visible } from '../../../server/context.ts'
import { type Standing, standing } from '../../../server/standing.ts'
import { bi } from '../../../shared/text.ts'
import { withdrawals } from '../contract.ts'

export const standings: readonly Standing[] = [
  {
    key: 'pendingWithdrawals',
    title: bi('待审核提现', 'Withdrawals to review'),
    tone: 'warn',
    list: withdrawals.list,
    filter: () => ({ state: 'PENDING' }),
    page: '/finance/billing-details/withdrawals',
    act: ['withdrawal:approve'],
    money: 'withdrawal:read',
    per: 'ONCE',
    measure: (ctx) =>
      standing(
        ctx.db,
        sql`select w.amount, w.requested_at from withdrawals w
          where ${visible(ctx, 'w.org_id')} and w.state = 'PENDING'`,
      ),
  },
]
