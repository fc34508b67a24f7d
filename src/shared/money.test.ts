import { expect, test } from 'vitest'
import { createRandom } from '../seed/random.ts'
import { largestRemainder, parseYuan, yuan } from './money.ts'

test.each([
  [0, '¥0.00'],
  [5, '¥0.05'],
  [123_450, '¥1,234.50'],
  [-640, '\u2212¥6.40'],
  [100_000_000_00, '¥100,000,000.00'],
])('%i fen reads %s', (fen, text) => expect(yuan(fen)).toBe(text))

test.each([
  ['3', 300],
  ['3.5', 350],
  ['3.50', 350],
  ['¥12.05', 1205],
  ['１２.５', 1250],
  [' 7 ', 700],
  ['', null],
  ['3.505', null],
  ['1e3', null],
  ['-1', null],
  ['NaN', null],
  ['1,000', null],
  ['12345678901', null],
])('%s typed is %s fen', (typed, fen) => expect(parseYuan(typed)).toBe(fen))

test('shares are exact, whatever the weights', () => {
  expect(largestRemainder(333, [5, 10, 15, 7, 63])).toEqual([17, 33, 50, 23, 210])
  expect(largestRemainder(1, [300, 300, 300])).toEqual([1, 0, 0])
  const random = createRandom('shares')
  for (let n = 0; n < 2000; n += 1) {
    const weights = Array.from({ length: random.int(1, 32) }, () => random.int(0, 100_000))
    const total = random.int(0, 10_000_000)
    const shares = largestRemainder(total, weights)
    const sum = weights.reduce((a, b) => a + b, 0)
    expect(shares.reduce((a, b) => a + b, 0)).toBe(sum === 0 ? 0 : total)
    for (const [i, share] of shares.entries())
      expect(Math.abs(share - (sum ? (total * (weights[i] as number)) / sum : 0))).toBeLessThan(1)
  }
})
