import { z } from 'zod'
import { read, write } from '../../shared/contract.ts'
import { defineErrors } from '../../shared/errors.ts'
import * as f from '../../shared/fields.ts'
import { keyword, listQuery, page, rangeFields } from '../../shared/listQuery.ts'
import { regionCode } from '../../shared/place.ts'
import { bi } from '../../shared/text.ts'
import {
  dispensingModes,
  guardActs,
  guardErrors,
  placeErrors,
  stoppingLocks,
} from '../drug-guard/rules.ts'
import { drugClasses } from '../products/rules.ts'
import { dutyEndpoints, dutyErrors } from './dutyContract.ts'

// the catalogue of errors reads contracts
export { dutyErrors }

export const drugControlErrors = defineErrors('drugControl', {
  takeOutFirst: [
    422411,
    '请先取回货道内的商品再放行',
    'Take the goods out of the lane before it is released',
  ],
  excursionFirst: [
    422412,
    '该货道的温度偏离尚未放行，请在温度偏离中处置',
    'Decide about the excursion of this lane first',
  ],
  stillOutside: [
    422413,
    '温度尚未恢复正常，不能放行',
    'The temperature is not back within its limits',
  ],
  samePerson: [422410, '复核人不能是处理人', 'Somebody else has to review it'],
  noDrugMachine: [422414, '该设备不是售药机', 'Not a drug machine'],
  modeWaits: [
    409004,
    '该设备已有待复核的变更',
    'A change of this machine waits for somebody already',
  ],
})

const Reason = z.enum(stoppingLocks)
const DrugClass = z.enum(drugClasses)

/** A lane that was stopped for the sake of its goods. */
export const LockRow = z.strictObject({
  id: f.id,
  deviceId: f.id,
  rtuNumber: z.string(),
  nickname: z.string(),
  roadIndex: z.number().int(),
  productId: f.id.nullable(),
  productName: z.string().nullable(),
  drugClass: DrugClass.nullable(),
  reason: Reason.meta({
    tones: {
      COMPLIANCE: 'fault',
      EXPIRY: 'warn',
      RECALL: 'fault',
      TEMPERATURE: 'warn',
      TRACE_CODE: 'warn',
      WRONG_PRODUCT: 'warn',
    },
  }),
  since: f.instant.nullable(),
  qty: f.count,
  /** Of all batches in it. */
  batchNo: z.string(),
  /** The organisation whose people see to it. */
  orgName: z.string(),
  /** By when it should be settled; a recall says by its level. */
  dueAt: f.instant.nullable(),
})
export type LockRow = z.infer<typeof LockRow>

const chosen = bi('请选择处置方式', 'Choose what becomes of the goods')
const reason = f.text(200, bi('请输入处置原因', 'Enter the reason'))
const choices = ['RELEASE', 'SCRAP'] as const
/** Goods that may be sold again, or that somebody fetches. */
const Choice = z.enum(choices, chosen)

const Stopped = z.strictObject({
  id: f.id,
  road: z.number().int(),
  product: z.string(),
  drugClass: z.string(),
  qty: f.count,
})
const celsius = z.number().nullable().meta({ unit: 'celsius' })
export const excursionStates = ['OPEN', 'UNDECIDED', 'RELEASED', 'SCRAPPED', 'ALARM'] as const
export const ExcursionRow = z.strictObject({
  id: f.id,
  deviceId: f.id,
  rtuNumber: z.string(),
  nickname: z.string(),
  kind: z.enum(['OUTSIDE', 'UNKNOWN']),
  fromAt: f.instant,
  toAt: f.instant.nullable(),
  /** Until now, while it lasts. */
  minutes: f.count,
  tempMin: celsius,
  tempMax: celsius,
  limitLow: celsius,
  limitHigh: celsius,
  laneCount: f.count,
  pieces: f.count,
  /** ALARM: it ended before lanes had to stop. */
  state: z.enum(excursionStates).meta({
    tones: {
      OPEN: 'fault',
      UNDECIDED: 'warn',
      RELEASED: 'online',
      SCRAPPED: 'closed',
      ALARM: 'closed',
    },
  }),
  reason: z.string(),
  decidedBy: z.string().nullable(),
  decidedAt: f.instant.nullable(),
})
export type ExcursionRow = z.infer<typeof ExcursionRow>
export const Excursion = ExcursionRow.extend({
  lanes: z.array(Stopped),
  /** Points of time and temperature while it lasted; frozen when it is over. */
  curve: z.array(z.tuple([z.string(), z.number().nullable()])),
})
export type Excursion = z.infer<typeof Excursion>

export const RefusalRow = z.strictObject({
  id: f.id,
  lastAt: f.instant,
  firstAt: f.instant,
  times: f.count,
  who: z.string(),
  act: z.enum(guardActs),
  deviceId: f.id,
  rtuNumber: z.string(),
  nickname: z.string(),
  road: z.number().int().nullable(),
  productName: z.string(),
  drugClass: DrugClass,
  rule: z.number().int(),
  key: z.enum(Object.keys(guardErrors) as [keyof typeof guardErrors]),
})
export type RefusalRow = z.infer<typeof RefusalRow>

