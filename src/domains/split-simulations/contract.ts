import { z } from 'zod'
import { read, write } from '../../shared/contract.ts'
import * as f from '../../shared/fields.ts'
import { listQuery, page, rangeFields, wholeRange } from '../../shared/listQuery.ts'
import { bi } from '../../shared/text.ts'
import { limits, simulationErrors } from './rules.ts'

const State = z.enum(['QUEUED', 'RUNNING', 'DONE', 'FAILED', 'CANCELLED']).meta({
  tones: {
    QUEUED: 'pending',
    RUNNING: 'paid',
    DONE: 'online',
    FAILED: 'fault',
    CANCELLED: 'closed',
  },
})
const versionNo = z.number().int().min(1)
const bp = (least: number, most: number) => z.number().int().min(least).max(most)
const asked = {
  /** Empty: the machines of the strategy. */
  deviceIds: f.ids().max(500, bi('最多500台设备', 'At most 500 machines')).default([]),
  /** Basis points instead of what was; null: as it was. */
  feeBp: bp(0, 1000).nullable().default(null),
  refundBp: bp(0, 10_000).nullable().default(null),
  /** By how much prices change. */
  priceBp: bp(-9000, 10_000).default(0),
}
const days = ({ from, to }: { from?: string | undefined; to?: string | undefined }) =>
  from && to ? (Date.parse(to) - Date.parse(from)) / 86_400_000 : 0
export const NewSimulation = z
  .strictObject({
    strategyId: f.id,
    versionNo,
    /** Null: as if there were no strategy; left out: what counts now. */
    comparedNo: versionNo.nullable().optional(),
    ...rangeFields,
    ...asked,
  })
  .superRefine(wholeRange)
  .refine((range) => days(range) < limits.days, {
    path: ['to'],
    message: bi('日期范围最多90天', 'At most 90 days'),
  })

export const SimulationRow = z.strictObject({
  id: f.id,
  strategyId: f.id,
  versionNo,
  comparedNo: versionNo.nullable(),
  from: f.day,
  to: f.day,
  deviceCount: f.count,
  feeBp: asked.feeBp,
  refundBp: asked.refundBp,
  priceBp: z.number().int(),
  state: State,
  done: f.count,
  total: f.count,
  error: z.string(),
  userName: z.string(),
  createTime: f.instant,
  finishTime: f.instant.nullable(),
  can: z.strictObject({ cancel: z.boolean() }),
})
export type SimulationRow = z.infer<typeof SimulationRow>

const Sums = z.strictObject({
  orders: f.count,
  units: f.count,
  paid: f.fen,
  refunded: f.fen,
  fee: f.signedFen,
})
const both = { before: f.signedFen, after: f.signedFen }
const Machine = z.strictObject({ id: f.id, name: z.string(), ...both })
const Result = z.strictObject({
  before: Sums,
  after: Sums,
  parties: z.array(
    z.strictObject({
      /** Below nothing a referrer. */
      orgId: z.number().int(),
      name: z.string(),
      ...both,
      /** Ten-thousandths of a fen. */
      carry: z.number().int(),
      negative: z.strictObject({ amount: f.signedFen, day: f.day }).nullable(),
    }),
  ),
  days: z.array(
    z.strictObject({
      day: f.day,
      paid: f.fen,
      before: z.array(f.signedFen),
      after: z.array(f.signedFen),
    }),
  ),
  winners: z.array(Machine),
  losers: z.array(Machine),
  overCap: z.strictObject({
    count: f.count,
    list: z.array(z.strictObject({ orderNum: z.string(), amount: f.fen })),
  }),
  /** Refunded, and with parties whose receiver cannot give it back. */
  kept: f.fen,
  /** How many shares were rounded by how much, between the edges. */
  roundings: z.array(f.count),
})
export type SimulationResult = z.infer<typeof Result>

const parts = ['PARTY', 'DAY', 'DEVICE', 'OVER_CAP'] as const
/** A line of the file: what of the result it is, and its two amounts. */
const Line = z.strictObject({
  part: z.enum(parts),
  name: z.string(),
  party: z.string(),
  ...both,
  difference: f.signedFen,
  changeBp: z.number().int().nullable(),
})
export type SimulationLine = z.infer<typeof Line>

export const splitSimulations = {
  list: read('split-strategy:simulate', {
    path: '/finance/split-simulations',
    summary: 'What-if simulations of a strategy, kept for 90 days',
    input: listQuery(
      { strategyId: f.id.optional(), state: State.optional() },
      ['createTime'],
      '-createTime',
    ),
    output: page(SimulationRow),
  }),
  get: read('split-strategy:simulate', {
    path: '/finance/split-simulations/{id}',
    summary: 'A simulation: how far it is, and its result',
    input: z.strictObject({ id: f.id }),
    output: SimulationRow.extend({ result: Result.nullable() }),
  }),
  lines: read('split-strategy:simulate', {
    path: '/finance/split-simulations/{id}/export',
    summary: 'The result of a simulation as lines: parties, days, machines, orders over the cap',
    input: listQuery({ id: f.id, part: z.enum(parts).optional() }, ['part'], 'part'),
    output: page(Line),
    export: 'split-strategy:export',
  }),
  create: write('split-strategy:simulate', {
    path: '/finance/split-simulations',
    summary: 'Divide what was sold by a version of a strategy; writes nothing but its result',
    audit: 'splitSimulations.create',
    errors: Object.values(simulationErrors),
    input: NewSimulation,
    output: SimulationRow,
  }),
  cancel: write('split-strategy:simulate', {
    path: '/finance/split-simulations/{id}/cancel',
    summary: 'Stop a simulation',
    audit: 'splitSimulations.cancel',
    errors: [simulationErrors.ended],
    input: z.strictObject({ id: f.id }),
    output: SimulationRow,
  }),
}
