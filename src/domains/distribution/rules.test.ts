import { expect, test } from 'vitest'
import { distributionErrors as e } from './contract.ts'
import { goodsRule, openRule, staffRule, targetGiven, targetRule } from './rules.ts'

const device = { orgId: 3, lifecycle: 'OPERATING' }
const target = { id: 4, kind: 'OPERATOR', enabled: true }
test.each([
  [device, target, null],
  [{ ...device, lifecycle: 'STOCK' }, { ...target, kind: 'AGENT' }, null],
  [device, { ...target, kind: 'SUPPLIER' }, e.ownerKind],
  [device, { ...target, enabled: false }, e.orgClosed],
  [device, { ...target, id: 3 }, e.sameOwner],
  [{ ...device, lifecycle: 'SCRAPPED' }, target, e.deviceClosed],
])('%o to %o', (from, to, error) => expect(targetRule(from, to)).toBe(error))

const lane = { road: 1, reserved: 0, failedHold: 0, goods: '可乐', goodsVisible: true }
const empty = { ...lane, goods: null, goodsVisible: false }
test.each([
  [[lane, empty], false, null],
  [[], false, null],
  [[lane], true, { def: e.openOrder, values: {} }],
  [[{ ...lane, reserved: 1 }], false, { def: e.openOrder, values: {} }],
  [
    [
      { ...lane, failedHold: 1 },
      { ...lane, road: 8, failedHold: 2 },
    ],
    false,
    { def: e.uncounted, values: { lanes: '1、8' } },
  ],
  [
    [
      { ...lane, goodsVisible: false },
      { ...lane, goodsVisible: false },
    ],
    false,
    { def: e.goodsUnknown, values: { goods: '可乐' } },
  ],
])('lanes %o, open order %s', (lanes, open, wrong) => expect(goodsRule(lanes, open)).toEqual(wrong))
test('many goods are not all named', () => {
  const many = Array.from({ length: 12 }, (_, n) => ({
    ...lane,
    goods: `品${n}`,
    goodsVisible: false,
  }))
  expect(goodsRule(many, false)?.values.goods).toBe(
    '品0、品1、品2、品3、品4、品5、品6、品7、品8、品9 … 12',
  )
})

const person = { name: '张三', serves: ['REPLENISHER'], near: true }
test.each([
  [[person], 'REPLENISHER', null],
  [
    [person, { ...person, name: '李四', serves: [] }],
    'REPLENISHER',
    { def: e.notServing, names: '李四' },
  ],
  [[person], 'REPAIRER', { def: e.notServing, names: '张三' }],
  [[{ ...person, near: false }], 'REPLENISHER', { def: e.personElsewhere, names: '张三' }],
])('%o as %s', (people, kind, wrong) => expect(staffRule(people, kind)).toEqual(wrong))

test.each([
  [{ kind: 'OWNER' as const, orgId: 1 }, null],
  [
    { kind: 'OWNER' as const, userIds: [1] },
    { field: 'orgId', def: e.targetMissing },
  ],
  [{ kind: 'REPAIRER' as const }, { field: 'userIds', def: e.targetMissing }],
  [
    { kind: 'STORE' as const, orgId: 1 },
    { field: 'storeId', def: e.storeMissing },
  ],
  [{ kind: 'STORE' as const, storeId: 1 }, null],
])('%o', (input, wrong) => expect(targetGiven(input)).toEqual(wrong))
test('closed machines stay', () => {
  expect([openRule({ lifecycle: 'SOLD' }), openRule({ lifecycle: 'PAUSED' })]).toEqual([
    e.deviceClosed,
    null,
  ])
})
