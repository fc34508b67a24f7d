import type { Handlers } from '../../../server/bind.ts'
import { may } from '../../../server/context.ts'
import type { workbench } from '../contract.ts'
import { boardOf } from './board.ts'
import { linkHandlers } from './links.ts'
import { situation } from './situation.ts'

type H = Handlers<typeof workbench>

const bigData: H['bigData'] = (ctx) => boardOf(ctx, ctx.actor.orgId, may(ctx, 'dashboard:money'))

export const handlers: H = { situation, bigData, ...linkHandlers }
