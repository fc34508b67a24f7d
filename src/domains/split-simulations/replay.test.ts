import { expect, test } from 'vitest'
import { feeOf } from '../ledger/rules.ts'
import { divide, feesOf, withoutDivision } from '../splits/rules.ts'
import { replay, type Side, type Sold } from './replay.ts'

const party = (orgId: number, ratioBp: number, isCollector = false, keeps = false) => ({
  ...{ orgId, name: `方${orgId}`, ratioBp, isCollector, keeps },
})
const side = (change: Partial<Side> = {}): Side => ({
  feeMode: 'BEFORE',
  ...{ feeBp: 60, capBp: null },
  parties: [party(1, 500), party(2, 1000), party(9, 250), party(3, 8250, true)],
  ...change,
})
const asItWas = { feeBp: null, refundBp: null, priceBp: 0 }
const none: ReadonlyMap<number, string> = new Map()
const piece = (id: number, change: Partial<Sold> = {}): Sold => ({
  ...{ id, deviceId: 7, paid: 350, vended: true, counts: true, refundedOn: null },
  ...change,
})
const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0)
const day = '2026-11-01'

test("the book's four sales, beside no strategy", () => {
  const alone = side({ parties: [party(3, 10_000, true)], feeMode: 'AFTER' })
  const made = replay(alone, side(), 3, asItWas)
  for (let n = 1; n <= 4; n++) made.sell(day, { orderNum: `${n}`, units: [piece(n)] })
  const { parties, days, before, after, winners, losers, overCap, kept } = made.result(
    new Map([[7, 'HD000007']]),
  )
  expect(parties.map((one) => [one.orgId, one.before, one.after, one.carry])).toEqual([
    [1, 0, 70, -4000],
    [2, 0, 139, 2000],
    [9, 0, 35, -2000],
    // the fee is the collector's
    [3, 1392, 1148, 4000],
  ])
  expect(days).toEqual([{ day, paid: 1400, before: [0, 0, 0, 1392], after: [70, 139, 35, 1148] }])
  expect([before, after]).toEqual(
    Array(2).fill({ orders: 4, units: 4, paid: 1400, refunded: 0, fee: 8 }),
  )
  expect([winners, losers]).toEqual([[], [{ id: 7, name: 'HD000007', before: 1392, after: 1148 }]])
  expect([overCap, kept]).toEqual([{ count: 0, list: [] }, 0])
})

