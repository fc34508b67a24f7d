import { z } from 'zod'
import { read, write } from '../../shared/contract.ts'
import { defineErrors } from '../../shared/errors.ts'
import * as f from '../../shared/fields.ts'
import { listQuery, page } from '../../shared/listQuery.ts'
import { bi } from '../../shared/text.ts'
import { jobErrors } from '../jobs/contract.ts'
import { everies, periods, problems, subscriptionLimits } from './rules.ts'

const { each, people, byHand } = subscriptionLimits
export const subscriptionErrors = defineErrors('subscriptions', {
  tooMany: [422001, `每人最多 ${each} 个订阅`, `At most ${each} subscriptions of a person`],
  noPeriod: [422001, '该列表没有时间范围，不能按周期取数', 'This list has no range of days'],
  mayNot: [
    422001,
    '所选人员中有人没有该报表的查看和导出权限',
    'Somebody chosen may not read or export this',
  ],
  wrongState: [409001, '订阅状态已变化，请刷新', 'The subscription was changed meanwhile'],
  tooOften: [
    429001,
    `每小时最多立即运行 ${byHand} 次，请稍后再试`,
    `At most ${byHand} runs by hand in an hour; try again later`,
  ],
})

const State = z.enum(['ACTIVE', 'PAUSED', 'ENDED']).meta({
  tones: { ACTIVE: 'online', PAUSED: 'warn', ENDED: 'closed' },
})
const Kind = z.enum(['LIST', 'STATEMENT'])
const RunState = z.enum(['WAITING', 'MAILING', 'DONE', 'FAILED']).meta({
  tones: { WAITING: 'offline', MAILING: 'shipped', DONE: 'success', FAILED: 'fault' },
})
const Mailed = z.enum(['NO', 'FILE', 'LINK'])

const when = {
  every: z.enum(everies).default('DAY'),
  onDay: z.number().int().min(1).max(28).default(1),
  atHour: z.number().int().min(0).max(23).default(8),
}
const ways = { inApp: z.boolean().default(true), byMail: z.boolean().default(false) }
const name = f.text(50, bi('请输入订阅名称', 'Name it'))
const what = {
  name,
  ...when,
  period: z.enum(periods).default('NONE'),
  ...ways,
  /** Colleagues who get it besides. */
  userIds: f
    .ids()
    .max(people - 1)
    .default([]),
}
type When = { every: (typeof everies)[number]; onDay: number; inApp: boolean; byMail: boolean }
function sensible(given: When, check: z.core.ParsePayload<unknown>): void {
  const say = (path: string, message: string) =>
    check.issues.push({ code: 'custom', path: [path], message, input: given })
  if (given.every === 'WEEK' && given.onDay > 7)
    say('onDay', bi('请选择星期', 'Choose a day of the week'))
  if (!given.inApp && !given.byMail)
    say('byMail', bi('至少选择一种送达方式', 'Choose at least one way'))
}

export const NewSubscription = z
  .strictObject({
    /** Path of the list as its contract writes it, e.g. `/api/orders`. */
    endpoint: z.string().min(1).max(100),
    query: z
      .record(z.string().max(60), z.unknown())
      .refine(
        (value) => JSON.stringify(value).length <= 8192,
        bi('筛选条件过长', 'The filter is too long'),
      ),
    columns: z.array(z.string().min(1).max(60)).min(1).max(60),
    ...what,
  })
  .check((c) => sensible(c.value, c))
export const NewStatements = z
  .strictObject({ subjectId: f.id, ...when, every: z.enum(everies).default('MONTH'), ...ways })
  .check((c) => sensible(c.value, c))
export const EditSubscription = z
  .strictObject({ id: f.id, version: f.version, ...what })
  .check((c) => sensible(c.value, c))

export const SubscriptionRow = z.strictObject({
  id: f.id,
  kind: Kind,
  name: z.string(),
  /** What list it is, or whose statements. */
  subject: z.string(),
  every: z.enum(everies),
  onDay: z.number().int(),
  atHour: z.number().int(),
  period: z.enum(periods),
  inApp: z.boolean(),
  byMail: z.boolean(),
  state: State,
  author: z.string(),
  people: z.array(z.string()),
  /** Besides the author; empty for whoever is not the author. */
  userIds: z.array(f.id),
  /** Of the last run of whoever asks. */
  lastState: RunState.nullable(),
  lastTime: f.instant.nullable(),
  nextTime: f.instant.nullable(),
  version: f.version,
  createTime: f.instant,
  can: z.strictObject({
    update: z.boolean(),
    pause: z.boolean(),
    resume: z.boolean(),
    run: z.boolean(),
    delete: z.boolean(),
    leave: z.boolean(),
  }),
})
export type SubscriptionRow = z.infer<typeof SubscriptionRow>

