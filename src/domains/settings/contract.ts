import { z } from 'zod'
import { read, write } from '../../shared/contract.ts'
import { defineErrors } from '../../shared/errors.ts'
import * as f from '../../shared/fields.ts'
import { keyword, listQuery, page } from '../../shared/listQuery.ts'
import { bi } from '../../shared/text.ts'
import { timings } from './kinds.ts'
import { type SettingKey, shownKeys } from './registry.ts'

export const settingErrors = defineErrors('settings', {
  wrongValue: [400001, '设置项{name}：{problem}', 'Setting {name}: {problem}'],
  twice: [400001, '同一设置项只能修改一次', 'One change per setting'],
  lockedAbove: [
    422001,
    '该设置已被上级机构锁定，不能修改',
    'An organisation above locked this setting',
  ],
  platformOnly: [422001, '该设置由平台统一管理', 'This setting is the platform’s'],
  dayTwice: [400001, '第{a}行与第{b}行日期重复', 'Rows {a} and {b} are the same day'],
  dayElsewhere: [400001, '第{row}行不属于{year}年', 'Row {row} is not in {year}'],
  tooManyDays: [400001, '一次最多导入1000行', 'At most 1000 rows at a time'],
  noDays: [400001, '文件中没有数据', 'There is nothing in the file'],
})

const count = z.number().int().min(0)
const Key = z.enum(
  shownKeys as [SettingKey, ...SettingKey[]],
  bi('未知的设置项', 'Unknown setting'),
)
const Org = z.strictObject({ id: f.id, name: z.string() })
const orgId = f.id.optional().describe('organisation; the own one when left out')
const storedVersion = count
  .max(2_147_483_647)
  .describe('version of the own value; 0 when there is none')

export const SettingRow = z.strictObject({
  key: Key,
  value: z.unknown(),
  source: z.enum(['OWN', 'INHERITED', 'DEFAULT']),
  /** Whose value it is, when it is an organisation's above. */
  from: Org.nullable(),
  /** The own value binds everybody below. */
  locked: z.boolean(),
  lockedBy: Org.nullable(),
  /** Organisations below with a value of their own: a lock would silence them. */
  below: count,
  version: storedVersion,
  updatedAt: f.instant.nullable(),
  /** Empty: somebody above, or the system. */
  updatedBy: z.string().nullable(),
  can: z.strictObject({ update: z.boolean(), lock: z.boolean(), reset: z.boolean() }),
})
export type SettingRow = z.infer<typeof SettingRow>

const Fixed = z.strictObject({
  environment: z.string(),
  timeoutMs: count,
  fileBytes: count,
  imageBytes: count,
  images: count,
  formats: z.array(z.string()),
  importRows: count,
  pageSizes: z.array(z.number()),
  defaultPageSize: count,
  reportDays: count,
})
const Settings = z.strictObject({ org: Org, list: z.array(SettingRow), fixed: Fixed })
export type Settings = z.infer<typeof Settings>

export const SettingChange = z.strictObject({
  key: Key,
  value: z.unknown().optional(),
  locked: z.boolean().optional(),
  version: storedVersion,
})
export type SettingChange = z.infer<typeof SettingChange>

export const dayTypes = ['WORKDAY', 'HOLIDAY', 'MAKEUP', 'REST'] as const
export const DayType = z.enum(dayTypes, bi('日期类型不正确', 'Not a type of day'))
export type DayType = z.infer<typeof DayType>
export const CalendarDay = z.strictObject({
  day: f.day,
  type: DayType,
  name: z.string().trim().max(30).default(''),
})
export type CalendarDay = z.infer<typeof CalendarDay>
const year = z.number().int().min(2000).max(2100)

const Point = z.strictObject({
  at: f.instant,
  cpu: z.number(),
  loopMs: z.number(),
  memory: count,
  waiting: count,
})
const Pool = z.strictObject({ total: count, idle: count, waiting: count })
export const ProcessFigures = z.strictObject({
  pid: count,
  host: z.string(),
  node: z.string(),
  reads: Pool,
  writes: Pool,
  /** Longest and 99th share of the event loop's delays since the row before. */
  loopMs: z.number(),
  loopMaxMs: z.number(),
  cpu: z.number(),
  memory: count,
  heap: count,
  requests: count,
  slow: count,
  failed: count,
  machines: count.nullable(),
})
export type ProcessFigures = z.infer<typeof ProcessFigures>
export const Process = z.strictObject({
  process: z.string(),
  parts: z.array(z.enum(['api', 'gateway', 'worker'])),
  startedAt: f.instant,
  seenAt: f.instant,
  /** Heard within three turns. */
  alive: z.boolean(),
  version: z.string(),
  figures: ProcessFigures,
  points: z.array(Point).max(200),
})
export const Queue = z.strictObject({
  name: z.string(),
  waiting: count,
  active: count,
  failed: count,
  lastAt: f.instant.nullable(),
})
const ServerState = z.strictObject({
  asOf: f.instant,
  processes: z.array(Process),
  /** Parts no process has reported for half a minute. */
  missing: z.array(z.enum(['gateway', 'worker'])),
  queues: z.array(Queue),
  database: z.strictObject({ version: z.string(), bytes: count, connections: count, most: count }),
  migrations: z.strictObject({ applied: count, last: z.string(), at: f.instant.nullable() }),
  disk: z.strictObject({ free: count, total: count }),
  environment: z.string(),
})
export type ServerState = z.infer<typeof ServerState>

