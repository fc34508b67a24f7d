import { type Ctx, may, owns } from '../../../server/context.ts'
import { trades } from '../../accounts/rules.ts'

/** Whether he may know what a product of this organisation costs. */
export const knowsCost = (ctx: Pick<Ctx, 'actor'>, orgId: number): boolean =>
  may(ctx, 'product:cost') && (owns(ctx, orgId) || trades(ctx.actor.home))
