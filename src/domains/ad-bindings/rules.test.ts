import { expect, test } from 'vitest'
import { createRandom, type Random } from '../../seed/random.ts'
import { type Span, weekOf } from '../program-groups/rules.ts'
import { barOf, type Line, playing, type Rank, ranks } from './rules.ts'

// Monday 00:00 in Shanghai
const monday = Date.parse('2026-11-23T00:00:00+08:00')
const at = (text: string) => Date.parse(`${text}+08:00`)
const always: Span[] = [[0, 10_080]]
const line = (change: Partial<Line> = {}): Line => ({
  ...{ slot: 'FULL', rank: 'BOUND', groupId: 1, bindingId: 1, from: null, to: null },
  ...{ week: always, starts: null, ends: null },
  ...change,
})
const fallback = line({ rank: 'DEFAULT', groupId: 9, bindingId: null })
const hours = line({
  groupId: 2,
  bindingId: 2,
  ...{
    from: '2026-11-23',
    to: '2026-11-27',
    week: weekOf(
      [1, 5],
      [
        [480, 720],
        [1320, 1440],
        [0, 60],
      ],
    ),
  },
})
const now = line({
  ...{ rank: 'INTERRUPT', groupId: 3, bindingId: 3 },
  ...{ starts: at('2026-11-23T09:00'), ends: at('2026-11-23T09:30') },
})

test.each([
  ['2026-11-23T00:00', 2],
  ['2026-11-23T01:00', 9],
  ['2026-11-23T07:59:59', 9],
  ['2026-11-23T08:00', 2],
  ['2026-11-23T09:00', 3],
  ['2026-11-23T09:30', 2],
  ['2026-11-23T12:00', 9],
  ['2026-11-23T23:59:59', 2],
  ['2026-11-24T00:30', 9],
  ['2026-11-27T22:00', 2],
  ['2026-11-30T08:00', 9],
])('at %s plays group %s', (time, group) =>
  expect(playing([fallback, hours, now], 'FULL', at(time))?.groupId).toBe(group),
)
test('nothing is bound: the picture it was built with', () => {
  expect(playing([hours], 'HALF', monday)).toBeNull()
  expect(playing([], 'FULL', monday)).toBeNull()
})
test('of two interruptions the later one', () =>
  expect(
    playing([{ ...now, bindingId: 8, groupId: 8 }, now], 'FULL', at('2026-11-23T09:10'))?.groupId,
  ).toBe(8))
test('hours of weekdays join over midnight', () =>
  expect(
    weekOf(
      [1, 2, 7],
      [
        [0, 60],
        [1380, 1440],
      ],
    ),
  ).toEqual([
    [0, 60],
    [1380, 1500],
    [2820, 2880],
    [8640, 8700],
    [10_020, 10_080],
  ]))

const dayOf = (n: number) =>
  new Date(monday + n * 86_400_000 + 28_800_000).toISOString().slice(0, 10)
function anyLine(random: Random): Line {
  const spans = Array.from({ length: random.int(1, 3) }, (): Span => {
    const from = random.int(0, 1439)
    return [from, Math.min(1440, from + random.int(1, 600))]
  })
  const weekdays = [1, 2, 3, 4, 5, 6, 7].filter(() => random.chance(0.6))
  const moment = (most: number) => monday + random.int(-2000, most) * 60_000
  return line({
    ...{ slot: random.chance(0.7) ? 'FULL' : 'HALF', rank: ranks[random.int(0, 2)] as Rank },
    ...{ groupId: random.int(1, 9), bindingId: random.int(1, 99), week: weekOf(weekdays, spans) },
    from: random.chance(0.5) ? dayOf(random.int(-3, 3)) : null,
    to: random.chance(0.5) ? dayOf(random.int(-3, 3)) : null,
    starts: random.chance(0.3) ? moment(2000) : null,
    ends: random.chance(0.3) ? moment(4000) : null,
  })
}

test('the bar of a day is what plays, minute by minute', () => {
  const seed = process.env.MODEL_SEED ?? String(Date.now())
  const random = createRandom(`bars ${seed}`)
  for (let run = 0; run < 60; run += 1) {
    const plan = Array.from({ length: random.int(0, 8) }, () => anyLine(random))
    const of = dayOf(random.int(-3, 3))
    const start = at(`${of}T00:00`)
    const bar = barOf(plan, 'FULL', of)
    expect([seed, bar[0]?.from, bar.at(-1)?.to]).toEqual([seed, 0, 1440])
    for (let minute = 0; minute < 1440; minute += 1) {
      const piece = bar.find(({ from, to }) => from <= minute && minute < to)
      // all of a minute: nothing changes within it
      for (const second of [0, 59])
        if (piece?.line !== playing(plan, 'FULL', start + minute * 60_000 + second * 1000))
          expect.fail(`MODEL_SEED=${seed}: run ${run}, ${of} minute ${minute}`)
    }
  }
})
