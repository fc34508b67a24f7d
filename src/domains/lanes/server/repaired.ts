import type { Ctx } from '../../../server/context.ts'
import * as q from './queries.ts'

/** A lane whose last fault was handled, or that has dispensed in a test, sells again. */
export async function releaseRepairedLanes(ctx: Ctx, laneIds: readonly number[]): Promise<void> {
  await q.lockLanes(ctx, laneIds)
  await q.enableRepaired(ctx, laneIds)
}
