import { describe, expect, test } from 'vitest'
import { accountState, findings, masked, sameName } from '../payout-accounts/rules.ts'
import {
  approvable,
  availableOf,
  cancellable,
  givenBack,
  paidOut,
  payableByHand,
  rejectable,
  retryable,
  setAside,
  type WithdrawalState,
  withdrawalStateNames,
} from './rules.ts'

const row = (state: WithdrawalState, more: object = {}) => ({
  ...{ state, amount: 1000, requestedBy: 1, approvedBy: null as number | null },
  ...{ method: 'BANK' as 'BANK' | 'WECHAT', stuck: false },
  ...more,
})
const by = (userId: number, administrator = false) => ({ userId, administrator, limit: 5000 })

test.each([
  [{ balance: 100, debts: 0, reserve: 0 }, 100],
  [{ balance: 100, debts: 30, reserve: 20 }, 50],
  [{ balance: 100, debts: 90, reserve: 20 }, 0],
])('available of %j is %i', (funds, available) => {
  expect(availableOf(funds)).toBe(available)
})

describe('who decides', () => {
  const big = { amount: 5001 }
  test.each([
    ['somebody else', row('PENDING'), by(2), undefined],
    ['who asked', row('PENDING'), by(1), 'samePerson'],
    ['when it is over', row('APPROVED'), by(2), 'wrongState'],
    ['first of two', row('PENDING', big), by(2), undefined],
    ['second, an administrator', row('PENDING', { ...big, approvedBy: 2 }), by(3, true), undefined],
    ['second, nobody special', row('PENDING', { ...big, approvedBy: 2 }), by(3), 'secondRank'],
    ['twice the same', row('PENDING', { ...big, approvedBy: 2 }), by(2, true), 'samePerson'],
    [
      'who asked, as the second',
      row('PENDING', { ...big, approvedBy: 2 }),
      by(1, true),
      'samePerson',
    ],
  ])('%s', (_, held, decider, error) => {
    expect(approvable(held, decider)?.name).toBe(error && `withdrawals.${error}`)
  })
  test.each(withdrawalStateNames)('in state %s', (state) => {
    const free = (held: ReturnType<typeof row>) => ({
      cancel: cancellable(held, 1) === null,
      reject: rejectable(held, 2) === null,
      retry: retryable(held) === null,
      byHand: payableByHand(held, 2) === null,
    })
    expect(free(row(state))).toEqual({
      cancel: state === 'PENDING',
      reject: state === 'PENDING' || state === 'APPROVED',
      retry: false,
      byHand: state === 'APPROVED' || state === 'FAILED',
    })
    // what a channel may be paying is nobody's to pay, or to refuse
    expect(free(row(state, { method: 'WECHAT' }))).toEqual({
      cancel: state === 'PENDING',
      reject: state === 'PENDING',
      retry: state === 'FAILED',
      byHand: state === 'FAILED',
    })
  })
  test('only who asked takes it back', () => {
    expect(cancellable(row('PENDING'), 2)?.name).toBe('withdrawals.notApplicant')
  })
  test('who asked neither refuses it nor pays it', () => {
    expect(rejectable(row('PENDING'), 1)?.name).toBe('withdrawals.samePerson')
    expect(payableByHand(row('APPROVED'), 1)?.name).toBe('withdrawals.samePerson')
  })
})

describe('vouchers', () => {
  const of = { no: 'TX2026112100000001', round: 1, orgId: 3, amount: 500 }
  const from = { account: '1001' as const, payer: 1, configId: 9 }
  test('balance, and each has a key of its round; paid there is one', () => {
    const all = [
      ...[1, 2].flatMap((round) => [setAside({ ...of, round }), givenBack({ ...of, round })]),
      paidOut(of, from),
    ]
    for (const { entries } of all)
      expect(entries.reduce((sum, { amount }) => sum + amount, 0)).toBe(0)
    expect(all.map(({ key }) => key)).toEqual([
      'wd:TX2026112100000001:apply',
      'wd:TX2026112100000001:back',
      'wd:TX2026112100000001:apply:2',
      'wd:TX2026112100000001:back:2',
      'wd:TX2026112100000001:paid',
    ])
    expect(paidOut({ ...of, round: 2 }, from)).toEqual(paidOut(of, from))
    expect(paidOut(of, from).entries[1]).toEqual({ account: '1001', amount: -500, orgId: 1 })
  })
})

describe('payout accounts', () => {
  test.each([
    ['深圳市货道科技有限公司', '深圳市货道科技有限公司', true],
    ['某某（深圳）公司', '某某(深圳) 公司', true],
    ['ＡＢＣ公司', 'abc公司', true],
    ['某某公司', '某某分公司', false],
  ])('%s is %s: %s', (a, b, same) => {
    expect(sameName(a, b)).toBe(same)
  })
  test.each([
    ['6222020200112233445', '****3445'],
    ['13800138000', '****8000'],
    ['boss@example.com', 'b****@example.com'],
  ])('of %s is shown %s', (account, shown) => {
    expect(masked(account)).toBe(shown)
  })
  const changedAt = new Date('2026-11-20T06:00:00Z')
  test.each([
    ['2026-11-21T05:59:59Z', '甲公司', 'RESTING'],
    ['2026-11-21T06:00:00Z', '甲公司', 'USABLE'],
    ['2026-11-21T06:00:00Z', '乙公司', 'MISMATCH'],
  ])('at %s of %s: %s', (now, orgName, state) => {
    expect(accountState({ holder: '甲公司', orgName, changedAt }, new Date(now))).toBe(state)
  })
  const entered = { method: 'BANK' as const, holder: '甲公司', bankName: '招商银行' }
  test.each([
    [{ ...entered, accountNo: '62220202001122' }, []],
    [{ ...entered, accountNo: '62220' }, ['accountNo']],
    [{ ...entered, bankName: '', accountNo: '62220202001122' }, ['bankName']],
    [{ ...entered, holder: '乙公司', accountNo: '62220202001122' }, ['holder']],
    [{ ...entered, method: 'WECHAT' as const, accountNo: 'oUpF8uMuAJO_M2pxb1Q9zNjWeS6o' }, []],
    [{ ...entered, method: 'WECHAT' as const, accountNo: '13800138000' }, ['accountNo']],
    [{ ...entered, method: 'ALIPAY' as const, accountNo: 'boss@example.com' }, []],
    [{ ...entered, method: 'ALIPAY' as const, accountNo: 'boss@' }, ['accountNo']],
  ])('%j lacks %j', (account, fields) => {
    expect(findings(account, { name: '甲公司', person: false }).map(({ field }) => field)).toEqual(
      fields,
    )
  })
})
