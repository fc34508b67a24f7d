import { expect, test } from 'vitest'
import { createRandom } from '../../seed/random.ts'
import {
  type Division,
  divide,
  feesOf,
  isTooLarge,
  nettedOf,
  type Terms,
  takeBack,
  withoutDivision,
} from './rules.ts'

/** Platform, agent, referrer, operator. */
const terms = (ratios = [500, 1000, 250, 8250], change: Partial<Terms> = {}): Terms => ({
  parties: ratios.map((ratioBp, i) => ({ ratioBp, isCollector: i === ratios.length - 1 })),
  feeMode: 'BEFORE',
  capBp: null,
  ...change,
})
const total = (values: readonly number[]) => values.reduce((a, b) => a + b, 0)
function random(seed: number) {
  const { int } = createRandom(String(seed))
  return (below: number) => int(0, below - 1)
}

test("the book's example, line by line", () => {
  const sale = { paid: 350, fee: 2 }
  let carries: readonly number[] = [0, 0, 0, 0]
  const sold: Division[] = []
  const sell = () => {
    const made = divide(sale, terms(), carries)
    sold.push(made)
    carries = made.carries
    return [made.base, made.gives, made.carries]
  }
  expect(sell()).toEqual([348, [17, 35, 9, 287], [4000, -2000, -3000, 1000]])
  expect(sell()).toEqual([348, [18, 35, 8, 287], [-2000, -4000, 4000, 2000]])
  expect(sell()).toEqual([348, [17, 35, 9, 287], [2000, -6000, 1000, 3000]])
  expect(sell()).toEqual([348, [18, 34, 9, 287], [-4000, 2000, -2000, 4000]])
  carries = withoutDivision(sold[1] as Division, carries)
  expect(carries).toEqual([2000, 4000, -9000, 3000])
  expect(sell()).toEqual([348, [18, 35, 8, 287], [-4000, 2000, -2000, 4000]])
})

test('100,000 sales with 25 % random refunds: each party its ratio, carries add up to nothing', () => {
  const pick = random(7)
  const given = [0, 0, 0, 0]
  let [carries, kept, largest]: [readonly number[], number, number] = [[0, 0, 0, 0], 0, 0]
  const alive: Division[] = []
  const book = (made: Division, sign: number) => {
    kept += sign * made.base
    for (const [i, give] of made.gives.entries()) given[i] = (given[i] ?? 0) + sign * give
  }
  for (let n = 0; n < 100_000; n++) {
    const made = divide({ paid: 350, fee: 2 }, terms(), carries)
    carries = made.carries
    book(made, 1)
    alive.push(made)
    if (pick(4) === 0) {
      const at = pick(alive.length)
      const back = alive[at] as Division
      alive[at] = alive[alive.length - 1] as Division
      alive.pop()
      carries = withoutDivision(back, carries)
      book(back, -1)
    }
    largest = Math.max(largest, ...carries.map(Math.abs))
  }
  expect(total(given)).toBe(kept)
  expect(total(carries)).toBe(0)
  // what a party got is its ratio of what was kept, to the ten-thousandth of a fen with its carry
  for (const [i, { ratioBp }] of terms().parties.entries())
    expect((given[i] ?? 0) * 10_000 + (carries[i] ?? 0)).toBe(kept * ratioBp)
  expect(largest).toBeLessThan(50_000)
  // without refunds each has its ratio to the fen
  let only: readonly number[] = [0, 0, 0, 0]
  const sums = [0, 0, 0, 0]
  for (let n = 0; n < 100_000; n++) {
    const made = divide({ paid: 350, fee: 2 }, terms(), only)
    only = made.carries
    for (const [i, give] of made.gives.entries()) sums[i] = (sums[i] ?? 0) + give
    if (only.some((carry) => Math.abs(carry) >= 10_000)) throw new Error(`carry at sale ${n}`)
  }
  expect(sums).toEqual([1_740_000, 3_480_000, 870_000, 28_710_000])
})

/**
 * Straightforward and slow: one fen after the other to whoever is owed most; whoever was given more
 * than he may have returns one after the other.
 */
function model(base: number, paid: number, { parties, capBp }: Terms, carries: readonly bigint[]) {
  const owed = parties.map(({ ratioBp }, i) => BigInt(base) * BigInt(ratioBp) + (carries[i] ?? 0n))
  const gives = parties.map(() => 0)
  const move = (i: number, fen: 1 | -1) => {
    gives[i] = (gives[i] as number) + fen
    owed[i] = (owed[i] as bigint) - BigInt(fen) * 10_000n
  }
  for (let fen = 0; fen < base; fen++) {
    let most = 0
    for (let i = 1; i < owed.length; i++) if ((owed[i] as bigint) > (owed[most] as bigint)) most = i
    move(most, 1)
  }
  const collector = parties.findIndex(({ isCollector }) => isCollector)
  const others = () => gives.reduce((a, give, i) => (i === collector ? a : a + give), 0)
  while (capBp !== null && others() * 10_000 > paid * capBp) {
    const richest = Math.max(...gives.filter((_, i) => i !== collector))
    move(
      gives.findIndex((give, i) => i !== collector && give === richest),
      -1,
    )
    move(collector, 1)
  }
  return { gives, owed }
}

