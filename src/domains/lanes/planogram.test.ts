import { describe, expect, test } from 'vitest'
import { guardErrors } from '../drug-guard/rules.ts'
import { laneErrors, skips } from './errors.ts'
import {
  changedPrice,
  copyPlan,
  type Doc,
  type DocLane,
  diffDocs,
  type Part,
  type Placed,
  restorePlan,
} from './planogram.ts'
import type { Product } from './rules.ts'

const product = (id: number, more: Partial<Product> = {}): Product => ({
  id,
  drugClass: 'NONE',
  drug: null,
  costPrice: 100,
  retailPrice: 300,
  warnQty: null,
  status: 'ON',
  ...more,
})
const products = new Map(
  [
    product(1),
    product(2),
    product(3, { drugClass: 'RX' }),
    product(4, { status: 'OFF' }),
    product(5, { costPrice: 280 }),
  ].map((p) => [p.id, p]),
)
const lane = (road: number, more: Partial<Placed> = {}): Placed => ({
  id: road * 10,
  roadIndex: road,
  floorId: 1,
  level: 1,
  col: road,
  motorNo: road,
  productId: 1,
  capacity: 8,
  quantity: 0,
  reserved: 0,
  failedHold: 0,
  warnQty: 2,
  retailPrice: 300,
  price: 300,
  restriction: 0,
  status: 'ENABLED',
  mergedInto: null,
  ...more,
})
const empty = { productId: null, retailPrice: null, price: null, warnQty: 0 }
const kept = (road: number, more: Partial<DocLane> = {}): DocLane => ({
  road,
  level: 1,
  col: road,
  motorNo: road,
  productId: 1,
  productName: '水',
  capacity: 8,
  warnQty: 2,
  retailPrice: 300,
  price: 300,
  restriction: 0,
  status: 'ENABLED',
  mergedInto: null,
  ...more,
})
const keptEmpty = { productId: null, productName: null, retailPrice: null, price: null, warnQty: 0 }
const doc = (...lanes: DocLane[]): Doc => ({ floors: [{ level: 1, name: '饮料' }], lanes })
const target = (lanes: Placed[]) => ({
  lanes,
  products,
  kind: 'GENERAL',
  dispensingMode: null,
  site: null,
})
const every: Part[] = ['product', 'price', 'capacity', 'warnQty', 'restriction']

describe('differences', () => {
  test('in words: names of goods, values, lanes that came and went, names of levels', () => {
    const before = doc(kept(1), kept(2), kept(3))
    const after: Doc = {
      floors: [{ level: 1, name: '零食' }],
      lanes: [
        kept(1, { productId: 2, productName: '茶', price: 280 }),
        kept(2),
        kept(4, keptEmpty),
      ],
    }
    expect(diffDocs(before, after)).toEqual([
      { road: null, level: 1, field: 'levelName', from: '饮料', to: '零食' },
      { road: 1, level: 1, field: 'productId', from: '水', to: '茶' },
      { road: 1, level: 1, field: 'price', from: 300, to: 280 },
      { road: 4, level: 1, field: 'added', from: null, to: null },
      { road: 3, level: 1, field: 'removed', from: '水', to: null },
    ])
    expect(diffDocs(before, before)).toEqual([])
  })
  test('another name of the same product is no change', () =>
    expect(diffDocs(doc(kept(1)), doc(kept(1, { productName: '新名' })))).toEqual([]))
})

describe('copy', () => {
  const reason = (source: DocLane, at: Placed, parts = every) =>
    copyPlan(doc(source), target([at]), parts).skipped[0]?.reason
  test.each<[string, DocLane, Placed, Part[], string]>([
    ['another lane', kept(9), lane(1), every, skips.noLane],
    [
      'part of a merged lane',
      kept(1),
      lane(1, { status: 'MERGED', mergedInto: 5 }),
      every,
      skips.secondary,
    ],
    [
      'other goods with stock',
      kept(1, { productId: 2 }),
      lane(1, { quantity: 3 }),
      every,
      skips.otherStock,
    ],
    [
      'other goods with held stock',
      kept(1, { productId: 2 }),
      lane(1, { quantity: 3, reserved: 1 }),
      every,
      skips.holds,
    ],
    ['a drug', kept(1, { productId: 3 }), lane(1), every, guardErrors.vendingRefused.text],
    [
      'a product off the shelf',
      kept(1, { productId: 4 }),
      lane(1),
      every,
      laneErrors.productOff.text,
    ],
    ['a product of somebody else', kept(1, { productId: 99 }), lane(1), every, skips.notUsable],
    [
      'a price below cost',
      kept(1, { productId: 5, price: 200 }),
      lane(1),
      every,
      laneErrors.priceBelowCost.text,
    ],
    [
      'capacity below stock',
      kept(1, { capacity: 2 }),
      lane(1, { quantity: 3 }),
      every,
      laneErrors.capacityBelowStock.text,
    ],
    [
      'a warning level over the capacity',
      kept(1, { warnQty: 7 }),
      lane(1, { capacity: 5 }),
      ['warnQty'],
      laneErrors.warnOverCapacity.text,
    ],
    ['a price for other goods', kept(1, { productId: 2 }), lane(1), ['price'], skips.otherProduct],
    [
      'goods for a locked lane',
      kept(1, { productId: 2 }),
      lane(1, { status: 'LOCKED' }),
      every,
      laneErrors.locked.text,
    ],
  ])('%s is left out', (_, source, at, parts, why) => expect(reason(source, at, parts)).toBe(why))
  test('a lane of another width is left out', () => {
    const plan = copyPlan(
      doc(kept(1), kept(2, { ...keptEmpty, status: 'MERGED', mergedInto: 1 })),
      target([lane(1), lane(2, empty)]),
      every,
    )
    expect(plan.skipped).toEqual([{ road: 1, reason: skips.otherWidth }])
  })
  test('stock stays; only the parts arrive; what is so already is not written', () => {
    const plan = copyPlan(
      doc(kept(1, { capacity: 10, price: 250 }), kept(2)),
      target([lane(1, { quantity: 4 }), lane(2)]),
      ['capacity'],
    )
    expect(plan.changed).toEqual([
      expect.objectContaining({ id: 10, capacity: 10, price: 300, quantity: 4 }),
    ])
    expect([plan.same, plan.skipped]).toEqual([[2], []])
  })
  test('goods without prices bring the prices of the product', () =>
    expect(
      copyPlan(doc(kept(1, { price: 250 })), target([lane(1, empty)]), ['product']).changed,
    ).toEqual([expect.objectContaining({ productId: 1, price: 300 })]))
  test('an empty lane empties', () =>
    expect(copyPlan(doc(kept(1, keptEmpty)), target([lane(1)]), every).changed).toEqual([
      expect.objectContaining({ productId: null, price: null }),
    ]))
  test('by place: other numbers, same level and column', () =>
    expect(
      copyPlan(doc(kept(1)), target([lane(21, { ...empty, level: 1, col: 1 })]), every, true)
        .changed,
    ).toEqual([expect.objectContaining({ id: 210, productId: 1 })]))
})

