import { describe, expect, test } from 'vitest'
import {
  cancellable,
  doubled,
  downloadable,
  headerKey,
  jobFrom,
  neutralised,
  retryable,
  shanghaiText,
  timeOfCron,
} from './rules.ts'

test.each([
  ['=1+1', "'=1+1"],
  ['+86 138', "'+86 138"],
  ['-5', "'-5"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\tx', "'\tx"],
  ['\rx', "'\rx"],
  ['\nx', "'\nx"],
  ['＝1+1', "'＝1+1"],
  ['a=1', 'a=1'],
  ['', ''],
  ["'=1", "'=1"],
])('%j is written as %j', (given, written) => expect(neutralised(given)).toBe(written))

test('instants are Shanghai time', () => {
  expect(shanghaiText('2026-12-31T16:00:00.000Z')).toBe('2027-01-01 00:00:00')
  expect(shanghaiText('2026-11-22T14:05:09+08:00')).toBe('2026-11-22 14:05:09')
})
test('heads are compared without marks and width', () => {
  expect(headerKey(' 名 称* ')).toBe('名称')
  expect(headerKey('Ｎａｍｅ')).toBe(headerKey('name'))
})
test('doubled values name all their lines', () => {
  const rows = ['a', 'B', 'A ', undefined, '', 'a'].map((value, i) => ({ line: i + 2, value }))
  expect(doubled(rows, (value) => value)).toEqual([
    { line: 2, others: [4, 7] },
    { line: 4, others: [2, 7] },
    { line: 7, others: [2, 4] },
  ])
})
describe('states', () => {
  const now = new Date()
  const job = (
    kind: 'EXPORT' | 'IMPORT',
    state: 'QUEUED' | 'RUNNING' | 'DONE' | 'FAILED' | 'CANCELLED',
  ) => ({ kind, state, expireTime: null })
  test('only what has not ended is cancelled, only a failed export is tried again', () => {
    expect(
      (['QUEUED', 'RUNNING', 'DONE', 'FAILED', 'CANCELLED'] as const).map((state) => [
        cancellable(job('EXPORT', state)),
        retryable(job('EXPORT', state)),
      ]),
    ).toEqual([
      [true, false],
      [true, false],
      [false, false],
      [false, true],
      [false, true],
    ])
    expect(retryable(job('IMPORT', 'FAILED'))).toBe(false)
    expect(jobFrom('RUNNING')).toEqual(['QUEUED', 'RUNNING'])
  })
  test('a file until it expires', () => {
    expect(
      downloadable(
        { ...job('EXPORT', 'DONE'), expireTime: new Date(now.getTime() + 1).toISOString() },
        now,
      ),
    ).toBe(true)
    expect(downloadable({ ...job('EXPORT', 'DONE'), expireTime: now.toISOString() }, now)).toBe(
      false,
    )
    expect(downloadable(job('EXPORT', 'DONE'), now)).toBe(false)
  })
})

test.each([
  ['20 4 * * *', 'day 04:20 * *'],
  ['30 4 * * 0', 'week 04:30 0 *'],
  ['0 1 15 * *', 'month 01:00 15 *'],
  ['0 0 1 1 *', 'year 00:00 1 1'],
  ['20 9 * 12 *', 'daysOfMonth 09:20 * 12'],
  ['*/5 * * * *', null],
  ['0 1 * * 1-5', null],
  ['0 1 1 * 1', null],
])('the plan %s is %s', (cron, wanted) => {
  const found = timeOfCron(cron)
  expect(found && `${found.each} ${found.time} ${found.n} ${found.m}`).toBe(wanted)
})
