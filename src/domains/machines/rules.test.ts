import { expect, test } from 'vitest'
import { parseUpTopic, readDown, readUp } from './protocol.ts'
import {
  askFor,
  bootNumber,
  bootText,
  freshBucket,
  freshSeen,
  isBelievable,
  limits,
  markSeen,
  markTail,
  signalOf,
  take,
  vendTime,
} from './rules.ts'

test.each([
  [-60, 'strong'],
  [-90, 'strong'],
  [-91, 'medium'],
  [-100, 'medium'],
  [-101, 'weak'],
])('rsrp %i is %s', (rsrp, signal) => expect(signalOf(rsrp)).toBe(signal))

test('the machine is believed about the time of a vend within 10 minutes', () => {
  const received = new Date('2026-11-21T00:00:00Z')
  const minutes = (n: number) => new Date(received.getTime() + n * 60_000)
  expect(
    [minutes(-10), minutes(3), minutes(-11), minutes(1440), null].map((told) =>
      vendTime(told, received).getTime(),
    ),
  ).toEqual([minutes(-10), minutes(3), received, received, received].map((at) => at.getTime()))
})

test('boots sort as text', () =>
  expect([9, 10, 1_732_000_000, 999_999_999_999].map(bootText).toSorted()).toEqual(
    [9, 10, 1_732_000_000, 999_999_999_999].map(bootText),
  ))

test('tokens: a burst, then 20 a second, then the door', () => {
  const bucket = freshBucket(limits, 0)
  const run = (count: number, at: number, cost = 1) =>
    Object.fromEntries(
      [
        ...Map.groupBy(
          Array.from({ length: count }, () => take(limits, bucket, at, cost)),
          (verdict) => verdict,
        ),
      ].map(([verdict, all]) => [verdict, all.length]),
    )
  expect(run(110, 0)).toEqual({ pass: 100, drop: 10 })
  expect(run(30, 1000)).toEqual({ pass: 20, drop: 10 })
  expect(run(400, 1000)).toMatchObject({ drop: 189, ban: 211 })
  expect(run(1, 1000 + limits.banMs - 1)).toEqual({ ban: 1 })
  expect(run(1, 1000 + limits.banMs)).toEqual({ pass: 1 })
  const honest = freshBucket(limits, 0)
  for (let at = 0; at < 600_000; at += 60) expect(take(limits, honest, at, 1)).toBe('pass')
})

test('holes are asked for with growing pauses and given up', () => {
  const seen = freshSeen(1, 0, 0)
  for (const seq of [1, 2, 5, 6, 9]) markSeen(seen, seq, 1000)
  expect(askFor(seen, 1000 + limits.gapMs - 1)).toBeNull()
  expect(askFor(seen, 1000 + limits.gapMs)).toEqual({ from: 3, to: 4 })
  markSeen(seen, 4, 5000)
  markSeen(seen, 3, 5000)
  expect(seen.top).toBe(6)
  expect(askFor(seen, 5000 + limits.gapMs)).toEqual({ from: 7, to: 8 })
  let asked = 1
  for (let at = 8000; at < 1_000_000; at += 1000) if (askFor(seen, at)) asked += 1
  expect([asked, seen.top]).toEqual([limits.gapTries, 9])
  markTail(seen, 11, 2_000_000)
  expect(askFor(seen, 2_000_000 + limits.gapMs)).toEqual({ from: 10, to: 11 })
})

test.each([
  'v1/HD0001/up/hello/',
  'v1/hd0001/up/hello',
  'v1/HD0001/up/',
  'v1/HD0001/up/HELLO',
  'v2/HD0001/up/hello',
  'v1//up/hello',
  'v1/+/up/hello',
])('%s is no topic', (topic) => expect(parseUpTopic(topic)).toBeNull())

test.each(['constructor', '__proto__', 'ad_play'])('%s is no kind', (kind) =>
  expect(parseUpTopic(`v1/HD0001/up/${kind}`)?.kind ?? null).toBeNull(),
)

const read = (kind: Parameters<typeof readUp>[0], body: unknown) =>
  readUp(kind, Buffer.from(JSON.stringify(body)))
