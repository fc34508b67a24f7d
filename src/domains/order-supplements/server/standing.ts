import { sql } from 'kysely'
import { type Ctx, visible } from '../../../server/context.ts'
import { type Standing, standing } from '../../../server/standing.ts'
import { bi } from '../../../shared/text.ts'
import { caseKinds, orderSupplements } from '../contract.ts'
import { locale } from '../locale.ts'

const open = (ctx: Ctx, kind: string) =>
  standing(
    ctx.db,
    sql`select c.amount, c.created_at from order_cases c
      where ${visible(ctx, 'c.org_id', 'c.device_id')} and c.state <> 'DONE' and c.kind = ${kind}`,
  )
/** One for each kind: what is to be done differs. */
export const standings: readonly Standing[] = caseKinds.map((kind) => ({
  key: `case${kind}`,
  title: bi(locale.zh.enums.kind[kind], locale.en.enums.kind[kind]),
  tone: 'fault',
  list: orderSupplements.list,
  filter: () => ({ openOnly: true, kind }),
  page: '/order/order-details',
  act: ['order:supplement'],
  money: 'order:money',
  per: 'ONCE',
  measure: (ctx) => open(ctx, kind),
}))