test('agrees with a straightforward model on random strategies, prices and refunds', () => {
  for (let seed = 1; seed <= 12; seed++) {
    const pick = random(seed)
    const cuts = Array.from({ length: pick(9) + 1 }, () => pick(4000) + 1)
    const others = cuts.map((cut) => Math.floor((cut * 9000) / total(cuts)))
    const ratios = [...others, 10_000 - total(others)]
    const made = terms(ratios, {
      feeMode: pick(2) ? 'BEFORE' : 'AFTER',
      capBp: pick(3) ? null : 3000,
    })
    let carries: readonly number[] = ratios.map(() => 0)
    let owed = ratios.map(() => 0n)
    const alive: Division[] = []
    for (let n = 0; n < 100; n++) {
      if (alive.length && pick(4) === 0) {
        const [back] = alive.splice(pick(alive.length), 1) as [Division]
        carries = withoutDivision(back, carries)
        owed = owed.map(
          (carry, i) =>
            carry -
            (BigInt(back.base) * BigInt(ratios[i] as number) -
              10_000n * BigInt(back.gives[i] as number)),
        )
      } else {
        const paid = pick(600)
        const fee = Math.floor((paid * 60 + 5000) / 10_000)
        const piece = divide({ paid, fee }, made, carries)
        const base = made.feeMode === 'BEFORE' ? paid - fee : paid
        const expected = model(base, paid, made, owed)
        const at = `seed ${seed}, piece ${n}`
        expect(piece.gives, at).toEqual(expected.gives)
        expect(total(piece.gives), at).toBe(base)
        owed = expected.owed
        carries = piece.carries
        alive.push(piece)
      }
      expect(carries.map(BigInt)).toEqual(owed)
      expect(total(carries)).toBe(0)
    }
  }
})

test('who was given too much returns it from the next pieces, and nobody gives below nothing', () => {
  const made = divide({ paid: 1, fee: 0 }, terms(), [-30_000, -20_000, 10_000, 40_000])
  expect(made.gives).toEqual([0, 0, 0, 1])
  expect(made.gives.length && total(made.carries)).toBe(0)
  // more would be given than there is: one fen each from who is owed least
  expect(divide({ paid: 0, fee: 0 }, terms(), [12_000, 11_000, -23_000, 0]).gives).toEqual([
    0, 0, 0, 0,
  ])
})

test('the cap keeps at the collector what the channel may not send; the carry remembers it', () => {
  const capped = terms([2000, 1500, 6500], { capBp: 3000, feeMode: 'AFTER' })
  const made = divide({ paid: 1000, fee: 6 }, capped, [0, 0, 0])
  // 200 and 150 are 50 too many: each fen from whoever has more
  expect(made.gives).toEqual([150, 150, 700])
  expect(made.carries).toEqual([500_000, 0, -500_000])
  expect([isTooLarge(999_999), isTooLarge(-1_000_000)]).toEqual([false, true])
})

test('the fee lies on the pieces, the first of equal ones first', () => {
  expect(feesOf(4, [350, 350])).toEqual([2, 2])
  expect(feesOf(2, [100, 100, 100])).toEqual([1, 1, 0])
  expect(feesOf(0, [100, 0])).toEqual([0, 0])
})

test('parts of a piece go back in proportion, the last of them exactly what is left', () => {
  const { parties } = terms()
  const made = divide({ paid: 350, fee: 2 }, terms(), [0, 0, 0, 0])
  let [left, carries] = [[...made.gives], [...made.carries]]
  for (const amount of [100, 1, 200, 47]) {
    const part = takeBack(amount, parties, left, carries)
    expect(total(part.backs)).toBe(amount)
    expect(total(part.carries)).toBe(0)
    left = left.map((give, i) => give - (part.backs[i] as number))
    expect(Math.min(...left)).toBeGreaterThanOrEqual(0)
    carries = part.carries
  }
  expect([left, carries]).toEqual([
    [0, 0, 0, 0],
    [0, 0, 0, 0],
  ])
  expect(() => takeBack(1, parties, left, carries)).toThrow('more than was given')
})

test('a debt takes at most its part of a share', () => {
  expect([nettedOf(35, 100, 5000), nettedOf(35, 3, 5000), nettedOf(1, 9, 5000)]).toEqual([17, 3, 0])
  expect(nettedOf(0, 9, 5000)).toBe(0)
})

test('sums beyond what numbers hold, or below nothing, are refused', () => {
  expect(() => divide({ paid: 1e13, fee: 0 }, terms(), [0, 0, 0, 0])).toThrow(RangeError)
  expect(() => divide({ paid: 1, fee: 2 }, terms(), [0, 0, 0, 0])).toThrow(RangeError)
})
