import { expect, test } from 'vitest'
import { type Book, type Facts, type Planned, planOrder, type Split, type Version } from './plan.ts'
import { dueOf } from './rules.ts'

/** Operator 3 collects; platform 1 and agent 2 have their shares. */
const version = (change: Partial<Version['terms']> = {}, ratios = [8500, 500, 1000]): Version => {
  const parties = ratios.map((ratioBp, i) => ({
    ...{ orgId: [3, 1, 2][i] as number, ratioBp, isCollector: i === 0 },
  }))
  return {
    ...{ id: 70, strategyId: 7, collector: 3, parties, timing: 'NEXT_DAY', timingNumber: null },
    terms: { parties, feeMode: 'AFTER', capBp: null, ...change },
  }
}
const at = new Date('2026-11-21T06:00:00Z')
const unit = (no: number, paid: number, back: string | null = null) => ({
  ...{ id: no, no, paid, sold: back === null, back, versionId: 70 },
})
const facts = (change: Partial<Facts> = {}): Facts => ({
  ...{
    orgId: 3,
    deviceId: 9,
    orderId: 7,
    orderAt: new Date(0),
    orderNum: 'N',
    configId: null,
    splits: [],
  },
  ...{ paidAt: at, finalAt: at, held: 497, units: [unit(1, 500)], shared: [] },
  ...change,
})
const split = (version: Version, state: Split['state'] = 'WAIT', id = 1): Split => ({
  ...{ id, splitNo: `N-S${id}`, state, version },
})
/** The only split of its order. */
const planSplit = (
  { state = 'WAIT', ...change }: Partial<Facts> & { state?: Split['state'] },
  of: Version,
  into: Book,
) => {
  const plan = planOrder(facts({ ...change, splits: [split(of, state)] }), into)
  return { ...plan, ...plan.splits[0] } as Planned & Planned['splits'][number]
}
const book = (change: Partial<Book> = {}): Book => ({
  ...{ carries: new Map(), owed: new Map(), debts: [], debtShareBp: 5000 },
  ...change,
})
const entries = ({ vouchers }: Planned) =>
  vouchers.map(({ key, entries }) => [
    key,
    ...entries
      .filter(({ amount }) => amount !== 0)
      .map(({ account, amount, orgId }) => `${account}${orgId ? `/${orgId}` : ''} ${amount}`),
  ])

test('what is pending goes to the parties; the collector bears the fee, or all of them', () => {
  const after = planSplit({}, version(), book())
  expect([after.state, after.dueAt]).toEqual(['READY', new Date('2026-11-21T18:00:00Z')])
  expect(entries(after)).toEqual([
    ['al:N:1', '2001 497', '2002/3 -422', '2002/1 -25', '2002/2 -50'],
  ])
  const before = planSplit({}, version({ feeMode: 'BEFORE' }), book())
  expect(entries(before)).toEqual([
    ['al:N:1', '2001 497', '2002/3 -422', '2002/1 -25', '2002/2 -50'],
  ])
  expect(before.units[0]?.carries).toEqual([4500, -1500, -3000])
})

test('what was refunded before is not shared, and its part of the fee lies on the rest', () => {
  const some = { held: 248, units: [{ ...unit(1, 250, 'R1'), sold: true }, unit(2, 250)] }
  const plan = planSplit(some, version(), book())
  expect(entries(plan)).toEqual([['al:N:2', '2001 248', '2002/3 -211', '2002/1 -12', '2002/2 -25']])
  expect(planSplit({ held: 0, units: [unit(1, 500, 'R1')] }, version(), book())).toMatchObject({
    state: 'CLOSED',
    vouchers: [],
  })
  expect(planSplit({ finalAt: null }, version(), book()).state).toBe('WAIT')
})

test('books that do not say what the pieces say are left to a person', () => {
  for (const held of [501, -1])
    expect(planSplit({ held }, version(), book())).toMatchObject({
      ...{ state: 'WAIT', failReason: 'PENDING_MISMATCH', vouchers: [] },
    })
})

