import { describe, expect, test } from 'vitest'
import { addressOf } from '../../shared/address.ts'
import { sessionErrors } from './contract.ts'
import {
  deviceOf,
  maskPhone,
  passwordExpired,
  passwordRule,
  sendRule,
  shutMinutes,
} from './rules.ts'

test.each([
  ['short', 'Abcdef12', 'x', 10, sessionErrors.passwordShort],
  ['name inside', 'my OPERATOR 1', 'operator', 8, sessionErrors.passwordHasName],
  ['common', 'Password1', 'x', 8, sessionErrors.passwordCommon],
  ['phone inside', 'my phone 13800138000', 'x', 8, sessionErrors.passwordHasName],
  ['organisation and year', 'Xinghe@2026', 'x', 8, sessionErrors.passwordCommon],
  ['our name', 'Huodao#2031', 'x', 8, sessionErrors.passwordCommon],
  ['what we sell', 'shouhuoji2031', 'x', 8, sessionErrors.passwordCommon],
  ['fine', 'Right horse 7', 'operator', 8, null],
])('passwordRule: %s', (_, password, username, min, wanted) =>
  expect(passwordRule(password, username, ['13800138000', 'xinghe'], min)).toBe(wanted),
)

test.each([
  [0, '2020-01-01', false],
  [90, '2026-08-24', false],
  [90, '2026-08-20', true],
])('passwordExpired: %i days, changed %s', (days, changed, wanted) =>
  expect(passwordExpired(new Date(changed), days, new Date('2026-11-21'))).toBe(wanted),
)

describe('sendRule', () => {
  const free = {
    phoneHour: 0,
    phoneDay: 0,
    ipHour: 0,
    userHour: 0,
    userDay: 0,
    targetDay: 0,
    waitSeconds: 0,
    known: false,
    first: false,
  }
  test.each([
    [{}, null],
    [{ waitSeconds: 1 }, sessionErrors.codeTooSoon],
    [{ phoneHour: 4 }, null],
    [{ phoneHour: 5 }, sessionErrors.codeLimit],
    [{ phoneDay: 10 }, sessionErrors.codeLimit],
    [{ userHour: 4 }, null],
    [{ userHour: 5 }, sessionErrors.codeLimit],
    [{ userDay: 10 }, sessionErrors.codeLimit],
    [{ targetDay: 3 }, sessionErrors.codeLimit],
    [{ ipHour: 19 }, null],
    [{ ipHour: 20 }, sessionErrors.codeLimit],
    [{ ipHour: 99, known: true }, null],
    [{ ipHour: 100, known: true }, sessionErrors.codeLimit],
    [{ phoneDay: 10, first: true }, null],
    [{ phoneDay: 10, targetDay: 1 }, sessionErrors.codeLimit],
  ])('%o', (change, wanted) => expect(sendRule({ ...free, ...change })).toBe(wanted))
})

test.each([
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36',
    'Chrome 126 · Windows',
  ],
  [
    'Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/126.0 Safari/537.36 Edg/126.0',
    'Edge 126 · Windows',
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 Version/17.5 Mobile/15E148 Safari/604.1',
    'Safari 17 · iOS',
  ],
  [
    'Mozilla/5.0 (Linux; Android 14) Chrome/126.0 Mobile Safari/537.36 MicroMessenger/8.0',
    'Chrome 126 · WeChat',
  ],
  ['curl/8.0', ''],
])('deviceOf %s', (agent, wanted) => expect(deviceOf(agent)).toBe(wanted))

test('maskPhone', () =>
  expect([maskPhone('13800138000'), maskPhone('')]).toEqual(['138****8000', '']))

test.each([
  ['203.0.113.9', '203.0.113.9'],
  ['::ffff:203.0.113.9', '203.0.113.9'],
  ['2001:db8:0:1:aaaa::1', '2001:db8:0:1::/64'],
  ['2001:0DB8::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
])('addressOf %s', (ip, wanted) => expect(addressOf(ip)).toBe(wanted))

test('shutMinutes', () =>
  expect([0, 1, 2, 9].map((strikes) => shutMinutes(15, strikes))).toEqual([15, 30, 60, 1440]))
