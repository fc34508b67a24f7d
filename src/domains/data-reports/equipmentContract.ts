import { z } from 'zod'
import { read } from '../../shared/contract.ts'
import * as f from '../../shared/fields.ts'
import { listQuery, pageWithSums, wholeRange } from '../../shared/listQuery.ts'
import { compare, permille, places } from './figures.ts'
import { equipmentViews, usualIdleDays } from './rules.ts'

/** Hours with one digit. */
const hours = z.number().min(0)
/** Null without `dashboard:money`. */
const money = f.signedFen.nullable()

export const EquipmentRow = z.strictObject({
  id: f.id,
  rtuNumber: z.string(),
  nickname: z.string(),
  ownedUserName: z.string(),
  address: z.string(),
  orderTotal: f.count,
  turnover: money,
  /** Turnover of a day. */
  dailyTurnover: money,
  /** Pieces that left, of those that were paid; null where none were. */
  successRate: permille.nullable(),
  problemRate: permille.nullable(),
  /** Of the time that it stood with its owner; null for one that was never heard, or left. */
  onlineRate: permille.nullable(),
  outages: f.count,
  offlineHours: hours.nullable(),
  /** Of all its lanes together. */
  soldOutHours: hours,
  /** Outside the limits of what lies in it. */
  tempHours: hours,
  faults: f.count,
  /** From a fault of the period to its end; null where none has ended. */
  repairHours: hours.nullable(),
  lastRefillTime: f.instant.nullable(),
})
export type EquipmentRow = z.infer<typeof EquipmentRow>

export const EquipmentSums = z.strictObject({
  machines: f.count,
  orderTotal: f.count,
  turnover: money,
  successRate: permille.nullable(),
  onlineRate: permille.nullable(),
  outages: f.count,
  offlineHours: hours,
  faults: f.count,
  repairHours: hours.nullable(),
})
export type EquipmentSums = z.infer<typeof EquipmentSums>

const filters = {
  state: z.enum(equipmentViews).default('ALL'),
  ...places,
  /** So many days without an order make a machine idle. */
  idleDays: z.number().int().min(1).max(90).default(usualIdleDays),
  compare,
}

export const equipmentEndpoints = {
  equipment: read('device-report:read', {
    path: '/reports/equipment',
    summary: 'What each machine sold, how it ran, and what it lacked',
    export: 'device-report:export',
    input: listQuery(
      filters,
      [
        ...(['usual', 'rtuNumber', 'orderTotal', 'turnover', 'successRate', 'onlineRate'] as const),
        ...(['outages', 'offlineHours', 'soldOutHours', 'tempHours', 'faults'] as const),
        ...(['repairHours'] as const),
      ],
      'usual',
    ),
    output: pageWithSums(EquipmentRow, EquipmentSums),
  }),
  equipmentSummary: read('device-report:read', {
    path: '/reports/equipment/summary',
    summary:
      'Sums of the equipment report, those of the period before, and how machines ran by day',
    heavy: true,
    input: z.strictObject(filters).superRefine(wholeRange),
    output: z.strictObject({
      asOf: f.instant,
      from: f.day,
      to: f.day,
      sums: EquipmentSums,
      before: EquipmentSums.extend({ from: f.day, to: f.day }).nullable(),
      points: z.array(z.strictObject({ key: z.string(), offlineHours: hours, faults: f.count })),
      /** In the places of `points`. */
      beforePoints: z.array(hours).nullable(),
    }),
  }),
}
