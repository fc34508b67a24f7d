import { type Alias, known, pick } from '../../server/alias.ts'
import { billing } from '../billing/contract.ts'
import { wholeYear } from './products.ts'

export const billAliases: readonly Alias[] = [
  {
    method: 'GET',
    path: '/finance-billing-details',
    async answer(call, given, now) {
      const { list, total } = await call(billing.bills, wholeYear(known(billing.bills, given), now))
      const rows = list.map((row) =>
        pick(row, 'name', 'identifier', 'price', 'refundment', 'servicePrice', 'gathering'),
      )
      return { list: rows, total }
    },
  },
]
