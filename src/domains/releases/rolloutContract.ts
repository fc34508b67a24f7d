import { z } from 'zod'
import { read, write } from '../../shared/contract.ts'
import * as f from '../../shared/fields.ts'
import { keyword, listQuery, page, rangeFields } from '../../shared/listQuery.ts'
import { bi } from '../../shared/text.ts'
import type { Code } from './contract.ts'
import { pauses, rolloutStateNames, unfitReasons, updateStateNames } from './rollout.ts'
import { releaseErrors } from './rules.ts'

const RolloutState = z.enum(rolloutStateNames).meta({
  tones: {
    PENDING: 'warn',
    SCHEDULED: 'paid',
    RUNNING: 'online',
    PAUSED: 'fault',
    DONE: 'success',
    ABORTED: 'closed',
    REJECTED: 'closed',
  },
})
export const updateTones = {
  WAITING: 'offline',
  NOTIFIED: 'paid',
  DOWNLOADING: 'paid',
  DOWNLOADED: 'paid',
  INSTALLING: 'warn',
  SUCCEEDED: 'success',
  FAILED: 'fault',
  TIMED_OUT: 'fault',
  ROLLED_BACK: 'fault',
  CANCELLED: 'closed',
  SKIPPED: 'closed',
} as const
const UpdateState = z.enum(updateStateNames).meta({ tones: updateTones })
const range = bi('阈值超出范围', 'Out of range')
const percent = (low: number) => z.number(range).int(range).min(low, range).max(100, range)
const Stage = z.strictObject({
  percent: percent(1),
  successPct: percent(50).default(95),
  errorPct: percent(1).default(10),
  errorCount: z.number(range).int(range).min(1, range).max(1000, range).default(3),
  after: z.enum(['AUTO', 'PAUSE']).default('AUTO'),
})
const clock = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, bi('时间格式如 02:00', 'A time: 02:00'))
const noDevice = bi('请至少选择一台设备', 'Choose at least one machine')

/** Which machines: named, or all of an organisation, or of a type. */
const which = {
  deviceIds: f.ids().max(10_000).default([]),
  numbers: z
    .array(z.string().trim().min(4).max(20))
    .max(1000, bi('一次最多 1000 台', 'At most 1,000 at once'))
    .default([]),
  orgId: f.id.optional(),
  deviceTypeId: f.id.optional(),
}
const versionId = z
  .number({ error: bi('请选择应用', 'Choose a version') })
  .int()
  .positive()
  .max(Number.MAX_SAFE_INTEGER)
const plan = {
  versionId,
  ...which,
  stages: z.array(Stage).min(1, range).max(5, range),
  canaryIds: f.ids().max(1000).default([]),
  downgrade: z.boolean().default(false),
}
const someDevice = (
  given: z.output<z.ZodObject<typeof which>>,
  check: z.core.ParsePayload<unknown>,
) => {
  if (given.deviceIds.length || given.numbers.length || given.orgId || given.deviceTypeId) return
  check.issues.push({ code: 'custom', path: ['deviceIds'], message: noDevice, input: given })
}
export const NewRollout = z
  .strictObject({
    name: f.text(50, bi('请填写任务名称', 'Name it')),
    ...plan,
    atOnce: z.boolean().default(false),
    quietFrom: clock.default('02:00'),
    quietTo: clock.default('05:00'),
    randomDelayMin: z.number().int().min(0).max(60).default(30),
    /** kB/s; 0: as fast as it goes. */
    bandwidth: z.number().int().min(0).max(100_000).default(0),
    guard: z.boolean().default(true),
    guardHours: z.number().int().min(1).max(72).default(24),
    guardDrop: z.number().int().min(1).max(100).default(10),
    retries: z.number().int().min(0).max(3).default(1),
    days: z.number().int().min(1).max(30).default(7),
  })
  .check((c) => someDevice(c.value, c))
const Preview = z.strictObject(plan).check((c) => someDevice(c.value, c))

const StageRow = Stage.extend({
  total: f.count,
  succeeded: f.count,
  failed: f.count,
  left: f.count,
  open: f.count,
})
export const RolloutRow = z.strictObject({
  id: f.id,
  kind: z.enum(['APK', 'FIRMWARE']),
  name: z.string(),
  versionId: f.id,
  target: z.string(),
  versionName: z.string(),
  orgName: z.string(),
  devices: f.count,
  stages: z.array(StageRow),
  stage: z.number().int(),
  succeeded: f.count,
  failed: f.count,
  rolledBack: f.count,
  pending: f.count,
  successShare: z.number().int().min(0).max(1000).meta({ unit: 'permille' }),
  state: RolloutState,
  pause: z.enum(pauses).nullable(),
  reason: z.string(),
  atOnce: z.boolean(),
  quietFrom: z.string(),
  quietTo: z.string(),
  guard: z.boolean(),
  downgrade: z.boolean(),
  author: z.string(),
  approver: z.string(),
  startTime: f.instant.nullable(),
  finishTime: f.instant.nullable(),
  version: f.version,
  createTime: f.instant,
  can: z.strictObject({
    approve: z.boolean(),
    reject: z.boolean(),
    pause: z.boolean(),
    resume: z.boolean(),
    nextStage: z.boolean(),
    abort: z.boolean(),
    retry: z.boolean(),
    revert: z.boolean(),
  }),
})
export type RolloutRow = z.infer<typeof RolloutRow>
export const UpdateRow = z.strictObject({
  id: f.id,
  deviceId: f.id,
  rtuNumber: z.string(),
  nickname: z.string(),
  orgName: z.string(),
  fromVersion: z.string(),
  toVersion: z.string(),
  stage: z.number().int(),
  state: UpdateState,
  progress: z.number().int(),
  tries: z.number().int(),
  errorCode: z.string(),
  error: z.string(),
  notifyTime: f.instant.nullable(),
  downloadTime: f.instant.nullable(),
  installTime: f.instant.nullable(),
  finishTime: f.instant.nullable(),
  can: z.strictObject({ cancel: z.boolean() }),
})
export type UpdateRow = z.infer<typeof UpdateRow>

