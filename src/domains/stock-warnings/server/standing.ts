import { sql } from 'kysely'
import { type Ctx, visible } from '../../../server/context.ts'
import { type Standing, standing } from '../../../server/standing.ts'
import { bi } from '../../../shared/text.ts'
import { stockWarnings } from '../contract.ts'
import { inUse, lossPerDay, warned } from './queries.ts'

const lanes = (ctx: Ctx, kind: string) =>
  standing(
    ctx.db,
    sql`select ${lossPerDay}, w.opened_at from ${warned} where w.closed_at is null
      and ${visible(ctx, 'w.org_id', 'w.device_id')} and ${inUse} and w.kind = ${kind}`,
  )
const same = {
  list: stockWarnings.list,
  page: '/stock/cordon_stock',
  act: ['stock-warning:update', 'replenish:create', 'replenish:update'],
  money: 'dashboard:money',
  per: 'DAY',
} as const

export const standings: readonly Standing[] = [
  {
    ...same,
    key: 'soldOutLanes',
    title: bi('售罄货道', 'Lanes sold out'),
    tone: 'soldOut',
    filter: () => ({ kind: 'SOLD_OUT' }),
    measure: (ctx) => lanes(ctx, 'SOLD_OUT'),
  },
  {
    ...same,
    key: 'lowLanes',
    title: bi('即将售罄货道', 'Lanes running low'),
    tone: 'warn',
    filter: () => ({ kind: 'LOW' }),
    // what it will lose when it is empty
    measure: (ctx) => lanes(ctx, 'LOW'),
  },
]
