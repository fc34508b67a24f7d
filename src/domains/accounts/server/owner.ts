import { type Ctx, found, visible } from '../../../server/context.ts'
import { rowOf } from '../../../server/rows.ts'

/** The organisation that something new is given to: one the actor sees, and that is not disabled. */
export const newOwner = async (ctx: Ctx, orgId: number): Promise<{ id: number; kind: string }> =>
  found(
    await rowOf<{ id: number; kind: string }>(ctx.db)`select o.id, o.kind from organisations o
      where o.id = ${orgId} and o.status = 'ENABLED' and ${visible(ctx, 'o.id')}`,
  )
