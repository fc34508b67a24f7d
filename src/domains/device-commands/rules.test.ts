import { expect, test } from 'vitest'
import { type CommandState, heard, testRefusal } from './rules.ts'

const ok = { kind: 'result', ok: true, reason: '' } as const
const failed = { kind: 'result', ok: false, reason: 'UNSUPPORTED' } as const
const ack = (ack: string) => ({ kind: 'ack', ack }) as const

test.each<[CommandState, Parameters<typeof heard>[1], ReturnType<typeof heard>]>([
  ['SENT', ack('ACCEPTED'), { state: 'ACKED', reason: '' }],
  ['WAITING', ack('ACCEPTED'), { state: 'ACKED', reason: '' }],
  ['ACKED', ack('DUPLICATE'), null],
  ['SENT', ack('BUSY'), { state: 'FAILED', reason: 'BUSY' }],
  ['ACKED', ack('EXPIRED'), { state: 'FAILED', reason: 'EXPIRED' }],
  ['SENT', ok, { state: 'DONE', reason: '' }],
  ['ACKED', failed, { state: 'FAILED', reason: 'UNSUPPORTED' }],
  ['EXPIRED', ok, { state: 'DONE', reason: '' }],
  ['EXPIRED', ack('ACCEPTED'), null],
  ['DONE', ok, null],
  ['DONE', ack('ACCEPTED'), null],
  ['DONE', failed, null],
  ['FAILED', ok, null],
])('%s hears %o', (state, word, next) => expect(heard(state, word)).toEqual(next))

test('words of one command give the same end in any order', () => {
  const end = (words: readonly Parameters<typeof heard>[1][]) =>
    words.reduce<CommandState>((state, word) => heard(state, word)?.state ?? state, 'SENT')
  expect([
    end([ack('ACCEPTED'), ok]),
    end([ok, ack('ACCEPTED')]),
    end([ok, ok, ack('DUPLICATE')]),
  ]).toEqual(['DONE', 'DONE', 'DONE'])
})

test.each<[Parameters<typeof testRefusal>[0], boolean, ReturnType<typeof testRefusal>]>([
  [{ productId: 1, status: 'ENABLED', available: 1 }, false, null],
  [{ productId: 1, status: 'DISABLED', available: 1 }, false, null],
  [{ productId: null, status: 'ENABLED', available: 0 }, false, 'laneGone'],
  [{ productId: 1, status: 'FAULT', available: 1 }, false, 'laneFault'],
  [{ productId: 1, status: 'FAULT', available: 1 }, true, null],
  [{ productId: 1, status: 'LOCKED', available: 1 }, true, 'laneLocked'],
  [{ productId: 1, status: 'ENABLED', available: 0 }, true, 'laneEmpty'],
])('testing %o, repair %s', (lane, repair, refusal) =>
  expect(testRefusal(lane, repair)).toBe(refusal),
)
