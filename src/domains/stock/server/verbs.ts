import type { Handlers } from '../../../server/bind.ts'
import { may } from '../../../server/context.ts'
import { answerOf } from '../../../server/lists.ts'
import { common, Refusal } from '../../../shared/errors.ts'
import type { stock } from '../contract.ts'
import * as q from './queries.ts'

type Contract = typeof stock

const flows: Handlers<Contract>['flows'] = async (ctx, input) => {
  if (input.traceCode && !may(ctx, 'trace-code:read')) throw new Refusal(common.forbidden)
  const { rows, ...found } = await q.flowPage(ctx, input)
  return { ...answerOf(found, rows), sums: await q.flowSums(ctx, input) }
}

export const handlers: Handlers<Contract> = { flows }
