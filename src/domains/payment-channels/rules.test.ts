import { expect, test } from 'vitest'
import { alipayMeaning, checkAfter, fenOf, wechatMeaning, yuanOf } from './rules.ts'
import { rawMembers, sorted } from './server/alipay.ts'
import { lines } from './server/wechat.ts'

test.each([
  ['0.01', 1],
  ['12.30', 1230],
  ['5', 500],
  ['-0.10', -10],
  ['0.00', 0],
  ['2.500000', 250],
  ['2.501', null],
  ['1e3', null],
  ['', null],
  ['1,000.00', null],
  ['99999999999999', null],
])('%s yuan', (text, fen) => expect(fenOf(text)).toBe(fen))
test('an amount is written with two decimals', () =>
  expect([1, 10, 1230, 100_000].map(yuanOf)).toEqual(['0.01', '0.10', '12.30', '1000.00']))

test.each([
  ['SYSTEM_ERROR', 'RETRY'],
  ['FREQUENCY_LIMITED', 'RETRY'],
  ['NOT_ENOUGH', 'RETRY'],
  ['ORDERPAID', 'PAID'],
  ['ORDER_CLOSED', 'CLOSED'],
  ['ORDER_NOT_EXIST', 'ABSENT'],
  ['INVALID_REQUEST', 'FAILED'],
  ['USER_ACCOUNT_ABNORMAL', 'FAILED'],
  ['SOMETHING_NEW', 'RETRY'],
  ['constructor', 'RETRY'],
])('WeChat Pay: %s is %s', (code, meaning) => expect(wechatMeaning(code)).toBe(meaning))
test.each([
  ['ACQ.SYSTEM_ERROR', 'RETRY'],
  ['ACQ.SELLER_BALANCE_NOT_ENOUGH', 'RETRY'],
  ['ACQ.TRADE_HAS_SUCCESS', 'PAID'],
  ['ACQ.TRADE_NOT_EXIST', 'ABSENT'],
  ['ACQ.TRADE_HAS_FINISHED', 'FAILED'],
  ['', 'RETRY'],
])('Alipay: %s is %s', (code, meaning) => expect(alipayMeaning(code)).toBe(meaning))

test('WeChat Pay: every part ends its line, an empty body, too', () =>
  expect(lines('GET', '/v3/certificates', 1554208460, '593BEC0C930BF1AFEB40B4A08C8FB242', '')).toBe(
    'GET\n/v3/certificates\n1554208460\n593BEC0C930BF1AFEB40B4A08C8FB242\n\n',
  ))
test('Alipay: names in order of their bytes, without empty values and the signature', () =>
  expect(
    sorted({ method: 'm', app_id: '1', sign: 'x', Zed: '=&', empty: '', charset: 'utf-8' }),
  ).toBe('Zed==&&app_id=1&charset=utf-8&method=m'))
test.each([
  ['{"a_response":{"b":"}\\"{"},"sign":"s"}', '{"b":"}\\"{"}'],
  [' { "sign" : "s" , "a_response" : { "b" : [1,{}] } } ', '{ "b" : [1,{}] }'],
  ['{"a_response":{},"a_response":{"c":1},"sign":"s"}', undefined],
  ['{"a_response":{"b":1}', undefined],
  ['[{"a_response":{}}]', undefined],
  ['', undefined],
])('Alipay: what counts of %s', (text, raw) =>
  expect(rawMembers(text)?.get('a_response')).toBe(raw),
)

test('a payment is asked after ever less often', () =>
  expect([0, 59, 60, 299, 300, 9999].map(checkAfter)).toEqual([15, 15, 30, 30, 120, 120]))
