import { z } from 'zod'
import { read } from '../../shared/contract.ts'
import * as f from '../../shared/fields.ts'
import { listQuery, pageWithSums, wholeRange } from '../../shared/listQuery.ts'
import { compare, figures, permille, places } from './figures.ts'
import { advices, goodsGroups, rankings } from './rules.ts'

const goods = {
  id: z.string(),
  name: z.string(),
  model: z.string(),
  categoryName: z.string(),
  /** Pieces that left; one that was given back later stays counted. */
  salesNum: f.count,
}
const rates = {
  /** What is left of the money, in permille; null without `product:cost` or without money. */
  margin: permille.nullable(),
  refundedPieces: f.count,
  /** Pieces given back of those paid, in permille. */
  refundRate: permille.nullable(),
  /** Machines and lanes that hold it now. */
  deviceCount: f.count,
  laneCount: f.count,
  /** Pieces a day. */
  dailySales: z.number(),
}
const ids = { productId: f.id.nullable(), deviceId: f.id.nullable() }
export const GoodsRow = z.strictObject({
  ...goods,
  rtuNumber: z.string().nullable(),
  ...figures,
  ...rates,
  ...ids,
})
export type GoodsRow = z.infer<typeof GoodsRow>
const { orderTotal: _orders, orderRefund: _refunds, ...money } = figures
/** An order of two products is one of each: their number is not a sum. */
export const GoodsSums = z.strictObject({ salesNum: f.count, refundedPieces: f.count, ...money })
export type GoodsSums = z.infer<typeof GoodsSums>

export const RankRow = z.strictObject({
  rank: f.count,
  img: z.string().meta({ unit: 'image' }),
  ...goods,
  /** Of what does not sell: where it lies. */
  rtuNumber: z.string().nullable(),
  turnover: f.signedFen,
  /** Of the turnover of all, in permille. */
  share: permille.nullable(),
  orderRefund: f.count,
  deviceCount: f.count,
  laneCount: f.count,
  stock: f.count,
  capacity: f.count,
  margin: permille.nullable(),
  dailySales: z.number(),
  /** Pieces a lane sells in a day. */
  laneSales: z.number().nullable(),
  advice: z.enum(advices).meta({ tones: { ADD_LANES: 'paid', REPLACE: 'warn', KEEP: 'closed' } }),
  productId: f.id.nullable(),
})
export type RankRow = z.infer<typeof RankRow>

const Bar = z.strictObject({
  name: z.string(),
  salesNum: f.count,
  turnover: f.signedFen,
  margin: permille.nullable(),
})
const goodsFilters = {
  groupBy: z.enum(goodsGroups).default('PRODUCT'),
  ...places,
  categoryId: f.id.optional(),
  productId: f.id.optional(),
  compare,
}
const rankFilters = {
  mode: z.enum(rankings).default('BEST'),
  ...places,
  categoryId: f.id.optional(),
  compare,
}
const period = { from: f.day, to: f.day }
const summary = z.strictObject({
  asOf: f.instant,
  ...period,
  sums: GoodsSums,
  before: GoodsSums.extend(period).nullable(),
  bars: z.array(Bar),
})

export const goodsEndpoints = {
  products: read('product-report:read', {
    path: '/reports/products',
    summary: 'Sales by product, category or product of a machine',
    export: 'product-report:export',
    input: listQuery(
      goodsFilters,
      [
        ...(['usual', 'name', 'salesNum', 'orderTotal', 'orderRefund', 'turnover'] as const),
        ...(['productCost', 'payAmount', 'refundAmount', 'profit', 'service'] as const),
        ...(['grossProfit', 'margin', 'refundedPieces', 'refundRate', 'laneCount'] as const),
        ...(['dailySales'] as const),
      ],
      'usual',
    ),
    output: pageWithSums(GoodsRow, GoodsSums),
  }),
  productsSummary: read('product-report:read', {
    path: '/reports/products/summary',
    summary: 'Sums of the products report, those of the period before, and its chart',
    heavy: true,
    input: z.strictObject(goodsFilters).superRefine(wholeRange),
    output: summary,
  }),
  ranking: read('best-selling:read', {
    path: '/reports/best-selling-products',
    summary: 'What sells best, or lies in lanes and does not sell',
    export: 'best-selling:export',
    input: listQuery(
      rankFilters,
      [
        ...([
          'rank',
          'name',
          'salesNum',
          'turnover',
          'share',
          'orderRefund',
          'deviceCount',
        ] as const),
        ...(['laneCount', 'stock', 'margin', 'dailySales', 'laneSales'] as const),
      ],
      'rank',
    ),
    output: pageWithSums(RankRow, GoodsSums),
  }),
  rankingSummary: read('best-selling:read', {
    path: '/reports/best-selling-products/summary',
    summary: 'Sums of the ranking, those of the period before, and its chart',
    heavy: true,
    input: z.strictObject(rankFilters).superRefine(wholeRange),
    output: summary,
  }),
}
