import { expect, test } from 'vitest'
import { dayOfOrderNumber, orderNumber, sequentialNumbers } from './ids.ts'

test.each([
  ['HD000098', 3, ['HD000098', 'HD000099', 'HD000100']],
  ['0001', 2, ['0001', '0002']],
  ['HD9998', 2, ['HD9998', 'HD9999']],
  ['HD9999', 2, null],
  ['99999999999999999998', 2, ['99999999999999999998', '99999999999999999999']],
  ['T9007199254740993', 2, ['T9007199254740993', 'T9007199254740994']],
  ['ABC', 1, null],
])('%s and %i from there', (first, count, expected) =>
  expect(sequentialNumbers(first, count)).toEqual(expected),
)

test('an order number says its day', () => {
  const number = orderNumber('2026-11-21', 4817)
  expect(number).toBe('20261121000000004817')
  expect(dayOfOrderNumber(number)).toBe('2026-11-21')
})
