import { expect, test } from 'vitest'
import {
  canMove,
  certTone,
  configErrors,
  findings,
  identityRule,
  secretFindings,
  tailOf,
  takesSecret,
  tellsOf,
} from './rules.ts'

test.each([
  ['12345678', '78'],
  ['abc', ''],
  ['0123456789abcdef3f9a', '3f9a'],
  ['x'.repeat(64), 'xxxx'],
])('of %s only %o is shown', (secret, tail) => expect(tailOf(secret)).toBe(tail))

const terms = {
  provider: 'SIMULATOR',
  mchId: '',
  appId: '',
  splitCapBp: 3000,
  capApproval: '',
} as const
test.each([
  [{}, []],
  [{ provider: 'WECHAT' }, ['mchId', 'appId']],
  [{ provider: 'ALIPAY', mchId: '2088', appId: '2014' }, []],
  [{ splitCapBp: 3001 }, ['capApproval']],
  [{ splitCapBp: 3001, capApproval: 'files/a.jpg' }, []],
] as const)('%o lacks %o', (change, fields) =>
  expect(findings({ ...terms, ...change }).map(({ field }) => field)).toEqual(fields),
)
test.each([
  ['SIMULATOR', []],
  ['AGGREGATOR', ['desKey', 'saltMd5Key']],
  ['WECHAT', ['apiV3Key', 'privateKey', 'certificate']],
  ['ALIPAY', ['privateKey', 'channelKey']],
] as const)('%s begins with %o', (provider, fields) =>
  expect(secretFindings(provider, {}).map(({ field }) => field)).toEqual(fields),
)
test('a channel takes its own keys only', () => {
  expect([takesSecret('ALIPAY', 'desKey'), takesSecret('AGGREGATOR', 'desKey')]).toEqual([
    false,
    true,
  ])
})

const now = new Date('2026-11-21T06:00:00Z')
test.each([
  [null, 'fine'],
  ['2026-12-22T06:00:00Z', 'fine'],
  ['2026-12-21T05:59:00Z', 'amber'],
  ['2026-11-28T06:00:00Z', 'amber'],
  ['2026-11-28T05:59:00Z', 'red'],
  ['2026-11-01T00:00:00Z', 'red'],
] as const)('a certificate until %s is %s', (until, tone) =>
  expect(certTone(until, now)).toBe(tone),
)
test('people are told a month and two weeks before, then daily', () =>
  expect([31, 30, 29, 14, 13, 7, 6, 0, -1].filter(tellsOf)).toEqual([30, 14, 6, 0, -1]))

test.each([
  ['stop', 'ACTIVE', true],
  ['stop', 'DISABLED', false],
  ['start', 'DISABLED', true],
  ['start', 'ACTIVE', false],
  ['pass', 'UNTESTED', true],
  ['pass', 'DISABLED', false],
  ['fail', 'ACTIVE', true],
  ['fail', 'UNTESTED', false],
] as const)('%s from %s: %s', (move, state, ok) => expect(canMove(move, state)).toBe(ok))

const before = { provider: 'WECHAT', mchId: '1', appId: 'a', state: 'DISABLED' } as const
const nobody = { unsettled: false, ever: false }
test.each([
  [{}, { unsettled: true, ever: true }, 'DISABLED', null],
  [{ provider: 'ALIPAY' }, nobody, 'DISABLED', null],
  [{ provider: 'ALIPAY' }, nobody, 'ACTIVE', configErrors.stopFirst],
  [{ mchId: '2' }, { unsettled: true, ever: true }, 'DISABLED', configErrors.unsettled],
  [{ appId: 'b' }, { unsettled: false, ever: true }, 'DISABLED', configErrors.paidBefore],
] as const)('changed by %o with %o while %s: %o', (change, paid, state, error) =>
  expect(identityRule({ ...before, state }, { ...before, ...change }, paid)).toBe(error),
)
