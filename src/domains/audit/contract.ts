import { z } from 'zod'
import { read, write } from '../../shared/contract.ts'
import { defineErrors } from '../../shared/errors.ts'
import * as f from '../../shared/fields.ts'
import { keyword, listQuery, page, rangeFields } from '../../shared/listQuery.ts'
import { bi } from '../../shared/text.ts'
import { checkStates, debugMinutes } from './rules.ts'

export const auditErrors = defineErrors('audit', {
  checkRunning: [409060, '校验正在进行，请稍候', 'A check is already running'],
  noSuchUser: [422061, '用户不存在', 'There is no such user'],
  higherRank: [
    403060,
    '不能强制下线级别高于自己的用户',
    'People of a higher rank cannot be signed out',
  ],
  ownSession: [
    422060,
    '不能强制下线当前会话，请使用退出登录',
    'This is your own session: sign out instead',
  ],
})

export const levels = ['INFO', 'DEBUG', 'ERROR'] as const
export const results = ['SUCCESS', 'REFUSED', 'FAILED'] as const
export const whys = [
  'CHANGED',
  'MISSING',
  'INSERTED',
  'REWRITTEN',
  'TRUNCATED',
  'HEADS',
  'CHECKPOINT',
] as const
export const loginReasons = [
  'OK',
  'WRONG',
  'UNKNOWN',
  'LOCKED',
  'DISABLED',
  'OLD_PASSWORD',
  'OTHER',
] as const
/** Whose act it was, for a reader who may not know the person. */
export const actorKinds = ['USER', 'SYSTEM', 'ABOVE'] as const

const short = (max: number) => z.string().trim().max(max).optional()

export const levelTones = { INFO: 'paid', DEBUG: 'offline', ERROR: 'fault' } as const
export const resultTones = { SUCCESS: 'success', REFUSED: 'warn', FAILED: 'fault' } as const
export const LogRow = z.strictObject({
  id: f.id,
  /** Empty when the person stands outside the reader's organisations: see `actor`. */
  username: z.string(),
  actor: z.enum(actorKinds),
  level: z.enum(levels).meta({ tones: levelTones }),
  content: z.string(),
  module: z.string(),
  moduleName: z.string(),
  action: z.string(),
  targetId: z.string(),
  targetName: z.string(),
  result: z.enum(results).meta({ tones: resultTones }),
  errorName: z.string(),
  ipAddress: z.string(),
  durationMs: z.number().int(),
  requestId: z.string(),
  createTime: f.instant,
})
export type LogRow = z.infer<typeof LogRow>

export const Change = z.strictObject({
  field: z.string(),
  label: z.string(),
  before: z.string().nullable(),
  after: z.string().nullable(),
})
export const LogDetail = LogRow.extend({
  orgName: z.string(),
  device: z.string(),
  userAgent: z.string(),
  /** Name of the action in the reader's language. */
  actionName: z.string(),
  changes: z.array(Change),
  /** Other rows of the same request. */
  related: z.array(LogRow),
  /** Place in the hash chain; null until the row is sealed. */
  seal: z.strictObject({ seq: z.number().int(), hash: z.string() }).nullable(),
})
export type LogDetail = z.infer<typeof LogDetail>

const logFilters = {
  username: short(60),
  level: z.enum(levels).optional(),
  module: short(40),
  action: short(80),
  result: z.enum(results).optional(),
  targetId: short(100),
  ipAddress: short(60),
  keyword,
  ...rangeFields,
}
/**
 * Without days the last seven. `DEBUG` rows are asked for by their level; they stand outside the
 * chain.
 */
export const LogQuery = listQuery(logFilters, ['createTime', 'durationMs'], '-createTime')

export const Broken = z.strictObject({
  seq: z.number().int(),
  logId: z.number().int().nullable(),
  at: z.string().nullable(),
  why: z.enum(whys),
})
export const Check = z.strictObject({
  id: f.id,
  state: z.enum(checkStates),
  checked: z.number().int(),
  total: z.number().int(),
  /** Copies of the chain's head outside the database; none: a cut end cannot be seen. */
  heads: z.number().int(),
  seconds: z.number().int(),
  broken: Broken.nullable(),
  createTime: f.instant,
})
export type Check = z.infer<typeof Check>

export const DebugRow = z.strictObject({
  id: f.id,
  username: z.string(),
  module: z.string(),
  moduleName: z.string(),
  startedBy: z.string(),
  createTime: f.instant,
  until: f.instant,
})

