import { z } from 'zod'
import { read } from '../../shared/contract.ts'
import * as f from '../../shared/fields.ts'
import {
  keyword,
  listQuery,
  pageWithSums,
  rangeFields,
  wholeRange,
} from '../../shared/listQuery.ts'
import { fundsEndpoints } from './fundsContract.ts'
import { ledgerEndpoints } from './ledgerContract.ts'
import { dimensions } from './rules.ts'
import { statementEndpoints } from './statementContract.ts'

const filters = {
  dimension: z.enum(dimensions).default('ORG'),
  ...rangeFields,
  orgId: f.id.optional(),
  deviceId: f.id.optional(),
  payType: z.enum(['WECHAT', 'ALIPAY', 'CARD', 'CASH', 'BALANCE']).optional(),
  provider: z.enum(['SIMULATOR', 'WECHAT', 'ALIPAY']).optional(),
  /** Refunds and fees count on the day of their order, else on their own. */
  byOrder: z.boolean().default(false),
  keyword,
}

const figures = {
  price: f.fen,
  refundment: f.fen,
  /** What the channel keeps. */
  servicePrice: f.signedFen,
  /** What is left of the price; less than nothing when older sales were refunded. */
  gathering: f.signedFen,
  orderCount: f.count,
  refundOrderCount: f.count,
  /** Of it, what waits to be split and what parties were given. */
  pendingSplit: f.signedFen,
  splitAmount: f.signedFen,
  /** Given to the organisation of the reader. */
  ownShare: f.signedFen,
}
export const BillRow = z.strictObject({
  id: z.string(),
  name: z.string(),
  identifier: z.string(),
  ...figures,
  /** Today is not over: fees are estimated. */
  unsettled: z.boolean(),
  /** What the row is of, for its orders. */
  orgId: f.id.nullable(),
  deviceId: f.id.nullable(),
  day: f.day.nullable(),
})
export type BillRow = z.infer<typeof BillRow>
export const BillSums = z.strictObject(figures)
export type BillSums = z.infer<typeof BillSums>

export const billing = {
  bills: read('billing:read', {
    path: '/finance/bills',
    summary:
      'Income by organisation, machine, merchant or day, the last 30 days when no range is given',
    export: 'billing:export',
    input: listQuery(
      filters,
      ['usual', 'identifier', 'name', ...(Object.keys(figures) as (keyof typeof figures)[])],
      'usual',
    ),
    output: pageWithSums(BillRow, BillSums),
  }),
  summary: read('billing:read', {
    path: '/finance/bills/summary',
    summary: 'The sums of a bill',
    heavy: true,
    input: z.strictObject(filters).superRefine(wholeRange),
    output: BillSums.extend({ from: f.day, to: f.day }),
  }),
  ...ledgerEndpoints,
  ...fundsEndpoints,
  ...statementEndpoints,
}
