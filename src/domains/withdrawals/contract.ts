import { z } from 'zod'
import { read, write } from '../../shared/contract.ts'
import { common } from '../../shared/errors.ts'
import * as f from '../../shared/fields.ts'
import { listQuery, page, rangeFields } from '../../shared/listQuery.ts'
import { bi } from '../../shared/text.ts'
import { methods } from '../payout-accounts/rules.ts'
import { confirmStates, withdrawalErrors, withdrawalStateNames } from './rules.ts'

const State = z.enum(withdrawalStateNames).meta({
  tones: {
    PENDING: 'warn',
    APPROVED: 'paid',
    PAYING: 'paid',
    CONFIRMING: 'locked',
    PAID: 'success',
    FAILED: 'fault',
    REJECTED: 'closed',
    CANCELLED: 'closed',
  },
})
const Method = z.enum(methods)
const WithdrawalNo = z.string().regex(/^TX\d{16}$/)

export const WithdrawalRow = z.strictObject({
  id: f.id,
  withdrawalNo: z.string(),
  orgId: f.id,
  orgName: z.string(),
  referrerId: f.id.nullable(),
  /** Empty: the organisation’s own money. */
  referrerName: z.string(),
  amount: f.fen,
  /** Of the bank, out of the amount. */
  fee: f.fen,
  /** What came; null: nothing has. */
  received: f.fen.nullable(),
  method: Method,
  holder: z.string(),
  bankName: z.string(),
  /** Masked. */
  accountNo: z.string(),
  state: State,
  remark: z.string(),
  /** Why it was rejected, or failed; of one that is under way, what its channel said last. */
  reason: z.string(),
  requester: z.string(),
  requestTime: f.instant,
  approver: z.string().nullable(),
  approveTime: f.instant.nullable(),
  secondApprover: z.string().nullable(),
  /** Beyond the limit two people agree. */
  secondNeeded: z.boolean(),
  payer: z.string().nullable(),
  payTime: f.instant.nullable(),
  confirmUntil: f.instant.nullable(),
  transferNo: z.string(),
  voucher: z.string().meta({ unit: 'image' }),
  version: f.version,
  can: z.strictObject({
    cancel: z.boolean(),
    approve: z.boolean(),
    reject: z.boolean(),
    retry: z.boolean(),
    payByHand: z.boolean(),
    payee: z.boolean(),
    confirm: z.boolean(),
  }),
})
export type WithdrawalRow = z.infer<typeof WithdrawalRow>

const required = bi('请输入提现金额', 'Enter the amount')
const one = { id: f.id, version: f.version }
const decided = [withdrawalErrors.wrongState, withdrawalErrors.samePerson] as const

