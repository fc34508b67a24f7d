import { z } from 'zod'
import { read, write } from '../../shared/contract.ts'
import { defineErrors } from '../../shared/errors.ts'
import * as f from '../../shared/fields.ts'
import { keyword, listQuery, page, rangeFields } from '../../shared/listQuery.ts'
import { bi } from '../../shared/text.ts'
import { channelEndpoints } from './channelContract.ts'

export const alertErrors = defineErrors('alerts', {
  closed: [409001, '告警已关闭', 'The alert is closed already'],
  taken: [409001, '告警已有人处理或已关闭', 'Somebody is at it already, or it is closed'],
  wrongThreshold: [
    400001,
    '超出允许范围（{min}–{max}）',
    'Outside the allowed range ({min}–{max})',
  ],
  noThreshold: [400001, '该类告警没有时间条件', 'This kind has no time to set'],
})

export const alertKinds = [
  'OFFLINE',
  'POWER_FAIL',
  'FAULT',
  'TEMPERATURE',
  'DOOR_OPEN',
  'SECOND_CONNECTION',
  'SIM_EXPIRING',
  'AREA_OFFLINE',
  'CARRIER_OFFLINE',
] as const
const AlertKind = z.enum(alertKinds)
export type AlertKind = z.infer<typeof AlertKind>
export const alertStates = ['OPEN', 'ACKNOWLEDGED', 'CLOSED'] as const
export type AlertState = (typeof alertStates)[number]
export const stateTones = { OPEN: 'fault', ACKNOWLEDGED: 'paid', CLOSED: 'closed' } as const
export const levelTones = { WARN: 'warn', ERROR: 'fault' } as const
const State = z.enum(alertStates).meta({ tones: stateTones })
const Level = z.enum(['WARN', 'ERROR']).meta({ tones: levelTones })
export const closeReasons = ['RECOVERED', 'HANDLED', 'MERGED', 'DROPPED'] as const

export const AlertRow = z.strictObject({
  id: f.id,
  kind: AlertKind,
  level: Level,
  state: State,
  /** In the reader's language: what is wrong, in a line. */
  content: z.string(),
  deviceId: f.id.nullable(),
  rtuNumber: z.string(),
  nickname: z.string(),
  orgName: z.string(),
  /** Machines, and how many of them are still away; 1 for an alert of one machine. */
  deviceCount: f.count,
  awayCount: f.count,
  times: f.count,
  since: f.instant,
  openTime: f.instant,
  closeTime: f.instant.nullable(),
  handler: z.string(),
  closeReason: z.enum(closeReasons).nullable(),
  can: z.strictObject({ acknowledge: z.boolean(), close: z.boolean() }),
})
export type AlertRow = z.infer<typeof AlertRow>

export const Member = z.strictObject({
  deviceId: f.id,
  rtuNumber: z.string(),
  nickname: z.string(),
  cause: z.enum(['TIMEOUT', 'LAST_WILL', 'POWER_FAIL']),
  since: f.instant,
  backTime: f.instant.nullable(),
})
export const Delivery = z.strictObject({
  id: f.id,
  channelName: z.string(),
  channelType: z.enum(['IN_APP', 'WEBHOOK', 'EMAIL']),
  event: z.enum(['OPENED', 'REMINDER', 'CLOSED', 'TEST']),
  state: z.enum(['WAITING', 'SENDING', 'SENT', 'FAILED', 'DROPPED']),
  held: z.boolean(),
  attempts: f.count,
  reason: z.string(),
  nextTime: f.instant.nullable(),
  sendTime: f.instant.nullable(),
})
export const Alert = AlertRow.extend({
  ackName: z.string(),
  ackTime: f.instant.nullable(),
  ackRemark: z.string(),
  closeName: z.string(),
  closeRemark: z.string(),
  /** How often people were reminded while nobody had taken it on, and when last. */
  reminders: f.count,
  remindTime: f.instant.nullable(),
  /** The first 200, those still away first. */
  members: z.array(Member),
  deliveries: z.array(Delivery),
})
export type Alert = z.infer<typeof Alert>

const choose = bi('请至少选择一条告警', 'Choose at least one alert')
const ids = f.ids(choose).min(1, choose).max(200)
const Handled = z.strictObject({ done: f.count, skipped: f.count })

const thresholdText = bi('须为0-1440的整数', 'A whole number from 0 to 1440')
export const RuleRow = z.strictObject({
  kind: AlertKind,
  level: Level,
  enabled: z.boolean(),
  /** null where the kind waits for nothing; `usual` is what holds while it is null in the rule. */
  threshold: f.count.nullable(),
  usual: f.count.nullable(),
  unit: z.enum(['minute', 'day']).nullable(),
  min: f.count,
  max: f.count,
  channelIds: z.array(f.id).nullable(),
  /** 0: nobody changed the rule. */
  version: z.number().int().min(0),
})
export type RuleRow = z.infer<typeof RuleRow>

export const alerts = {
  ...channelEndpoints,
  list: read('alarm:read', {
    path: '/alerts',
    summary: 'Alerts of machines, newest first',
    export: 'alarm:export',
    input: listQuery(
      {
        keyword,
        /** `active`: not closed. */
        state: z.enum(['active', 'all', ...alertStates]).default('active'),
        kind: AlertKind.optional(),
        level: Level.optional(),
        deviceId: f.id.optional(),
        orgId: f.id.optional(),
        ...rangeFields,
      },
      ['openTime', 'closeTime', 'times'],
      '-openTime',
    ),
    output: page(AlertRow),
  }),
  stats: read('alarm:read', {
    path: '/alerts/stats',
    heavy: true,
    summary: 'How many alerts are open and how many somebody has taken on',
    output: z.strictObject({ open: f.count, acknowledged: f.count }),
  }),
  get: read('alarm:read', {
    path: '/alerts/{id}',
    summary: 'One alert with its machines and messages',
    input: z.strictObject({ id: f.id }),
    output: Alert,
  }),
  acknowledge: write('alarm:handle', {
    path: '/alerts/acknowledge',
    summary:
      'Take alerts on: others see that somebody is at it. Alerts that are not open any more are skipped',
    audit: 'alerts.acknowledge',
    errors: [alertErrors.taken],
    input: z.strictObject({ ids, remark: f.optionalLines(200) }),
    output: Handled,
  }),
  close: write('alarm:handle', {
    path: '/alerts/close',
    summary: 'Close alerts by hand; the same trouble is not told again before it has ended once',
    audit: 'alerts.close',
    errors: [alertErrors.closed],
    input: z.strictObject({
      ids,
      remark: f.lines(200, bi('请填写处理说明', 'Write what was done')),
    }),
    output: Handled,
  }),
  rules: read('alarm-rule:read', {
    path: '/alert-rules',
    summary: 'What opens an alert in the own organisation',
    output: z.strictObject({ list: z.array(RuleRow) }),
  }),
  saveRule: write('alarm-rule:update', {
    method: 'PUT',
    path: '/alert-rules',
    summary: 'Change the rule of one kind of alert',
    audit: 'alerts.saveRule',
    input: z.strictObject({
      kind: AlertKind,
      version: z.number().int().min(0).max(2_147_483_647),
      enabled: z.boolean(),
      threshold: z
        .number(thresholdText)
        .int(thresholdText)
        .min(0, thresholdText)
        .max(1440, thresholdText)
        .nullable(),
      channelIds: f.ids().max(20).nullable(),
    }),
    output: RuleRow,
  }),
}
