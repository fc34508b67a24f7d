import { describe, expect, it, vi } from 'vitest'
import { complaints } from '../domains/complaints/contract.ts'
import { devices } from '../domains/devices/contract.ts'
import { contractInput, parseJson } from './input.ts'

const parse = (text: string | Uint8Array) =>
  parseJson(typeof text === 'string' ? Buffer.from(text) : text)

describe('JSON', () => {
  it.each([
    '{"a":1}',
    '[{"a":1},{"a":2}]',
    '{"a":{"a":{"a":"{\\"a\\":1,\\"a\\":2}"}},"b":[1,"a","a"]}',
    '"a"',
    '7',
    '{"a":"x,y:z}{"}',
  ])('%s', (text) => expect(parse(text)).toEqual(JSON.parse(text)))
  it.each([
    '{"a":1,"a":2}',
    '{"a":{"b":1,"\\u0062":2}}',
    '[{"x":[],"x":{}}]',
    '{"__proto__":1}',
    '{"a":{"\\u005f_proto__":1}}',
    '{"a":1,}',
    '',
    `${'['.repeat(40)}${']'.repeat(40)}`,
    Buffer.from([0x22, 0xff, 0x22]),
  ])('%s is refused', (text) => expect(() => parse(text)).toThrow('common.invalid'))
  it('has a bounded number of names and values, and is not parsed beyond', () => {
    const named = (n: number) =>
      JSON.stringify(Object.fromEntries(Array.from({ length: n }, (_, i) => [`k${i}`, 1])))
    const parsed = vi.spyOn(JSON, 'parse')
    for (const many of [
      named(10_001),
      `{"a":[${'{},'.repeat(10_000)}{}]}`,
      `[${'1,'.repeat(10_000)}1]`,
      '['.repeat(40),
    ]) {
      parsed.mockClear()
      expect(() => parse(many)).toThrow('common.invalid')
      expect(parsed.mock.calls.filter(([text]) => text === many)).toEqual([])
    }
    parsed.mockRestore()
    expect(Object.keys(parse(named(5000)) as object)).toHaveLength(5000)
  })
  it('is read in linear time', () => {
    const text = JSON.stringify({ a: '\\"'.repeat(250_000), b: Array(4000).fill({ k: 1 }) })
    expect(parse(text)).toEqual(JSON.parse(text))
    // a text without an end, and one that never begins
    for (const endless of ['\\"', '"\\', '\\\\"'])
      expect(() => parse(`"${endless.repeat(60_000)}`)).toThrow('common.invalid')
  }, 2000)
})

it('a name is one line, what happened may be many', () => {
  const text = '一\r\n\n二\u2028三'
  const note = contractInput(complaints.note, { id: 1, version: 1, content: text })
  expect(note).toMatchObject({ content: '一\n\n二\n三' })
  const named = contractInput(devices.list, { keyword: text })
  expect(named).toMatchObject({ keyword: '一  二 三' })
})
