import { z } from 'zod'
import { read, write } from '../../shared/contract.ts'
import { defineErrors } from '../../shared/errors.ts'
import * as f from '../../shared/fields.ts'
import { keyword, listQuery, page } from '../../shared/listQuery.ts'
import { machineIds, machineOutcome } from '../../shared/outcome.ts'
import { bi } from '../../shared/text.ts'

export const deviceSettingsErrors = defineErrors('deviceSettings', {
  tempMissing: [400001, '温度不能为空', 'Enter the temperature'],
  tempNotHere: [
    422001,
    '该机型不制冷，不能设置温度',
    'This type does not cool: it has no temperature limits',
  ],
  tempOrder: [400001, '最低温度不能高于最高温度', 'Lowest temperature exceeds highest'],
  humOrder: [400001, '最低湿度不能高于最高湿度', 'Lowest humidity exceeds highest'],
  outsideStorage: [
    422001,
    '超出商品存储温度要求：{products}',
    'Outside the storage temperature of: {products}',
  ],
  closed: [
    422001,
    '设备已外售或报废，不能修改',
    'The device was sold or scrapped and cannot be changed',
  ],
})

export const syncStates = ['PENDING', 'DELIVERED', 'APPLIED', 'REFUSED'] as const
export const documentNames = ['CONFIG', 'PLANOGRAM'] as const
const SyncState = z.enum(syncStates)

const required = (empty: string, wrong: string) => ({
  error: (issue: { input?: unknown }) =>
    issue.input === undefined || issue.input === null ? empty : wrong,
})
const halves = (value: number) => Number.isInteger(value * 2)

const tempText = bi('温度须为-30到60，步长0.5', 'A temperature from -30 to 60 in steps of 0.5')
const temperature = z
  .number(required(bi('温度不能为空', 'Enter the temperature'), tempText))
  .min(-30, tempText)
  .max(60, tempText)
  .refine(halves, tempText)
const humText = bi('湿度须为0到100，步长0.5', 'A humidity from 0 to 100 in steps of 0.5')
const humidity = z
  .number(required(bi('湿度不能为空', 'Enter the humidity'), humText))
  .min(0, humText)
  .max(100, humText)
  .refine(halves, humText)
const limitEmpty = bi('限购数量不能为空', 'Enter the purchase limit, 0 for none')
const limitText = bi('限购数量超出范围（0-999）', 'A purchase limit from 0 to 999')
const limit = z
  .number(required(limitEmpty, limitText))
  .int(limitText)
  .min(0, limitText)
  .max(999, limitText)
const volumeText = bi('音量须为0-100', 'A volume from 0 to 100')
const clock = z
  .string()
  .regex(/^([01]\d|2[0-3]):[0-5]\d$/, bi('时间格式为 HH:mm', 'A time like 06:30'))
const same = bi('开始和结束不能相同', 'Beginning and end must differ')
const window = z
  .strictObject({ from: clock, to: clock })
  .refine((w) => w.from !== w.to, { message: same, path: ['to'] })
const timingText = bi('时间须为5秒到1小时', 'From 5 seconds to one hour')
const seconds = z.number(timingText).int(timingText).max(3600, timingText)
/** How often something happens, in seconds; 0 is never (glossary: timings). */
const timing = seconds.refine((n) => n === 0 || n >= 5, timingText)
const reporting = seconds
  .refine((n) => n !== 0, bi('上报间隔不能为从不', 'Reports cannot be switched off'))
  .refine((n) => n === 0 || n >= 5, timingText)
/** What the dialogs offer; any other number of seconds is as good. */
export const timings = [0, 10, 30, 60, 120, 300, 600, 1800, 3600] as const

const shape = {
  /** null for a type that does not cool. */
  tempMin: temperature.nullable(),
  tempMax: temperature.nullable(),
  humMin: humidity,
  humMax: humidity,
  /** Pieces of one order, and of one customer a day; 0 is no limit. */
  limitPerOrder: limit,
  limitPerDay: limit,
  lighting: z.array(window).max(6, bi('最多6个灯光时段', 'At most six lighting windows')),
  defog: z.boolean(),
  volume: z.number(volumeText).int(volumeText).min(0, volumeText).max(100, volumeText),
  reportSeconds: reporting,
  screenOffSeconds: timing,
  dropSensor: z.boolean(),
  autoRefund: z.boolean(),
}
type Limits = {
  tempMin?: number | null | undefined
  tempMax?: number | null | undefined
  humMin?: number | undefined
  humMax?: number | undefined
}
const tempsFit = (v: Limits) => v.tempMin == null || v.tempMax == null || v.tempMin <= v.tempMax
const humsFit = (v: Limits) =>
  v.humMin === undefined || v.humMax === undefined || v.humMin <= v.humMax