describe('going back', () => {
  const secondary = (main: number) => ({
    ...keptEmpty,
    restriction: 0,
    status: 'MERGED' as const,
    mergedInto: main,
  })
  const joined = (main: number) => ({
    ...empty,
    restriction: 0,
    status: 'MERGED' as const,
    mergedInto: main,
  })
  test('settings return, stock and faults stay', () => {
    const plan = restorePlan(
      doc(kept(1, { price: 250, status: 'DISABLED' })),
      target([lane(1, { quantity: 5, status: 'FAULT' })]),
    )
    expect(plan.changed).toEqual([
      expect.objectContaining({ price: 250, status: 'FAULT', quantity: 5 }),
    ])
  })
  test('a lane that holds other goods stays and is named', () => {
    const plan = restorePlan(
      doc(kept(1, { productId: 2 }), kept(2, { productId: 2 })),
      target([lane(1, { quantity: 1 }), lane(2)]),
    )
    expect([plan.changed.map((l) => l.id), plan.skipped]).toEqual([
      [20],
      [{ road: 1, reason: skips.otherStock }],
    ])
  })
  test('a merge is taken apart and a split is joined', () => {
    const apart = restorePlan(doc(kept(1), kept(2)), target([lane(1), lane(2, joined(10))]))
    expect(apart.changed).toEqual([
      expect.objectContaining({ id: 20, status: 'ENABLED', mergedInto: null, productId: 1 }),
    ])
    const together = restorePlan(
      doc(kept(1), kept(2, secondary(1))),
      target([lane(1), lane(2, empty)]),
    )
    expect(together.changed).toEqual([
      expect.objectContaining({ id: 20, status: 'MERGED', mergedInto: 10 }),
    ])
  })
  test('a join that may not be leaves the lanes as they are', () => {
    const plan = restorePlan(
      doc(kept(1, { price: 200 }), kept(2, secondary(1))),
      target([lane(1), lane(2, { quantity: 2 })]),
    )
    expect(plan.skipped).toEqual([{ road: 2, reason: laneErrors.secondaryStock.text }])
    expect(plan.changed).toEqual([expect.objectContaining({ id: 10, price: 200 })])
  })
  test('joined otherwise: 1+2 becomes 2+3', () => {
    const plan = restorePlan(
      doc(kept(1), kept(2), kept(3, secondary(2))),
      target([lane(1), lane(2, joined(10)), lane(3, empty)]),
    )
    expect(plan.skipped).toEqual([])
    expect(plan.changed.map((l) => [l.id, l.status, l.mergedInto])).toEqual([
      [20, 'ENABLED', null],
      [30, 'MERGED', 20],
    ])
  })
  test('lanes of another drawing: what is gone and what is new is named', () => {
    const plan = restorePlan(doc(kept(1), kept(7)), target([lane(1), lane(2)]))
    expect([plan.changed, plan.same, plan.skipped]).toEqual([
      [],
      [1],
      [
        { road: 2, reason: skips.notInVersion },
        { road: 7, reason: skips.noLane },
      ],
    ])
  })
  test('motors that would be used twice stay', () => {
    const plan = restorePlan(doc(kept(1, { motorNo: 2, price: 200 })), target([lane(1), lane(2)]))
    expect(plan.changed).toEqual([expect.objectContaining({ id: 10, motorNo: 1, price: 200 })])
  })
})

test.each([
  [300, 'SET', 450, 450],
  [300, 'YUAN', -50, 250],
  [300, 'PERCENT', 100, 330],
  [350, 'PERCENT', 100, 390],
  [345, 'PERCENT', -100, 310],
  [1, 'PERCENT', 0, 0],
  [300, 'YUAN', -400, -100],
] as const)('%i %s %i is %i', (fen, mode, value, expected) =>
  expect(changedPrice(fen, { mode, value, alsoRetail: false })).toBe(expected),
)
