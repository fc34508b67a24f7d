import type { Handlers } from '../../../server/bind.ts'
import type { billing } from '../contract.ts'
import { adjustHandlers } from './adjust.ts'
import { accounts } from './funds.ts'
import { ledgerState, listEntries, voucherOf } from './ledger.ts'
import * as q from './queries.ts'
import { statementHandlers } from './statements.ts'

type Contract = typeof billing

export const handlers: Handlers<Contract> = {
  bills: (ctx, input) => q.bills(ctx, input, input),
  summary: async (ctx, input) => ({
    ...(await q.bills(ctx, input)).sums,
    ...q.rangeOf(ctx, input),
  }),
  entries: listEntries,
  voucher: (ctx, { voucherId }) => voucherOf(ctx, voucherId),
  ledgerState,
  accounts,
  ...adjustHandlers,
  ...statementHandlers,
}
