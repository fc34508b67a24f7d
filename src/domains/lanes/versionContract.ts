import { z } from 'zod'
import { read, write } from '../../shared/contract.ts'
import * as f from '../../shared/fields.ts'
import { listQuery, page } from '../../shared/listQuery.ts'
import { laneErrors } from './errors.ts'
import { planogram, road, skipped } from './fields.ts'
import { changeFields } from './planogram.ts'

export const versionSources = [
  'FIRST',
  'CREATE',
  'EDIT',
  'MERGE',
  'SPLIT',
  'REBUILD',
  'COPY',
  'RESTORE',
  'UNDO',
  'PRICE',
] as const
const number = z.number().int().min(1).max(2_147_483_647)

const value = z.union([z.string(), z.number()]).nullable()
/** One difference in words: a product by its name, everything else by its value. */
export const Change = z.strictObject({
  road: road.nullable(),
  level: z.number().int().nullable(),
  field: z.enum(changeFields),
  from: value,
  to: value,
})

export type Change = z.infer<typeof Change>

/** The first changes of a version; the rest comes with a comparison. */
export const shownChanges = 20
export const VersionRow = z.strictObject({
  version: number,
  source: z.enum(versionSources),
  byName: z.string(),
  createTime: f.instant,
  changes: f.count,
  diff: z.array(Change),
  current: z.boolean(),
})
export type VersionRow = z.infer<typeof VersionRow>

/** Roads written, roads that are so already, and what stays and why. */
export const planShape = {
  write: z.array(road),
  same: z.array(road),
  skipped,
}
const ofVersion = { deviceId: f.id, target: number }

export const versionEndpoints = {
  versions: read('lane:read', {
    path: '/devices/{deviceId}/planogram-versions',
    summary: 'Every saved state of the lanes, newest first, with what changed',
    input: listQuery({ deviceId: f.id }, ['version'], '-version'),
    output: page(VersionRow),
  }),
  compare: read('lane:read', {
    path: '/devices/{deviceId}/planogram-versions/{target}/diff',
    summary: 'What differs between a version and another, or the lanes as they are',
    input: z.strictObject({ ...ofVersion, against: number.optional() }),
    output: z.strictObject({ changes: z.array(Change) }),
  }),
  restorePlan: read('lane:update', {
    path: '/devices/{deviceId}/planogram-versions/{target}/restore-plan',
    summary: 'Which lanes would go back to a version, and which cannot and why',
    input: z.strictObject(ofVersion),
    output: z.strictObject(planShape),
  }),
  restore: write('lane:update', {
    path: '/devices/{deviceId}/planogram-versions/{target}/restore',
    summary:
      'Go back to a version as far as the rules allow; stock stays. undo marks it as taking the last save back',
    audit: 'lanes.restore',
    errors: [laneErrors.closed, laneErrors.nothingToWrite],
    input: z.strictObject({ ...ofVersion, version: planogram, undo: z.boolean().default(false) }),
    output: z.strictObject({ ...planShape, version: number }),
  }),
}