export const withdrawals = {
  list: read('withdrawal:read', {
    path: '/finance/withdrawals',
    summary: 'Withdrawals, newest first',
    input: listQuery(
      {
        orgId: f.id.optional(),
        referrerId: f.id.optional(),
        state: State.optional(),
        method: Method.optional(),
        withdrawalNo: z.string().trim().max(18).optional(),
        minAmount: f.fen.optional(),
        maxAmount: f.fen.optional(),
        ...rangeFields,
      },
      ['requestTime', 'amount'],
      '-requestTime',
    ),
    output: page(WithdrawalRow),
    export: 'withdrawal:export',
  }),
  funds: read('withdrawal:read', {
    path: '/finance/withdrawals/funds',
    summary: 'What the own organisation or a referrer of hers may withdraw now, and why no more',
    input: z.strictObject({ referrerId: f.id.optional() }),
    errors: [common.notFound],
    output: z.strictObject({
      balance: f.fen,
      debts: f.fen,
      reserve: f.fen,
      available: f.fen,
      underWay: f.fen,
      minimum: f.fen,
      /** How many more requests today. */
      left: f.count,
      /** Money of others lies with the platform: shares that are paid from the ledger. */
      ledgerMode: z.boolean(),
    }),
  }),
  create: write('withdrawal:create', {
    path: '/finance/withdrawals',
    summary:
      'Ask for money of the own organisation or a referrer of hers; it is set aside until somebody decides',
    audit: 'withdrawals.create',
    idempotent: true,
    errors: [
      withdrawalErrors.tooMuch,
      withdrawalErrors.tooLittle,
      withdrawalErrors.accountNeeded,
      withdrawalErrors.accountRests,
      withdrawalErrors.pending,
      withdrawalErrors.tooOften,
      withdrawalErrors.closedOrg,
      withdrawalErrors.holderChanged,
      withdrawalErrors.monthFull,
      common.notFound,
    ],
    input: z.strictObject({
      /** Null: the organisation's own money. */
      referrerId: f.id.nullable().default(null),
      amount: z
        .number({ error: required })
        .int(bi('金额格式错误', 'Not an amount'))
        .min(1, required)
        .max(1_000_000_000_000)
        .meta({ description: 'money in fen', unit: 'fen' }),
      accountId: z
        .number(withdrawalErrors.accountNeeded.text)
        .int()
        .positive()
        .max(Number.MAX_SAFE_INTEGER),
      remark: f.optionalText(100),
    }),
    output: WithdrawalRow,
  }),
  cancel: write('withdrawal:create', {
    path: '/finance/withdrawals/{id}/cancel',
    summary: 'Take a request back that nobody has decided about',
    audit: 'withdrawals.cancel',
    errors: [withdrawalErrors.wrongState, withdrawalErrors.notApplicant],
    input: z.strictObject(one),
    output: WithdrawalRow,
  }),
  approve: write('withdrawal:approve', {
    path: '/finance/withdrawals/{id}/approve',
    summary: 'Agree; beyond the limit a second person does before it is paid',
    audit: 'withdrawals.approve',
    fresh: true,
    errors: [
      ...decided,
      withdrawalErrors.secondRank,
      withdrawalErrors.holderChanged,
      withdrawalErrors.channelStopped,
    ],
    input: z.strictObject(one),
    output: WithdrawalRow,
  }),
  reject: write('withdrawal:approve', {
    path: '/finance/withdrawals/{id}/reject',
    summary: 'Refuse; the money may be withdrawn again',
    audit: 'withdrawals.reject',
    errors: decided,
    input: z.strictObject({
      ...one,
      reason: f.text(200, bi('请填写驳回原因', 'Say why it is rejected')),
    }),
    output: WithdrawalRow,
  }),
  retry: write('withdrawal:pay', {
    path: '/finance/withdrawals/{id}/retry',
    summary: 'Pay again what failed, under the same number; what is unclear is asked again',
    audit: 'withdrawals.retry',
    fresh: true,
    errors: [
      withdrawalErrors.wrongState,
      withdrawalErrors.tooMuch,
      withdrawalErrors.channelStopped,
      withdrawalErrors.holderChanged,
      withdrawalErrors.monthFull,
    ],
    input: z.strictObject(one),
    output: WithdrawalRow,
  }),
  offlinePaid: write('withdrawal:pay', {
    path: '/finance/withdrawals/{id}/offline-paid',
    summary: 'It was transferred by hand: the voucher of the bank',
    audit: 'withdrawals.offlinePaid',
    fresh: true,
    errors: [...decided, withdrawalErrors.tooMuch, withdrawalErrors.feeTooLarge, common.notFound],
    input: z.strictObject({
      ...one,
      voucher: f.imageUrl,
      fee: f.fen.default(0),
    }),
    output: WithdrawalRow,
  }),
  confirmCode: write('withdrawal:create', {
    path: '/finance/withdrawals/{id}/confirm-code',
    summary: 'A code for the payee of a transfer of WeChat; the ones before it are over',
    audit: 'withdrawals.confirmCode',
    errors: [withdrawalErrors.wrongState],
    input: z.strictObject({ id: f.id }),
    output: z.strictObject({ url: z.string(), expireTime: f.instant }),
  }),
  lookConfirm: write('open', {
    path: '/mobile/withdrawal-codes/look',
    summary: 'What waits for the payee who has this code, and what WeChat asks him',
    audit: { none: 'nothing is changed' },
    scope: 'system',
    guessable: true,
    errors: [withdrawalErrors.codeOver],
    input: z.strictObject({
      code: z.string().regex(/^[\w-]{43}$/, withdrawalErrors.codeOver.text),
    }),
    output: z.strictObject({
      state: z.enum(confirmStates),
      amount: f.fen,
      orgName: z.string(),
      /** Its first letter. */
      holder: z.string(),
      confirmUntil: f.instant.nullable(),
      /** Null: WeChat asks him by itself, or nothing waits. */
      pay: z.strictObject({ mchId: z.string(), appId: z.string(), package: z.string() }).nullable(),
    }),
  }),
  payee: write('withdrawal:pay', {
    path: '/finance/withdrawals/{id}/payee',
    summary: 'The whole account number, for whoever transfers by hand; its being seen is logged',
    audit: 'withdrawals.payee',
    fresh: true,
    errors: [withdrawalErrors.wrongState],
    input: z.strictObject({ id: f.id }),
    output: z.strictObject({
      withdrawalNo: WithdrawalNo,
      method: Method,
      holder: z.string(),
      bankName: z.string(),
      account: z.string(),
      amount: f.fen,
    }),
  }),
}
