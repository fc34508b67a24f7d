import { z } from 'zod'
import { read, write } from '../../shared/contract.ts'
import { defineErrors } from '../../shared/errors.ts'
import * as f from '../../shared/fields.ts'
import { listQuery, page } from '../../shared/listQuery.ts'
import { machineIds, machineOutcome } from '../../shared/outcome.ts'
import { regionCode } from '../../shared/place.ts'
import { bi } from '../../shared/text.ts'
import { laneErrors } from '../lanes/contract.ts'

/** Why nobody was told of a machine. */
export const warningErrors = defineErrors('stockWarnings', {
  lately: [422001, '近期已通知过', 'Notified a short while ago'],
  nobody: [422001, '没有补货员', 'It has no replenisher'],
  fine: [422001, '已没有预警', 'It has no warning by now'],
})

/** Nothing to sell, little to sell, pieces that a person has to count. */
export const warningKinds = ['SOLD_OUT', 'LOW', 'COUNT'] as const
const Kind = z
  .enum(warningKinds)
  .meta({ tones: { SOLD_OUT: 'soldOut', LOW: 'warn', COUNT: 'locked' } })

export const WarningRow = z.strictObject({
  id: f.id,
  kind: Kind,
  deviceId: f.id,
  rtuNumber: z.string(),
  nickname: z.string(),
  laneId: f.id,
  roadIndex: z.number().int(),
  productName: z.string(),
  quantity: f.count,
  reserved: f.count,
  failedHold: f.count,
  sellable: f.count,
  roadCapacity: f.count,
  warnQty: f.count,
  openTime: f.instant,
  /** What the lane took in a day before it ran short; null with fewer than two days to go by. */
  lossPerDay: f.fen.nullable(),
  replenishers: z.array(z.string()),
  /** When people were last told of it. */
  notifyTime: f.instant.nullable(),
})
export type WarningRow = z.infer<typeof WarningRow>

export const longerThan = ['h4', 'd1', 'd3', 'd7'] as const
const filters = {
  kind: Kind.optional(),
  deviceId: f.id.optional(),
  productId: f.id.optional(),
  categoryId: f.id.optional(),
  region: regionCode().optional(),
  /** A replenisher of the machine. */
  userId: f.id.optional(),
  lasting: z.enum(longerThan).optional(),
}

const warnText = bi('库存预警值须为0-199', 'A warning level from 0 to 199')
export const Thresholds = z.strictObject({
  laneIds: f
    .ids(bi('请选择货道', 'Choose lanes'))
    .min(1, bi('请选择货道', 'Choose lanes'))
    .max(200, bi('一次最多 200 个货道', 'At most 200 lanes at a time')),
  warnQty: z.number(warnText).int(warnText).min(0, warnText).max(199, warnText),
})

export const stockWarnings = {
  list: read('stock-warning:read', {
    path: '/stock-warnings',
    summary: 'Lanes of machines in use that are sold out, low, or wait for a count',
    input: listQuery(filters, ['openTime', 'sellable', 'rtuNumber'], 'openTime'),
    export: 'stock-warning:export',
    output: page(WarningRow),
  }),
  stats: read('stock-warning:read', {
    path: '/stock-warnings/stats',
    summary: 'How many warnings of each kind are open',
    output: z.strictObject({ all: f.count, soldOut: f.count, low: f.count, count: f.count }),
  }),
  thresholds: write('stock-warning:update', {
    method: 'PUT',
    path: '/stock-warnings/thresholds',
    summary: 'From how many pieces on lanes count as low; each machine gets a version of its lanes',
    audit: 'stockWarnings.thresholds',
    errors: [laneErrors.warnOverCapacity, laneErrors.closed],
    input: Thresholds,
    output: z.strictObject({ lanes: f.count }),
  }),
  notify: write('stock-warning:update', {
    path: '/stock-warnings/notify',
    summary:
      'A message to the replenishers of machines with warnings, once per machine within stock.warnMessageHours',
    audit: 'stockWarnings.notify',
    errors: [warningErrors.lately, warningErrors.nobody, warningErrors.fine],
    input: z.strictObject({ deviceIds: machineIds(200) }),
    output: machineOutcome({}),
  }),
}
