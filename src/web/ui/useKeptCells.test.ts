import { createElement as h } from 'react'
import { expect, test } from 'vitest'
import { same } from './useKeptCells.ts'

type Row = { id: number; tags: string[] }
const Cell = ({ row }: { row: Row }) => row.id
const row = (...tags: string[]): Row => ({ id: 1, tags })
const act = () => undefined
const other = () => undefined

test.each([
  ['text', 'a', 'a', true],
  ['another text', 'a', 'b', false],
  ['nothing and nothing', null, null, true],
  ['zero and minus zero', 0, -0, false],
  ['elements of equal rows', h(Cell, { row: row('x') }), h(Cell, { row: row('x') }), true],
  ['a row that changed', h(Cell, { row: row('x') }), h(Cell, { row: row('y') }), false],
  ['another element', h('b', null, 1), h('i', null, 1), false],
  ['another key', h('b', { key: 1 }), h('b', { key: 2 }), false],
  ['the same handler', h('b', { onClick: act }), h('b', { onClick: act }), true],
  ['another handler', h('b', { onClick: act }), h('b', { onClick: other }), false],
  ['more children', [1, 2], [1, 2, 3], false],
  ['a date', new Date(0), new Date(0), false],
  ['an object and an array', {}, [], false],
])('%s', (_, a, b, equal) => expect(same(a, b)).toBe(equal))
