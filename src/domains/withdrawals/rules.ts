import { defineErrors, type ErrorDef } from '../../shared/errors.ts'
import { allowedFrom, defineStates } from '../../shared/moves.ts'
import { partyOf, type Voucher } from '../ledger/rules.ts'
import type { Method } from '../payout-accounts/rules.ts'

export const withdrawalErrors = defineErrors('withdrawals', {
  tooMuch: [422190, '提现金额不能大于可提现余额', 'More than what may be withdrawn'],
  tooLittle: [422191, '提现金额不能低于{n}元', 'At least ¥{n}'],
  accountNeeded: [422192, '请选择已验证的收款账户', 'Choose a verified payout account'],
  accountRests: [
    422193,
    '收款账户变更后24小时内不可提现',
    'The account was changed within the last 24 hours',
  ],
  pending: [409101, '已有待审核的提现申请', 'A request is waiting already'],
  tooOften: [422194, '今日提现次数已达上限（{n}次）', 'No more than {n} withdrawals a day'],
  closedOrg: [422195, '机构已停用，不能申请提现', 'The organisation is disabled'],
  samePerson: [422196, '复核人不能是申请人本人', 'Somebody else has to decide'],
  secondRank: [
    422197,
    '第二复核人须为超级管理员或管理员',
    'The second approver has to be an administrator',
  ],
  notApplicant: [422198, '只能由申请人撤销', 'Only who asked for it takes it back'],
  wrongState: [409102, '当前状态不能执行该操作', 'Not possible in the present state'],
  holderChanged: [
    422199,
    '收款户名与机构登记名称不一致',
    'The holder is no longer the registered name of the organisation',
  ],
  channelStopped: [
    422201,
    '平台的收款配置已停用，请改用线下打款',
    'The platform’s merchant is disabled: pay by hand',
  ],
  codeOver: [422203, '链接已失效，请联系发送人重新获取', 'This link is over: ask for another one'],
  monthFull: [
    422204,
    '该推荐人本月微信收款累计不能超过{n}元，超出部分保留在账本',
    'A person gets at most ¥{n} a month by WeChat; the rest stays in the ledger',
  ],
  feeTooLarge: [422200, '手续费不能大于提现金额', 'The fee is more than the amount'],
})

export const withdrawalStateNames = [
  'PENDING',
  'APPROVED',
  'PAYING',
  'CONFIRMING',
  'PAID',
  'FAILED',
  'REJECTED',
  'CANCELLED',
] as const
export type WithdrawalState = (typeof withdrawalStateNames)[number]
export const withdrawalStates = defineStates<WithdrawalState>({
  name: 'withdrawals.withdrawal',
  column: 'withdrawals.state',
  start: ['PENDING'],
  moves: {
    PENDING: ['APPROVED', 'REJECTED', 'CANCELLED'],
    // what is paid by hand may still turn out to be wrong
    APPROVED: ['PAYING', 'PAID', 'REJECTED'],
    PAYING: ['CONFIRMING', 'PAID', 'FAILED'],
    CONFIRMING: ['PAID', 'FAILED'],
    FAILED: ['PAYING', 'PAID'],
    PAID: [],
    REJECTED: [],
    CANCELLED: [],
  },
})
export const withdrawalFrom = (next: WithdrawalState): WithdrawalState[] =>
  allowedFrom(withdrawalStates, next)

/**
 * What an organisation is owed, what it owes, and what is held back: for refunds, until shares are
 * due, and what never lay with the platform; fen.
 */
export type Funds = { balance: number; debts: number; reserve: number }
export const availableOf = ({ balance, debts, reserve }: Funds): number =>
  Math.max(0, balance - debts - reserve)

export const needsSecond = (amount: number, limit: number): boolean => amount > limit

