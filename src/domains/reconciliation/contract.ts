import { z } from 'zod'
import { read, write } from '../../shared/contract.ts'
import { defineErrors } from '../../shared/errors.ts'
import * as f from '../../shared/fields.ts'
import { listQuery, page, rangeFields, wholeRange } from '../../shared/listQuery.ts'
import { bi } from '../../shared/text.ts'
import { answers, kinds, outer, parts, runStates, treatments } from './rules.ts'

export const reconciliationErrors = defineErrors('reconciliation', {
  wrongState: [409001, '当前状态不能执行该操作', 'Not possible in the present state'],
  notTheirs: [422161, '该人员没有处理对账差异的权限', 'This person may not handle differences'],
  noRun: [422162, '该账单日期不能拉取', 'The bill of this day cannot be asked for'],
  noFile: [422163, '账单文件无法读取：{why}', 'The bill cannot be read: {why}'],
  otherMerchant: [422164, '账单属于其他商户', 'The bill is of another merchant'],
  fileTooLarge: [413002, '文件大小不能超过8M', 'At most 8 MB'],
  simulated: [422165, '模拟支付的账单自动生成，不能上传', 'The simulator makes its own bill'],
  samePerson: [422160, '复核人不能是处理人', 'Somebody else has to review it'],
  notSuch: [422166, '该类差异不支持此处理方式', 'This kind is not handled that way'],
  needsPlatform: [422167, '更正账务须由平台财务处理', 'The platform corrects the books'],
  noOrderYet: [422168, '该款项尚未补单', 'No order was made of this money yet'],
  notInBooks: [
    422169,
    '该款项尚未入账，请先查询渠道',
    'This money is not booked: ask the channel first',
  ],
  notInSuspense: [422480, '该款项不在待查款项中', 'This money is not in suspense'],
  inSuspense: [
    422481,
    '该款项已在待查款项中，请补单或退款',
    'This money is in suspense: make an order of it or give it back',
  ],
  correctedAlready: [
    422482,
    '该差异已更正过，请先冲正原凭证',
    'It was corrected before: take that voucher back first',
  ],
  tooLittle: [422483, '收款方余额不足，无法更正', 'Its collector does not have so much'],
  notAsked: [422484, '该差异无需查询渠道', 'There is nothing to ask a channel about it'],
})

export const differenceStateNames = ['OPEN', 'HANDLING', 'REVIEW', 'RESOLVED', 'IGNORED'] as const
const State = z.enum(differenceStateNames).meta({
  tones: {
    OPEN: 'fault',
    HANDLING: 'paid',
    REVIEW: 'warn',
    RESOLVED: 'success',
    IGNORED: 'closed',
  },
})

export const RunRow = z.strictObject({
  id: f.id,
  day: f.day,
  part: z.enum(parts),
  orgName: z.string(),
  provider: z.string(),
  /** The merchant's number at its channel. */
  merchant: z.string(),
  localCount: f.count,
  localAmount: z.number().int(),
  otherCount: f.count,
  otherAmount: z.number().int(),
  /** Ours less theirs. */
  gap: f.signedFen,
  differences: f.count,
  /** Of these nobody has closed yet. */
  open: f.count,
  state: z.enum(runStates).meta({
    tones: {
      WAITING: 'locked',
      FETCHING: 'paid',
      COMPARING: 'paid',
      BALANCED: 'success',
      DIFFERENT: 'warn',
      FAILED: 'fault',
    },
  }),
  /** The day is closed: everything of it agrees or was explained. */
  closed: z.boolean(),
  /** Why a bill could not be had. */
  lastError: z.string(),
  finishTime: f.instant.nullable(),
  configId: f.id.nullable(),
  can: z.strictObject({ run: z.boolean(), upload: z.boolean() }),
})
export type RunRow = z.infer<typeof RunRow>

export const DifferenceRow = z.strictObject({
  id: f.id,
  day: f.day,
  part: z.enum(parts),
  kind: z.enum(kinds),
  orgName: z.string(),
  rtuNumber: z.string().nullable(),
  provider: z.string(),
  /** The merchant's number at its channel; of one whom the caller may see. */
  merchant: z.string(),
  /** An order, a line of a bill, a number of the provider, a refund, a lane, a flow or a voucher. */
  subject: z.string(),
  orderNum: z.string().nullable(),
  /** Fen; of lanes and flows, pieces. */
  localAmount: z.number().int(),
  otherAmount: z.number().int(),
  /** Ours less theirs. */
  gap: z.number().int(),
  /** Days since it was found. */
  age: f.count,
  state: State,
  /** What the review is to decide upon. */
  wanted: z.enum(['RESOLVED', 'IGNORED']).nullable(),
  reason: z.string(),
  treatment: z.enum(treatments).nullable(),
  /** What its channel said of it when it was asked. */
  answer: z
    .enum(answers)
    .nullable()
    .meta({
      tones: {
        ...{ PAID: 'success', OPEN: 'paid', ABSENT: 'fault', CLOSED: 'closed' },
        ...{ REFUNDED: 'success', REFUNDING: 'paid', REFUND_FAILED: 'fault', SILENT: 'warn' },
      },
    }),
  askTime: f.instant.nullable(),
  handler: z.string().nullable(),
  handleTime: f.instant.nullable(),
  approver: z.string().nullable(),
  /** A later comparison found it mended. */
  settled: z.boolean(),
  version: f.version,
  createTime: f.instant,
  can: z.strictObject({
    claim: z.boolean(),
    ask: z.boolean(),
    resolve: z.boolean(),
    /** The platform books what corrects. */
    correct: z.boolean(),
    approve: z.boolean(),
    reopen: z.boolean(),
  }),
})
export type DifferenceRow = z.infer<typeof DifferenceRow>

