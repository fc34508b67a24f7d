import { type Ctx, found, may, owns } from '../../../server/context.ts'
import { common, Refusal } from '../../../shared/errors.ts'
import { delivers } from '../../accounts/rules.ts'
import { knowsCost } from '../../products/server/cost.ts'
import type { BatchRow } from '../contract.ts'
import * as q from './queries.ts'

/** What it cost is known to whoever may know it, and to whoever sold it. */
export function shown(ctx: Ctx, row: q.Row): BatchRow {
  // who sees some machines only would stop the batch in some lanes only
  const owned = owns(ctx, row.orgId) && ctx.actor.scope.devices === null
  const sold = !owned && delivers(ctx.actor.home)
  return {
    ...row,
    costPrice: sold || knowsCost(ctx, row.orgId) ? row.costPrice : null,
    can: {
      update: owned && may(ctx, 'batch:update'),
      delete: owned && may(ctx, 'batch:delete') && row.loadedQty === 0 && row.returnedQty === 0,
      recall: owned && may(ctx, 'batch:recall'),
      codes: owned && may(ctx, 'trace-code:create'),
    },
  }
}
export const get = async (ctx: Ctx, id: number) => shown(ctx, found(await q.row(ctx, id)))
/** One of an organisation above, or of a customer, can be seen but not changed. */
export async function getOwn(ctx: Ctx, id: number): Promise<BatchRow> {
  const row = await get(ctx, id)
  if (!owns(ctx, row.orgId) || ctx.actor.scope.devices) throw new Refusal(common.forbidden)
  return row
}
