import { z } from 'zod'
import { read } from '../../shared/contract.ts'
import * as f from '../../shared/fields.ts'
import { listQuery, page, pageWithSums, rangeFields } from '../../shared/listQuery.ts'
import { places } from './figures.ts'

const { deviceId, orgId, region } = places
const where = { deviceId, orgId, region }
const money = {
  orderTotal: f.count,
  turnover: f.signedFen,
  refundAmount: f.signedFen,
  /** Paid less given back. */
  received: f.signedFen,
}
export const ChannelRow = z.strictObject({
  id: f.id,
  rtuNumber: z.string(),
  nickname: z.string(),
  ownedUserName: z.string(),
  ...money,
  /** What an order comes to; null where there is none. */
  average: f.signedFen.nullable(),
  lastOrderTime: f.instant.nullable(),
})
export type ChannelRow = z.infer<typeof ChannelRow>

const causes = ['POWER', 'NETWORK', 'UNKNOWN'] as const
export const OfflineRow = z.strictObject({
  id: f.id,
  rtuNumber: z.string(),
  nickname: z.string(),
  address: z.string(),
  lastSeenAt: f.instant.nullable(),
  /** Null for one that was never heard. */
  offlineHours: z.number().nullable(),
  signal: z.enum(['strong', 'medium', 'weak']).nullable(),
  cause: z.enum(causes),
  /** What it sold in the same hours of the week before; null without `dashboard:money`. */
  loss: f.fen.nullable(),
})
export type OfflineRow = z.infer<typeof OfflineRow>

/** Drill-downs of the home page. */
export const channelEndpoints = {
  offlineChannel: read('device-report:read', {
    path: '/reports/offline-channel',
    summary: 'Sales by machine, the last 30 days when none are given',
    export: 'device-report:export',
    input: listQuery(
      { ...rangeFields, ...where },
      ['turnover', 'rtuNumber', 'orderTotal', 'refundAmount', 'received', 'average'],
      '-turnover',
    ),
    output: pageWithSums(ChannelRow, z.strictObject(money)),
  }),
  offlineMachines: read('device:read', {
    path: '/reports/offline-machines',
    summary: 'Machines in use that are not heard, since when, and what that may cost',
    export: 'device:export',
    input: listQuery(where, ['offlineHours', 'rtuNumber', 'lastSeenAt'], '-offlineHours'),
    output: page(OfflineRow),
  }),
}
