import { describe, expect, test } from 'vitest'
import {
  type Counts,
  guardTrips,
  heard,
  needsApproval,
  nextStep,
  type Offered,
  type Stage,
  staged,
  stagesRule,
  unfit,
  usualStage,
  verdict,
} from './rollout.ts'

const stage = (percent: number, change: Partial<Stage> = {}): Stage => ({
  ...usualStage,
  percent,
  ...change,
})
const counts = (total: number, change: Partial<Counts> = {}): Counts => {
  const c = { total, succeeded: 0, failed: 0, left: 0, open: 0, ...change }
  return { ...c, open: total - c.succeeded - c.failed - c.left }
}

test.each([
  ['WAITING', 'NOTIFIED', 'NOTIFIED'],
  ['WAITING', 'SUCCEEDED', 'SUCCEEDED'],
  ['DOWNLOADING', 'ROLLED_BACK', 'ROLLED_BACK'],
  ['INSTALLING', 'DOWNLOADING', 'INSTALLING'],
  ['SUCCEEDED', 'FAILED', 'SUCCEEDED'],
  ['FAILED', 'SUCCEEDED', 'FAILED'],
  ['TIMED_OUT', 'SUCCEEDED', 'SUCCEEDED'],
  ['TIMED_OUT', 'DOWNLOADING', 'TIMED_OUT'],
  ['CANCELLED', 'SUCCEEDED', 'CANCELLED'],
] as const)('%s hears %s: %s', (state, word, then) => expect(heard(state, word)).toBe(then))

test.each([
  [counts(100, { succeeded: 94 }), 'GOES_ON'],
  [counts(100, { succeeded: 95 }), 'PASSED'],
  [counts(100, { succeeded: 5, left: 95 }), 'PASSED'],
  [counts(100, { failed: 2 }), 'GOES_ON'],
  [counts(100, { failed: 3 }), 'BROKEN'],
  [counts(10, { failed: 1 }), 'BROKEN'],
  [counts(2, { failed: 1, succeeded: 1 }), 'BROKEN'],
  [counts(40, { succeeded: 38, failed: 2 }), 'PASSED'],
  [counts(0), 'PASSED'],
  [counts(5, { left: 5 }), 'PASSED'],
] as const)('%o is %s', (c, says) => expect(verdict(stage(100), c)).toBe(says))
test('all heard of and too few: broken, though below the bound of errors', () =>
  expect(
    verdict(stage(100, { errorPct: 50, errorCount: 50 }), counts(20, { succeeded: 18, failed: 2 })),
  ).toBe('BROKEN'))

describe('the next step', () => {
  const stages = [stage(5), stage(20, { after: 'PAUSE' }), stage(100)]
  const fine = { overdue: false, guarded: false }
  test.each([
    [0, [counts(5), counts(15), counts(80)], fine, { do: 'NOTHING' }],
    [0, [counts(5, { succeeded: 5 }), counts(15), counts(80)], fine, { do: 'NEXT' }],
    [
      1,
      [counts(5, { succeeded: 5 }), counts(15, { succeeded: 15 }), counts(80)],
      fine,
      { do: 'PAUSE', why: 'CHECKPOINT' },
    ],
    // a late machine of the first stage errs for all
    [1, [counts(5, { failed: 1 }), counts(15), counts(80)], fine, { do: 'PAUSE', why: 'BREAKER' }],
    [1, [counts(5), counts(15), counts(80)], { overdue: true, guarded: false }, { do: 'FINISH' }],
    [
      0,
      [counts(5, { succeeded: 5 }), counts(15), counts(80)],
      { overdue: false, guarded: true },
      { do: 'PAUSE', why: 'GUARD' },
    ],
    [
      2,
      [counts(5, { succeeded: 5 }), counts(15, { succeeded: 15 }), counts(80, { succeeded: 79 })],
      fine,
      { do: 'NOTHING' },
    ],
    [
      2,
      [counts(5, { succeeded: 5 }), counts(15, { succeeded: 15 }), counts(80, { succeeded: 80 })],
      fine,
      { do: 'FINISH' },
    ],
  ] as const)('in stage %i', (at, c, how, says) =>
    expect(nextStep(stages, at, c, how)).toEqual(says),
  )
})

test('machines are dealt out by shares; named ones are alone in the first', () => {
  const ids = Array.from({ length: 200 }, (_, i) => i + 1)
  const sizes = (all: Map<number, number>) =>
    [0, 1, 2].map((n) => [...all.values()].filter((s) => s === n).length)
  expect(sizes(staged(ids, [stage(1), stage(20), stage(100)]))).toEqual([2, 38, 160])
  expect(sizes(staged(ids, [stage(1), stage(20), stage(100)], [7, 8, 9]))).toEqual([3, 40, 157])
  expect(sizes(staged([5], [stage(5), stage(100)]))).toEqual([1, 0, 0])
})

const offered: Offered = {
  ...{ target: 'a.b', versionName: '5.13.0', boards: ['A'], minVersion: '5.0.0', minApk: '' },
  kind: 'APK',
}
const machine = { board: 'A', current: '5.12.0', apk: '5.12.0', busy: false }
test.each([
  [{}, {}, false, null],
  [{ current: '' }, {}, false, null],
  [{ busy: true }, {}, false, 'IN_ROLLOUT'],
  [{ board: 'B' }, {}, false, 'BOARD'],
  [{ current: '5.13.0' }, {}, false, 'SAME'],
  [{ current: '5.14.0' }, {}, false, 'NEWER'],
  [{ current: '5.14.0' }, {}, true, null],
  [{ current: '4.9.0' }, {}, false, 'MIN_VERSION'],
  [{}, { minApk: '5.12.1' }, false, 'MIN_APK'],
] as const)('machine %o of %o: %s %s', (m, o, back, why) =>
  expect(unfit({ ...machine, ...m }, { ...offered, ...o }, back)).toBe(why),
)

test('firmware begins small, and by two', () => {
  const ask = (percent: number, devices: number, canary = 0) =>
    stagesRule({ kind: 'FIRMWARE', stages: [stage(percent), stage(100)], devices, canary })?.name
  expect([ask(20, 21), ask(21, 20), ask(21, 21), ask(50, 21, 4), ask(50, 21, 5)]).toEqual([
    ...[undefined, undefined, 'releases.firstTooLarge', undefined, 'releases.firstTooLarge'],
  ])
  expect(ask(100, 5)).toBe('releases.stageOrder')
  expect([
    needsApproval('FIRMWARE', 1, false),
    needsApproval('APK', 50, false),
    needsApproval('APK', 51, false),
    needsApproval('APK', 1, true),
  ]).toEqual([true, false, true, true])
})

test.each([
  [{ orders: 300, refunded: 3, hours: 100 }, { orders: 900, refunded: 9, hours: 300 }, false],
  // fewer pieces come out
  [{ orders: 300, refunded: 60, hours: 100 }, { orders: 900, refunded: 9, hours: 300 }, true],
  // it sells half
  [{ orders: 300, refunded: 3, hours: 200 }, { orders: 900, refunded: 9, hours: 300 }, true],
  // too few to say
  [{ orders: 199, refunded: 199, hours: 200 }, { orders: 900, refunded: 9, hours: 300 }, false],
] as const)('the guard compares %o with %o', (updated, others, trips) =>
  expect(guardTrips(updated, others, 10)).toBe(trips),
)
