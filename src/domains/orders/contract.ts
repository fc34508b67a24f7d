import { z } from 'zod'
import { read, write } from '../../shared/contract.ts'
import { defineErrors } from '../../shared/errors.ts'
import * as f from '../../shared/fields.ts'
import { isIdCard } from '../../shared/idCard.ts'
import { keyword, listQuery, page, rangeFields, wholeRange } from '../../shared/listQuery.ts'
import { bi } from '../../shared/text.ts'
import { deviceSplitErrors } from '../device-splits/rules.ts'

export const orderErrors = defineErrors('orders', {
  notPaid: [422024, '订单未支付，不能退款', 'The order is not paid'],
  alreadyRefunded: [422025, '该商品已退款或正在退款', 'This piece is refunded or being refunded'],
  shipping: [422012, '出货进行中，请稍后再试', 'Dispensing is in progress, try again later'],
  drugNotReturnable: [
    422013,
    '药品为特殊商品，不支持退货（质量问题除外）',
    'Drugs are special goods: they are not returned unless their quality is at fault',
  ],
  tooOld: [422014, '超过可退款期限', 'Too old to be refunded'],
  nothingToRefund: [422015, '没有可退款的商品', 'Nothing to refund'],
  deviceOffline: [422016, '设备离线，暂时无法购买', 'The machine is offline, try again later'],
  deviceNotSelling: [422017, '设备停售，暂时无法购买', 'The machine is not selling at the moment'],
  notCollecting: [
    422023,
    '商户已停止收款，暂时无法购买',
    'The merchant takes no money at the moment',
  ],
  laneNotSelling: [422018, '该商品暂时无法购买', 'This product cannot be bought at the moment'],
  outOfStock: [422019, '库存不足', 'Not enough stock'],
  priceChanged: [409010, '价格已更新，请刷新', 'The price has changed, please reload'],
  overLimit: [422020, '超过限购数量', 'Over the purchase limit'],
  drugForbidden: [
    422021,
    '该药品不可在自动售货机销售',
    'This drug may not be sold by this machine',
  ],
  alreadyVended: [422120, '该商品已出货', 'This piece has been dispensed'],
  noLane: [
    422121,
    '没有可出货的同款货道，请先补货或修复货道',
    'No lane can dispense this product: restock or repair one first',
  ],
  notSilent: [
    422122,
    '设备仍可能返回结果，请稍后再试',
    'The machine may still answer, try again later',
  ],
  onlyAbnormal: [
    422123,
    '批量退款仅限出货异常的订单',
    'Only abnormal orders are refunded together',
  ],
  deviceBusy: [
    503003,
    '设备出货繁忙，请稍后再试',
    'The machine is busy dispensing, try again later',
  ],
  vendingBusy: [
    503004,
    '出货繁忙，暂不接受新订单，请稍后再试',
    'Too much is waiting to be dispensed, try again later',
  ],
  tooManyUnpaid: [
    429010,
    '您还有未支付的订单，请先支付或稍后再试',
    'Orders of yours still wait for their payment: pay them, or try again later',
  ],
  machineBusy: [
    409011,
    '此设备有较多订单正在支付，请稍后再试',
    'Many orders of this machine are being paid, try again later',
  ],
})

export const orderStatuses = [
  'UNPAID',
  'CLOSED',
  'PAID',
  'SHIPPED',
  'ABNORMAL',
  'REFUNDED',
  'SUCCESS',
] as const
export const orderTypes = [
  'SCAN',
  'CARD',
  'PICKUP',
  'RED_PACKET',
  'FREE',
  'GIFT',
  'REMOTE',
  'SUPPLEMENT',
  'TEST',
] as const
export const channels = ['MACHINE', 'ONLINE'] as const
export const payTypes = ['WECHAT', 'ALIPAY', 'CARD', 'CASH', 'BALANCE', 'NONE'] as const
export const vendStateNames = [
  'WAIT',
  'SENT',
  'ACKED',
  'SUCCESS',
  'FAILED',
  'UNKNOWN',
  'VOID',
] as const
export const refundStateNames = ['PENDING', 'PROCESSING', 'SUCCESS', 'FAILED', 'CANCELLED'] as const
const reasons = [
  'NOT_DISPENSED',
  'WRONG_ITEM',
  'QUALITY',
  'DUPLICATE',
  'USER_REQUEST',
  'OTHER',
] as const

export const orderNum = f.orderNum

const Can = z.strictObject({ refund: z.boolean(), vend: z.boolean() })

