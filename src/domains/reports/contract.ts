import { z } from 'zod'
import { read } from '../../shared/contract.ts'
import * as f from '../../shared/fields.ts'
import { bi } from '../../shared/text.ts'

const wrongPeriod = bi('时间范围只能是近七天或近一个月', 'The period is seven or thirty days')
const days = z
  .number(wrongPeriod)
  .refine((n) => n === 7 || n === 30, wrongPeriod)
  .default(7)
/** Money needs `dashboard:money`; without it the field is there and null. */
const money = f.fen.nullable()

/** Colour of a machine on the map: offline before fault before sold out. */
export const MachineState = z.enum(['online', 'soldOut', 'fault', 'offline'])
export type MachineState = z.infer<typeof MachineState>

const Sums = z.strictObject({ orders: f.count, turnover: money, paid: money, refunded: money })

/** `null` where the reader lacks the code of that figure. */
const Todos = z.strictObject({
  /** `idle`: in stock, sold or scrapped, neither online nor offline. */
  devices: z
    .strictObject({
      total: f.count,
      online: f.count,
      offline: f.count,
      idle: f.count,
      longestOfflineSince: f.instant.nullable(),
    })
    .nullable(),
  abnormal: z.strictObject({ orders: f.count, refunding: f.count }).nullable(),
  soldOut: z.strictObject({ lanes: f.count, devices: f.count }).nullable(),
  faults: z.strictObject({ open: f.count, oldestAt: f.instant.nullable() }).nullable(),
  /** Differences of the daily comparison; of more than a thousand nobody counts on. */
  recon: z.strictObject({ open: f.count, review: f.count }).nullable(),
})

export const Summary = z.strictObject({
  asOf: f.instant,
  /** False when no machine can ever be in the reader's scope: there is nothing to sum up. */
  hasScope: z.boolean(),
  today: Sums.extend({
    /** Yesterday from midnight to the same minute. */
    before: z.strictObject({ orders: f.count, turnover: money }),
    /** One entry for each hour of the Shanghai day so far, the running one last. */
    hours: z.strictObject({ orders: z.array(f.count), turnover: z.array(f.fen).nullable() }),
  }),
  total: z.strictObject({
    orders: f.count,
    turnover: money,
    last30: Sums,
    /** 30 days, today last. */
    days: z.strictObject({ orders: z.array(f.count), turnover: z.array(f.fen).nullable() }),
  }),
  todos: Todos,
})
export type Summary = z.infer<typeof Summary>

export const TrendDay = Sums.extend({ day: f.day, refundOrders: f.count })
export type TrendDay = z.infer<typeof TrendDay>

export const HotProduct = z.strictObject({
  rank: z.number().int().min(1),
  productId: f.id,
  name: z.string(),
  model: z.string(),
  img: z.string(),
  salesNum: f.count,
  turnover: money,
  /** Places won since the period before (negative: lost); null when it was not sold then. */
  change: z.number().int().nullable(),
})
export type HotProduct = z.infer<typeof HotProduct>

const States = z.strictObject({
  online: f.count,
  soldOut: f.count,
  fault: f.count,
  offline: f.count,
})
export const MapRegion = States.extend({
  code: z.string(),
  name: z.string(),
  nameEn: z.string(),
  total: f.count,
  /** Middle of its machines. */
  lng: z.number(),
  lat: z.number(),
})
export type MapRegion = z.infer<typeof MapRegion>
export const MapPoint = z.strictObject({
  id: f.id,
  rtuNumber: z.string(),
  nickname: z.string(),
  lng: z.number(),
  lat: z.number(),
  state: MachineState,
})
export type MapPoint = z.infer<typeof MapPoint>

export const AttentionRow = z.strictObject({
  id: f.id,
  rtuNumber: z.string(),
  nickname: z.string(),
  address: z.string(),
  state: MachineState,
  offlineSince: f.instant.nullable(),
  faults: f.count,
  soldOutLanes: f.count,
  lanes: f.count,
})

const Level = z.enum(['province', 'city', 'point'])
const regionNeeded = bi('请选择地区', 'Choose a region')

/**
 * Figures of /home. All of them come from rollups and projections; only the part hour of yesterday
 * reads orders.
 */
export const reports = {
  summary: read('dashboard:read', {
    path: '/dashboard/summary',
    heavy: true,
    summary: "Today, totals and what needs somebody, in the reader's scope",
    output: Summary,
  }),
  trend: read('dashboard:read', {
    path: '/dashboard/trend',
    summary: 'Orders and turnover per Shanghai day',
    input: z.strictObject({ days }),
    output: z.strictObject({ asOf: f.instant, list: z.array(TrendDay) }),
  }),
  hotProducts: read('dashboard:read', {
    path: '/dashboard/hot-products',
    heavy: true,
    summary: 'Best-selling products with the change of their rank',
    input: z.strictObject({ days, limit: z.number().int().min(1).max(50).default(10) }),
    output: z.strictObject({ list: z.array(HotProduct) }),
  }),
  channels: read('dashboard:read', {
    path: '/dashboard/channels',
    heavy: true,
    summary: 'Orders and turnover per sales channel',
    input: z.strictObject({ days }),
    output: z.strictObject({
      list: z.array(Sums.extend({ channel: z.enum(['MACHINE', 'ONLINE']) })),
    }),
  }),
  deviceMap: read('device:read', {
    path: '/dashboard/device-map',
    heavy: true,
    summary: 'Where the machines in use stand, by province, by city or one by one',
    input: z
      .strictObject({
        level: Level.default('province'),
        region: z
          .string()
          .regex(/^\d{6}$/, regionNeeded)
          .optional(),
      })
      .refine((v) => v.level === 'province' || v.region !== undefined, {
        path: ['region'],
        message: regionNeeded,
      }),
    /** `points` only for level=point, at most 2,000 of `total`. */
    output: z.strictObject({
      total: f.count,
      unlocated: f.count,
      states: States,
      regions: z.array(MapRegion),
      points: z.array(MapPoint),
    }),
  }),
  attention: read('device:read', {
    path: '/dashboard/attention',
    heavy: true,
    summary: 'Machines of the reader that need a hand, the most urgent first',
    input: z.strictObject({ limit: z.number().int().min(1).max(50).default(10) }),
    output: z.strictObject({ list: z.array(AttentionRow), total: f.count }),
  }),
}
