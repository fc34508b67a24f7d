import { sql } from 'kysely'
import { visible } from '../../../server/context.ts'
import { type Standing, standing } from '../../../server/standing.ts'
import { bi } from '../../../shared/text.ts'
import { reconciliation } from '../contract.ts'

export const standings: readonly Standing[] = [
  {
    key: 'differences',
    title: bi('对账差异', 'Differences of the comparison'),
    tone: 'fault',
    list: reconciliation.differences,
    filter: () => ({ open: true }),
    page: '/finance/billing-details/reconciliation/differences',
    act: ['recon:resolve', 'recon:approve'],
    money: 'recon:read',
    per: 'ONCE',
    // of lanes and flows it is pieces that differ
    measure: (ctx) =>
      standing(
        ctx.db,
        sql`select case when d.part <> 'STOCK' then abs(d.local_amount - d.other_amount) end,
            d.created_at
          from reconciliation_differences d where ${visible(ctx, 'd.org_id', 'd.device_id')}
            and d.state in ('OPEN','HANDLING','REVIEW')`,
      ),
  },
]
