import { expect, test } from 'vitest'
import { ownerRule, reviewedAnew, secondsOf, startState, wordsFinding } from './rules.ts'

const words = { tags: [] as string[], licenceNo: '', validUntil: null as string | null }

test.each([
  [{}, null],
  [{ tags: ['BRAND', 'DRUG'] }, 'licenceNo'],
  [{ tags: ['MEDICAL'] }, 'licenceNo'],
  [{ tags: ['DRUG'], licenceNo: '国药广审(文)第260001号' }, null],
  [{ validUntil: '2026-11-24' }, 'validUntil'],
  [{ validUntil: '2026-11-25' }, null],
])('%o', (change, at) =>
  expect(wordsFinding({ ...words, ...change }, '2026-11-25')?.at ?? null).toBe(at),
)

test.each([
  ['PLATFORM', true, 'APPROVED'],
  ['AGENT', true, 'PENDING'],
  ['OPERATOR', true, 'PENDING'],
  ['SPONSOR', true, 'PENDING'],
  ['SUPPLIER', false, 'PENDING'],
  ['REGULATOR', false, 'PENDING'],
])('%s', (kind, may, state) =>
  expect([ownerRule(kind) === null, startState(kind)]).toEqual([may, state]),
)

test.each([
  [{ tags: ['A', 'B'] }, { tags: ['B', 'A'] }, false],
  [{ tags: ['A'] }, { tags: [] }, true],
  [{ licenceNo: '1' }, { licenceNo: '2' }, true],
  [{ validUntil: '2026-12-01' }, { validUntil: null }, false],
])('%o then %o', (before, after, anew) =>
  expect(reviewedAnew({ ...words, ...before }, { ...words, ...after })).toBe(anew),
)

test.each([
  [null, 12, 12],
  [1000, 12, 1],
  [14_020, 3, 15],
  [300_000, 3, 300],
])('a film of %s ms said as %s plays %s s', (ms, said, seconds) =>
  expect(secondsOf(ms, said)).toBe(seconds),
)