test('agrees with the live engine, piece by piece, with refunds of later days', () => {
  let state = 11
  const pick = (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
  const days = ['2026-11-01', '2026-11-02', '2026-11-03', '2026-11-04']
  const sold = days.flatMap((on, at) =>
    Array.from({ length: 60 }, (_, n) => ({
      on,
      orderNum: `${at}-${n}`,
      units: Array.from({ length: pick(3) + 1 }, (_, unit) =>
        piece(at * 1000 + n * 10 + unit, {
          paid: pick(900) + 1,
          deviceId: pick(5),
          vended: pick(10) > 0,
          counts: pick(10) > 0,
          refundedOn: pick(4) ? null : (days[at + pick(days.length - at)] ?? null),
        }),
      ),
    })),
  )
  const asked = side({ feeMode: 'AFTER' })
  const made = replay(side(), asked, 3, asItWas)
  for (const { on, ...order } of sold) made.sell(on, order)
  const { parties, days: shown, after, roundings } = made.result(none)

  const given = asked.parties.map(() => 0)
  let [carries, shares]: [readonly number[], number] = [given, 0]
  const backs: { on: string; fee: number; made: ReturnType<typeof divide> }[] = []
  for (const on of days) {
    for (const order of sold.filter((one) => one.on === on)) {
      const paid = order.units.map((unit) => unit.paid)
      const fees = feesOf(feeOf(sum(paid), 60), paid)
      order.units.forEach((unit, n) => {
        if (!unit.vended || !unit.counts) return
        const fee = fees[n] as number
        const piece = divide({ paid: unit.paid, fee }, asked, carries)
        carries = piece.carries
        shares += piece.gives.length
        for (const [i, give] of piece.gives.entries())
          given[i] = (given[i] as number) + give - (i === 3 ? fee : 0)
        if (unit.refundedOn) backs.push({ on: unit.refundedOn, fee, made: piece })
      })
    }
    for (const { fee, made: piece } of backs.filter((one) => one.on === on)) {
      carries = withoutDivision(piece, carries)
      for (const [i, give] of piece.gives.entries())
        given[i] = (given[i] as number) - give + (i === 3 ? fee : 0)
    }
  }
  expect(parties.map((one) => one.after)).toEqual(given)
  expect(parties.map((one) => one.carry)).toEqual(carries)
  expect(sum(carries as number[])).toBe(0)
  // figures of days are those of the whole, no fen is lost, and each share was rounded once
  expect(asked.parties.map((_, i) => sum(shown.map((one) => one.after[i] as number)))).toEqual(
    given,
  )
  expect(sum(given)).toBe(after.paid - after.refunded - after.fee)
  expect(sum(roundings)).toBe(shares)
})

test('what if: fee, refunds and prices change the asked side alone', () => {
  const what = { feeBp: 100, refundBp: 2500, priceBp: -1000 }
  const made = replay(side(), side(), 3, what)
  for (let n = 1; n <= 2000; n++)
    made.sell(day, { orderNum: `${n}`, units: [piece(n, { refundedOn: n % 2 ? day : null })] })
  const { before, after } = made.result(none)
  expect(before).toMatchObject({ paid: 700_000, refunded: 350_000, fee: 2000 })
  expect(after.paid).toBe(2000 * 315)
  const share = after.refunded / after.paid
  expect(share).toBeGreaterThan(0.22)
  expect(share).toBeLessThan(0.28)
  // the same ones at every run
  const again = replay(side(), side(), 3, what)
  for (let n = 1; n <= 2000; n++) again.sell(day, { orderNum: `${n}`, units: [piece(n)] })
  expect(again.result(none).after.refunded).toBe(after.refunded)
  const dear = replay(side(), side(), 3, { ...asItWas, priceBp: 5 })
  dear.sell(day, { orderNum: '1', units: [piece(1, { paid: 1000 }), piece(2, { paid: 999 })] })
  expect(dear.result(none).after.paid).toBe(1001 + 999)
})

test('orders over the cap, refunds nobody can take back, and days below nothing', () => {
  const asked = side({
    ...{ feeMode: 'AFTER', capBp: 3000 },
    parties: [party(2, 3000, false, true), party(3, 7000, true)],
  })
  const made = replay(side(), asked, 3, asItWas)
  const [one, two] = ['2026-11-01', '2026-11-02'] as const
  // 333 × 30 % = 99.9: the cap is 99, and the tenths add up to a fen that it keeps back
  for (let n = 1; n <= 10; n++)
    made.sell(one, {
      orderNum: `${n}`,
      units: [piece(n, { paid: 333, refundedOn: n < 9 ? two : null })],
    })
  made.sell(two, { orderNum: '11', units: [piece(11, { paid: 100 })] })
  const { overCap, kept, parties, days } = made.result(none)
  expect(overCap.list[0]).toEqual({ orderNum: '2', amount: 1 })
  expect(overCap.count).toBe(overCap.list.length)
  expect(kept).toBe(8 * 99)
  expect(parties.find(({ orgId }) => orgId === 2)?.negative).toEqual({
    amount: days[1]?.after[0],
    day: two,
  })
  expect(days[1]?.after[0]).toBeLessThan(0)
  // a refund of a day on which nothing was sold, and of one behind the range
  const late = replay(side(), side(), 3, asItWas)
  late.sell(one, { orderNum: '1', units: [piece(1, { refundedOn: '2026-11-03' })] })
  late.sell('2026-11-05', { orderNum: '2', units: [piece(2, { refundedOn: '2026-12-01' })] })
  expect(late.result(none).days.map((shown) => [shown.day, sum(shown.after)])).toEqual([
    [one, 348],
    ['2026-11-03', -348],
    ['2026-11-05', 348],
    ['2026-12-01', -348],
  ])
})

test('the largest gains and losses of machines come first', () => {
  const made = replay(side(), side({ parties: [party(1, 100), party(3, 9900, true)] }), 3, asItWas)
  for (let n = 1; n <= 30; n++)
    made.sell(day, { orderNum: `${n}`, units: [piece(n, { deviceId: n, paid: n * 100 })] })
  const { winners, losers } = made.result(none)
  expect(winners.map(({ id }) => id).slice(0, 3)).toEqual([30, 29, 28])
  expect([winners.length, losers.length]).toEqual([20, 0])
})
