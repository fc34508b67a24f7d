import { z } from 'zod'
import { read } from '../../shared/contract.ts'
import { defineErrors } from '../../shared/errors.ts'
import * as f from '../../shared/fields.ts'
import { listQuery, page, pageWithSums, rangeFields, wholeRange } from '../../shared/listQuery.ts'
import { compare } from './figures.ts'

export const moneyErrors = defineErrors('reports.money', {
  tooManyDays: [422871, '按日统计最多 92 天', 'By day this report covers at most 92 days'],
})

export const moneyGroups = ['DAY', 'MONTH', 'MERCHANT', 'ORG'] as const
export type MoneyGroup = (typeof moneyGroups)[number]
/** Whether money was compared with the bills of its channels, and what came of it. */
export const billStates = ['UNCOMPARED', 'BALANCED', 'DIFFERENT', 'HANDLED'] as const
export const billDifferenceKinds = [
  ...(['LOCAL_ONLY', 'CHANNEL_ONLY', 'AMOUNT', 'STATUS', 'FEE', 'DUPLICATE'] as const),
  ...(['BILL_LINE'] as const),
] as const

/** Cleaned orders and tests included: their money moved, and stands in the bills of channels. */
const money = {
  payCount: f.count,
  payAmount: f.signedFen,
  refundAmount: f.signedFen,
  service: f.signedFen,
  /** Of what was paid, by IC cards. */
  cardAmount: f.signedFen,
  /** Given to parties less taken back, and what of it the reader's own organisation was given. */
  splitAmount: f.signedFen,
  ownShare: f.signedFen,
  /** Paid less refunds, fees and what others were given. */
  netIncome: f.signedFen,
}
/** Of bills alone; null where the filter is by something that no bill says. */
const billed = {
  /** What our books say of the days and merchants whose bills were compared: payments less refunds. */
  systemAmount: f.signedFen.nullable(),
  billAmount: f.signedFen.nullable(),
  /** Ours less theirs. */
  gap: f.signedFen.nullable(),
}
export const moneyFigures = Object.keys({ ...money, ...billed }) as (
  | keyof typeof money
  | keyof typeof billed
)[]
export const MoneyRow = z.strictObject({
  id: z.string(),
  /** The day or the first of the month; empty in a report by something else. */
  createTime: f.day.nullable(),
  name: z.string(),
  ...money,
  ...billed,
  openDifferences: f.count,
  billState: z.enum(billStates).meta({
    tones: { UNCOMPARED: 'locked', BALANCED: 'success', DIFFERENT: 'fault', HANDLED: 'closed' },
  }),
  orgId: f.id.nullable(),
})
export type MoneyRow = z.infer<typeof MoneyRow>
export const MoneySums = z.strictObject({ ...money, ...billed, openDifferences: f.count })
export type MoneySums = z.infer<typeof MoneySums>

export const BillDifferenceRow = z.strictObject({
  id: f.id,
  day: f.day,
  kind: z.enum(billDifferenceKinds),
  orgName: z.string(),
  provider: z.string(),
  rtuNumber: z.string().nullable(),
  /** Number of the channel or of our refund. */
  subject: z.string(),
  orderNum: z.string().nullable(),
  localAmount: f.signedFen,
  otherAmount: f.signedFen,
  gap: f.signedFen,
  handled: z.enum(['OPEN', 'REVIEW', 'CLOSED']).meta({
    tones: { OPEN: 'fault', REVIEW: 'warn', CLOSED: 'success' },
  }),
  reason: z.string(),
})
export type BillDifferenceRow = z.infer<typeof BillDifferenceRow>

const moneyFilters = {
  /** Left out: by day, or by month where there are too many. */
  groupBy: z.enum(moneyGroups).optional(),
  ...rangeFields,
  orgId: f.id.optional(),
  provider: z.enum(['SIMULATOR', 'WECHAT', 'ALIPAY']).optional(),
  payType: z.enum(['WECHAT', 'ALIPAY', 'CARD', 'CASH', 'BALANCE']).optional(),
  compare,
}
const period = { from: f.day, to: f.day }

export const moneyEndpoints = {
  financial: read('financial-data:read', {
    path: '/reports/financial',
    summary: 'Money by day, month, merchant or organisation beside the bills of channels',
    export: 'financial-data:export',
    errors: [moneyErrors.tooManyDays],
    input: listQuery(
      moneyFilters,
      ['usual', 'createTime', 'name', 'openDifferences', ...moneyFigures],
      'usual',
    ),
    output: pageWithSums(MoneyRow, MoneySums),
  }),
  financialSummary: read('financial-data:read', {
    path: '/reports/financial/summary',
    summary: 'Sums of the financial report, those of the period before, and its chart',
    heavy: true,
    errors: [moneyErrors.tooManyDays],
    input: z.strictObject(moneyFilters).superRefine(wholeRange),
    output: z.strictObject({
      asOf: f.instant,
      ...period,
      sums: MoneySums,
      before: MoneySums.extend(period).nullable(),
      points: z.array(
        z.strictObject({
          key: z.string(),
          name: z.string(),
          payAmount: f.signedFen,
          netIncome: f.signedFen,
        }),
      ),
      beforePoints: z.array(f.signedFen).nullable(),
      /** Days on which money moved, those of them whose bills were compared, and those that differ. */
      days: z.strictObject({ money: f.count, compared: f.count, different: f.count }),
    }),
  }),
  financialDifferences: read('financial-data:read', {
    path: '/reports/financial/differences',
    summary: 'Trades in which the books and the bill of a channel differ',
    export: 'financial-data:export',
    input: listQuery(
      {
        kind: z.enum(billDifferenceKinds).optional(),
        handled: z.enum(['OPEN', 'REVIEW', 'CLOSED']).optional(),
        provider: moneyFilters.provider,
        orgId: f.id.optional(),
        ...rangeFields,
      },
      ['day'],
      '-day',
    ),
    output: page(BillDifferenceRow),
  }),
}
