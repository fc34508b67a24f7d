import { sql } from 'kysely'
import { type Ctx, visible } from '../../../server/context.ts'
import { all } from '../../../server/lists.ts'
import { rowsOf } from '../../../server/rows.ts'
import { shape } from '../../../server/shapes.ts'
import type { Input } from '../../../shared/contract.ts'
import { addDays, shanghaiDay, startOfDay } from '../../../shared/instants.ts'
import { CleanupRow, type cleanupKinds, type orderCleanups } from '../contract.ts'

/** What orders of a kind are; each has an index that skips the sales between. */
const kinds: Readonly<Record<(typeof cleanupKinds)[number], ReturnType<typeof sql>>> = {
  TEST: sql`o.pay_state = 'PAID' and o.paid_amount = 0 and o.order_type = 'TEST'`,
  UNPAID: sql`o.order_status = 'UNPAID'`,
  CLOSED: sql`o.order_status = 'CLOSED'`,
  FREE: sql`o.pay_state = 'PAID' and o.paid_amount = 0 and o.order_type <> 'TEST'`,
  REFUNDED: sql`o.order_status = 'REFUNDED' and o.paid_amount > 0`,
}

type Filter = Pick<Input<typeof orderCleanups.list>, 'kind' | 'state' | 'deviceId' | 'from' | 'to'>
const conditions = (ctx: Ctx, { kind, state, deviceId, from, to }: Filter) => {
  const last = to ?? shanghaiDay(ctx.now)
  return [
    visible(ctx, 'o.org_id', 'o.device_id'),
    kinds[kind],
    state === 'CLEANED' ? sql`o.excluded` : sql`not o.excluded`,
    sql`o.created_at >= ${startOfDay(from ?? addDays(last, -6))}`,
    sql`o.created_at < ${startOfDay(addDays(last, 1))}`,
    deviceId && sql`o.device_id = ${deviceId}`,
  ]
}

const listed = shape(CleanupRow, ['orders', 'o'], {
  deviceNum: sql`o.rtu_number`,
  name: sql`o.device_name`,
  createTime: sql`o.created_at`,
  state: sql`case when o.excluded then 'CLEANED' else 'LISTED' end`,
  reason: sql`c.reason`,
  cleanedBy: sql`u.username`,
  cleanedAt: sql`c.created_at`,
})

export const list = (ctx: Ctx, input: Input<typeof orderCleanups.list>) =>
  listed.page(ctx.db, {
    from: sql`orders o
      left join lateral (select c.reason, c.created_at, c.user_id from order_cleanups c
        where o.excluded and c.org_id = o.org_id and c.order_id = o.id order by c.id desc limit 1) c on true
      left join users u on u.id = c.user_id`,
    countFrom: sql`orders o`,
    where: conditions(ctx, input),
    sort: { createTime: sql`o.created_at` },
    filled: ['createTime'],
    grows: true,
    last: sql`o.id`,
    input,
  })

/** Where an order lies, and what it came to. */
const key = sql`o.org_id as "orgId", o.created_at as at, o.id, o.total_amount as "totalAmount"`
type Key = { orgId: number; at: Date; id: number; totalAmount: number }

/** Orders of the filter that still count, one more than may be cleaned at once. */
export const fitting = (ctx: Ctx, filter: Omit<Filter, 'state'>, most: number) =>
  rowsOf<Key>(ctx.db)`select ${key} from orders o
    where ${all(conditions(ctx, { ...filter, state: 'LISTED' }))}
    order by o.created_at, o.id limit ${most + 1}`

/** Those of these numbers that the actor sees. */
export const named = (ctx: Ctx, numbers: readonly string[]) =>
  rowsOf<Key>(ctx.db)`select ${key} from order_keys k
    join orders o on o.org_id = k.org_id and o.created_at = k.created_at and o.id = k.order_id
    where k.order_num = any(${[...numbers]}::text[]) and ${visible(ctx, 'o.org_id', 'o.device_id')}`
