import { z } from 'zod'
import { read, write } from '../../shared/contract.ts'
import * as f from '../../shared/fields.ts'
import { BusinessHours } from '../../shared/hours.ts'
import { bi } from '../../shared/text.ts'
import { DrugFacts, SiteFacts } from '../drug-guard/contract.ts'
import { replenishmentErrors } from './errors.ts'

/** Machines of one day, and lanes a phone takes along. */
export const routeLimits = { stops: 60, lanes: 6000, batches: 3000 } as const

export const stopStates = ['OPEN', 'DRAFT', 'DONE', 'SKIPPED'] as const
export const skipReasons = ['NO_ACCESS', 'OFFLINE', 'NO_GOODS', 'OTHER'] as const

/** A machine of the day, in the order in which it is visited. */
export const RouteStop = z.strictObject({
  deviceId: f.id,
  rtuNumber: z.string(),
  nickname: z.string(),
  address: z.string(),
  lng: z.number().nullable(),
  lat: z.number().nullable(),
  /** From the stop before, as one drives; null: the place of one of them is not known. */
  km: z.number().nullable(),
  soldOut: f.count,
  low: f.count,
  /** Pieces that its lanes can take. */
  suggested: f.count,
  /** When the first product will be gone; null: too few sales are known. */
  sellsOutAt: f.instant.nullable(),
  toCount: f.count,
  /** Lanes whose goods are recalled. */
  recalled: f.count,
  /** Lanes whose goods are past their date or will be within a week. */
  expiring: f.count,
  /** Lanes with goods that must be fetched for another reason. */
  takeBack: f.count,
  faults: f.count,
  tooWarm: z.boolean(),
  /** Opening windows; empty: at any time. */
  hours: BusinessHours,
  /** It cannot be reached within its opening windows any more. */
  closed: z.boolean(),
  /** Worth of the visit in fen: sales that would be lost and goods that would pass their date. */
  worth: f.fen,
  state: z.enum(stopStates),
  skipReason: z.enum(skipReasons).nullable(),
  skipRemark: z.string(),
  /** The last visit of that day. */
  visitId: f.id.nullable(),
  clientId: z.string().nullable(),
})
export type RouteStop = z.infer<typeof RouteStop>

export const Route = z.strictObject({
  date: f.day,
  userId: f.id,
  userName: z.string(),
  /** Whether somebody gave an order of his own. */
  ordered: z.boolean(),
  done: f.count,
  /** Pieces of the stops that are left. */
  pieces: f.count,
  km: z.number(),
  stops: z.array(RouteStop).max(routeLimits.stops),
  /** Machines that want something beyond those of the list. */
  more: f.count,
})
export type Route = z.infer<typeof Route>

export const PackLane = z.strictObject({
  id: f.id,
  deviceId: f.id,
  roadIndex: z.number().int(),
  level: z.number().int(),
  productId: f.id,
  quantity: f.count,
  reserved: f.count,
  failedHold: f.count,
  capacity: f.count,
  warnQty: f.count,
  /** What the route plans to put in; elsewhere what fits. */
  planned: f.count,
  status: z.enum(['ENABLED', 'DISABLED', 'FAULT', 'LOCKED']),
  lockReason: z.string().nullable(),
  /** Number of its last flow: which state of the lane was taken along. */
  flowSeq: f.count,
  /** What lies in it from front to back; empty: of unknown batch. */
  layers: z.array(z.strictObject({ batchId: f.id.nullable(), qty: f.count })),
})
export const PackProduct = z.strictObject({
  id: f.id,
  name: z.string(),
  model: z.string(),
  barcode: z.string(),
  /** Address of its picture relative to the base path; empty: none. */
  img: z.string(),
  drugClass: z.string(),
  drug: DrugFacts,
  traceRequired: z.boolean(),
})
export const PackBatch = z.strictObject({
  id: f.id,
  orgId: f.id,
  productId: f.id,
  batchNo: z.string(),
  expiresOn: f.day,
  /** From this day on it is not loaded any more. */
  stopsOn: f.day,
  /** What may still be loaded; null: nobody counts it. */
  room: f.count.nullable(),
  recalled: z.boolean(),
})
/** What a phone takes along: it works a day without the network. */
export const OfflinePack = Route.extend({
  /** Of the drug guard: a phone that asks another one is of another release. */
  guardVersion: z.string(),
  machines: z.array(
    z.strictObject({
      id: f.id,
      rtuNumber: z.string(),
      nickname: z.string(),
      kind: z.string(),
      dispensingMode: z.string().nullable(),
      site: SiteFacts,
      planogramVersion: z.number().int(),
      /** The start of its board that was the last one heard of. */
      boot: z.string().nullable(),
      /** Its organisation and those above it: batches of no other are put in. */
      orgIds: z.array(f.id),
    }),
  ),
  lanes: z.array(PackLane).max(routeLimits.lanes),
  products: z.array(PackProduct),
  /** First those that expire first; recalled and past ones are told so that they are refused. */
  batches: z.array(PackBatch).max(routeLimits.batches),
  /** Machines whose lanes did not fit any more. */
  leftOut: z.array(f.id),
})
export type OfflinePack = z.infer<typeof OfflinePack>

const date = f.day
export const routeEndpoints = {
  myRoute: read('replenish:read', {
    path: '/my-routes',
    summary: 'Machines of the day in the order of their visits',
    input: z.strictObject({
      date: date.optional(),
      /** Of somebody else, as far as his machines are one’s own. */
      userId: f.id.optional(),
    }),
    output: Route,
    heavy: true,
  }),
  orderRoute: write('replenish:update', {
    method: 'PUT',
    path: '/my-routes/{date}/order',
    summary: 'An order of one’s own; without machines the suggested one again',
    audit: { none: 'the order of an own day' },
    errors: [replenishmentErrors.otherDay],
    input: z.strictObject({ date, deviceIds: f.ids().max(routeLimits.stops) }),
    output: Route,
  }),
  loadRoute: write('replenish:update', {
    method: 'PUT',
    path: '/my-routes/{date}/load',
    summary: 'What was loaded of which product; what is short goes where it is worth most',
    audit: { none: 'what lies in an own car' },
    errors: [replenishmentErrors.otherDay],
    input: z.strictObject({
      date,
      products: z
        .array(z.strictObject({ productId: f.id, qty: z.number().int().min(0).max(99_999) }))
        .max(1000),
    }),
    output: z.strictObject({ products: f.count }),
  }),
  skipStop: write('replenish:update', {
    path: '/my-routes/{date}/stops/{deviceId}/skip',
    summary: 'Leaves out a machine today, with the reason',
    audit: 'replenishment.skip',
    errors: [replenishmentErrors.otherDay],
    input: z.strictObject({
      date,
      deviceId: f.id,
      reason: z.enum(skipReasons, bi('请选择跳过原因', 'Choose why it is skipped')),
      remark: f.optionalText(200),
    }),
    output: Route,
  }),
  unskipStop: write('replenish:update', {
    method: 'DELETE',
    path: '/my-routes/{date}/stops/{deviceId}/skip',
    summary: 'Takes a machine that was left out in again',
    audit: 'replenishment.unskip',
    errors: [replenishmentErrors.otherDay],
    input: z.strictObject({ date, deviceId: f.id }),
    output: Route,
  }),
  offlinePack: read('replenish:read', {
    path: '/my-routes/{date}/offline-pack',
    summary:
      'All a phone needs for the own route without the network, or for one machine; with an ETag',
    input: z.strictObject({ date, deviceId: f.id.optional() }),
    output: OfflinePack,
    heavy: true,
    keptSeconds: 0,
  }),
}
