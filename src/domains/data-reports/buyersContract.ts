import { z } from 'zod'
import { read } from '../../shared/contract.ts'
import * as f from '../../shared/fields.ts'
import { listQuery, page, rangeFields, wholeRange } from '../../shared/listQuery.ts'
import { compare, permille } from './figures.ts'

/** Nobody is named: what a channel calls a buyer is known by its last four characters. */
export const BuyerRow = z.strictObject({
  id: f.id,
  userName: z.string(),
  /** Of the last order, as the machine. */
  payType: z.enum(['WECHAT', 'ALIPAY', 'CARD', 'CASH', 'BALANCE', 'NONE']),
  firstOrderTime: f.instant,
  lastOrderTime: f.instant,
  /** Of all his orders at this organisation. */
  orderTotal: f.count,
  payAmount: f.fen,
  refundAmount: f.fen,
  orderRefund: f.count,
  machine: z.string(),
  rtuNumber: z.string().nullable(),
  orgName: z.string(),
})
export type BuyerRow = z.infer<typeof BuyerRow>

const figures = {
  /** Who bought, and who of them never had before. */
  buyers: f.count,
  newBuyers: f.count,
  /** Of who bought, those that had bought before the period, in permille. */
  returnRate: permille.nullable(),
  orderTotal: f.count,
  payAmount: f.signedFen,
  /** Paid for an order, of everybody's. */
  average: f.signedFen.nullable(),
}
export const BuyerSums = z.strictObject(figures)
export type BuyerSums = z.infer<typeof BuyerSums>

const buyerFilters = { ...rangeFields, orgId: f.id.optional() }
const period = { from: f.day, to: f.day }
export const buyerEndpoints = {
  buyers: read('user-data:read', {
    path: '/reports/users',
    summary: 'Buyers by their last order, masked; days that are over',
    export: 'user-data:export',
    input: listQuery(buyerFilters, ['lastOrderTime'], '-lastOrderTime'),
    output: page(BuyerRow),
  }),
  buyersTrend: read('user-data:read', {
    path: '/reports/users/trend',
    summary: 'How many bought, new and before, by day, and those of the period before',
    heavy: true,
    input: z.strictObject({ ...buyerFilters, compare }).superRefine(wholeRange),
    output: z.strictObject({
      /** Begin of the first day that is not added up. */
      asOf: f.instant,
      ...period,
      sums: BuyerSums,
      before: BuyerSums.extend(period).nullable(),
      points: z.array(z.strictObject({ day: f.day, newBuyers: f.count, returning: f.count })),
    }),
  }),
}
