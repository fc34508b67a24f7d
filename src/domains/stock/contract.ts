import { z } from 'zod'
import { read } from '../../shared/contract.ts'
import * as f from '../../shared/fields.ts'
import { keyword, listQuery, pageWithSums, rangeFields } from '../../shared/listQuery.ts'
import { flowReasons, flowTypes } from './rules.ts'

const wasteNum = z
  .string()
  .trim()
  .regex(/^[0-9A-Z-]{1,40}$/i)

export const FlowRow = z.strictObject({
  id: f.id,
  wasteNum: z.string(),
  deviceId: f.id,
  rtuNumber: z.string(),
  laneId: f.id,
  /** Empty for a machine that belongs to somebody else now. */
  nickname: z.string(),
  cargoRoad: z.number().int(),
  type: z.enum(flowTypes),
  reason: z.enum(flowReasons),
  productId: f.id,
  productName: z.string(),
  beforeChangeTotal: z.number().int(),
  changeTotal: z.number().int(),
  afterChangeTotal: z.number().int(),
  /** Null: of unknown batch. */
  batchNo: z.string().nullable(),
  /** Trace codes of the pieces, for whoever may read them. */
  codes: z.array(z.string()),
  orderNum: z.string().nullable(),
  /** Of the replenisher who moved the goods. */
  visitId: f.id.nullable(),
  actorKind: z.enum(['USER', 'DEVICE', 'SYSTEM']),
  /** Null for machines, the system, and people of organisations above. */
  actorName: z.string().nullable(),
  occurTime: f.instant,
  createTime: f.instant,
})
export type FlowRow = z.infer<typeof FlowRow>

/**
 * Without days the last seven are listed; a flow or order number alone searches around the day it
 * carries. `rtuNumber` is part of a machine's number or name.
 */
export const FlowQuery = listQuery(
  {
    type: z.enum(flowTypes).optional(),
    reason: z.enum(flowReasons).optional(),
    rtuNumber: keyword,
    deviceId: f.id.optional(),
    cargoRoad: z.number().int().min(1).max(400).optional(),
    keyword,
    productId: f.id.optional(),
    orderNum: z
      .string()
      .trim()
      .regex(/^\d{20}$/)
      .optional(),
    wasteNum: wasteNum.optional(),
    batchNo: keyword,
    /** Of whom; a supplier is not told of anybody. */
    actorId: f.id.optional(),
    /** A whole code, by whoever may read codes; alone, it searches the last year. */
    traceCode: f.traceCode.optional(),
    ...rangeFields,
  },
  ['createTime'],
  '-createTime',
)

export const stock = {
  flows: read('stock-flow:read', {
    path: '/stock-flows',
    summary: "Every change of a lane's stock; append-only",
    input: FlowQuery,
    export: 'stock-flow:export',
    output: pageWithSums(
      FlowRow,
      z.strictObject({ plus: z.number().int(), minus: z.number().int() }),
    ),
  }),
}
