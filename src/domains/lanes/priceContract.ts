import { z } from 'zod'
import { read, write } from '../../shared/contract.ts'
import * as f from '../../shared/fields.ts'
import { bi } from '../../shared/text.ts'
import { laneErrors } from './errors.ts'
import { laneIds, planogram, road, skipped, whole } from './fields.ts'

const change = {
  deviceId: f.id,
  laneIds,
  mode: z.enum(['SET', 'YUAN', 'PERCENT']),
  /** Fen; for PERCENT tenths of a percent. */
  value: whole(
    bi('价格格式错误', 'Not a price'),
    -10_000_000,
    10_000_000,
    bi('请输入调整值', 'Enter a value'),
  ),
  /** The list price follows by the same rule. */
  alsoRetail: z.boolean().default(false),
}
export const PriceRow = z.strictObject({
  laneId: f.id,
  road,
  productName: z.string().nullable(),
  from: f.fen.nullable(),
  to: f.signedFen.nullable(),
  retailFrom: f.fen.nullable(),
  retailTo: f.signedFen.nullable(),
  /** Why this lane keeps its price; empty when it changes. */
  problem: z.string(),
})
export type PriceRow = z.infer<typeof PriceRow>

export const ScheduleRow = z.strictObject({
  id: f.id,
  deviceId: f.id,
  runTime: f.instant,
  state: z.enum(['WAITING', 'DONE', 'FAILED', 'CANCELLED']),
  byName: z.string(),
  createTime: f.instant,
  endTime: f.instant.nullable(),
  endedBy: z.string(),
  lanes: z.array(
    z.strictObject({
      road,
      productName: z.string(),
      from: f.fen,
      price: f.fen,
      retailPrice: f.fen,
    }),
  ),
  changed: f.count,
  skipped,
  problem: z.string(),
  can: z.strictObject({ cancel: z.boolean() }),
})
export type ScheduleRow = z.infer<typeof ScheduleRow>

export const priceEndpoints = {
  pricePlan: read('lane:price', {
    path: '/devices/{deviceId}/lanes/price-plan',
    summary: 'The prices a change would make, and the lanes that break a rule',
    input: z.strictObject(change),
    output: z.strictObject({ rows: z.array(PriceRow), changes: f.count }),
  }),
  prices: write('lane:price', {
    path: '/devices/{deviceId}/lanes/prices',
    summary:
      'Change prices of several lanes now, or at a time; lanes that break a rule keep theirs and are named',
    audit: 'lanes.prices',
    idempotent: true,
    errors: [
      laneErrors.closed,
      laneErrors.noPriceChange,
      laneErrors.wrongTime,
      laneErrors.tooManySchedules,
    ],
    input: z.strictObject({ ...change, version: planogram, at: f.instant.optional() }),
    output: z.strictObject({
      rows: z.array(PriceRow),
      changed: f.count,
      version: f.count,
      scheduleId: f.id.nullable(),
    }),
  }),
  schedules: read('lane:read', {
    path: '/devices/{deviceId}/price-schedules',
    summary: 'Price changes that wait, and the last that ended',
    input: z.strictObject({ deviceId: f.id }),
    output: z.strictObject({ list: z.array(ScheduleRow) }),
  }),
  cancelSchedule: write('lane:price', {
    path: '/price-schedules/{id}/cancel',
    summary: 'Take back a price change that waits',
    audit: 'lanes.cancelSchedule',
    errors: [laneErrors.scheduleEnded],
    input: z.strictObject({ id: f.id }),
    output: f.done,
  }),
}
