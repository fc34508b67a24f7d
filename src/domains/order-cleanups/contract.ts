import { z } from 'zod'
import { read, write } from '../../shared/contract.ts'
import { defineErrors } from '../../shared/errors.ts'
import * as f from '../../shared/fields.ts'
import { listQuery, page, rangeFields, wholeRange } from '../../shared/listQuery.ts'
import { bi } from '../../shared/text.ts'
import { OrderDetail, OrderRow, orderNum } from '../orders/contract.ts'

export const cleanupErrors = defineErrors('orderCleanups', {
  paid: [422110, '含实付金额的订单不能清理', 'An order with money that was paid cannot be cleaned'],
  tooMany: [
    422111,
    '一次最多清理 1000 个订单，请缩小范围',
    'At most 1,000 orders at a time: choose fewer days',
  ],
})

/** Why an order may go: it was a test, nobody paid, it cost nothing, or all of it went back. */
export const cleanupKinds = ['TEST', 'UNPAID', 'CLOSED', 'FREE', 'REFUNDED'] as const
/** LISTED: it counts in lists and figures. */
export const cleanupStates = ['LISTED', 'CLEANED'] as const
const kind = z.enum(cleanupKinds, bi('请选择类型', 'Choose the type'))
const day = z.string(bi('请选择日期', 'Choose the days')).pipe(f.day)

export const CleanupRow = z.strictObject({
  ...OrderRow.pick({
    orderNum: true,
    deviceId: true,
    deviceNum: true,
    name: true,
    detail: true,
    totalAmount: true,
    createTime: true,
  }).shape,
  payState: OrderDetail.shape.payState,
  state: z.enum(cleanupStates).meta({ tones: { LISTED: 'paid', CLEANED: 'closed' } }),
  /** Of the last cleaning; null while the order stands in the lists. */
  reason: z.string().nullable(),
  cleanedBy: z.string().nullable(),
  cleanedAt: f.instant.nullable(),
})
export type CleanupRow = z.infer<typeof CleanupRow>

const chooseOrders = bi('请选择订单', 'Choose orders')
const orderNums = z
  .array(orderNum)
  .min(1, chooseOrders)
  .max(200, bi('一次最多 200 个订单', 'At most 200 orders at a time'))

export const Clean = z
  .strictObject({
    orderNums: orderNums.optional(),
    filter: z
      .strictObject({
        kind,
        deviceId: z.number(bi('请输入机器编号', 'Choose the machine')).pipe(f.id),
        from: day,
        to: day,
      })
      .superRefine(wholeRange)
      .optional(),
    reason: f.text(200, bi('请输入清理原因', 'Enter the reason')),
    dryRun: z.boolean().default(false),
  })
  .refine((input) => (input.orderNums === undefined) !== (input.filter === undefined), {
    path: ['orderNums'],
    message: chooseOrders,
  })

export const orderCleanups = {
  list: read('order:clean', {
    path: '/order-cleanups',
    summary: 'Orders of one kind that may be cleaned, or that were; without days the last seven',
    input: listQuery(
      {
        kind: kind.default('TEST'),
        state: z.enum(cleanupStates).default('LISTED'),
        deviceId: f.id.optional(),
        ...rangeFields,
      },
      ['createTime'],
      '-createTime',
    ),
    output: page(CleanupRow),
  }),
  clean: write('order:clean', {
    path: '/order-cleanups',
    summary:
      'Takes orders without paid money out of lists and figures; stock and ledger stay as they are. dryRun only counts',
    audit: 'orderCleanups.clean',
    errors: [cleanupErrors.paid, cleanupErrors.tooMany],
    input: Clean,
    output: z.strictObject({ orders: f.count, amount: f.fen }),
  }),
  restore: write('order:clean', {
    path: '/order-cleanups/restore',
    summary: 'Takes cleaned orders back into lists and figures',
    audit: 'orderCleanups.restore',
    input: z.strictObject({ orderNums }),
    output: z.strictObject({ orders: f.count, amount: f.fen }),
  }),
}