const Mode = z.enum(dispensingModes, bi('请选择售药方式', 'Choose the way of dispensing'))
const ModeOfMachine = z.strictObject({
  deviceId: f.id,
  rtuNumber: z.string(),
  /** Null: it sells no drugs. */
  mode: Mode.nullable(),
  /** How many lanes would stop. */
  stops: z.strictObject({ UNATTENDED: f.count, PHARMACIST: f.count, MEDICAL: f.count }),
  waiting: z
    .strictObject({
      id: f.id,
      to: Mode,
      reason: z.string(),
      askedBy: z.string(),
      askedAt: f.instant,
      /** The reader asked for it himself. */
      own: z.boolean(),
    })
    .nullable(),
})
export type ModeOfMachine = z.infer<typeof ModeOfMachine>

const places = {
  deviceId: f.id.optional(),
  productId: f.id.optional(),
  region: regionCode().optional(),
  ...rangeFields,
}
export const drugControl = {
  locks: read('near-expiry:read', {
    path: '/drug-locks',
    summary: 'Lanes that were stopped for the sake of their goods, the longest first',
    input: listQuery(
      {
        reason: Reason.optional(),
        deviceId: f.id.optional(),
        productId: f.id.optional(),
        batchNo: keyword,
        code: keyword,
        region: regionCode().optional(),
        ...rangeFields,
      },
      ['since', 'qty', 'rtuNumber'],
      'since',
    ),
    export: 'near-expiry:export',
    output: page(LockRow),
  }),
  decideLock: write('lane:lock', {
    path: '/drug-locks/{id}/decide',
    summary:
      'Releases the goods of a lane, or has somebody fetch them; `was` is the reason the person saw',
    audit: 'drugControl.decideLock',
    errors: [
      drugControlErrors.takeOutFirst,
      drugControlErrors.excursionFirst,
      guardErrors.codesApart,
      ...placeErrors,
    ],
    input: z.strictObject({ id: f.id, was: Reason, choice: Choice, reason }),
    output: f.done,
  }),
  excursions: read('near-expiry:read', {
    path: '/temperature-excursions',
    summary: 'When machines were too warm or cold, or told nothing; the last first',
    input: listQuery(
      { state: z.enum(excursionStates).optional(), ...places },
      ['fromAt', 'rtuNumber'],
      '-fromAt',
    ),
    export: 'near-expiry:export',
    output: page(ExcursionRow),
  }),
  excursion: read('near-expiry:read', {
    path: '/temperature-excursions/{id}',
    summary: 'One excursion with its curve and lanes',
    input: z.strictObject({ id: f.id }),
    output: Excursion,
  }),
  decideExcursion: write('lane:lock', {
    path: '/temperature-excursions/{id}/decide',
    summary: 'Releases the goods of all its lanes, or has somebody fetch them',
    audit: 'drugControl.decideExcursion',
    errors: [drugControlErrors.stillOutside],
    input: z.strictObject({ id: f.id, choice: Choice, reason }),
    output: f.done,
  }),
  refusals: read('drug-evidence:read', {
    path: '/drug-guard-refusals',
    summary: 'What the drug guard refused; the last first',
    input: listQuery(
      {
        act: z.enum(guardActs).optional(),
        rule: z.number().int().min(1).max(8).optional(),
        ...places,
      },
      ['lastAt', 'times'],
      '-lastAt',
    ),
    export: 'drug-evidence:export',
    output: page(RefusalRow),
  }),
  mode: read('device:update', {
    path: '/devices/{deviceId}/dispensing-mode',
    summary: 'How a machine dispenses drugs, and how many lanes another way would stop',
    input: z.strictObject({ deviceId: f.id }),
    output: ModeOfMachine,
  }),
  askMode: write('device:update', {
    path: '/devices/{deviceId}/dispensing-mode',
    summary: 'Asks for another way of dispensing; somebody else agrees',
    audit: 'drugControl.askMode',
    fresh: true,
    errors: [drugControlErrors.noDrugMachine, drugControlErrors.modeWaits],
    input: z.strictObject({
      deviceId: f.id,
      to: Mode,
      reason: f.text(200, bi('请输入变更原因', 'Enter the reason')),
    }),
    output: ModeOfMachine,
  }),
  decideMode: write('device:update', {
    path: '/dispensing-mode-changes/{id}/decide',
    summary:
      'Agrees, so that lanes which may not sell any more stop, or refuses; `stops` is how many the person saw',
    audit: 'drugControl.decideMode',
    fresh: true,
    errors: [drugControlErrors.samePerson],
    input: z.strictObject({ id: f.id, agree: z.boolean(), stops: f.count.default(0) }),
    output: ModeOfMachine,
  }),
  ...dutyEndpoints,
}
