import { expect, test } from 'vitest'
import { isIdCard, maskedIdCard, maskedName } from './idCard.ts'

test.each([
  ['11010519491231002X', true],
  ['440524188001010014', true],
  // its check digit
  ['110105194912310021', false],
  ['11010519491231002x', false],
  // a day that is none, with a check digit that fits
  ['110105199902300019', false],
  ['11010519990230001X', false],
  ['110105194913310026', false],
  ['01010519491231002X', false],
  ['11010519491231002', false],
  ['', false],
  ['１1010519491231002', false],
])('%s: %s', (text, is) => expect(isIdCard(text)).toBe(is))

test('every other check digit is wrong', () => {
  const right = '44052418800101001'
  const fits = [...'0123456789X'].filter((last) => isIdCard(right + last))
  expect(fits).toEqual(['4'])
})

test.each([
  ['张三', '张*'],
  ['欧阳娜娜', '欧***'],
  ['李', '李*'],
  ['𠮷田', '𠮷*'],
])('%s is shown as %s', (name, shown) => expect(maskedName(name)).toBe(shown))

test('of a card only its region and end are shown', () =>
  expect(maskedIdCard('11010519491231002X')).toBe('110***********002X'))
