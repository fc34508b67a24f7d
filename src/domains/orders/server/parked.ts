import { sql } from 'kysely'
import { type Ctx, visible } from '../../../server/context.ts'
import { rowsOf } from '../../../server/rows.ts'
import { type Unit, writeEvents } from './rows.ts'
import { settle, writeCases } from './settle.ts'

/**
 * What a machine said of a piece that the books had put back (it acknowledged the void, or a person
 * said that nothing left) waits in its case until its lane is counted: a piece that the count misses
 * is the one that left, and money follows as if the machine had said so in time.
 */
export type Parked = {
  caseId: number
  laneId: number
  cmdId: string
  saidAt: Date
  orgId: number
  at: Date
  id: number
  unitId: number
  /** The piece waits for nothing else: it was not vended again meanwhile. */
  whole: boolean
}
/** Of the count of a lane: what is missing beyond what the books say, and when it was counted. */
export type Missing = { laneId: number; countedAt: Date; missing: number }

export const parkedIn = async (ctx: Ctx, laneIds: readonly number[]): Promise<Parked[]> =>
  laneIds.length
    ? rowsOf<Parked>(ctx.db)`
      select c.id as "caseId", c.lane_id as "laneId", c.cmd_id as "cmdId", c.created_at as "saidAt",
        u.org_id as "orgId", u.created_at as at, u.order_id as id, u.id as "unitId",
        u.attempt = v.attempt and u.vend_state in ('VOID','FAILED') and u.hold = 'RELEASED' as whole
      from order_cases c join lanes l on l.id = c.lane_id and l.org_id = c.org_id
      join vend_commands v on v.cmd_id = c.cmd_id
      join order_units u on u.org_id = v.org_id and u.created_at = v.order_at and u.id = v.unit_id
      where c.lane_id = any(${[...laneIds]}::bigint[]) and c.kind = 'UNKNOWN_RESULT'
        and c.state <> 'DONE' and ${visible(ctx, 'c.org_id', 'c.device_id')}
      order by c.created_at, c.id`
    : []

/**
 * Settles them by what the counts found, with orders and lanes held; answers how many pieces of each
 * lane left for their orders, which are no loss of the count.
 */
export async function settleParked(
  ctx: Ctx,
  parked: readonly Parked[],
  counts: readonly Missing[],
  units: readonly Unit[],
): Promise<Map<number, number>> {
  const left = new Map<number, number>()
  const sold: { one: Parked; at: Date }[] = []
  const twice: Unit[] = []
  const denied: Unit[] = []
  const over: number[] = []
  for (const { laneId, countedAt, missing } of counts) {
    let rest = missing
    const own = parked.filter((one) => one.laneId === laneId && one.saidAt <= countedAt)
    // of one that was vended again a second piece left, which stays a loss
    for (const one of [...own.filter((o) => o.whole), ...own.filter((o) => !o.whole)]) {
      over.push(one.caseId)
      const unit = units.find(({ id }) => id === one.unitId)
      if (rest > 0 && one.whole) {
        sold.push({ one, at: countedAt })
        left.set(laneId, (left.get(laneId) ?? 0) + 1)
      } else if (unit) (rest > 0 ? twice : denied).push(unit)
      rest -= 1
    }
  }
  if (!over.length) return left
  await settle(
    ctx,
    sold.map(({ one, at }) => ({
      cmdId: one.cmdId,
      at: ctx.now,
      movedAt: at,
      what: { kind: 'counted' },
    })),
  )
  await writeCases(
    ctx,
    twice.map((unit) => ({ unit, kind: 'DOUBLE_SHIPPED' })),
  )
  const events = denied.map((unit) => ({ unit, kind: 'LATE_DENIED', at: ctx.now, data: {} }))
  writeEvents(ctx, events, ctx.actor.username)
  ctx.later(sql`update order_cases set state = 'DONE', handled_at = ${ctx.now},
    handled_by = ${ctx.actor.userId} where id = any(${over}::bigint[])`)
  ctx.touch('orders', parked)
  return left
}
