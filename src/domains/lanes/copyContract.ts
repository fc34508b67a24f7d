import { z } from 'zod'
import { read, write } from '../../shared/contract.ts'
import * as f from '../../shared/fields.ts'
import { bi } from '../../shared/text.ts'
import { laneErrors } from './errors.ts'
import { skipped } from './fields.ts'
import { Change, planShape } from './versionContract.ts'

export const copyParts = ['product', 'price', 'capacity', 'warnQty', 'restriction'] as const
export const copyTargets = 200

const noneChosen = bi('请至少选择一台设备', 'Choose at least one device')
const tooMany = bi(`一次最多选择${copyTargets}台设备`, `At most ${copyTargets} devices at a time`)
const noParts = bi('请选择要复制的内容', 'Choose what to copy')
const copyInput = {
  deviceId: f.id,
  targetIds: f.ids(noneChosen).min(1, noneChosen).max(copyTargets, tooMany),
  parts: z.array(z.enum(copyParts), noParts).min(1, noParts).max(copyParts.length),
  /** SAME writes lanes that are there; CREATE also draws the lanes of machines that have none. */
  layout: z.enum(['SAME', 'CREATE']).default('SAME'),
}

const machine = { deviceId: f.id, rtuNumber: z.string(), nickname: z.string() }
export const CopyPreview = z.strictObject({
  ...machine,
  /** Why nothing is written to the whole machine; empty when something may be. */
  problem: z.string(),
  /** Its lanes are drawn first. */
  creates: z.boolean(),
  ...planShape,
  /** Setting by setting, when this is the only machine asked about. */
  changes: z.array(Change),
})
export type CopyPreview = z.infer<typeof CopyPreview>

const TargetState = z.enum(['WAITING', 'DONE', 'FAILED', 'UNDOING', 'UNDONE', 'KEPT'])
export const CopyRow = z.strictObject({
  id: f.id,
  deviceId: f.id,
  rtuNumber: z.string(),
  /** Version of the lanes that was copied. */
  version: f.count,
  parts: z.array(z.enum(copyParts)),
  createTime: f.instant,
  finishTime: f.instant.nullable(),
  undoUntil: f.instant.nullable(),
  machines: f.count,
  /** Machines that wait, to be written or to be taken back. */
  open: f.count,
  targets: z.array(
    z.strictObject({
      ...machine,
      state: TargetState,
      written: f.count,
      skipped,
      problem: z.string(),
    }),
  ),
  can: z.strictObject({ undo: z.boolean() }),
})
export type CopyRow = z.infer<typeof CopyRow>

export const copyEndpoints = {
  copyPlan: read('lane:copy', {
    path: '/devices/{deviceId}/lanes/copy-plan',
    summary:
      'What copying the settings of these lanes to other machines would write, lane by lane, and what it would leave and why',
    errors: [laneErrors.noLanes, laneErrors.noTarget],
    input: z.strictObject(copyInput),
    output: z.strictObject({
      version: f.count,
      machines: f.count,
      lanes: f.count,
      targets: z.array(CopyPreview),
    }),
  }),
  copy: write('lane:copy', {
    path: '/devices/{deviceId}/lanes/copy',
    summary:
      'Copy lane settings to other machines, each in a transaction of its own; stock is never copied',
    audit: 'lanes.copy',
    idempotent: true,
    errors: [laneErrors.noLanes, laneErrors.noTarget],
    input: z.strictObject(copyInput),
    output: CopyRow,
  }),
  copies: read('lane:copy', {
    path: '/devices/{deviceId}/lane-copies',
    summary: 'The last copies from this machine',
    input: z.strictObject({ deviceId: f.id }),
    output: z.strictObject({ list: z.array(CopyRow) }),
  }),
  copyState: read('lane:copy', {
    path: '/lane-copies/{id}',
    summary: 'How far a copy is, with the result of each machine',
    input: z.strictObject({ id: f.id }),
    output: CopyRow,
  }),
  copyUndo: write('lane:copy', {
    path: '/lane-copies/{id}/undo',
    summary:
      'Within ten minutes: every machine goes back to its lanes before, unless somebody changed them since',
    audit: 'lanes.copyUndo',
    errors: [laneErrors.undoTooLate],
    input: z.strictObject({ id: f.id }),
    output: CopyRow,
  }),
}
