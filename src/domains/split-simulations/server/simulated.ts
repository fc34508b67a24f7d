import { setImmediate as breathe } from 'node:timers/promises'
import type { Db } from '../../../server/database.ts'
import { rowsOf } from '../../../server/rows.ts'
import { shanghaiDay } from '../../../shared/instants.ts'
import type { SimulationResult } from '../contract.ts'
import { type Replay, replay, type Side, type Sold } from '../replay.ts'
import { limits } from '../rules.ts'
import { type Asked, nextPieces, type Piece } from './queries.ts'

/** What a simulation was asked about, as its row keeps it. */
export type Kept = Asked & {
  sides: { before: Side; after: Side }
  scope: { laneIds: number[]; categoryIds: number[]; deviceIds: number[] }
}

type Of = { readonly orgId: number; readonly strategyId: number; readonly input: Kept }
/** Divides what was sold; `progress` may stop it by throwing. */
export async function simulated(
  db: Db,
  { orgId, strategyId, input }: Of,
  progress: (done: number) => Promise<void> = async () => {},
): Promise<{ result: SimulationResult; done: number }> {
  const { sides, scope, ...asked } = input
  const { feeBp, refundBp, priceBp } = asked
  const side = replay(sides.before, sides.after, orgId, { feeBp, refundBp, priceBp })
  const next = (after: Piece | null) => nextPieces(db, orgId, asked, scope, strategyId, after)
  const done = await sellAll(side, next, progress)
  const names = await rowsOf<{ id: number; name: string }>(db)`
    select id, rtu_number || ' ' || nickname as name from devices
    where id = any(${asked.deviceIds}::bigint[])`
  return { result: side.result(new Map(names.map(({ id, name }) => [id, name]))), done }
}

type Next = (after: Piece | null) => Promise<Piece[]>
/** Order by order; the pieces of one may lie in two slices. */
async function sellAll(
  side: Replay,
  next: Next,
  progress: (done: number) => Promise<void>,
): Promise<number> {
  let [done, after, open]: [number, Piece | null, Piece[]] = [0, null, []]
  const sell = () => {
    const [first] = open
    if (first?.at)
      side.sell(shanghaiDay(first.at), { orderNum: first.orderNum, units: open.map(asSold) })
    open = []
  }
  for (;;) {
    const pieces = await next(after)
    for (const piece of pieces) {
      if (open[0] && open[0].orderId !== piece.orderId) sell()
      open.push(piece)
    }
    after = pieces.at(-1) ?? null
    done += pieces.length
    if (!after || pieces.length < limits.slice) break
    await progress(done)
    await breathe()
  }
  sell()
  return done
}
const asSold = ({ refundedAt, ...piece }: Piece): Sold => ({
  ...piece,
  refundedOn: refundedAt && shanghaiDay(refundedAt),
})