type Deciding = {
  state: WithdrawalState
  amount: number
  requestedBy: number
  approvedBy: number | null
}
/** Whether this person may agree to it now; `administrator`: a second approver has to be one. */
export function approvable(
  row: Deciding,
  { userId, administrator, limit }: { userId: number; administrator: boolean; limit: number },
): ErrorDef | null {
  if (row.state !== 'PENDING') return withdrawalErrors.wrongState
  if (row.requestedBy === userId || row.approvedBy === userId) return withdrawalErrors.samePerson
  if (row.approvedBy !== null && needsSecond(row.amount, limit) && !administrator)
    return withdrawalErrors.secondRank
  return null
}
/** By hand goes what the bank pays, before it was paid; nothing was sent anywhere. */
export const rejectable = (row: Deciding & { method: Method }, userId: number): ErrorDef | null =>
  row.state !== 'PENDING' && !(row.state === 'APPROVED' && row.method === 'BANK')
    ? withdrawalErrors.wrongState
    : row.requestedBy === userId
      ? withdrawalErrors.samePerson
      : null
export const cancellable = (row: Deciding, userId: number): ErrorDef | null =>
  row.state !== 'PENDING'
    ? withdrawalErrors.wrongState
    : row.requestedBy === userId
      ? null
      : withdrawalErrors.notApplicant
/** `stuck`: its channel has not said for days what became of it. */
export const retryable = (row: Deciding & { method: Method; stuck: boolean }): ErrorDef | null =>
  row.method !== 'BANK' && (row.state === 'FAILED' || row.stuck)
    ? null
    : withdrawalErrors.wrongState
/** What a channel may still pay is not paid by hand. */
export const payableByHand = (
  row: Deciding & { method: Method },
  userId: number,
): ErrorDef | null =>
  row.state !== 'FAILED' && !(row.state === 'APPROVED' && row.method === 'BANK')
    ? withdrawalErrors.wrongState
    : row.requestedBy === userId
      ? withdrawalErrors.samePerson
      : null

/** Seconds between two questions to a channel that has not decided: then hourly, for two days. */
export const queryWaits = [30, 300, ...Array.from({ length: 48 }, () => 3600)]
/** Whoever asked for it sends its payee the page on which he says yes. */
export const confirmable = (
  { state, method }: { state: WithdrawalState; method: Method },
  own: boolean,
): ErrorDef | null =>
  own && state === 'CONFIRMING' && method === 'WECHAT' ? null : withdrawalErrors.wrongState
export const confirmStates = ['WAITING', 'PAID', 'OVER'] as const
/** What the page of a payee says. */
export const confirmStateOf = (
  { state, confirmUntil }: { state: WithdrawalState; confirmUntil: Date | null },
  now: Date,
): (typeof confirmStates)[number] => {
  if (state === 'PAID') return 'PAID'
  return state === 'CONFIRMING' && confirmUntil !== null && confirmUntil > now ? 'WAITING' : 'OVER'
}
/** So long the payee has to confirm a transfer of WeChat. */
export const confirmHours = 24

/** What one person gets by WeChat in a month at most; `referrer_months` keeps it. */
export const mostAMonth = 20_000_000

type Of = {
  no: string
  round: number
  orgId: number
  /** Whose money it is; none: the organisation's own. */
  referrerId?: number | null
  amount: number
}
const voucher = (
  key: string,
  orgId: number,
  entries: Voucher['entries'],
  configId: number | null = null,
): Voucher => ({ key, type: 'V8', orgId, orderId: null, orderNum: null, configId, entries })
const turn = (round: number) => (round > 1 ? `:${round}` : '')

/** Money is set aside: what may be withdrawn becomes what is on its way. */
export const setAside = ({ no, round, amount, ...of }: Of): Voucher =>
  voucher(`wd:${no}:apply${turn(round)}`, of.orgId, [
    { account: '2002', amount, orgId: partyOf(of) },
    { account: '2003', amount: -amount, orgId: partyOf(of) },
  ])
/** And back: rejected, taken back, or not paid. */
export const givenBack = ({ no, round, amount, ...of }: Of): Voucher =>
  voucher(`wd:${no}:back${turn(round)}`, of.orgId, [
    { account: '2003', amount, orgId: partyOf(of) },
    { account: '2002', amount: -amount, orgId: partyOf(of) },
  ])
/** It left: by hand from the bank, else from the money at the channel of whoever paid (`payer`). */
export const paidOut = (
  { no, amount, ...of }: Of,
  from: { account: '1001' | '1003'; payer: number; configId: number | null },
): Voucher =>
  voucher(
    `wd:${no}:paid`,
    of.orgId,
    [
      { account: '2003', amount, orgId: partyOf(of) },
      { account: from.account, amount: -amount, orgId: from.payer },
    ],
    from.configId,
  )