export const OrderRow = z.strictObject({
  orderNum,
  img: z.string().meta({ unit: 'image' }),
  /** Products as one line: first name × count, and how many more. */
  detail: z.string(),
  pieces: z.number().int(),
  deviceId: f.id,
  deviceNum: z.string(),
  name: z.string(),
  /** Lanes its pieces come from. */
  roads: z.array(z.number().int()),
  totalAmount: f.fen,
  actuallyAmount: f.fen,
  refundedAmount: f.fen,
  /** Cost of the pieces that left; null without product:cost. */
  costPrice: f.fen.nullable(),
  payType: z.enum(payTypes),
  orderType: z.enum(orderTypes),
  orderStatus: z.enum(orderStatuses),
  /** Why it is abnormal: a failure reason of a piece. */
  failReason: z.string().nullable(),
  userName: z.string(),
  ownedUserName: z.string(),
  createTime: f.instant,
  can: Can,
})
export type OrderRow = z.infer<typeof OrderRow>

const filters = {
  keyword,
  orderStatus: z.enum(orderStatuses).optional(),
  deviceId: f.id.optional(),
  storeId: f.id.optional(),
  productId: f.id.optional(),
  orgId: f.id.optional(),
  payType: z.enum(payTypes).optional(),
  orderType: z.enum(orderTypes).optional(),
  channel: z.enum(channels).optional(),
  failReason: z.string().max(40).optional(),
  /** The end of what the provider or the buyer calls himself. */
  consumer: z.string().trim().max(30).optional(),
  partRefunded: z.boolean().optional(),
  amountMin: f.fen.optional(),
  amountMax: f.fen.optional(),
  includeCleaned: z.boolean().optional(),
  /** The days are those on which they were paid, as figures count them. */
  byPayment: z.boolean().optional(),
  /** Of this organisation alone, without those below it. */
  ownerId: f.id.optional(),
  ...rangeFields,
}
/**
 * Without days the last seven are listed; `keyword` is an order number (whole or its end) or a
 * machine number.
 */
export const OrderQuery = listQuery(filters, ['createTime', 'actuallyAmount'], '-createTime')
export const OrderFilter = z.strictObject(filters).superRefine(wholeRange)

export const Statistics = z.strictObject({
  orderAmount: f.fen.nullable(),
  orderCount: z.number().int(),
  orderIncome: f.signedFen.nullable(),
  orderCost: f.fen.nullable(),
  orderRefund: f.fen.nullable(),
  orderProfit: f.signedFen.nullable(),
  abnormal: z.number().int(),
})

export const OrderUnit = z.strictObject({
  id: f.id,
  unitNo: z.number().int(),
  road: z.number().int().nullable(),
  productName: z.string(),
  model: z.string(),
  img: z.string(),
  drugClass: z.string(),
  price: f.fen,
  discount: f.fen,
  paid: f.fen,
  cost: f.fen.nullable(),
  vendState: z.enum(vendStateNames),
  failReason: z.string().nullable(),
  dropConfirmed: z.boolean(),
  lateSuccess: z.boolean(),
  /** A person said what became of it. */
  manual: z.boolean(),
  /** How often it was tried. */
  attempt: z.number().int(),
  held: z.boolean(),
  sentAt: f.instant.nullable(),
  ackedAt: f.instant.nullable(),
  finishedAt: f.instant.nullable(),
  refund: z
    .strictObject({
      refundNo: z.string(),
      amount: f.fen,
      state: z.enum(refundStateNames),
      reason: z.string(),
      automatic: z.boolean(),
      attempts: z.number().int(),
      lastError: z.string().nullable(),
      nextAt: f.instant.nullable(),
      succeededAt: f.instant.nullable(),
    })
    .nullable(),
  canRefund: z.boolean(),
  canVend: z.boolean(),
  canResolve: z.boolean(),
  /** What a person said of it, and on what it rests. */
  resolution: z
    .strictObject({
      dispensed: z.boolean(),
      evidence: z.string(),
      images: z.array(z.string()),
      by: z.string(),
      at: f.instant,
    })
    .nullable(),
})

export const OrderDetail = OrderRow.extend({
  discountAmount: f.fen,
  paidAt: f.instant.nullable(),
  finalAt: f.instant.nullable(),
  payState: z.enum(['UNPAID', 'PAID', 'PART_REFUNDED', 'REFUNDED', 'CLOSED']),
  userId: z.string(),
  channel: z.enum(channels),
  payment: z
    .strictObject({
      provider: z.string(),
      outTradeNo: z.string(),
      tradeNo: z.string().nullable(),
      amount: f.fen,
      fee: f.fen,
      state: z.string(),
      paidAt: f.instant.nullable(),
    })
    .nullable(),
  /** One line per lane, the specification's shape. */
  list: z.array(
    z.strictObject({
      count: z.number().int(),
      road: z.number().int().nullable(),
      refund: z.number().int(),
      orderStatus: z.enum(orderStatuses),
      orderType: z.enum(orderTypes),
    }),
  ),
  units: z.array(OrderUnit),
  /** Who bought packs whose buyer is registered, as people may see him. */
  registered: z.strictObject({ buyer: z.string(), card: z.string() }).nullable(),
  /** Of this order, for whoever may read complaints; the newest first. */
  complaints: z.array(z.strictObject({ id: f.id, content: z.string() })),
  timeline: z.array(
    z.strictObject({
      id: f.id,
      at: f.instant,
      kind: z.string(),
      unitNo: z.number().int().nullable(),
      actor: z.string(),
      data: z.record(z.string(), z.unknown()),
    }),
  ),
})
export type OrderDetail = z.infer<typeof OrderDetail>

