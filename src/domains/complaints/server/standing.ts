import { sql } from 'kysely'
import type { Ctx } from '../../../server/context.ts'
import { type Standing, standing } from '../../../server/standing.ts'
import { addDays, shanghaiDay, startOfDay } from '../../../shared/instants.ts'
import { bi } from '../../../shared/text.ts'
import { complaints } from '../contract.ts'
import { own } from './queries.ts'

const days = (now: Date) => ({ from: addDays(shanghaiDay(now), -365), to: shanghaiDay(now) })

/** Worth what the buyer paid and has not got back. */
const of = (ctx: Ctx, state: string) =>
  standing(
    ctx.db,
    sql`select (select o.paid_amount - o.refunded_amount from order_keys k
          join orders o on o.org_id = k.org_id and o.created_at = k.created_at and o.id = k.order_id
          where k.order_num = c.order_num and k.org_id = c.org_id), c.created_at
      from complaints c where ${own(ctx)} and c.state = ${state}
        and c.created_at >= ${startOfDay(days(ctx.now).from)}
        and c.created_at < ${startOfDay(addDays(days(ctx.now).to, 1))}`,
  )
const titles = {
  OPEN: bi('待受理投诉', 'Complaints nobody has taken'),
  HANDLING: bi('处理中投诉', 'Complaints in progress'),
} as const

export const standings: readonly Standing[] = (['OPEN', 'HANDLING'] as const).map((state) => ({
  key: `complaints${state}`,
  title: titles[state],
  tone: state === 'OPEN' ? 'warn' : 'paid',
  list: complaints.list,
  filter: (now) => ({ state, ...days(now) }),
  page: '/complaint/feedback',
  act: ['complaint:update', 'complaint:reply'],
  money: 'order:money',
  per: 'ONCE',
  measure: (ctx) => of(ctx, state),
}))
