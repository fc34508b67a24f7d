import { z } from 'zod'
import { read, write } from '../../shared/contract.ts'
import { defineErrors } from '../../shared/errors.ts'
import * as f from '../../shared/fields.ts'
import { listQuery, page } from '../../shared/listQuery.ts'
import { bi } from '../../shared/text.ts'
import { OrderRow, orderErrors, payTypes } from '../orders/contract.ts'

export const supplementErrors = defineErrors('orderSupplements', {
  lessThanPaid: [422124, '商品金额与支付金额不一致', 'The goods come to less than what was paid'],
  linesNeeded: [422125, '请选择机器、货道和商品', 'Choose the machine, its lanes and the products'],
  refundOnly: [422126, '该笔支付只能退款', 'This payment can only be given back'],
  noBill: [422127, '支付账单尚未生成，请稍后再试', 'There is no bill of this day yet'],
})

export const caseKinds = [
  'PAID_NOT_SENT',
  'UNMATCHED_PAYMENT',
  'REFUND_FAILED',
  'LATE_PAYMENT',
  'DUPLICATE_PAYMENT',
  'UNKNOWN_RESULT',
  'SHIPPED_AFTER_REFUND',
  'DOUBLE_SHIPPED',
] as const
export const caseStates = ['OPEN', 'HANDLING', 'DONE'] as const
/** What is proposed to a person. */
export const advices = ['SUPPLEMENT', 'ORDER', 'WAIT', 'COUNT', 'LOSS', 'NONE'] as const

export const CaseRow = z.strictObject({
  id: f.id,
  kind: z.enum(caseKinds),
  paymentId: f.id.nullable(),
  tradeNo: z.string().nullable(),
  orderNum: OrderRow.shape.orderNum.nullable(),
  deviceId: f.id.nullable(),
  deviceNum: z.string().nullable(),
  name: z.string().nullable(),
  amount: f.fen,
  payType: z.enum(payTypes).nullable(),
  paidAt: f.instant.nullable(),
  userName: z.string(),
  advice: z.enum(advices),
  state: z.enum(caseStates).meta({ tones: { OPEN: 'fault', HANDLING: 'paid', DONE: 'closed' } }),
  handledBy: z.string().nullable(),
  remark: z.string(),
  createTime: f.instant,
  can: z.strictObject({ supplement: z.boolean(), close: z.boolean() }),
})
export type CaseRow = z.infer<typeof CaseRow>

export const mostDays = 7
const days = ({
  dateFrom,
  dateTo,
}: {
  dateFrom?: string | undefined
  dateTo?: string | undefined
}) => (!dateFrom || !dateTo ? 0 : (Date.parse(dateTo) - Date.parse(dateFrom)) / 86_400_000)
export const CaseQuery = listQuery(
  {
    rtuNumber: z
      .string()
      .trim()
      .regex(/^[A-Za-z0-9]{4,20}$/, bi('机器编号格式错误', 'Not a machine number'))
      .optional(),
    dateFrom: f.day.optional(),
    dateTo: f.day.optional(),
    kind: z.enum(caseKinds).optional(),
    payType: z.enum(payTypes).optional(),
    tradeNo: z.string().trim().max(64).optional(),
    amount: f.fen.optional(),
    openOnly: z.boolean().optional(),
  },
  ['createTime', 'amount'],
  '-createTime',
)
  .refine((query) => query.rtuNumber || !(query.dateFrom || query.dateTo), {
    path: ['rtuNumber'],
    message: bi('请输入机器编号', 'Enter the machine number'),
  })
  .refine((query) => (query.dateFrom && query.dateTo) || !query.rtuNumber, {
    path: ['dateFrom'],
    message: bi('请选择日期', 'Choose the days'),
  })
  .refine((query) => days(query) < mostDays, {
    path: ['dateTo'],
    message: bi('日期范围最多 7 天', 'At most 7 days'),
  })

export const actions = ['VEND', 'REFUND'] as const
export const Supplement = z
  .strictObject({
    paymentIds: f
      .ids(bi('请选择支付', 'Choose payments'))
      .min(1, bi('请选择支付', 'Choose payments'))
      .max(20, bi('一次最多 20 笔', 'At most 20 at a time')),
    action: z.enum(actions, bi('请选择处理方式', 'Choose what to do')),
    /** What was bought, where nobody knows it. */
    lines: z
      .array(z.strictObject({ laneId: f.id, count: z.number().int().min(1).max(32) }))
      .min(1)
      .max(32)
      .optional(),
  })
  .refine(({ lines, paymentIds }) => !lines || paymentIds.length === 1, {
    path: ['lines'],
    message: bi('一次只能为一笔支付选择商品', 'Products are chosen for one payment at a time'),
  })

const Outcome = z.strictObject({
  done: z.array(z.strictObject({ paymentId: f.id, orderNum: OrderRow.shape.orderNum })),
  /** What could not be done, and why. */
  skipped: z.array(z.strictObject({ paymentId: f.id, reason: z.string() })),
})

export const SaleLane = z.strictObject({
  id: f.id,
  road: z.number().int(),
  productName: z.string(),
  model: z.string(),
  img: z.string().meta({ unit: 'image' }),
  price: f.fen,
  available: z.number().int(),
})

export const orderSupplements = {
  list: read('order:supplement', {
    path: '/order-supplements',
    summary:
      'What went wrong with payments and pieces: of a machine and at most seven days, or all that is open',
    input: CaseQuery,
    output: page(CaseRow),
    export: 'order:export',
  }),
  lanes: read('order:supplement', {
    path: '/order-supplements/lanes',
    summary: 'What a machine sells, to choose what a payment was for',
    input: z.strictObject({ deviceId: f.id }),
    output: z.strictObject({ list: z.array(SaleLane) }),
  }),
  supplement: write('order:supplement', {
    path: '/order-supplements',
    summary:
      'Makes or completes the order of each payment, once, then vends its pieces or gives the money back',
    audit: 'orderSupplements.supplement',
    fresh: 'sometimes',
    idempotent: true,
    errors: [
      supplementErrors.lessThanPaid,
      supplementErrors.linesNeeded,
      supplementErrors.refundOnly,
      orderErrors.noLane,
      orderErrors.outOfStock,
      orderErrors.deviceOffline,
      orderErrors.deviceNotSelling,
      orderErrors.drugForbidden,
      orderErrors.overLimit,
      orderErrors.tooOld,
    ],
    input: Supplement,
    output: Outcome,
  }),
  syncBill: write('order:supplement', {
    path: '/payment-bills/sync',
    summary:
      'Asks the channels for their bills of a day; what they took and nobody told us is taken in, once',
    audit: 'orderSupplements.sync',
    errors: [supplementErrors.noBill],
    input: z.strictObject({ date: z.string(bi('请选择日期', 'Choose the day')).pipe(f.day) }),
    /**
     * Payments in the bills, and those of them that were missing: as far as the caller sees them;
     * of how many merchants there is no bill yet, and of how many it is still being fetched: after
     * a minute nobody waits, the worker goes on.
     */
    output: z.strictObject({ lines: f.count, found: f.count, absent: f.count, pending: f.count }),
  }),
  close: write('order:supplement', {
    path: '/order-supplements/{id}/close',
    summary: 'A loss or an unclear result was looked into',
    audit: 'orderSupplements.close',
    input: z.strictObject({
      id: f.id,
      remark: f.text(200, bi('请填写处理说明', 'Say what was found')),
    }),
    output: f.done,
  }),
}