test('what cannot be read is left out, what must be there is missed', () => {
  expect(
    read('telemetry', { boot: 1, seq: 2, ts: 'now', temperature: 'NaN', humidity: 40, extra: 1 }),
  ).toEqual({
    kind: 'telemetry',
    boot: 1,
    seq: 2,
    ts: null,
    fw: null,
    apk: null,
    body: { humidity: 40 },
    notes: ['ts', 'temperature'],
  })
  expect(read('vend_result', { boot: 1, seq: 2, cmdId: 'x', result: 'OK' })).toBe('cmdId missing')
  expect(read('fault', { boot: 1, seq: 2, code: 'lower' })).toBe('code missing')
  expect(read('heartbeat', { boot: 1, seq: 0 })).toMatchObject({ seq: 0 })
  for (const bad of [
    { boot: 0, seq: 1 },
    { boot: 1.5, seq: 1 },
    { boot: 1, seq: 0 },
    { boot: '1', seq: 1 },
    { boot: 1, seq: 2 ** 53 },
    { boot: 1e12, seq: 1 },
  ])
    expect(read('hello', bad)).toBe('boot or seq missing')
  expect(readUp('hello', new Uint8Array(16_385))).toBe('too large')
  expect(readUp('hello', Buffer.from('{"boot":1,"seq":1,"boot":999}'))).toBe('a name twice')
  expect(read('fault', { boot: 1, seq: 2, code: 'JAM', detail: `a\0${'\ud800'}b` })).toMatchObject({
    body: { detail: 'a\ufffdb' },
  })
})
test('downward messages', () => {
  expect(readDown('v1/X/down/ack', Buffer.from('{"boot":1,"seqs":[1,2],"ts":5}'))).toEqual({
    kind: 'ack',
    ts: 5,
    body: { boot: 1, seqs: [1, 2] },
  })
  expect(readDown('v1/X/down/dance', Buffer.from('{"ts":5}'))).toBeNull()
})

test('counters of a machine: how far they may jump', () => {
  const now = Date.UTC(2026, 10, 22)
  const seconds = Math.floor(now / 1000)
  const may = (last: [number, number] | null, next: [number, number], earlier?: number) =>
    isBelievable(
      last && { boot: last[0], seq: last[1] },
      { boot: next[0], seq: next[1] },
      now,
      earlier,
    )
  expect(may(null, [1, 1])).toBe(true)
  expect(may(null, [seconds, 1])).toBe(true)
  expect(may(null, [seconds + 90_000, 1])).toBe(false)
  expect(may([42, 7], [1042, 1])).toBe(true)
  expect(may([42, 7], [1043, 1])).toBe(false)
  expect(may([42, 7], [42, 1_000_007])).toBe(true)
  expect(may([42, 7], [42, 1_000_008])).toBe(false)
  expect(may([42, 7], [43, 1_000_001])).toBe(false)
  expect(may([42, 7], [41, 900])).toBe(true)
  // an earlier start: its facts waited, and it counted as this one does
  expect(may([42, 7], [41, 1_000_000])).toBe(true)
  expect(may([42, 7], [41, 1_000_001])).toBe(false)
  expect(may([42, 7], [41, 1_000_001], 1)).toBe(true)
  expect(may([5000, 7], [4000, 1])).toBe(true)
  expect(may([5000, 7], [3999, 1])).toBe(false)
  expect(may([seconds, 7], [seconds - 34 * 86_400, 1])).toBe(true)
  expect(may([seconds, 7], [seconds - 36 * 86_400, 1])).toBe(false)
  expect(may([seconds, 7], [1, 1])).toBe(false)
  // a clock counts while the machine is off
  expect(may([seconds - 9_000_000, 7], [seconds, 1])).toBe(true)
  // poisoned before there was a bound: it goes on where it is, and no further
  expect(may([999_999_999_000, 7], [999_999_999_000, 8])).toBe(true)
  expect(may([999_999_999_000, 7], [999_999_999_001, 1])).toBe(false)
  expect(
    bootText(42) < bootText(1, 1) &&
      bootText(999_999_999_999) < bootText(1, 1) &&
      bootText(999_999_999_999, 1) < bootText(1, 2),
  ).toBe(true)
  expect(bootNumber(bootText(42, 17))).toBe(42)
})
