import { expect, test } from 'vitest'
import { dayOfOrderNumber } from '../../../shared/ids.ts'
import { numbersOf, shuffled } from './numbers.ts'

const numbers = numbersOf({ config: { secretKey: '0'.repeat(64) } } as never)
const day = '2026-11-21'
const tails = (on: string, from: number) =>
  Array.from({ length: 2000 }, (_, n) => Number(numbers(on, from + n).slice(8)))

test('order numbers keep their day and their twenty digits, and never meet', () => {
  expect(numbers(day, 4817)).toMatch(/^20261121\d{12}$/)
  // as every release before
  expect(numbers(day, 4817)).toBe('20261121804000191342')
  expect(dayOfOrderNumber(numbers(day, 4817))).toBe(day)
  expect(
    new Set([...tails(day, 1), ...tails(day, 999_000), ...tails(day, 999_999_998_000)]).size,
  ).toBe(6000)
})

test('they do not count: neither in order nor at a distance, and another day or key tells nothing', () => {
  const one = tails(day, 1)
  const steps = new Set(one.slice(1).map((tail, n) => tail - (one[n] as number)))
  expect(steps.size).toBe(1999)
  expect(one.filter((tail, n) => n > 0 && tail > (one[n - 1] as number)).length / 2000).toBeCloseTo(
    0.5,
    1,
  )
  expect(one.reduce((sum, tail) => sum + tail, 0) / 2000 / 1e12).toBeCloseTo(0.5, 1)
  const next = tails('2026-11-22', 1)
  expect(one.filter((tail, n) => tail === next[n])).toEqual([])
  expect(shuffled(Buffer.alloc(32, 1), day, 1)).not.toBe(one[0])
})
