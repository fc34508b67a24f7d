import { describe, expect, test } from 'vitest'
import { toggled } from './ticks.ts'

const known = new Map([
  ['a:read', { read: null, blocked: null }],
  ['a:update', { read: 'a:read', blocked: null }],
  ['a:delete', { read: 'a:read', blocked: 'NOT_HELD' }],
  ['b:read', { read: null, blocked: 'NOT_HELD' }],
  ['b:update', { read: 'b:read', blocked: null }],
])
const tick = (chosen: string[], code: string, on: boolean) =>
  toggled(new Set(chosen), [code], on, known).sort()

describe('ticks', () => {
  test.each([
    [[], 'a:update', true, ['a:read', 'a:update']],
    [['a:read', 'a:update'], 'a:read', false, []],
    [['a:read', 'a:update'], 'a:update', false, ['a:read']],
    [[], 'a:delete', true, []],
    [['a:delete', 'a:read'], 'a:delete', false, ['a:delete', 'a:read']],
    [['a:delete', 'a:read'], 'a:read', false, ['a:delete', 'a:read']],
    [[], 'b:update', true, []],
    [['b:read'], 'b:update', true, ['b:read', 'b:update']],
  ] as [string[], string, boolean, string[]][])('%j, %s %s', (chosen, code, on, expected) =>
    expect(tick(chosen, code, on)).toEqual(expected),
  )
})