const one = z.strictObject({ id: f.id })
const oneOf = { id: f.id, version: f.version }
const why = f.text(200, bi('请填写原因', 'Say why'))
const planErrors = [
  releaseErrors.stageOrder,
  releaseErrors.firstTooLarge,
  releaseErrors.noDowngrade,
  releaseErrors.notSigned,
  releaseErrors.noneFits,
]

export const rolloutsOf = <C extends Code>(code: C) => {
  const path = `/${code}-rollouts`
  const act = (name: string, summary: string) => ({
    path: `${path}/{id}/${name}`,
    summary,
    errors: [releaseErrors.wrongState],
    output: RolloutRow,
  })
  return {
    rollouts: read(`${code}:read`, {
      path,
      summary: 'Roll-outs of the own scope, newest first',
      input: listQuery(
        {
          keyword,
          versionId: f.id.optional(),
          state: RolloutState.optional(),
          deviceId: f.id.optional(),
          ...rangeFields,
        },
        ['createTime'],
        '-createTime',
      ),
      output: page(RolloutRow),
      export: `${code}:export`,
    }),
    rollout: read(`${code}:read`, {
      path: `${path}/{id}`,
      summary: 'One roll-out with its stages',
      input: one,
      output: RolloutRow,
    }),
    rolloutDevices: read(`${code}:read`, {
      path: `${path}/{id}/devices`,
      summary: 'Machines of a roll-out and how far each is',
      input: listQuery(
        {
          id: f.id,
          keyword,
          state: UpdateState.optional(),
          stage: z.number().int().min(0).max(4).optional(),
        },
        ['rtuNumber', 'stage'],
        'rtuNumber',
      ),
      output: page(UpdateRow),
      export: `${code}:export`,
    }),
    preview: write(`${code}:rollout`, {
      path: `${path}/preview`,
      summary: 'Which machines would take a version, in which stage, and why others would not',
      audit: { none: 'nothing is changed' },
      errors: planErrors,
      input: Preview,
      output: z.strictObject({
        fits: f.count,
        stages: z.array(f.count),
        size: f.count,
        approval: z.boolean(),
        unfit: z.array(
          z.strictObject({
            id: f.id,
            rtuNumber: z.string(),
            nickname: z.string(),
            current: z.string(),
            reason: z.enum(unfitReasons),
          }),
        ),
        unfitTotal: f.count,
      }),
    }),
    createRollout: write(`${code}:rollout`, {
      path,
      summary: 'Bring a version to machines, in stages; beyond a bound somebody else approves it',
      audit: 'releases.createRollout',
      errors: [...planErrors, releaseErrors.inRollout],
      input: NewRollout,
      output: RolloutRow,
    }),
    approve: write(`${code}:approve`, {
      ...act('approve', 'Agree to what somebody else planned; it begins'),
      audit: 'releases.approve',
      fresh: true,
      errors: [releaseErrors.wrongState, releaseErrors.samePerson, releaseErrors.notSigned],
      input: z.strictObject(oneOf),
    }),
    reject: write(`${code}:approve`, {
      ...act('reject', 'Refuse it'),
      audit: 'releases.reject',
      errors: [releaseErrors.wrongState, releaseErrors.samePerson],
      input: z.strictObject({ ...oneOf, reason: why }),
    }),
    pause: write(`${code}:rollout`, {
      ...act('pause', 'Machines that have not begun to install hold'),
      audit: 'releases.pause',
      input: z.strictObject({ ...oneOf, reason: why }),
    }),
    resume: write(`${code}:rollout`, {
      ...act('resume', 'Go on where it was paused'),
      audit: 'releases.resume',
      input: z.strictObject({ ...oneOf, reason: why }),
    }),
    nextStage: write(`${code}:rollout`, {
      ...act('next-stage', 'The next stage, at a checkpoint'),
      audit: 'releases.nextStage',
      input: z.strictObject(oneOf),
    }),
    abort: write(`${code}:rollout`, {
      ...act('abort', 'No further machine is updated; those that are stay so'),
      audit: 'releases.abort',
      input: z.strictObject({ ...oneOf, reason: why }),
    }),
    retry: write(`${code}:rollout`, {
      ...act('retry', 'Once more on the machines that failed'),
      audit: 'releases.retry',
      errors: [releaseErrors.wrongState, releaseErrors.nothingFailed, releaseErrors.inRollout],
      input: z.strictObject(oneOf),
    }),
    revert: write(`${code}:rollout`, {
      ...act('revert', 'A new roll-out of the version before, to the machines that were updated'),
      audit: 'releases.revert',
      errors: [
        releaseErrors.wrongState,
        releaseErrors.noPrevious,
        releaseErrors.noDowngrade,
        releaseErrors.inRollout,
      ],
      input: z.strictObject({ ...oneOf, reason: why }),
    }),
    cancelDevice: write(`${code}:rollout`, {
      path: `${path}/{id}/devices/{deviceId}/cancel`,
      summary: 'One machine is left out, unless it installs already',
      audit: 'releases.cancelDevice',
      errors: [releaseErrors.wrongState],
      input: z.strictObject({ id: f.id, deviceId: f.id }),
      output: f.done,
    }),
  }
}
export type RolloutsContract = ReturnType<typeof rolloutsOf<Code>>
