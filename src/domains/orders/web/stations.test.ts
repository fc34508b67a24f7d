import { describe, expect, it } from 'vitest'
import type { OrderDetail } from '../contract.ts'
import { eventsOf } from './events.ts'
import { proposed, whyNoRefund, whyNot } from './refunding.ts'
import {
  clock,
  groupedOrder,
  shortForeign,
  shortOrder,
  stationsOf,
  summaryOf,
  type Unit,
  unitChip,
  worstFirst,
} from './stations.ts'

const at = (seconds: number) =>
  new Date(Date.parse('2026-11-21T06:02:11Z') + seconds * 1000).toISOString()
const unit = (over: Partial<Unit> = {}): Unit => ({
  id: 1,
  unitNo: 1,
  road: 3,
  productName: 'tea',
  model: '500ml',
  img: '',
  drugClass: 'NONE',
  price: 360,
  discount: 0,
  paid: 360,
  cost: null,
  vendState: 'SUCCESS',
  failReason: null,
  dropConfirmed: true,
  lateSuccess: false,
  manual: false,
  attempt: 1,
  held: false,
  sentAt: at(1),
  ackedAt: at(1.4),
  finishedAt: at(7),
  refund: null,
  canRefund: true,
  canVend: false,
  canResolve: false,
  resolution: null,
  ...over,
})
const refund = (over: Partial<NonNullable<Unit['refund']>> = {}): NonNullable<Unit['refund']> => ({
  refundNo: 'r',
  amount: 640,
  state: 'PROCESSING',
  reason: 'NOT_DISPENSED',
  automatic: true,
  attempts: 2,
  lastError: 'no money',
  nextAt: at(60),
  succeededAt: null,
  ...over,
})
const order = (units: Unit[], over: Partial<OrderDetail> = {}): OrderDetail => ({
  orderNum: '20261121000000004817',
  img: '',
  detail: '',
  pieces: units.length,
  deviceId: 1,
  deviceNum: 'HD000126',
  name: '',
  totalAmount: 1000,
  roads: [],
  actuallyAmount: 1000,
  refundedAmount: 0,
  costPrice: null,
  payType: 'WECHAT',
  orderType: 'SCAN',
  orderStatus: 'ABNORMAL',
  failReason: null,
  userName: '',
  ownedUserName: '',
  createTime: new Date(Date.now() - 60_000).toISOString(),
  can: { refund: true, vend: true },
  discountAmount: 0,
  paidAt: at(0),
  finalAt: null,
  payState: 'PAID',
  userId: '',
  channel: 'MACHINE',
  payment: null,
  list: [],
  units,
  registered: null,
  complaints: [],
  timeline: [],
  ...over,
})
const failed = unit({
  id: 2,
  vendState: 'FAILED',
  failReason: 'NO_DROP',
  dropConfirmed: false,
  refund: refund(),
  canRefund: false,
})

describe('stations of a piece', () => {
  it.each<[string, OrderDetail['payState'], Unit, string[]]>([
    ['vended', 'PAID', unit(), ['done', 'done', 'done', 'done', 'todo']],
    ['failed and refunding', 'PAID', failed, ['done', 'done', 'done', 'bad', 'now']],
    [
      'refunded',
      'REFUNDED',
      unit({ ...failed, refund: refund({ state: 'SUCCESS' }) }),
      ['done', 'done', 'done', 'bad', 'back'],
    ],
    [
      'refund failed',
      'PAID',
      unit({ ...failed, refund: refund({ state: 'FAILED' }) }),
      ['done', 'done', 'done', 'bad', 'bad'],
    ],
    [
      'sent',
      'PAID',
      unit({ vendState: 'SENT', ackedAt: null, finishedAt: null }),
      ['done', 'done', 'now', 'todo', 'todo'],
    ],
    [
      'vending',
      'PAID',
      unit({ vendState: 'ACKED', finishedAt: null }),
      ['done', 'done', 'done', 'now', 'todo'],
    ],
    [
      'the receipt was lost',
      'PAID',
      unit({ ackedAt: null }),
      ['done', 'done', 'done', 'done', 'todo'],
    ],
    [
      'never sent',
      'PAID',
      unit({ vendState: 'VOID', failReason: 'OFFLINE', sentAt: null, ackedAt: null }),
      ['done', 'todo', 'todo', 'bad', 'todo'],
    ],
    [
      'unpaid',
      'UNPAID',
      unit({ vendState: 'WAIT', sentAt: null, ackedAt: null, finishedAt: null }),
      ['now', 'todo', 'todo', 'todo', 'todo'],
    ],
  ])('%s', (_, payState, piece, states) => {
    expect(stationsOf(order([piece], { payState }), piece).map((station) => station.state)).toEqual(
      states,
    )
  })

  it('says how long the receipt took and why it failed', () => {
    const [, , ack, vend, back] = stationsOf(order([failed]), failed)
    expect(ack?.note).toEqual({ key: 'seconds', values: { s: '0.4' } })
    expect(vend?.note).toEqual({ key: 'enums.failReason.NO_DROP' })
    expect([back?.note?.values?.n, back?.detail]).toEqual([2, 'no money'])
  })
})

