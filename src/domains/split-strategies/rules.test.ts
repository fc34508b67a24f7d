import { expect, test } from 'vitest'
import { capOf } from '../splits/rules.ts'
import {
  mayShare,
  ownerRule,
  partyFindings,
  previewOf,
  strategyErrors,
  timingFinding,
} from './rules.ts'

test.each([
  ['PLATFORM', null],
  ['AGENT', null],
  ['OPERATOR', null],
  ['SUPPLIER', strategyErrors.ownerKind],
])('%s owns strategies: %o', (kind, error) => expect(ownerRule(kind)).toBe(error))

test.each([
  ['AGENT', true, true],
  ['OPERATOR', false, false],
  ['SPONSOR', false, true],
  ['LANE_TENANT', false, true],
  ['SUPPLIER', false, false],
])('%s, above the owner %o, may have a share: %o', (kind, above, may) =>
  expect(mayShare(kind, above)).toBe(may),
)

const line = (orgId: number, ratioBp: number, isCollector = false) => ({
  orgId,
  ratioBp,
  isCollector,
})
test.each([
  [[line(1, 10_000, true)], []],
  [[line(1, 1), line(2, 9999, true)], []],
  [[line(1, 5000), line(1, 5000, true)], ['parties.1.orgId 分账方不能重复']],
  [[line(1, 5000), line(2, 5000)], ['parties 请指定收款方']],
  [[line(1, 5000, true), line(2, 5000, true)], ['parties 请指定收款方']],
  [[line(1, 5000), line(2, 4999, true)], ['parties 比例合计必须为100%']],
  [[line(1, 5000), line(2, 5001, true)], ['parties 比例合计必须为100%']],
  [[{ referrerId: 1, ratioBp: 1, isCollector: false }, line(1, 9999, true)], []],
  [
    [line(2, 1), { referrerId: 1, ratioBp: 9999, isCollector: true }],
    ['parties 推荐人不能是收款方'],
  ],
])('parties %o: %o', (parties, found) =>
  expect(
    partyFindings(parties).map(({ path, text }) => `${path.join('.')} ${text.split('\u001f')[0]}`),
  ).toEqual(found),
)

test.each([
  ['NEXT_DAY', null, null],
  ['SECONDS', 59, '分账延迟不得少于60秒'],
  ['SECONDS', null, '分账延迟不得少于60秒'],
  ['SECONDS', 60, null],
  ['SECONDS', 3600, '请输入60到3599之间的整数'],
  ['MINUTES', 0, '请输入1到1440之间的整数'],
  ['MINUTES', 1440, null],
])('%s %o: %o', (timing, timingNumber, text) =>
  expect(timingFinding({ timing, timingNumber })?.split('\u001f')[0] ?? null).toBe(text),
)

test("the preview is the book's example", () => {
  const ratios = [500, 1000, 250, 8250]
  const made = previewOf({
    amount: 350,
    feeBp: 60,
    capBp: capOf('LEDGER', 3000),
    feeMode: 'BEFORE',
    parties: ratios.map((ratioBp, i) => ({ ratioBp, isCollector: i === 3 })),
  })
  expect([made.fee, made.base]).toEqual([2, 348])
  expect(made.sales.map(({ gives }) => gives)).toEqual([
    [17, 35, 9, 287],
    [18, 35, 8, 287],
    [17, 35, 9, 287],
  ])
  expect(made.refund.gives).toEqual([-18, -35, -8, -287])
})
