import { z } from 'zod'
import { read, write } from '../../shared/contract.ts'
import { defineErrors } from '../../shared/errors.ts'
import * as f from '../../shared/fields.ts'
import { listQuery, page, rangeFields } from '../../shared/listQuery.ts'
import { bi } from '../../shared/text.ts'
import { failReasons, modes, returnStates, shareStates, splitStateNames } from './rules.ts'
import { settlementEndpoints } from './settlementContract.ts'

export const splitErrors = defineErrors('splits', {
  wrongState: [409001, '当前状态不能执行该操作', 'Not possible in the present state'],
  tooSoon: [422454, '支付后60秒内不能分账', 'Not within 60 seconds of the payment'],
  samePerson: [422455, '复核人不能是申请人本人', 'Somebody else has to agree'],
  noReceiver: [422457, '接收方未登记', 'A party has no registered receiver'],
  platformAgrees: [422468, '须由平台人员复核', 'Somebody of the platform has to agree'],
  bearerShort: [422456, '承担方可提现余额不足，不能核销', 'Whoever bears it is not owed as much'],
})

export const splitTones = {
  WAIT: 'closed',
  READY: 'paid',
  SPLITTING: 'paid',
  PARTIAL: 'fault',
  DONE: 'success',
  RETURNING: 'warn',
  RETURNED: 'closed',
  CLOSED: 'closed',
} as const
const State = z.enum(splitStateNames).meta({ tones: splitTones })

const Share = z.strictObject({
  /** One of the two. */
  orgId: f.id.nullable(),
  referrerId: f.id.nullable(),
  name: z.string(),
  isCollector: z.boolean(),
  given: f.fen,
  /** What of it went back to the buyer. */
  returned: f.fen,
  /** What of it paid a debt. */
  netted: f.fen,
  /** What the channel does with it, what it was asked to pay, and why it did not. */
  state: z.enum(shareStates),
  sent: f.fen,
  failReason: z.string().nullable(),
})
export type Share = z.infer<typeof Share>
export const SplitRow = z.strictObject({
  id: f.id,
  splitNo: z.string(),
  orderNum: z.string(),
  rtuNumber: z.string(),
  orgName: z.string(),
  strategyName: z.string(),
  versionNo: z.number().int(),
  mode: z.enum(modes),
  paid: f.fen,
  fee: f.fen,
  shares: z.array(Share),
  state: State,
  dueAt: f.instant.nullable(),
  doneAt: f.instant.nullable(),
  failReason: z.enum(failReasons).nullable(),
  /** Who wants the ledger to settle it. */
  ledgerBy: z.string().nullable(),
  version: f.version,
  createTime: f.instant,
  can: z.strictObject({ run: z.boolean(), retry: z.boolean(), toLedger: z.boolean() }),
})
export type SplitRow = z.infer<typeof SplitRow>
export const SplitDetail = SplitRow.extend({
  units: z.array(
    z.strictObject({
      unitNo: z.number().int(),
      paid: f.fen,
      fee: f.fen,
      gives: z.array(f.fen),
      backAt: f.instant.nullable(),
    }),
  ),
  accruedAt: f.instant.nullable(),
  /** Until when the channel keeps the money. */
  freezeDeadline: f.instant.nullable(),
  /** What the channel was asked for. */
  requests: z.array(
    z.strictObject({
      requestNo: z.string(),
      kind: z.enum(['SPLIT', 'RELEASE']),
      state: z.enum(['SENDING', 'DONE', 'FAILED']),
      lastError: z.string().nullable(),
      channelNo: z.string(),
      sentAt: f.instant,
      doneAt: f.instant.nullable(),
    }),
  ),
  /** What parties give back. */
  returns: z.array(
    z.strictObject({
      returnNo: z.string(),
      refundNo: z.string(),
      orgId: f.id,
      amount: f.fen,
      came: f.fen,
      state: z.enum(returnStates),
      failReason: z.string().nullable(),
      lastError: z.string().nullable(),
      doneAt: f.instant.nullable(),
    }),
  ),
})
export type SplitDetail = z.infer<typeof SplitDetail>

export const DebtRow = z.strictObject({
  id: f.id,
  partyName: z.string(),
  collectorName: z.string(),
  orderNum: z.string(),
  refundNo: z.string().nullable(),
  amount: f.fen,
  netted: f.fen,
  writtenOff: f.fen,
  rest: f.fen,
  /** Days since it was made. */
  age: f.count,
  /** Who wants it written off, and why. */
  offBy: z.string().nullable(),
  offReason: z.string(),
  version: f.version,
  createTime: f.instant,
  can: z.strictObject({ writeOff: z.boolean() }),
})
export type DebtRow = z.infer<typeof DebtRow>

const one = { id: f.id, version: f.version }
const step = (
  action: 'run' | 'retry' | 'to-ledger',
  key: 'run' | 'retry' | 'toLedger',
  summary: string,
) =>
  write(action === 'run' ? 'split:run' : 'split:retry', {
    path: `/finance/split-orders/{id}/${action}`,
    summary,
    audit: `splits.${key}`,
    errors: [
      splitErrors.wrongState,
      ...(action === 'run' ? [splitErrors.tooSoon] : []),
      ...(action === 'to-ledger' ? [splitErrors.samePerson, splitErrors.platformAgrees] : []),
      ...(action === 'retry' ? [splitErrors.noReceiver] : []),
    ],
    input: z.strictObject(one),
    output: SplitDetail,
  })

export const splits = {
  list: read('split:read', {
    path: '/finance/split-orders',
    summary: 'What became of the shares of sales, by the day of the payment; a week by default',
    input: listQuery(
      {
        orderNum: z.string().trim().max(20).optional(),
        splitNo: z.string().trim().max(30).optional(),
        state: State.optional(),
        orgId: f.id.optional(),
        /** Who has a share. */
        partyId: f.id.optional(),
        referrerId: f.id.optional(),
        /** The day on which it is due. */
        due: f.day.optional(),
        odd: z.boolean().optional(),
        ...rangeFields,
      },
      ['createTime'],
      '-createTime',
    ),
    output: page(SplitRow),
    export: 'split:export',
  }),
  get: read('split:read', {
    path: '/finance/split-orders/{id}',
    summary: 'One split order with its pieces and shares',
    input: z.strictObject({ id: f.id }),
    output: SplitDetail,
  }),
  run: step('run', 'run', 'Split now what waits for its time'),
  retry: step('retry', 'retry', 'Look again at what did not work'),
  toLedger: step(
    'to-ledger',
    'toLedger',
    'Settle by the ledger what the channel did not: one asks, somebody of the platform agrees',
  ),
  debts: read('split:read', {
    path: '/finance/debts',
    summary: 'What parties owe of refunds after their share was paid out',
    input: listQuery(
      {
        orderNum: z.string().trim().max(20).optional(),
        partyId: f.id.optional(),
        referrerId: f.id.optional(),
        closed: z.boolean().optional(),
      },
      ['createTime', 'rest'],
      '-createTime',
    ),
    output: page(DebtRow),
    export: 'split:export',
  }),
  writeOff: write('ledger:adjust', {
    path: '/finance/debts/{id}/write-off',
    summary: 'Give up a debt: one asks and says why, somebody else agrees',
    audit: 'splits.writeOff',
    errors: [splitErrors.wrongState, splitErrors.samePerson, splitErrors.bearerShort],
    input: z.strictObject({
      ...one,
      reason: f.text(200, bi('请填写核销原因', 'Say why it is given up')),
    }),
    output: DebtRow,
  }),
  ...settlementEndpoints,
}