it('puts the failing piece first and sums up', () => {
  const whole = order([unit(), failed])
  expect(worstFirst(whole).map(({ id }) => id)).toEqual([2, 1])
  expect(unitChip(whole, failed).tone).toBe('fault')
  expect(summaryOf(whole).map((part) => part.key)).toEqual(['summary.failed', 'summary.refunding'])
  expect(summaryOf(order([unit()])).map((part) => part.key)).toEqual(['summary.pieces'])
})

it('tells the course from the records when no events are kept', () => {
  const whole = order([{ ...failed, refund: refund({ state: 'SUCCESS', succeededAt: at(60) }) }], {
    createTime: at(-10),
  })
  expect(eventsOf(whole).map(({ kind }) => kind)).toEqual([
    'REFUNDED',
    'FAILED',
    'ACKED',
    'SENT',
    'PAID',
    'CREATED',
  ])
  const kept = [{ id: 1, at: at(0), kind: 'CREATED', unitNo: null, actor: '', data: {} }]
  expect(eventsOf({ ...whole, timeline: kept })).toEqual(kept)
})

it('says why there is nothing to refund', () => {
  const drug = unit({ drugClass: 'OTC_A' })
  expect(whyNot(order([drug]), drug, undefined)).toBeNull()
  expect(whyNot(order([drug]), drug, 'USER_REQUEST')?.name).toBe('orders.drugNotReturnable')
  expect(whyNoRefund(order([unit(), failed]))).toBeNull()
  expect(whyNoRefund(order([failed, unit({ vendState: 'SENT', canRefund: false })]))?.name).toBe(
    'orders.shipping',
  )
  expect(whyNoRefund(order([failed]))?.name).toBe('orders.alreadyRefunded')
})

it('proposes all that can be refunded, and a reason where nothing of it left', () => {
  const lost = unit({ id: 2, vendState: 'FAILED', dropConfirmed: false })
  expect(
    proposed(order([unit(), lost, unit({ id: 3, vendState: 'VOID', canRefund: false })])),
  ).toEqual({ unitIds: [1, 2] })
  expect(proposed(order([lost, unit({ id: 3, vendState: 'VOID' })]))).toEqual({
    ...{ unitIds: [2, 3], reason: 'NOT_DISPENSED' },
  })
  expect(proposed(order([unit(), unit({ id: 2 })]))).toEqual({ unitIds: [1, 2] })
  expect(proposed(order([unit({ canRefund: false })]))).toEqual({ unitIds: [] })
})

it('groups numbers and shortens times', () => {
  expect(groupedOrder('20261121000000004817')).toBe('20261121 000000 004817')
  expect(shortOrder('20261121000000004817')).toBe('…004817')
  expect(shortForeign('4200202611210000008173362')).toBe('4200 …0817 3362')
  expect(clock('2026-11-21T06:02:11Z', '2026-11-21T06:00:00Z')).toBe('14:02:11')
  expect(clock('2026-11-21T16:02:11Z', '2026-11-21T06:00:00Z')).toBe('11-22 00:02:11')
})