export const DictionaryRow = z.strictObject({
  key: z.string(),
  kind: z.enum(['ENUM', 'ERROR']),
  area: z.string(),
  field: z.string(),
  fieldName: z.string(),
  fieldNameEn: z.string(),
  value: z.string(),
  zh: z.string(),
  en: z.string(),
})

export type DictionaryRow = z.infer<typeof DictionaryRow>

export const settings = {
  list: read('setting:read', {
    path: '/settings',
    summary: 'Settings of an organisation with their sources',
    scope: 'system',
    input: z.strictObject({ orgId }),
    output: Settings,
  }),
  save: write('setting:update', {
    method: 'PUT',
    path: '/settings',
    summary: 'Change several settings at once, all or none',
    audit: 'settings.save',
    fresh: 'sometimes',
    errors: [
      settingErrors.wrongValue,
      settingErrors.twice,
      settingErrors.lockedAbove,
      settingErrors.platformOnly,
    ],
    input: z.strictObject({ orgId, changes: z.array(SettingChange).min(1).max(100) }),
    output: f.done,
  }),
  reset: write('setting:update', {
    method: 'DELETE',
    path: '/settings',
    summary: 'Take the own value away, so that the one above counts again',
    audit: 'settings.reset',
    fresh: 'sometimes',
    errors: [settingErrors.lockedAbove],
    input: z.strictObject({ key: Key, orgId, version: f.version }),
    output: f.done,
  }),
  history: read('setting:read', {
    path: '/settings/history',
    summary: 'Who changed a setting, latest first',
    input: z.strictObject({ key: Key, orgId }),
    output: z.strictObject({
      list: z
        .array(
          z.strictObject({
            at: f.instant,
            username: z.string(),
            before: z.unknown(),
            after: z.unknown(),
            lockedBefore: z.boolean(),
            lockedAfter: z.boolean(),
          }),
        )
        .max(100),
    }),
  }),
  notifyTest: write('setting:update', {
    path: '/settings/notify-test',
    summary: 'A message to oneself, to see that messages arrive',
    audit: 'settings.notifyTest',
    output: f.done,
  }),
  mine: read('self', {
    path: '/settings/mine',
    summary: 'What the pages of the signed-in person begin with',
    output: z.strictObject({
      homeRefresh: z.enum(
        Object.keys(timings) as [keyof typeof timings, ...(keyof typeof timings)[]],
      ),
    }),
  }),
  calendar: read('setting:read', {
    path: '/settings/calendar',
    summary: 'Types of the days of a year',
    input: z.strictObject({ year }),
    output: z.strictObject({
      year,
      known: z.boolean(),
      years: z.array(year),
      days: z.array(z.strictObject({ day: f.day, type: DayType, name: z.string() })).max(366),
      can: z.strictObject({ import: z.boolean() }),
    }),
  }),
  importCalendar: write('setting:update', {
    path: '/settings/calendar',
    summary: 'Replace the special days of a year',
    audit: 'settings.importCalendar',
    errors: [
      settingErrors.dayTwice,
      settingErrors.dayElsewhere,
      settingErrors.platformOnly,
      settingErrors.tooManyDays,
      settingErrors.noDays,
    ],
    input: z.strictObject({
      year,
      days: z
        .array(CalendarDay)
        .min(1, settingErrors.noDays.text)
        .max(1000, settingErrors.tooManyDays.text),
    }),
    output: z.strictObject({ stored: count }),
  }),
  dictionary: read('setting:read', {
    path: '/dictionary',
    summary: 'Codes of the interface with their words',
    input: listQuery(
      { keyword, kind: DictionaryRow.shape.kind.optional(), area: z.string().max(40).optional() },
      ['area', 'field', 'value'],
      'area',
    ),
    output: page(DictionaryRow),
    export: 'org:export',
  }),
  server: read('server:read', {
    path: '/server',
    summary: 'State of the running processes',
    scope: 'system',
    output: ServerState,
  }),
}
