import type { Handlers } from '../../../server/bind.ts'
import type { stock } from '../contract.ts'
import * as q from './queries.ts'

type Contract = typeof stock

const flows: Handlers<Contract>['flows'] = async (ctx, input) => {
  const { rows: list, total } = await q.flowPage(ctx, input)
  return { list, total, sums: await q.flowSums(ctx, input) }
}

export const handlers: Handlers<Contract> = { flows }