export const RefundFields = z.strictObject({
  orderNum,
  unitIds: f
    .ids()
    .min(1, bi('请选择要退款的商品', 'Choose the pieces to refund'))
    .max(32)
    .optional(),
  all: z.literal(true).optional().describe('every piece that can be refunded, instead of unitIds'),
  reason: z.enum(reasons, bi('请选择退款原因', 'Choose a reason')),
  remark: f.optionalLines(200),
})
/** Which pieces: named, or all said as such; nothing named is never all. */
export const piecesAreSaid = [
  (value: { unitIds?: number[] | undefined; all?: true | undefined }) =>
    (value.unitIds === undefined) !== (value.all === undefined),
  { path: ['unitIds'], message: bi('请选择要退款的商品', 'Choose the pieces to refund') },
] satisfies Parameters<typeof RefundFields.refine>
/** "Something else" says what. */
export const reasonIsSaid = [
  ({ reason, remark }: { reason: string; remark: string }) => reason !== 'OTHER' || remark !== '',
  { path: ['remark'], message: bi('请填写退款说明', 'Say why the money goes back') },
] satisfies Parameters<typeof RefundFields.refine>
export const Refund = RefundFields.refine(...piecesAreSaid).refine(...reasonIsSaid)

const pieceOf = { orderNum, unitId: f.id }
export const VendAgain = z.strictObject({
  ...pieceOf,
  /** Without one: the lane it was to come from, else another with the same product. */
  laneId: f.id.optional(),
})
export const VendLane = z.strictObject({
  id: f.id,
  road: z.number().int(),
  available: z.number().int(),
  /** The lane it was to come from. */
  same: z.boolean(),
  /** Why this lane cannot; null when it can. */
  refusal: z.string().nullable(),
})
export const Resolve = z
  .strictObject({
    ...pieceOf,
    dispensed: z.boolean(bi('请选择出货结果', 'Choose what happened')),
    evidence: f.optionalLines(200),
    images: z.array(f.imageUrl).max(5, bi('最多上传5张图片', 'At most 5 images')).default([]),
  })
  .refine((value) => value.evidence !== '' || value.images.length > 0, {
    path: ['evidence'],
    message: bi('请填写依据或上传图片', 'Say on what it rests, or add a picture'),
  })

export const BatchRefund = z
  .strictObject({
    orderNums: z
      .array(orderNum)
      .min(1, bi('请选择订单', 'Choose orders'))
      .max(50, bi('一次最多 50 个订单', 'At most 50 orders at a time')),
    reason: z.enum(reasons, bi('请选择退款原因', 'Choose a reason')),
    remark: f.optionalLines(200),
    /** What was confirmed; another sum is refused. */
    amount: f.fen.optional(),
    dryRun: z.boolean().default(false),
  })
  .refine(...reasonIsSaid)

/** What a customer's phone or the machine's screen sees of a lane; sellable lanes only. */
export const MobileLane = z.strictObject({
  roadIndex: z.number().int(),
  productId: f.id,
  productName: z.string(),
  model: z.string(),
  productImg: z.string(),
  price: f.fen,
  retailPrice: f.fen,
  /** Whole or empty: how many pieces a machine holds is nobody's business outside. */
  available: z.boolean(),
  restriction: z.number().int(),
  /** Sold to those who say who they are: `identity` of the order. */
  needsIdentity: z.boolean(),
})
const rtuNumber = z.string().regex(/^[A-Z0-9]{4,20}$/)

export const MobileOrder = z.strictObject({
  rtuNumber,
  items: z
    .array(
      z.strictObject({
        roadIndex: z.number().int().min(1).max(400),
        count: z.number().int().min(1).max(32),
        price: f.price,
      }),
    )
    .min(1)
    .max(32),
  payType: z.enum(['WECHAT', 'ALIPAY']),
  /**
   * Made by the phone; a repeat with the same id answers with the same order; for another machine
   * or other goods it is refused.
   */
  clientId: z.uuid().toLowerCase(),
  consumer: z.string().trim().max(60).default(''),
  /** Who buys, where a lane `needsIdentity`; of other orders it is not kept. */
  identity: z
    .strictObject({
      name: f.text(60, bi('请填写购买人姓名', 'Enter the name of the buyer')),
      idCard: z
        .string()
        .trim()
        .toUpperCase()
        .refine(isIdCard, bi('身份证号格式不正确', 'Not the number of an identity card')),
    })
    .optional(),
})

