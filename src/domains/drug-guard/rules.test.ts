import { describe, expect, test } from 'vitest'
import { anyBuyer, canPlace, type Goods, keptWithin, type Moment, type Place } from './rules.ts'

const facts = {
  approvalNo: '国药准字H20184317',
  dosageForm: '片剂/胶囊',
  manufacturer: '康泽制药',
  tempMin: null,
  tempMax: null,
  special: false,
}
const drug = (drugClass: string, more: Partial<typeof facts> | object = {}): Goods => ({
  drugClass,
  drug: { ...facts, ...more },
})
const site = {
  today: '2026-11-21',
  licenceNo: '粤DB1',
  licenceUntil: null as string | null,
  licenceFits: true,
  tempMin: 2 as number | null,
  tempMax: 8 as number | null,
  pharmacist: false,
}
const place = (dispensingMode: string, more: Partial<typeof site> = {}): Place => ({
  kind: 'DRUG',
  dispensingMode,
  site: { ...site, ...more },
})
const water: Goods = { drugClass: 'NONE', drug: null }
const plain: Place = { kind: 'GENERAL', dispensingMode: null, site: null }
const says = (goods: Goods, at: Place, moment?: Moment) => {
  const verdict = canPlace(goods, at, moment)
  return verdict.ok ? 'ok' : `${verdict.rule} ${verdict.key}`
}
const sale = anyBuyer

describe('rule 2: classes by the mode of the machine, placed and sold', () => {
  const places = [
    plain,
    { ...plain, dispensingMode: 'MEDICAL' },
    place('UNATTENDED'),
    place('PHARMACIST'),
    place('PHARMACIST', { pharmacist: true }),
    place('MEDICAL'),
  ]
  test.each([
    ['NONE', [1, 1, 1, 1, 1, 1], [1, 1, 1, 1, 1, 1]],
    ['OTC_B', [0, 0, 1, 1, 1, 1], [0, 0, 1, 1, 1, 1]],
    ['OTC_A', [0, 0, 0, 1, 1, 1], [0, 0, 0, 0, 1, 1]],
    ['RX', [0, 0, 0, 0, 0, 1], [0, 0, 0, 0, 0, 0]],
    ['unknown', [0, 0, 0, 0, 0, 1], [0, 0, 0, 0, 0, 0]],
  ])('%s', (drugClass, placed, sold) => {
    const goods = drugClass === 'NONE' ? water : drug(drugClass)
    expect(places.map((at) => Number(canPlace(goods, at).ok))).toEqual(placed)
    expect(places.map((at) => Number(canPlace(goods, at, { sale }).ok))).toEqual(sold)
  })
})