const tempOrder = { message: deviceSettingsErrors.tempOrder.text, path: ['tempMin'] }
const humOrder = { message: deviceSettingsErrors.humOrder.text, path: ['humMin'] }

export const Config = z.strictObject(shape)
export type Config = z.infer<typeof Config>
/** Only the ticked fields; the rest of each machine stays. */
const Patch = z
  .strictObject({ ...shape, tempMin: temperature, tempMax: temperature })
  .partial()
  .refine(
    (patch) => Object.keys(patch).length > 0,
    bi('请至少勾选一项设置', 'Tick at least one setting'),
  )
  .refine(tempsFit, tempOrder)
  .refine(humsFit, humOrder)
export type ConfigPatch = z.infer<typeof Patch>

const version = z.number().int().min(0).max(2_147_483_647)
/** How far a version has come; `state` is 待下发, 已下发, 已生效 or 失败(reason). */
export const Sync = z.strictObject({
  wanted: version,
  delivered: version,
  applied: version,
  refused: version,
  state: SyncState,
  reason: z.string(),
  wantedAt: f.instant.nullable(),
  deliveredAt: f.instant.nullable(),
  answeredAt: f.instant.nullable(),
})
export type Sync = z.infer<typeof Sync>

export const DeviceConfig = z.strictObject({
  deviceId: f.id,
  rtuNumber: z.string(),
  nickname: z.string(),
  online: z.boolean(),
  /** Whether the type cools: without it there are no temperature limits. */
  refrigeration: z.boolean(),
  /** 0: nobody changed anything, the defaults of the type hold. */
  version,
  config: Config,
  sync: Sync,
  changedBy: z.string(),
  changedAt: f.instant.nullable(),
  /** Products in a drug machine whose storage range the limits must keep. */
  storage: z.array(
    z.strictObject({ product: z.string(), min: z.number().nullable(), max: z.number().nullable() }),
  ),
  can: z.strictObject({ update: z.boolean(), limits: z.boolean() }),
})
export type DeviceConfig = z.infer<typeof DeviceConfig>

const Batch = z.strictObject({ ids: machineIds(200), config: Patch })
/**
 * `changed`: a new version is (or would be) written; not for a machine that has these values
 * already or is refused.
 */
const BatchResult = machineOutcome({ changed: z.boolean() })
export type BatchResult = z.infer<typeof BatchResult>

export const SyncRow = z.strictObject({
  id: f.id,
  rtuNumber: z.string(),
  nickname: z.string(),
  ownedUserName: z.string(),
  online: z.boolean(),
  config: Sync,
  planogram: Sync,
})
export type SyncRow = z.infer<typeof SyncRow>
export const ConfigVersion = z.strictObject({
  version,
  config: Config,
  changedBy: z.string(),
  createTime: f.instant,
})
export type ConfigVersion = z.infer<typeof ConfigVersion>

const e = deviceSettingsErrors
const ruleErrors = [
  e.tempMissing,
  e.tempNotHere,
  e.tempOrder,
  e.humOrder,
  e.outsideStorage,
  e.closed,
] as const
const one = { id: f.id }

export const deviceSettings = {
  get: read('device:read', {
    path: '/devices/{id}/config',
    summary: 'Settings of a machine and how far they have come',
    input: z.strictObject(one),
    output: DeviceConfig,
  }),
  save: write('device:config', {
    method: 'PUT',
    path: '/devices/{id}/config',
    summary: 'Change the settings of a machine; the machine takes them when it is connected',
    audit: 'deviceSettings.save',
    errors: ruleErrors,
    input: z
      .strictObject({ ...one, version, ...shape })
      .refine(tempsFit, tempOrder)
      .refine(humsFit, humOrder),
    output: DeviceConfig,
  }),
  previewBatch: write('device:config', {
    path: '/device-configs/preview',
    summary: 'What a change of several machines would do, and where it would be refused',
    audit: { none: 'nothing is written' },
    input: Batch,
    output: BatchResult,
  }),
  saveBatch: write('device:config', {
    path: '/device-configs/batch',
    summary:
      'Change the ticked settings of up to 200 machines; machines that refuse are left as they are',
    audit: 'deviceSettings.saveBatch',
    input: Batch,
    output: BatchResult,
  }),
  versions: read('device:read', {
    path: '/devices/{id}/config/versions',
    summary: 'Who set what, newest first',
    input: listQuery(one, ['version'], '-version'),
    output: page(ConfigVersion),
  }),
  syncs: read('device:read', {
    path: '/device-configs',
    summary: 'How far settings and planograms of machines have come',
    input: listQuery(
      {
        keyword,
        orgId: f.id.optional(),
        kind: z.enum(documentNames).default('CONFIG'),
        state: SyncState.optional(),
        ids: z.array(f.id).max(200).optional(),
      },
      ['rtuNumber', 'wantedAt'],
      '-wantedAt',
    ),
    output: page(SyncRow),
  }),
}
