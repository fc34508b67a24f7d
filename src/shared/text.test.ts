import { expect, it } from 'vitest'
import { bi, filled, madeStorable, plainText, say, storable } from './text.ts'

it.each([
  ['王小明', '王小明'],
  ['e\u0301', '\u00e9'],
  ['wang\u200b\u2060', 'wang'],
  ['\u202d13800138000\u202c', '13800138000'],
  ['abc\u202egpj.exe', 'abcgpj.exe'],
  ['\u200b', ''],
  ['\u3164', ''],
  ['\u2800 \u115f', ''],
  ['  ', '  '],
  ['两行\n文字\t', '两行 文字\t'],
  ['货道\r\n\r\n请登录\u2028x\u2029y', '货道  请登录 x y'],
  ['👨\u200d👩\u200d👧 ❤\ufe0f\u200d🔥', '👨\u200d👩\u200d👧 ❤\ufe0f\u200d🔥'],
  ['a\u200db', 'ab'],
  ['库区\ufe0f甲\u{e0061}', '库区甲'],
  ['库\u{e0100}区\ufffc', '库区'],
  ['1\ufe0f\u20e3', '1\ufe0f\u20e3'],
  ['教学楼1\ufe0f #\ufe0f', '教学楼1 #'],
  ['教学楼\u3164\u115f\uffa0', '教学楼'],
  ['库\u034f区\u17b4甲\u180b', '库区甲'],
  ['\u1828\u180b\u1820', '\u1828\u180b\u1820'],
])('%j is stored as %j', (typed, stored) => expect(plainText(typed)).toBe(stored))

it('what is written in lines keeps them, each with one end', () => {
  expect(plainText('一\r\n二\r三\u2028四\n', { lines: true })).toBe('一\n二\n三\n四\n')
})

it('half a character and control characters are not text', () => {
  expect(
    storable(`a${'\u0315\u0300'.repeat(200_000)}`) || storable(`a${'\u0300\uff9e'.repeat(20)}`),
  ).toBe(false)
  expect(['\uffff', 'a\ufffe', '\ufdd0', '\u{1ffff}'].map(storable)).toEqual(Array(4).fill(false))
  expect(madeStorable('客\uffff人')).toBe('客人')
  expect(['\ud800', 'a\udc00', '\u0000', '\u001b[2J', '\u007f', '\u0085'].map(storable)).toEqual(
    Array(6).fill(false),
  )
  expect(['', '好', '👍', 'a\nb\r\n\tc'].map(storable)).toEqual(Array(4).fill(true))
})

it('many marks cost what few do, and a heap of any length is left out', () => {
  const fastest = (text: string) =>
    Math.min(
      ...Array.from({ length: 8 }, () => {
        const from = performance.now()
        expect(storable(text)).toBe(true)
        return performance.now() - from
      }),
    )
  const letters = (marks: number) =>
    `a${'\u0301'.repeat(marks)}`.repeat(Math.ceil(300_000 / (marks + 1)))
  expect(fastest(letters(30))).toBeLessThan(4 * fastest(letters(1)))
  for (const marks of [31, 62, 100])
    expect([storable(letters(marks)), madeStorable(`a${'\u0301'.repeat(marks)}b`)]).toEqual([
      false,
      'ab',
    ])
})

it('a text in both languages may stand in another', () => {
  const [why, text] = [bi('太长{n}', 'too long{n}'), bi('不可用:{why}{n}', 'Not usable: {why}{n}')]
  expect([say(text, 'zh-CN', { why, n: 1 }), say(text, 'en', { why, n: 1 })]).toEqual([
    '不可用:太长{n}1',
    'Not usable: too long{n}1',
  ])
  expect(say(filled(text, { why, n: 1 }), 'en')).toBe('Not usable: too long{n}1')
})
