import { z } from 'zod'
import { read } from '../../shared/contract.ts'
import { defineErrors } from '../../shared/errors.ts'
import * as f from '../../shared/fields.ts'
import { listQuery, pageWithSums, wholeRange } from '../../shared/listQuery.ts'
import { buyerEndpoints } from './buyersContract.ts'
import { channelEndpoints } from './drillContract.ts'
import { equipmentEndpoints } from './equipmentContract.ts'
import { compare, figures, places } from './figures.ts'
import { goodsEndpoints } from './goodsContract.ts'
import { moneyEndpoints } from './moneyContract.ts'
import { salesGroups } from './rules.ts'
import { stockEndpoints } from './stockContract.ts'

export const reportErrors = defineErrors('reports', {
  tooManyHours: [422861, '按小时统计最多 92 天', 'By hour a report covers at most 92 days'],
  noProduct: [
    422862,
    '按小时或支付方式统计时不能选择商品',
    'By hour or way to pay a report is of all products',
  ],
})

export const salesFigures = Object.keys(figures) as (keyof typeof figures)[]

export const SalesRow = z.strictObject({
  id: z.string(),
  /** The day, or the first of the week or month; empty in a report by something else. */
  createTime: f.day.nullable(),
  name: z.string(),
  rtuNumber: z.string().nullable(),
  /** Machines that sold something; unknown by week, hour and way to pay. */
  deviceNum: f.count.nullable(),
  ...figures,
  /** What the row is of, for its orders. */
  orgId: f.id.nullable(),
  deviceId: f.id.nullable(),
})
export type SalesRow = z.infer<typeof SalesRow>
export const SalesSums = z.strictObject(figures)
export type SalesSums = z.infer<typeof SalesSums>

const Point = z.strictObject({
  key: z.string(),
  name: z.string(),
  orderTotal: f.count,
  turnover: f.signedFen,
  refundAmount: f.signedFen,
})
const salesFilters = {
  groupBy: z.enum(salesGroups).default('DAY'),
  ...places,
  /** Of orders of several products what falls to this one. */
  productId: f.id.optional(),
  compare,
}

export const dataReports = {
  sales: read('sales-report:read', {
    path: '/reports/sales',
    summary: 'Sales by day, machine, organisation and more, the last 30 days when none are given',
    export: 'sales-report:export',
    errors: [reportErrors.tooManyHours, reportErrors.noProduct],
    input: listQuery(
      salesFilters,
      ['usual', 'createTime', 'name', 'deviceNum', ...salesFigures],
      'usual',
    ),
    output: pageWithSums(SalesRow, SalesSums),
  }),
  salesSummary: read('sales-report:read', {
    path: '/reports/sales/summary',
    summary: 'Sums of the sales report, those of the period before, and its chart',
    heavy: true,
    errors: [reportErrors.tooManyHours, reportErrors.noProduct],
    input: z.strictObject(salesFilters).superRefine(wholeRange),
    output: z.strictObject({
      asOf: f.instant,
      from: f.day,
      to: f.day,
      sums: SalesSums,
      before: SalesSums.extend({ from: f.day, to: f.day }).nullable(),
      /** By time in its order; by something else the largest ones. */
      points: z.array(Point),
      /** Of a report by time, in the places of `points`. */
      beforePoints: z.array(Point).nullable(),
    }),
  }),
  ...goodsEndpoints,
  ...channelEndpoints,
  ...equipmentEndpoints,
  ...moneyEndpoints,
  ...stockEndpoints,
  ...buyerEndpoints,
}
