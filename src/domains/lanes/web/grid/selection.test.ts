import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createSelection } from './selection.ts'

beforeEach(
  () => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'], now: 1000 }),
)
afterEach(() => void vi.useRealTimers())

test('cards hear at once, what is dear to draw hears the first and, once it is calm, the last', () => {
  vi.advanceTimersByTime(1000)
  const selection = createSelection()
  const heard: number[][] = []
  selection.settled.subscribe(() => heard.push([...selection.settled.get()]))
  let cards = 0
  selection.subscribe(() => {
    cards += 1
  })
  for (const id of [1, 2, 3]) {
    selection.set([id])
    vi.advanceTimersByTime(30)
  }
  selection.set(new Set([3]))
  expect([cards, heard]).toEqual([3, [[1]]])
  vi.advanceTimersByTime(200)
  expect(heard).toEqual([[1], [3]])
  selection.set([4])
  expect(heard.at(-1)).toEqual([4])
})
