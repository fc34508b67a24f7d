import { type Ctx, may, owns } from '../../../server/context.ts'
import { delivers, trades } from '../../accounts/rules.ts'

/** Whether he may know what a product of this organisation costs; a supplier says so of his own. */
export const knowsCost = (ctx: Pick<Ctx, 'actor'>, orgId: number): boolean =>
  may(ctx, 'product:cost')
    ? owns(ctx, orgId) || trades(ctx.actor.home)
    : owns(ctx, orgId) && delivers(ctx.actor.home)
