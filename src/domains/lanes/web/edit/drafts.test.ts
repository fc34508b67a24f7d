import { describe, expect, test } from 'vitest'
import type { ShownRoad } from '../shown.ts'
import { back, blank, conflicts, type Drafts, edited, forth, type History, step } from './drafts.ts'

const road = (id: number, more: Partial<ShownRoad> = {}) =>
  ({ id, price: 300, retailPrice: 300, roadCapacity: 8, productId: 1, ...more }) as ShownRoad
const priced = (held: History, ids: number[], price: number | null, key: string | null = null) =>
  step(
    held,
    edited(
      held.now,
      ids.map((id) => road(id)),
      (_, fields) => ({ ...fields, price }),
    ),
    key,
  )
const fields = (drafts: Drafts) => [...drafts].map(([id, draft]) => [id, draft.fields])

describe('what is unsaved', () => {
  test('a field that says what the lane says is no change', () => {
    const changed = priced(blank, [1, 2], 250)
    expect(fields(changed.now)).toEqual([
      [1, { price: 250 }],
      [2, { price: 250 }],
    ])
    expect(fields(priced(changed, [1], 300).now)).toEqual([[2, { price: 250 }]])
  })
  test('back and forth; a new change ends the way forth', () => {
    const two = priced(priced(blank, [1], 250), [2], 200)
    const one = back(two)
    expect(fields(one.now)).toEqual([[1, { price: 250 }]])
    expect(fields(back(one).now)).toEqual([])
    expect(back(back(back(one)))).toEqual(back(one))
    expect(forth(one)).toEqual({ ...two, last: null })
    expect(forth(priced(one, [3], 100)).now.has(2)).toBe(false)
  })
  test('what is typed into one field is one step', () => {
    const typed = priced(
      priced(priced(blank, [1], 2, 'price/1'), [1], 25, 'price/1'),
      [1],
      250,
      'price/1',
    )
    expect(fields(back(typed).now)).toEqual([])
    const other = priced(typed, [2], 200, 'price/2')
    expect(fields(back(other).now)).toEqual([[1, { price: 250 }]])
  })
})

describe('somebody else', () => {
  const held = priced(blank, [1, 2], 250).now
  const now = (...roads: ShownRoad[]) => conflicts(held, new Map(roads.map((one) => [one.id, one])))
  test('changed the same field', () =>
    expect([...now(road(1, { price: 280 }), road(2))]).toEqual([[1, ['price']]]))
  test('changed it to the same, or changed another field', () =>
    expect(now(road(1, { price: 250 }), road(2, { roadCapacity: 9 })).size).toBe(0))
  test('a draft that goes on keeps what it began with', () => {
    const later = edited(held, [road(1, { price: 280 })], (_, was) => ({ ...was, roadCapacity: 9 }))
    expect([...conflicts(later, new Map([[1, road(1, { price: 280 })]]))]).toEqual([[1, ['price']]])
  })
})
