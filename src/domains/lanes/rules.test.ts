import { describe, expect, test } from 'vitest'
import { guardErrors, type Place } from '../drug-guard/rules.ts'
import { laneErrors } from './errors.ts'
import {
  busyLanes,
  defaultWarn,
  type Lane,
  laneRule,
  laneView,
  levelsRule,
  merged,
  mergeRule,
  type Product,
  roadIndexOf,
  splitRule,
} from './rules.ts'

const lane = (change: Partial<Lane> = {}): Lane => ({
  id: 1,
  floorId: 1,
  col: 1,
  motorNo: 1,
  productId: 1,
  capacity: 8,
  quantity: 5,
  reserved: 0,
  failedHold: 0,
  warnQty: 2,
  retailPrice: 300,
  price: 300,
  restriction: 0,
  status: 'ENABLED',
  mergedInto: null,
  ...change,
})
const product = (change: Partial<Product> = {}): Product => ({
  id: 1,
  drugClass: 'NONE',
  drug: null,
  costPrice: 100,
  retailPrice: 300,
  warnQty: null,
  status: 'ON',
  ...change,
})
const plain = { kind: 'GENERAL', dispensingMode: null, site: null }

describe('view', () => {
  test.each([
    [{}, 'normal'],
    [{ quantity: 2 }, 'low'],
    [{ quantity: 0 }, 'soldOut'],
    [{ quantity: 3, reserved: 1 }, 'low'],
    [{ quantity: 2, reserved: 1, failedHold: 1 }, 'soldOut'],
    [{ quantity: 1, warnQty: 0 }, 'normal'],
    [{ productId: null, quantity: 0 }, 'empty'],
    [{ status: 'DISABLED' }, 'disabled'],
    [{ status: 'FAULT', quantity: 0 }, 'fault'],
    [{ status: 'LOCKED' }, 'locked'],
    [{ status: 'MERGED', productId: null }, 'merged'],
  ] as [Partial<Lane>, string][])('%o is %s', (change, view) =>
    expect(laneView(lane(change))).toBe(view),
  )
})

describe('what a patch makes', () => {
  test('a new product brings its prices and warning level', () =>
    expect(
      merged(
        lane({ productId: null, quantity: 0, retailPrice: null, price: null }),
        { id: 1, productId: 2 },
        product({ id: 2, retailPrice: 450 }),
      ),
    ).toMatchObject({ productId: 2, retailPrice: 450, price: 450, warnQty: 2 }))
  test('a given price wins', () =>
    expect(
      merged(
        lane({ quantity: 0 }),
        { id: 1, productId: 2, price: 400 },
        product({ id: 2, retailPrice: 450 }),
      ),
    ).toMatchObject({
      retailPrice: 450,
      price: 400,
    }))
  test('a given list price is also the price', () =>
    expect(
      merged(lane({ quantity: 0 }), { id: 1, productId: 2, retailPrice: 500 }, product({ id: 2 })),
    ).toMatchObject({ retailPrice: 500, price: 500 }))
  test('the same product keeps its price', () =>
    expect(merged(lane({ price: 250 }), { id: 1, productId: 1 }, product())).toMatchObject({
      retailPrice: 300,
      price: 250,
    }))
  test('without a product there are no prices', () =>
    expect(merged(lane({ quantity: 0 }), { id: 1, productId: null }, null)).toMatchObject({
      productId: null,
      retailPrice: null,
      price: null,
      warnQty: 0,
    }))
  test.each([
    [8, null, 2],
    [6, null, 2],
    [5, null, 1],
    [0, null, 0],
    [8, 3, 3],
    [2, 9, 2],
    [8, null, 4, 50],
    [8, null, 0, 0],
    [8, 3, 3, 50],
  ] as [number, number | null, number, number?][])(
    'capacity %i, product says %s: warn at %i',
    (capacity, warnQty, expected, warnPercent) =>
      expect(
        defaultWarn(capacity, { warnQty, ...(warnPercent === undefined ? {} : { warnPercent }) }),
      ).toBe(expected),
  )
})

