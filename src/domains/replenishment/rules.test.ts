import { expect, test } from 'vitest'
import { isAlarming, judge, momentOf, type Now, type Said, visitFrom } from './rules.ts'

const now: Now = {
  productId: 7,
  capacity: 10,
  quantity: 5,
  reserved: 0,
  failedHold: 0,
  since: 0,
  settled: 0,
  vending: false,
  countedSince: false,
  goods: { drugClass: 'NONE', drug: null },
  place: { kind: 'GENERAL', dispensingMode: null, site: null },
  excursion: false,
  traceRequired: false,
  batch: undefined,
  usableCodes: 0,
  inside: false,
}
const batch = { productId: 7, recalled: false, past: false, room: null }
const placed = {
  goods: {
    drugClass: 'OTC_B',
    drug: {
      approvalNo: '国药准字H20184317',
      dosageForm: '片剂/胶囊',
      manufacturer: '康泽',
      tempMin: null,
      tempMax: null,
      special: false,
    },
  },
  place: {
    kind: 'DRUG',
    dispensingMode: 'UNATTENDED',
    site: {
      today: '2026-11-21',
      licenceNo: '粤1',
      licenceUntil: null,
      licenceFits: true,
      tempMin: 2,
      tempMax: 8,
      pharmacist: false,
    },
  },
}
const drug = { ...placed, traceRequired: true, batch, usableCodes: 1 }
const coded = { addedQty: 1, batchId: 3, codes: ['a'] }
const said: Said = {
  productId: 7,
  countedQty: null,
  addedQty: 0,
  withdrawnQty: 0,
  batchId: null,
  codes: [],
}
const posted = (before: number, difference: number, after: number) => ({
  before,
  difference,
  after,
})

test.each<[string, Partial<Said>, Partial<Now>, ReturnType<typeof judge>]>([
  ['put in', { addedQty: 3 }, {}, posted(5, 0, 8)],
  ['to the brim', { addedQty: 5 }, {}, posted(5, 0, 10)],
  ['over it', { addedQty: 6 }, {}, 'overCapacity'],
  ['taken out first', { addedQty: 8, withdrawnQty: 3 }, {}, posted(5, 0, 10)],
  ['as expected', { countedQty: 5 }, {}, posted(5, 0, 5)],
  ['one fewer', { countedQty: 4 }, {}, posted(5, -1, 4)],
  ['counted before two were sold', { countedQty: 7 }, { since: -2 }, posted(5, 0, 5)],
  ['one fewer than before that sale', { countedQty: 5 }, { since: -1 }, posted(5, -1, 4)],
  ['filled by somebody since', { countedQty: 2 }, { since: 3 }, posted(5, 0, 5)],
  [
    'the doubtful piece is gone',
    { countedQty: 4 },
    { failedHold: 1, settled: 1 },
    posted(5, -1, 4),
  ],
  [
    'the doubtful piece is there',
    { countedQty: 5 },
    { failedHold: 1, settled: 1 },
    posted(5, 0, 5),
  ],
  ['a doubt that is younger', { countedQty: 1 }, { failedHold: 2, settled: 1 }, posted(5, -4, 1)],
  ['all gone but one is paid for', { countedQty: 0 }, { reserved: 1 }, 'belowHeld'],
  ['more than is free', { withdrawnQty: 5 }, { reserved: 1 }, 'withdrawnTooMany'],
  ['all that is free', { withdrawnQty: 4 }, { reserved: 1 }, posted(5, 0, 1)],
  ['more than there is', { withdrawnQty: 6 }, {}, 'withdrawnTooMany'],
  ['counted while it vends', { countedQty: 5 }, { vending: true }, 'vending'],
  ['filled while it vends', { addedQty: 3 }, { vending: true, reserved: 1 }, posted(5, 0, 8)],
  ['counted by somebody else since', { addedQty: 1 }, { countedSince: true }, 'countedSince'],
  ['another product', { addedQty: 1, productId: 8 }, {}, 'productChanged'],
  ['no product', { addedQty: 1 }, { productId: null }, 'emptyLane'],
  ['of a batch', { addedQty: 1, batchId: 3 }, { batch }, posted(5, 0, 6)],
  ['a batch of other goods', { addedQty: 1, batchId: 3 }, {}, 'batchMissing'],
  ['a drug without its batch', { addedQty: 1 }, placed, 'batchMissing'],
  ['a drug that is only counted', { countedQty: 5 }, placed, posted(5, 0, 5)],
  ['a drug with its code', coded, drug, posted(5, 0, 6)],
  ['a code too few', { ...coded, addedQty: 2 }, drug, 'codesMismatch'],
  ['a code of other goods', coded, { ...drug, usableCodes: 0 }, 'codeUnusable'],
  ['recalled', coded, { ...drug, batch: { ...batch, recalled: true } }, 'batchRecalled'],
  ['past its date', coded, { ...drug, batch: { ...batch, past: true } }, 'batchExpired'],
  [
    'recalled, but inside already',
    coded,
    { ...drug, inside: true, batch: { ...batch, recalled: true } },
    posted(5, 0, 6),
  ],
  ['where no drug may be', coded, { ...drug, place: now.place }, 'otcBRefused'],
  ['which is inside already', coded, { ...drug, place: now.place, inside: true }, posted(5, 0, 6)],
  ['too warm', coded, { ...drug, excursion: true }, 'excursionOpen'],
  ['more than came of it', coded, { ...drug, batch: { ...batch, room: 0 } }, 'overReceived'],
  ['more found than it holds', { countedQty: 11 }, {}, 'overCapacity'],
])('%s', (_, what, lane, wanted) =>
  expect(judge({ ...said, ...what }, { ...now, ...lane })).toEqual(wanted),
)
test('a lane that is gone', () => expect(judge(said, undefined)).toBe('laneGone'))

test.each([
  [200, 10, false],
  [200, 11, true],
  [40, 2, false],
  [40, 3, true],
  [0, 1, true],
  [0, 0, false],
])('of %i counted, %i off', (counted, off, wanted) =>
  expect(isAlarming({ counted, off }, { pieces: 10, percent: 5 })).toBe(wanted),
)

test('moments of a clock that is off, within what can be', () => {
  const at = (time: string) => `2026-11-21T${time}Z`
  const here = new Date(at('06:00:00'))
  const earliest = new Date(at('05:00:00'))
  const moment = (made: string, sent: string) =>
    momentOf(at(made), at(sent), here, earliest).toISOString().slice(11, 19)
  expect(moment('09:55:00', '10:00:00')).toBe('05:55:00')
  expect(moment('10:05:00', '10:00:00')).toBe('06:00:00')
  expect(moment('01:00:00', '10:00:00')).toBe('05:00:00')
})

test('what was posted, rejected or cancelled stays so', () => {
  expect(visitFrom('POSTED')).toEqual(['DRAFT', 'SUBMITTED'])
  expect(visitFrom('CANCELLED')).toEqual(['DRAFT'])
})