export const LoginRow = z.strictObject({
  id: f.id,
  username: z.string(),
  ok: z.boolean(),
  reason: z.enum(loginReasons).meta({
    tones: {
      OK: 'success',
      WRONG: 'warn',
      UNKNOWN: 'warn',
      LOCKED: 'fault',
      DISABLED: 'locked',
      OLD_PASSWORD: 'warn',
      OTHER: 'warn',
    },
  }),
  ip: z.string(),
  device: z.string(),
  createTime: f.instant,
})
export type LoginRow = z.infer<typeof LoginRow>
export const LoginQuery = listQuery(
  {
    username: short(60),
    reason: z.enum(loginReasons).optional(),
    ok: z.boolean().optional(),
    ip: short(60),
    ...rangeFields,
  },
  ['createTime'],
  '-createTime',
)

export const OnlineRow = z.strictObject({
  id: z.uuid(),
  username: z.string(),
  realName: z.string(),
  orgName: z.string(),
  roleName: z.string(),
  ip: z.string(),
  device: z.string(),
  signedInAt: f.instant,
  lastSeenAt: f.instant,
  current: z.boolean(),
  can: z.strictObject({ kick: z.boolean() }),
})
export type OnlineRow = z.infer<typeof OnlineRow>

const words = z.array(z.strictObject({ value: z.string(), label: z.string(), module: z.string() }))
const checkAnswer = z.strictObject({ check: Check.nullable() })

export const audit = {
  list: read('log:read', {
    path: '/operation-logs',
    summary: 'What was done, by whom, newest first; the last seven days unless a range is given',
    input: LogQuery,
    output: page(LogRow),
    export: 'log:export',
  }),
  /** Words for the filters; tells nothing but the names of pages and acts. */
  options: read('self', {
    path: '/operation-logs/options',
    summary: 'Modules and actions',
    output: z.strictObject({ modules: words, actions: words }),
  }),
  get: read('log:read', {
    path: '/operation-logs/{id}',
    summary: 'One row with what changed',
    input: z.strictObject({ id: f.id }),
    output: LogDetail,
  }),
  verify: write('log:verify', {
    path: '/operation-logs/verify',
    summary: 'Walks the hash chain in the background',
    output: Check,
    audit: 'audit.verify',
    errors: [auditErrors.checkRunning],
  }),
  check: read('log:verify', {
    path: '/operation-logs/checks/latest',
    summary: 'The last check of the chain and how far it is',
    output: checkAnswer,
  }),
  debugSessions: read('log:debug', {
    path: '/operation-logs/debug-sessions',
    summary: 'Recordings of reads that are on',
    output: z.strictObject({ list: z.array(DebugRow) }),
  }),
  debug: write('log:debug', {
    path: '/operation-logs/debug-sessions',
    summary: 'Records the reads of a user or a module for a while',
    input: z
      .strictObject({
        username: z.string().trim().max(60).default(''),
        module: z.string().trim().max(40).default(''),
        minutes: z
          .number({ error: bi('请输入时长', 'Enter a duration') })
          .int()
          .min(1)
          .max(debugMinutes, bi('时长不能超过1440分钟', 'At most 1440 minutes')),
      })
      .refine((v) => (v.username === '') !== (v.module === ''), {
        path: ['username'],
        message: bi('请选择用户或模块', 'Choose a user or a module'),
      }),
    output: DebugRow,
    audit: 'audit.debug',
    errors: [auditErrors.noSuchUser],
  }),
  stopDebug: write('log:debug', {
    method: 'DELETE',
    path: '/operation-logs/debug-sessions/{id}',
    summary: 'Ends a recording',
    input: z.strictObject({ id: f.id }),
    output: f.done,
    audit: 'audit.stopDebug',
  }),
  logins: read('log:read', {
    path: '/login-attempts',
    summary: 'Tries to sign in, newest first',
    input: LoginQuery,
    output: page(LoginRow),
    export: 'log:export',
  }),
  online: read('user:read', {
    path: '/online-users',
    summary: 'Sessions that are alive',
    input: listQuery({ keyword, ip: short(60) }, ['lastSeenAt', 'signedInAt'], '-lastSeenAt'),
    output: page(OnlineRow),
  }),
  kick: write('user:update', {
    path: '/online-users/kick',
    summary: 'Ends sessions of others',
    input: z.strictObject({
      ids: z.array(z.uuid()).min(1, bi('请选择会话', 'Choose sessions')).max(200),
    }),
    output: z.strictObject({ ended: z.number().int() }),
    audit: 'audit.kick',
    errors: [auditErrors.higherRank, auditErrors.ownSession],
  }),
}
