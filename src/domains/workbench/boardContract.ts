import { z } from 'zod'
import * as f from '../../shared/fields.ts'
import { orderStatuses, payTypes } from '../orders/contract.ts'

/** Null for a display that shows no amounts. */
const money = f.fen.nullable()
const Sums = z.strictObject({ orders: f.count, turnover: money })
const Named = { name: z.string(), nameEn: z.string() }

/** A city with machines. */
export const BoardPlace = z.strictObject({
  code: z.string(),
  ...Named,
  lng: z.number(),
  lat: z.number(),
  online: f.count,
  fault: f.count,
  offline: f.count,
})
export type BoardPlace = z.infer<typeof BoardPlace>

/** A sale of the ticker: what, where and how it went; nothing of who bought it, and no number. */
export const BoardSale = z.strictObject({
  at: f.instant,
  goods: z.string(),
  pieces: f.count,
  city: z.string(),
  cityName: z.string(),
  machine: z.string(),
  amount: money,
  status: z.enum(orderStatuses),
})
export type BoardSale = z.infer<typeof BoardSale>

/** What a wall shows: sums of an organisation, and of single sales and alarms nothing personal. */
export const Board = z.strictObject({
  asOf: f.instant,
  orgName: z.string(),
  today: Sums,
  /** Yesterday, until the hour that has begun. */
  before: Sums,
  total: Sums,
  /** 30 days, today last. */
  days: z.array(Sums.extend({ day: f.day })),
  /** Orders of each hour so far, and of all of yesterday. */
  hours: z.strictObject({ today: z.array(f.count), yesterday: z.array(f.count) }),
  devices: z.strictObject({ total: f.count, online: f.count, fault: f.count, offline: f.count }),
  /** Orders of today that were dispensed, and that had a problem; null: not counted for this reader. */
  vends: z.strictObject({ done: f.count, failed: f.count }).nullable(),
  hot: z.array(z.strictObject({ name: z.string(), pieces: f.count })),
  orgs: z.array(z.strictObject({ name: z.string() }).extend(Sums.shape)),
  /** Of today. */
  pays: z.array(z.strictObject({ type: z.enum(payTypes) }).extend(Sums.shape)),
  places: z.array(BoardPlace),
  sales: z.array(BoardSale),
  alarms: z.array(
    z.strictObject({
      at: f.instant,
      ...Named,
      machine: z.string(),
      level: z.enum(['WARN', 'ERROR']),
    }),
  ),
})
export type Board = z.infer<typeof Board>
