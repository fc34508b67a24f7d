import { sql } from 'kysely'
import { type Standing, standing } from '../../../server/standing.ts'
import { bi } from '../../../shared/text.ts'
import { suppliers } from '../contract.ts'
import { readable, stateOf } from './queries.ts'

const titles = {
  EXPIRED: bi('供应商资质已过期', 'Supplier licences that have ended'),
  SOON: bi('供应商资质即将到期', 'Supplier licences ending soon'),
} as const

export const standings: readonly Standing[] = (['EXPIRED', 'SOON'] as const).map((state) => ({
  key: `supplierLicences${state}`,
  title: titles[state],
  tone: state === 'EXPIRED' ? 'fault' : 'warn',
  list: suppliers.list,
  filter: () => ({ licenceState: state, status: 'ENABLED' }),
  page: '/product/supplier-batch',
  act: ['supplier:update'],
  money: null,
  per: 'ONCE',
  measure: (ctx) =>
    standing(
      ctx.db,
      sql`select null::bigint, case when ${state} = 'EXPIRED'
          then ((s.licence_until + 1)::timestamp at time zone 'Asia/Shanghai') end
        from suppliers s where ${readable(ctx)} and s.status = 'ENABLED'
          and s.licence_until is not null and ${stateOf(ctx)} = ${state}`,
    ),
}))
