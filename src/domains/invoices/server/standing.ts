import { sql } from 'kysely'
import { visible } from '../../../server/context.ts'
import { type Standing, standing } from '../../../server/standing.ts'
import { bi } from '../../../shared/text.ts'
import { invoices } from '../contract.ts'

const titles = {
  PENDING: bi('待审核发票', 'Invoices to review'),
  ISSUING: bi('待开具发票', 'Invoices to issue'),
} as const

export const standings: readonly Standing[] = (['PENDING', 'ISSUING'] as const).map((state) => ({
  key: `invoices${state}`,
  title: titles[state],
  tone: 'paid',
  list: invoices.list,
  filter: () => ({ state }),
  page: '/finance/invoice-enterprise',
  act: state === 'PENDING' ? ['invoice:approve'] : ['invoice:issue'],
  money: 'invoice:read',
  per: 'ONCE',
  measure: (ctx) =>
    standing(
      ctx.db,
      sql`select i.amount, i.created_at from invoices i
        where ${visible(ctx, 'i.org_id')} and i.state = ${state}`,
    ),
}))