const reason = f.text(200, bi('请填写处理说明', 'Say how it was handled'))
const one = { id: f.id, version: f.version }
const treating = [
  reconciliationErrors.notSuch,
  reconciliationErrors.needsPlatform,
  reconciliationErrors.noOrderYet,
  reconciliationErrors.notInBooks,
  reconciliationErrors.notInSuspense,
  reconciliationErrors.inSuspense,
  reconciliationErrors.correctedAlready,
  reconciliationErrors.tooLittle,
]
const step = (
  action: 'claim' | 'approve' | 'reopen',
  right: 'recon:resolve' | 'recon:approve',
  summary: string,
) =>
  write(right, {
    path: `/finance/recon-diffs/{id}/${action}`,
    summary,
    audit: `reconciliation.${action}`,
    errors: [
      reconciliationErrors.wrongState,
      ...(action === 'approve' ? [reconciliationErrors.samePerson, ...treating] : []),
    ],
    input: z.strictObject(one),
    output: DifferenceRow,
  })
const closing = (action: 'resolve' | 'ignore', summary: string) =>
  write('recon:resolve', {
    path: `/finance/recon-diffs/{id}/${action}`,
    summary,
    audit: `reconciliation.${action}`,
    errors: [reconciliationErrors.wrongState, ...treating],
    input: z.strictObject({
      ...one,
      treatment: z.enum(treatments).optional(),
      reason,
    }),
    output: DifferenceRow,
  })

export const reconciliation = {
  runs: read('recon:read', {
    path: '/finance/recon-runs',
    summary: 'What was compared, by day and part',
    input: listQuery(
      {
        part: z.enum(parts).optional(),
        state: z.enum(runStates).optional(),
        merchant: z.string().trim().max(32).optional(),
        ...rangeFields,
      },
      ['day'],
      '-day',
    ),
    output: page(RunRow),
    export: 'recon:export',
  }),
  fetch: write('recon:run', {
    path: '/finance/recon-runs',
    summary: 'Ask again for the bill of a day and compare it',
    audit: 'reconciliation.fetch',
    errors: [reconciliationErrors.noRun],
    input: z.strictObject({
      /** Null: the simulator. */
      configId: f.id.nullable(),
      billDate: f.day,
      billType: z.enum(outer).default('BILL'),
    }),
    output: RunRow,
  }),
  upload: write('recon:run', {
    path: '/finance/recon-runs/{id}/bill-file',
    summary: 'The bill of a run from a file of its channel: csv of WeChat Pay, zip of Alipay, 8 MB',
    audit: 'reconciliation.upload',
    upload: true,
    errors: [
      reconciliationErrors.noRun,
      reconciliationErrors.noFile,
      reconciliationErrors.otherMerchant,
      reconciliationErrors.fileTooLarge,
      reconciliationErrors.simulated,
    ],
    input: z.strictObject({ id: f.id }),
    output: z.strictObject({ lines: f.count, badLines: f.count }),
  }),
  differences: read('recon:read', {
    path: '/finance/recon-diffs',
    summary: 'What did not agree; open: what nobody has closed yet',
    input: listQuery(
      {
        open: z.boolean().optional(),
        part: z.enum(parts).optional(),
        kind: z.enum(kinds).optional(),
        state: State.optional(),
        treatment: z.enum(treatments).optional(),
        merchant: z.string().trim().max(32).optional(),
        handlerId: f.id.optional(),
        ...rangeFields,
      },
      ['day'],
      '-day',
    ),
    output: page(DifferenceRow),
    export: 'recon:export',
  }),
  assign: write('recon:resolve', {
    path: '/finance/recon-diffs/{id}/assign',
    summary: 'Give a difference to somebody who may handle it',
    audit: 'reconciliation.assign',
    errors: [reconciliationErrors.wrongState, reconciliationErrors.notTheirs],
    input: z.strictObject({ ...one, userId: f.id }),
    output: DifferenceRow,
  }),
  claim: step('claim', 'recon:resolve', 'Take a difference; one under review goes back to work'),
  claimMany: write('recon:resolve', {
    path: '/finance/recon-diffs/claim',
    summary: 'Take up to a hundred differences; those that are closed or under review stay',
    audit: 'reconciliation.claim',
    input: z.strictObject({ ids: f.ids().min(1).max(100) }),
    output: z.strictObject({ done: f.count }),
  }),
  ask: write('recon:resolve', {
    path: '/finance/recon-diffs/{id}/ask',
    summary: 'Ask the channel after a difference: what it says, signed, counts and is booked',
    audit: 'reconciliation.ask',
    errors: [reconciliationErrors.wrongState, reconciliationErrors.notAsked],
    input: z.strictObject(one),
    output: DifferenceRow,
  }),
  resolve: closing('resolve', 'Explain a difference; beyond ¥100 somebody else reviews it'),
  ignore: closing('ignore', 'Leave a difference as it is; somebody else reviews it'),
  approve: step('approve', 'recon:approve', 'Agree to what somebody else wanted'),
  reopen: step('reopen', 'recon:resolve', 'Take up again what was closed in the last 30 days'),
  trialBalance: read('ledger:read', {
    path: '/finance/trial-balance',
    summary: 'Accounts with opening, debit, credit and closing of days that are over',
    input: z.strictObject(rangeFields).superRefine(wholeRange),
    output: z.strictObject({
      from: f.day,
      to: f.day,
      accounts: z.array(
        z.strictObject({
          code: z.string(),
          opening: f.signedFen,
          debit: f.fen,
          credit: f.fen,
          closing: f.signedFen,
        }),
      ),
      debit: f.fen,
      credit: f.fen,
      /** Of the whole books; null: parts of them, whose vouchers go on in those of others. */
      balanced: z.boolean().nullable(),
    }),
  }),
}