const shared = (no: number, gives: number[], fee: number, isBack = false) => ({
  ...{ splitId: 1, unitId: no, fee, gives, base: gives.reduce((a, b) => a + b) },
  ...{ whole: false, isBack },
})
test('a refund takes back what was given: of what is still owed, and the rest is a debt', () => {
  const sold = {
    ...{ state: 'DONE' as const, held: -497, units: [unit(1, 500, 'R1')] },
    shared: [shared(1, [425, 25, 50], 3)],
  }
  const paidOut = book({
    owed: new Map([
      [3, 422],
      [1, 25],
      [2, 20],
    ]),
  })
  const plan = planSplit(sold, version(), paidOut)
  expect(plan.state).toBe('RETURNED')
  expect(entries(plan)).toEqual([
    ['sr:R1:3', '2002/3 422', '2001 -422'],
    ['sr:R1:1', '2002/1 25', '2001 -25'],
    ['sr:R1:2', '2002/2 20', '1101/2 30', '2001 -50'],
  ])
  expect(plan.debts).toMatchObject([{ party: 2, refundNo: 'R1', amount: 30 }])
  // the channel gave a fen less of its fee back than the piece bore: the collector's
  const rounded = { ...sold, held: -498 }
  expect(entries(planSplit(rounded, version(), book({ owed: new Map([[3, 900]]) })))[0]).toEqual([
    ...['sr:R1:3', '2002/3 423', '2001 -423'],
  ])
  // more than a fen for each piece is no rounding
  expect(planSplit({ ...sold, held: -600 }, version(), book())).toMatchObject({
    ...{ state: 'DONE', failReason: 'PENDING_MISMATCH', vouchers: [] },
  })
  expect(planSplit({ ...sold, state: 'READY' }, version(), paidOut).state).toBe('CLOSED')
})

test('a debt is paid by the next share, half of it at most, the oldest first', () => {
  const debts = [
    // to another collector
    { id: 4, collector: 5, party: 2, rest: 90 },
    { id: 1, collector: 3, party: 2, rest: 10 },
    { id: 2, collector: 3, party: 2, rest: 90 },
    { id: 3, collector: 3, party: 4, rest: 90 },
  ]
  const plan = planSplit({}, version(), book({ debts }))
  expect(entries(plan)[1]).toEqual(['net:N-S1:2', '2002/2 25', '1101/2 -25'])
  expect(debts.map(({ rest }) => rest)).toEqual([90, 0, 75, 90])
  expect(plan.shares.map(({ netted }) => netted)).toEqual([0, 0, 25])
})

test('a fee beyond the share of its collector is his debt, which his other pieces pay', () => {
  const small = version({}, [100, 4950, 4950])
  const plan = planSplit({ held: 94, units: [unit(1, 50), unit(2, 50)] }, small, book())
  expect(plan.vouchers.map(({ entries }) => entries.reduce((sum, e) => sum + e.amount, 0))).toEqual(
    [...[0, 0]],
  )
  const owes = plan.debts.reduce((sum, debt) => sum + debt.amount, 0)
  expect([plan.debts.length, owes > 0]).toEqual([1, true])
})

test.each([
  ['MANUAL', null, null],
  ['SECONDS', 90, '2026-11-21T06:01:30.000Z'],
  ['MINUTES', 5, '2026-11-21T06:05:00.000Z'],
  ['HALF_HOUR', null, '2026-11-21T06:30:00.000Z'],
  ['HOUR', null, '2026-11-21T07:00:00.000Z'],
  // two in the morning in Shanghai
  ['NEXT_DAY', null, '2026-11-21T18:00:00.000Z'],
] as const)('%s %s is due at %s', (timing, number, due) => {
  expect(dueOf(timing, number, at)?.toISOString() ?? null).toBe(due)
})

test("pieces of one order are shared by their own strategies; what has none is the collector's", () => {
  const lane: Version = { ...version({}, [5000, 2500, 2500]), id: 71, strategyId: 8 }
  const splits = [split(version()), split(lane, 'WAIT', 2)]
  const units = [
    unit(1, 100),
    { ...unit(2, 100), versionId: 71 },
    { ...unit(3, 100), versionId: null },
  ]
  const into = book()
  const plan = planOrder(facts({ splits, units, held: 298 }), into)
  expect(plan.splits.map(({ state, shares }) => [state, shares.map(({ given }) => given)])).toEqual(
    [
      ['READY', [185, 5, 10]],
      ['READY', [50, 25, 25]],
    ],
  )
  expect(plan.units.map(({ splitId, fee, whole }) => [splitId, fee, whole])).toEqual([
    ...[
      [1, 1, false],
      [2, 1, false],
      [1, 0, true],
    ],
  ])
  expect([...into.carries.values()].every((carry) => carry === 0)).toBe(true)
  // the piece without one comes back as it went; the split of the lane stays
  const back = planOrder(
    facts({
      ...{ splits: splits.map((one) => ({ ...one, state: 'READY' as const })), held: -100 },
      units: units.map((one) => (one.no === 3 ? { ...one, sold: false, back: 'R3' } : one)),
      shared: plan.units.map((one) => ({ ...one, isBack: false })),
    }),
    into,
  )
  expect(entries(back)[0]).toEqual(['sr:R3:3', '2002/3 100', '2001 -100'])
  expect(back.splits.map(({ state }) => state)).toEqual(['READY', 'READY'])
  expect([...into.carries.values()].every((carry) => carry === 0)).toBe(true)
})