export const RunRow = z.strictObject({
  id: f.id,
  person: z.string(),
  byHand: z.boolean(),
  from: f.day.nullable(),
  to: f.day.nullable(),
  state: RunState,
  problem: z.enum(problems),
  mailed: Mailed,
  rows: z.number().int().min(0).nullable(),
  /** The own file, as long as it is kept. */
  jobId: f.id.nullable(),
  createTime: f.instant,
  finishTime: f.instant.nullable(),
})
export type RunRow = z.infer<typeof RunRow>

const byId = z.strictObject({ id: f.id })
const byVersion = z.strictObject({ id: f.id, version: f.version })
const exportErrors = [jobErrors.notExportable, jobErrors.unknownColumns]
const wrongMail = bi('邮箱格式不正确', 'Not an e-mail address')

export const subscriptions = {
  list: read('self', {
    path: '/subscriptions',
    summary: 'What the signed-in person gets by itself, or set up',
    input: listQuery(
      { kind: Kind.optional(), state: State.optional() },
      ['createTime', 'name'],
      '-createTime',
    ),
    output: page(SubscriptionRow),
  }),
  get: read('self', {
    path: '/subscriptions/{id}',
    summary: 'One of them',
    input: byId,
    output: SubscriptionRow,
  }),
  runs: read('self', {
    path: '/subscriptions/{id}/runs',
    summary: 'The last runs: the own ones, of an own subscription those of all who get it',
    input: listQuery({ id: f.id }, ['createTime'], '-createTime'),
    output: page(RunRow),
  }),
  create: write('report:subscribe', {
    path: '/subscriptions',
    summary:
      'A list as a file at times, to the author and colleagues: each in what he reaches himself, and as long as he may read and export it',
    audit: 'subscriptions.create',
    errors: [
      ...exportErrors,
      subscriptionErrors.tooMany,
      subscriptionErrors.noPeriod,
      subscriptionErrors.mayNot,
    ],
    input: NewSubscription,
    output: SubscriptionRow,
  }),
  createStatements: write('billing:subscribe', {
    path: '/subscriptions/statements',
    summary: 'Statements of an organisation at times',
    audit: 'subscriptions.create',
    errors: [subscriptionErrors.tooMany],
    input: NewStatements,
    output: SubscriptionRow,
  }),
  update: write('self', {
    method: 'PUT',
    path: '/subscriptions/{id}',
    summary: 'Change when an own subscription comes, of which time, how and to whom',
    audit: 'subscriptions.update',
    errors: [
      ...exportErrors,
      subscriptionErrors.noPeriod,
      subscriptionErrors.mayNot,
      subscriptionErrors.wrongState,
    ],
    input: EditSubscription,
    output: SubscriptionRow,
  }),
  pause: write('self', {
    path: '/subscriptions/{id}/pause',
    summary: 'Nothing more until it is resumed',
    audit: 'subscriptions.pause',
    errors: [subscriptionErrors.wrongState],
    input: byVersion,
    output: SubscriptionRow,
  }),
  resume: write('self', {
    path: '/subscriptions/{id}/resume',
    summary: 'Go on from now; what was missed is not made up for',
    audit: 'subscriptions.resume',
    errors: [subscriptionErrors.wrongState],
    input: byVersion,
    output: SubscriptionRow,
  }),
  remove: write('self', {
    method: 'DELETE',
    path: '/subscriptions/{id}',
    summary: 'Delete an own subscription and what is told of its runs; files stay',
    audit: 'subscriptions.remove',
    input: byVersion,
    output: f.done,
  }),
  run: write('self', {
    path: '/subscriptions/{id}/run',
    summary: 'Once now, for the author alone',
    audit: 'subscriptions.run',
    errors: [subscriptionErrors.wrongState, subscriptionErrors.tooOften],
    input: byId,
    output: f.done,
  }),
  leave: write('self', {
    path: '/subscriptions/{id}/leave',
    summary: 'Get no more of what somebody else set up',
    audit: 'subscriptions.leave',
    input: byId,
    output: f.done,
  }),
  address: read('self', {
    path: '/mail-address',
    summary: 'Where the signed-in person has his mail',
    output: z.strictObject({ address: z.string(), confirmed: z.boolean() }),
  }),
  setAddress: write('self', {
    method: 'PUT',
    path: '/mail-address',
    summary: 'Set the own address, or none; nothing goes there before whoever reads it said yes',
    audit: 'subscriptions.setAddress',
    fresh: true,
    input: z.strictObject({
      address: z.union([z.email(wrongMail).max(100, wrongMail), z.literal('')], wrongMail),
    }),
    output: z.strictObject({ address: z.string(), confirmed: z.boolean() }),
  }),
}
