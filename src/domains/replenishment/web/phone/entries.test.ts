import { expect, test } from 'vitest'
import { type Change, changed, type Entry, isUnsaid, opsOf, saidNow, sumsOf } from './entries.ts'

const lane = { clientId: 'v', laneId: 4, productId: 9, planned: 6, baseSeq: 12 }
const at = (minute: number) => ({ now: `2026-11-23T08:0${minute}:00.000Z`, clockOffset: 0 })
const done = (...changes: Change[]): Entry =>
  changes.reduce<Entry | undefined>(
    (entry, change, minute) => changed(entry, lane, change, at(minute)),
    undefined,
  ) as Entry
const sent = (entry: Entry): Entry => ({ ...entry, said: saidNow(entry) })
/** What the server makes of operations, see `changed` in server/ops.ts. */
const told = (entry: Entry) =>
  opsOf(entry).map(({ kind, qty, madeAt }) => `${kind} ${qty} ${madeAt.slice(14, 16)}`)

test('a count, what was taken out and what was put in: each with its own moment', () => {
  const entry = done(
    { countedQty: 3 },
    { withdrawnQty: 1, withdrawReason: 'WASTE' },
    { addedQty: 5 },
  )
  expect(told(entry)).toEqual(['COUNT 3 00', 'WITHDRAW 1 02', 'ADD 5 02'])
  expect(isUnsaid(sent(entry))).toBe(false)
})

test('what grew is told by its growth, never as a quantity to set', () => {
  const entry = sent(done({ addedQty: 5, batchId: 7, codes: ['code-0001'] }))
  const more = changed(entry, lane, { addedQty: 7, codes: ['code-0001', 'code-0002'] }, at(5))
  expect(opsOf(more)).toMatchObject([{ kind: 'ADD', qty: 2, batchId: 7, codes: ['code-0002'] }])
  expect(told(changed(entry, lane, { countedQty: 2 }, at(6)))).toEqual(['COUNT 2 06'])
})

test.each<[string, Change]>([
  ['fewer were put in', { addedQty: 4 }],
  ['fewer were taken out', { withdrawnQty: 0 }],
  ['it was not counted after all', { countedQty: null }],
  ['they are of another batch', { batchId: 8 }],
  ['they were taken out for another reason', { withdrawReason: 'RECALL' }],
  ['there was a reason for less than planned', { differs: 'SPACE' }],
  ['another code was meant', { codes: ['code-0002'] }],
])('said anew because %s', (_, change) => {
  const before = sent(
    done(
      { countedQty: 3 },
      { withdrawnQty: 2, withdrawReason: 'WASTE' },
      { addedQty: 5, batchId: 7, codes: ['code-0001'] },
    ),
  )
  const entry = changed(before, lane, change, at(5))
  const [first, ...rest] = opsOf(entry)
  expect(first).toMatchObject({ kind: 'CLEAR' })
  expect(rest.map(({ kind, qty }) => [kind, qty])).toEqual(
    [
      ['COUNT', entry.countedQty],
      ['WITHDRAW', entry.withdrawnQty],
      ['ADD', entry.addedQty],
    ].filter(([, qty]) => qty),
  )
  // a count that was not made again keeps its moment: sales since then are not in it
  for (const op of rest.filter(({ kind }) => kind === 'COUNT')) expect(op.madeAt).toBe(at(0).now)
})

test('the same count again is no new moment, a changed one is', () => {
  const entry = done({ countedQty: 3 }, { countedQty: 3 })
  expect(entry.countedAt).toBe(at(0).now)
  expect(changed(entry, lane, { countedQty: 4 }, at(4)).countedAt).toBe(at(4).now)
})

test('a broken lane is told once, and nothing else anew for it', () => {
  const entry = sent(done({ addedQty: 6 }))
  const broken = changed(entry, lane, { fault: 'MOTOR' }, at(5))
  expect(opsOf(broken)).toMatchObject([{ kind: 'FAULT', note: 'MOTOR', baseSeq: 12 }])
  expect(opsOf(changed(sent(broken), lane, { addedQty: 7 }, at(6)))).toMatchObject([
    { kind: 'ADD', qty: 1 },
  ])
})

test('the plan is kept as far as each lane got what was planned', () => {
  const lanes = [
    { id: 4, quantity: 2, planned: 6 },
    { id: 5, quantity: 0, planned: 4 },
  ]
  expect(sumsOf([done({ countedQty: 1 }, { addedQty: 8 })], lanes)).toEqual({
    a: 8,
    b: 0,
    c: -1,
    p: 60,
  })
  expect(sumsOf([], [])).toEqual({ a: 0, b: 0, c: 0, p: 100 })
})