describe('a saved lane', () => {
  const check = (
    before: Partial<Lane>,
    after: Partial<Lane>,
    p: Product | null = product(),
    device: Place = plain,
  ) => laneRule(lane(before), lane({ ...before, ...after }), p, device)
  test.each([
    [{}, { productId: 2 }, 'notEmpty', 'productId'],
    [{ quantity: 0, reserved: 1 }, { productId: 2 }, 'notEmpty', 'productId'],
    [{ quantity: 0, failedHold: 1 }, { productId: 2 }, 'notEmpty', 'productId'],
    [{}, { capacity: 4 }, 'capacityBelowStock', 'roadCapacity'],
    [{}, { capacity: 0, warnQty: 0 }, 'capacityBelowStock', 'roadCapacity'],
    [{}, { warnQty: 9 }, 'warnOverCapacity', 'warnQty'],
    [{}, { retailPrice: 99, price: 99 }, 'retailBelowCost', 'retailPrice'],
    [{}, { price: 99 }, 'priceBelowCost', 'price'],
    [{}, { price: 301 }, 'priceOverRetail', 'price'],
    [{}, { price: 0 }, 'priceMissing', 'price'],
    [{}, { retailPrice: null }, 'priceMissing', 'retailPrice'],
    [{ status: 'FAULT' }, { status: 'ENABLED' }, 'fixedStatus', 'status'],
    [{ status: 'LOCKED' }, { status: 'DISABLED' }, 'fixedStatus', 'status'],
    [{ status: 'LOCKED', quantity: 0 }, { productId: 2 }, 'locked', 'productId'],
    [{ status: 'MERGED' }, { capacity: 9 }, 'secondary', 'id'],
  ] as [Partial<Lane>, Partial<Lane>, keyof typeof laneErrors, string][])(
    '%o to %o: %s',
    (before, after, error, field) =>
      expect(check(before, after)).toEqual({ def: laneErrors[error], field }),
  )
  test.each([
    [{}, { price: 300 }],
    [{}, { price: 100 }],
    [{}, { capacity: 5 }],
    [{}, { status: 'DISABLED' }],
    [{ status: 'DISABLED' }, { status: 'ENABLED' }],
    [{ quantity: 0 }, { productId: 2 }],
    [{ status: 'FAULT' }, { price: 200 }],
  ] as [Partial<Lane>, Partial<Lane>][])('%o to %o is fine', (before, after) =>
    expect(check(before, after)).toBe(null),
  )
  test('an empty lane needs no price', () =>
    expect(check({ quantity: 0 }, { productId: null, retailPrice: null, price: null }, null)).toBe(
      null,
    ))
  test('a product off the shelf is not placed, one already there may stay', () => {
    expect(check({ quantity: 0 }, { productId: 2 }, product({ id: 2, status: 'OFF' }))?.def).toBe(
      laneErrors.productOff,
    )
    expect(check({}, { price: 200 }, product({ status: 'OFF' }))).toBe(null)
  })
  test('the drug guard also stands over a price change', () =>
    expect(check({}, { price: 200 }, product({ drugClass: 'OTC_B' }))?.def).toBe(
      guardErrors.otcBRefused,
    ))
})

describe('merge and split', () => {
  const at = (id: number, change: Partial<Lane> = {}) =>
    lane({ id, col: id, productId: null, quantity: 0, retailPrice: null, price: null, ...change })
  const main = lane({ id: 1, col: 1 })
  const merge = (secondaries: Lane[], first = main, others: Lane[] = []) =>
    mergeRule(first, secondaries, [first, ...secondaries, ...others])
  test('neighbours to the right', () => expect(merge([at(2)])).toBe(null))
  test('several, in any order', () => expect(merge([at(3), at(2)])).toBe(null))
  test('a wide lane grows to its right', () =>
    expect(merge([at(3)], main, [at(2, { status: 'MERGED', mergedInto: 1 })])).toBe(null))
  test.each([
    [[], 'noneToMerge'],
    [[at(3)], 'notNeighbours'],
    [[at(2), at(4)], 'notNeighbours'],
    [[at(2, { floorId: 2 })], 'notNeighbours'],
    [[at(2, { quantity: 3 })], 'secondaryStock'],
    [[at(2, { quantity: 1, reserved: 1 })], 'secondaryHolds'],
    [[at(2, { quantity: 1, failedHold: 1 })], 'secondaryHolds'],
    [[at(2, { status: 'MERGED', mergedInto: 9 })], 'alreadyMerged'],
    [[at(2, { status: 'FAULT' })], 'notWorking'],
    [[at(2, { status: 'LOCKED' })], 'notWorking'],
  ] as [Lane[], keyof typeof laneErrors][])('%#: %s', (secondaries, error) =>
    expect(merge(secondaries)).toBe(laneErrors[error]),
  )
  test('to the left is not right', () =>
    expect(mergeRule(at(2), [main], [main, at(2)])).toBe(laneErrors.notNeighbours))
  test('a main lane cannot become a secondary', () =>
    expect(merge([at(2)], main, [at(3, { status: 'MERGED', mergedInto: 2 })])).toBe(
      laneErrors.alreadyMerged,
    ))
  test('a merged lane cannot become a main', () =>
    expect(merge([at(2)], at(1, { status: 'MERGED', mergedInto: 7 }))).toBe(
      laneErrors.alreadyMerged,
    ))
  test('split keeps the stock', () => {
    const all = [main, at(2, { status: 'MERGED', mergedInto: 1 })]
    expect(splitRule(main, 5, all)).toBe(null)
    expect(splitRule(main, 4, all)).toBe(laneErrors.capacityBelowStock)
    expect(splitRule(main, 8, [main])).toBe(laneErrors.notMerged)
  })
})

test('a drawing fits the type', () => {
  const type = { maxLevels: 2, maxRoads: 10 }
  expect(levelsRule([{ columns: 10 }, { columns: 1 }], type)).toBe(null)
  expect(levelsRule([{ columns: 1 }, { columns: 1 }, { columns: 1 }], type)).toEqual({
    def: laneErrors.tooManyLevels,
    n: 2,
  })
  expect(levelsRule([{ columns: 11 }], type)).toEqual({ def: laneErrors.tooManyRoads, n: 10 })
})
test.each([
  [1, 1, 10, 1],
  [2, 1, 10, 11],
  [5, 10, 10, 50],
  [2, 1, 12, 21],
  [20, 20, 20, 400],
])('level %i column %i of %i is %i', (level, column, most, road) =>
  expect(roadIndexOf(level, column, most)).toBe(road),
)
test('busy lanes', () =>
  expect(
    busyLanes([lane(), lane({ id: 2, reserved: 1 }), lane({ id: 3, failedHold: 1 })]).map(
      (l) => l.id,
    ),
  ).toEqual([2, 3]))
