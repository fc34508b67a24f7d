import { describe, expect, test } from 'vitest'
import { isOpen, mayMove, overdue, removable } from './rules.ts'

const at = (hour: number) => new Date(Date.UTC(2026, 10, 22, hour))

describe('moves', () => {
  test.each([
    ['OPEN', 'HANDLING', true],
    ['OPEN', 'INVALID', true],
    ['HANDLING', 'WAITING', true],
    ['WAITING', 'HANDLING', true],
    ['RESOLVED', 'HANDLING', true],
    ['RESOLVED', 'CLOSED', true],
    ['HANDLING', 'INVALID', false],
    ['CLOSED', 'HANDLING', false],
    ['INVALID', 'OPEN', false],
    ['RESOLVED', 'WAITING', false],
  ] as const)('%s -> %s: %s', (from, to, fine) => expect(mayMove(from, to) === null).toBe(fine))
})

describe('overdue', () => {
  const row = { state: 'OPEN' as const, firstReplyDueAt: at(4), resolveDueAt: at(20), firstRepliedAt: null }
  test('the first answer, then the end', () => {
    expect(overdue(row, at(3))).toBe(false)
    expect(overdue(row, at(4))).toBe(true)
    expect(overdue({ ...row, firstRepliedAt: at(2) }, at(5))).toBe(false)
    expect(overdue({ ...row, firstRepliedAt: at(2) }, at(20))).toBe(true)
  })
  test('never what is over', () => {
    expect(overdue({ ...row, state: 'RESOLVED' }, at(23))).toBe(false)
    expect(['OPEN', 'HANDLING', 'WAITING', 'RESOLVED', 'CLOSED', 'INVALID'].map((state) => isOpen(state as 'OPEN'))).toEqual([
      true,
      true,
      true,
      false,
      false,
      false,
    ])
  })
})

test('a complaint with a refund stays', () => {
  expect(removable({ refunded: false })).toBeNull()
  expect(removable({ refunded: true })?.name).toBe('complaints.refundLinked')
})
