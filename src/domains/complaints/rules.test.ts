import { describe, expect, test } from 'vitest'
import { isOpen, mayMove, overdue, removable, reopenable } from './rules.ts'
import { preselected } from './web/pieces.ts'

const at = (hour: number) => new Date(Date.UTC(2026, 10, 22, hour))
const said = (hour: number) => at(hour).toISOString()

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
  const row = {
    state: 'OPEN' as const,
    firstReplyDueAt: said(4),
    resolveDueAt: said(20),
    firstRepliedAt: null,
  }
  test('the first answer, then the end', () => {
    expect(overdue(row, at(3))).toBe(false)
    expect(overdue(row, at(4))).toBe(true)
    expect(overdue({ ...row, firstRepliedAt: said(2) }, at(5))).toBe(false)
    expect(overdue({ ...row, firstRepliedAt: said(2) }, at(20))).toBe(true)
  })
  test('never what is over', () => {
    expect(overdue({ ...row, state: 'RESOLVED' }, at(23))).toBe(false)
    expect(
      ['OPEN', 'HANDLING', 'WAITING', 'RESOLVED', 'CLOSED', 'INVALID'].map((state) =>
        isOpen(state as 'OPEN'),
      ),
    ).toEqual([true, true, true, false, false, false])
  })
})

test('a complaint with a refund stays', () => {
  expect(removable({ refunded: false })).toBeNull()
  expect(removable({ refunded: true })?.name).toBe('complaints.refundLinked')
})

test('only a resolved complaint opens again, and a duplicate never', () => {
  expect(reopenable({ state: 'RESOLVED', mergedInto: null })).toBeNull()
  expect(reopenable({ state: 'RESOLVED', mergedInto: 7 })?.name).toBe('complaints.wrongState')
  expect(reopenable({ state: 'CLOSED', mergedInto: null })?.name).toBe('complaints.wrongState')
})

describe('the piece a refund starts with', () => {
  const piece = (id: number, road: number | null, vendState: 'SUCCESS' | 'FAILED') => ({
    id,
    road,
    vendState,
  })
  test.each([
    [
      'what did not come out of the lane',
      [piece(1, 3, 'SUCCESS'), piece(2, 3, 'FAILED'), piece(3, 4, 'FAILED')],
      3,
      [2],
    ],
    ['all of the lane when all came out', [piece(1, 3, 'SUCCESS'), piece(2, 4, 'FAILED')], 3, [1]],
    [
      'whatever did not come out when no lane is known',
      [piece(1, 3, 'SUCCESS'), piece(2, 4, 'FAILED')],
      null,
      [2],
    ],
    ['the only piece', [piece(1, 3, 'SUCCESS')], null, [1]],
    ['nothing when it is not clear', [piece(1, 3, 'SUCCESS'), piece(2, 4, 'SUCCESS')], null, []],
  ] as const)('%s', (_, pieces, road, ids) => expect(preselected(pieces, road)).toEqual(ids))
})
