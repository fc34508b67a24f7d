import { expect, test } from 'vitest'
import { clockOf, multirange, spansMeet, spansOf, windowsFinding } from './rules.ts'

const w = (text: string) =>
  text.split(' ').map((one) => ({ from: one.slice(0, 5), to: one.slice(6) }))

test.each([
  ['08:00-12:00', '{[480,720)}', false],
  ['00:00-24:00', '{[0,1440)}', false],
  ['22:00-06:00', '{[1320,1440),[0,360)}', false],
  ['22:00-00:00', '{[1320,1440)}', false],
  ['08:00-12:00 12:00-14:00', '{[480,720),[720,840)}', false],
  ['08:00-12:01 12:00-14:00', '{[480,721),[720,840)}', true],
  ['22:00-06:00 05:59-08:00', '{[1320,1440),[0,360),[359,480)}', true],
  ['22:00-06:00 06:00-22:00', '{[1320,1440),[0,360),[360,1320)}', false],
  ['08:00-12:00 08:00-12:00', '{[480,720),[480,720)}', true],
])('%s', (text, ranges, meet) => {
  const spans = spansOf(w(text))
  expect([multirange(spans), spansMeet(spans)]).toEqual([ranges, meet])
  expect(windowsFinding(w(text))?.def.name).toBe(meet ? 'programGroups.overlap' : undefined)
})

test('a window that ends where it begins is none', () =>
  expect(windowsFinding(w('08:00-09:00 10:00-10:00'))).toMatchObject({ at: 'windows.1.to' }))

test('minutes as people write them', () =>
  expect([0, 61, 1439, 1440].map(clockOf)).toEqual(['00:00', '01:01', '23:59', '24:00']))