const cold = { tempMin: 2, tempMax: 8 }
const load = {
  pieces: 2,
  batch: { recalled: false, past: false },
  batchNamed: true,
  codes: 2,
  traceRequired: true,
  inside: false,
}
test.each<[string, Goods, Place, Moment, string]>([
  ['B on a plain machine', drug('OTC_B'), plain, {}, '1 otcBRefused'],
  ['A on a plain machine', drug('OTC_A'), plain, {}, '1 vendingRefused'],
  ['no licence', drug('OTC_B'), place('MEDICAL', { licenceNo: '' }), {}, '1 noLicence'],
  ['for another place', drug('OTC_B'), place('MEDICAL', { licenceFits: false }), {}, '1 noLicence'],
  ['on its last day', drug('OTC_B'), place('UNATTENDED', { licenceUntil: '2026-11-21' }), {}, 'ok'],
  ['past', drug('OTC_B'), place('UNATTENDED', { licenceUntil: '2026-11-20' }), {}, '1 noLicence'],
  ['A unattended', drug('OTC_A'), place('UNATTENDED'), {}, '2 otcARefused'],
  ['A, nobody there', drug('OTC_A'), place('PHARMACIST'), { sale }, '2 otcARefused'],
  ['RX with a pharmacist', drug('RX'), place('PHARMACIST'), {}, '2 rxRefused'],
  ['without prescription', drug('RX'), place('MEDICAL'), { sale }, '2 prescriptionMissing'],
  ['with it', drug('RX'), place('MEDICAL'), { sale: { ...sale, prescription: true } }, 'ok'],
  ['special', drug('OTC_B', { special: true }), place('UNATTENDED'), {}, '3 specialForbidden'],
  ['special, placed', drug('OTC_B', { special: true }), place('PHARMACIST'), {}, 'ok'],
  [
    'special, nobody there',
    drug('OTC_B', { special: true }),
    place('PHARMACIST'),
    { sale },
    '3 specialForbidden',
  ],
  ...([
    [true, 2, 'ok'],
    [true, 3, '3 specialLimit'],
    [false, 1, '3 identityMissing'],
  ].map(([identified, packs, wanted]) => [
    `special ${packs}, identified ${identified}`,
    drug('OTC_B', { special: true }),
    place('PHARMACIST', { pharmacist: true }),
    { sale: { ...sale, identified, packs, most: 2 } },
    wanted,
  ]) as [string, Goods, Place, Moment, string][]),
  ['no form', drug('OTC_B', { dosageForm: null }), place('UNATTENDED'), {}, '4 incomplete'],
  ['no facts', { drugClass: 'OTC_B', drug: null }, place('UNATTENDED'), {}, '4 incomplete'],
  ['kept cold', drug('OTC_B', cold), place('UNATTENDED'), {}, 'ok'],
  [
    'not cold enough',
    drug('OTC_B', cold),
    place('UNATTENDED', { tempMax: 8.5 }),
    {},
    '5 outsideStorage',
  ],
  [
    'nothing cools',
    drug('OTC_B', cold),
    place('UNATTENDED', { tempMin: null, tempMax: null }),
    {},
    '5 outsideStorage',
  ],
  [
    'nothing has to',
    drug('OTC_B', { tempMin: 0, tempMax: 30 }),
    place('UNATTENDED', { tempMin: null, tempMax: null }),
    {},
    'ok',
  ],
  ['too warm lately', drug('OTC_B'), place('UNATTENDED'), { excursion: true }, '5 excursionOpen'],
  ['water, too warm lately', water, plain, { excursion: true }, 'ok'],
  ['loaded', drug('OTC_B'), place('UNATTENDED'), { load }, 'ok'],
  [
    'of no batch',
    drug('OTC_B'),
    place('UNATTENDED'),
    { load: { ...load, batch: undefined, batchNamed: false } },
    '6 batchMissing',
  ],
  [
    'recalled water',
    water,
    plain,
    { load: { ...load, batch: { recalled: true, past: false } } },
    '6 batchRecalled',
  ],
  [
    'past its date',
    drug('OTC_B'),
    place('UNATTENDED'),
    { load: { ...load, batch: { recalled: false, past: true } } },
    '6 batchExpired',
  ],
  [
    'a code too few',
    drug('OTC_B'),
    place('UNATTENDED'),
    { load: { ...load, codes: 1 } },
    '7 codesMismatch',
  ],
  ...([
    ['leaves', drug('OTC_B'), 2, 'ok'],
    ['leaves, one too few', drug('OTC_B'), 1, '7 codesApart'],
    ['leaves, one too many', drug('OTC_B'), 3, '7 codesApart'],
    ['leaves, of no drug', water, 1, '7 codesApart'],
  ].map(([name, goods, codes, wanted]) => [
    `with codes ${name}`,
    goods,
    place('UNATTENDED'),
    { sale, queue: { codes, pieces: 2 } },
    wanted,
  ]) as [string, Goods, Place, Moment, string][]),
  ['leaves without', drug('OTC_B'), place('UNATTENDED'), { sale, queue: null }, 'ok'],
  [
    'without a code and a licence',
    drug('OTC_B'),
    place('UNATTENDED', { licenceNo: '' }),
    { sale, queue: { codes: 0, pieces: 1 } },
    '1 noLicence',
  ],
  [
    'inside already',
    drug('RX'),
    plain,
    { load: { ...load, inside: true, batch: { recalled: true, past: true } } },
    'ok',
  ],
  ['a gift', drug('OTC_B'), place('UNATTENDED'), { promotion: true }, '8 noPromotion'],
  ['water as a gift', water, plain, { promotion: true }, 'ok'],
])('%s', (_, goods, at, moment, wanted) => expect(says(goods, at, moment)).toBe(wanted))

test('limits within a range', () =>
  expect([
    keptWithin(cold, { tempMin: 2, tempMax: 8 }),
    keptWithin(cold, { tempMin: 1.5, tempMax: 8 }),
    keptWithin({ tempMin: null, tempMax: 20 }, { tempMin: -5, tempMax: 20 }),
  ]).toEqual([true, false, true]))