export const MobileAnswer = z.strictObject({
  orderNum,
  payableAmount: f.fen,
  outTradeNo: z.string(),
  expireAt: f.instant,
})

export const orders = {
  list: read('order:read', {
    path: '/orders',
    summary: 'Orders of the scope',
    input: OrderQuery,
    output: page(OrderRow),
    export: 'order:export',
  }),
  statistics: read('order:read', {
    path: '/orders/statistics',
    heavy: true,
    summary: 'Sums over the same filter as the list',
    input: OrderFilter,
    output: Statistics,
  }),
  get: read('order:read', {
    path: '/orders/{orderNum}',
    summary: 'One order with its pieces, payment, refunds and timeline',
    input: z.strictObject({ orderNum }),
    output: OrderDetail,
  }),
  refund: write('order:refund', {
    path: '/orders/{orderNum}/refunds',
    summary: 'Refund pieces by the original way; a piece is the atom',
    audit: 'orders.refund',
    fresh: 'sometimes',
    idempotent: true,
    errors: [
      orderErrors.notPaid,
      orderErrors.alreadyRefunded,
      orderErrors.shipping,
      orderErrors.drugNotReturnable,
      orderErrors.tooOld,
      orderErrors.nothingToRefund,
    ],
    input: Refund,
    output: OrderDetail,
  }),
  batchRefund: write('order:refund', {
    path: '/orders/batch-refund',
    summary:
      'Refunds what did not leave of abnormal orders, all of them or none. dryRun says how much that is',
    audit: 'orders.refund',
    fresh: 'sometimes',
    idempotent: true,
    errors: [
      orderErrors.onlyAbnormal,
      orderErrors.nothingToRefund,
      orderErrors.shipping,
      orderErrors.tooOld,
    ],
    input: BatchRefund,
    output: z.strictObject({ orders: f.count, pieces: f.count, amount: f.fen }),
  }),
  vendLanes: read('order:vend', {
    path: '/orders/{orderNum}/units/{unitId}/lanes',
    summary:
      'Lanes of the machine with the product of a piece, the first that can dispense it first',
    input: z.strictObject(pieceOf),
    output: z.strictObject({ list: z.array(VendLane) }),
  }),
  vend: write('order:vend', {
    path: '/orders/{orderNum}/units/{unitId}/vend',
    summary: 'Vends a piece that did not leave again; a refund that failed is given up for it',
    audit: 'orders.vend',
    idempotent: true,
    errors: [
      orderErrors.notPaid,
      orderErrors.alreadyVended,
      orderErrors.alreadyRefunded,
      orderErrors.shipping,
      orderErrors.noLane,
      orderErrors.outOfStock,
      orderErrors.deviceOffline,
      orderErrors.deviceNotSelling,
      orderErrors.drugForbidden,
    ],
    input: VendAgain,
    output: OrderDetail,
  }),
  resolve: write('order:resolve', {
    path: '/orders/{orderNum}/units/{unitId}/resolve',
    summary: 'What became of a piece of which the machine says nothing, by a person with evidence',
    audit: 'orders.resolve',
    idempotent: true,
    errors: [orderErrors.notSilent],
    input: Resolve,
    output: OrderDetail,
  }),
  mobileLanes: read('open', {
    path: '/mobile/devices/{rtuNumber}/lanes',
    summary: 'What a machine sells now',
    scope: 'system',
    sharedMs: 1000,
    input: z.strictObject({ rtuNumber }),
    output: z.strictObject({
      rtuNumber: z.string(),
      name: z.string(),
      online: z.boolean(),
      list: z.array(MobileLane),
    }),
  }),
  mobileOrder: write('open', {
    path: '/mobile/orders',
    summary: 'Order pieces at a machine: reserves stock and opens a payment',
    audit: { none: 'a customer, not staff; order_events keeps it' },
    scope: 'system',
    yields: 'rtuNumber',
    errors: [
      orderErrors.deviceOffline,
      orderErrors.deviceNotSelling,
      orderErrors.notCollecting,
      orderErrors.laneNotSelling,
      orderErrors.outOfStock,
      orderErrors.priceChanged,
      orderErrors.overLimit,
      orderErrors.drugForbidden,
      orderErrors.deviceBusy,
      orderErrors.vendingBusy,
      orderErrors.tooManyUnpaid,
      orderErrors.machineBusy,
      deviceSplitErrors.tradePaused,
    ],
    input: MobileOrder,
    output: MobileAnswer,
  }),
}
