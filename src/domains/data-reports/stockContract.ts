import { z } from 'zod'
import { read } from '../../shared/contract.ts'
import { defineErrors } from '../../shared/errors.ts'
import * as f from '../../shared/fields.ts'
import { listQuery, pageWithSums, wholeRange } from '../../shared/listQuery.ts'
import { compare, permille, places } from './figures.ts'

export const stockErrors = defineErrors('reports.stock', {
  tooOld: [422872, '只能统计最近两年的库存', 'Stock is told of the last two years'],
  batchesNow: [422873, '按批次只能查看当前库存', 'By batch only the present stock is told'],
})

export const stockGroups = ['DEVICE', 'PRODUCT', 'CATEGORY', 'BATCH'] as const
export type StockGroup = (typeof stockGroups)[number]

/** Pieces may be less than nothing where the books do not explain what was counted. */
const pieces = z.number().int()
/** What came and went between the two ends of the period; unknown of batches. */
const flow = {
  opening: pieces.nullable(),
  replenished: f.count.nullable(),
  taken: f.count.nullable(),
  withdrawn: f.count.nullable(),
}
const held = {
  laneCount: f.count,
  capacity: f.count,
  /** At the end of the last day, or now. */
  stock: pieces,
  /** Of the present alone. */
  reserved: f.count.nullable(),
  failedHold: f.count.nullable(),
  sellable: f.count.nullable(),
  /** At what it costs to buy, null without `product:cost`, and at what lanes ask for it. */
  costAmount: f.signedFen.nullable(),
  retailAmount: f.signedFen.nullable(),
  /** Pieces whose batch ends within 30 days. */
  expiring: f.count,
  /** Hours in which lanes were sold out. */
  outHours: z.number(),
}
export const StockRow = z.strictObject({
  id: z.string(),
  name: z.string(),
  rtuNumber: z.string().nullable(),
  model: z.string(),
  batchNo: z.string().nullable(),
  ...held,
  fullRate: permille.nullable(),
  dailySales: z.number().nullable(),
  /** How long it lasts at what left a day. */
  daysLeft: z.number().nullable(),
  ...flow,
  deviceId: f.id.nullable(),
  productId: f.id.nullable(),
})
export type StockRow = z.infer<typeof StockRow>
export const StockSums = z.strictObject({ ...held, ...flow })
export type StockSums = z.infer<typeof StockSums>
export const stockFigures = Object.keys({ ...held, ...flow }) as (
  | keyof typeof held
  | keyof typeof flow
)[]

const stockFilters = {
  groupBy: z.enum(stockGroups).default('DEVICE'),
  ...places,
  categoryId: f.id.optional(),
  productId: f.id.optional(),
  compare,
}
const period = { from: f.day, to: f.day }
const errors = [stockErrors.tooOld, stockErrors.batchesNow]

export const stockEndpoints = {
  inventory: read('inventory-report:read', {
    path: '/reports/inventory',
    summary: 'Stock at the end of a period, and what came and went in it',
    export: 'inventory-report:export',
    errors,
    input: listQuery(
      stockFilters,
      ['usual', 'name', ...stockFigures, 'fullRate', 'dailySales', 'daysLeft'],
      'usual',
    ),
    output: pageWithSums(StockRow, StockSums),
  }),
  inventorySummary: read('inventory-report:read', {
    path: '/reports/inventory/summary',
    summary: 'Sums of the inventory report, those of the period before, and stock by day',
    heavy: true,
    errors,
    input: z.strictObject(stockFilters).superRefine(wholeRange),
    output: z.strictObject({
      asOf: f.instant,
      ...period,
      sums: StockSums,
      before: StockSums.extend(period).nullable(),
      points: z.array(
        z.strictObject({ day: f.day, stock: pieces, replenished: f.count, left: f.count }),
      ),
    }),
  }),
}
