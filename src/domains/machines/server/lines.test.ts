import { expect, test } from 'vitest'
import { openLines } from './lines.ts'

const limits = { most: 30, mostBytes: 1000, mostOfOne: 10, mostBytesOfOne: 500 }
const item = (name: string, at = 0, size = 1) => ({ name, size, at: new Date(at) })
const names = (items: readonly { name: string }[]) => items.map(({ name }) => name).join(' ')

test('organisations take turns, each in its order; who was not served is first in the next batch', async () => {
  const lines = openLines<ReturnType<typeof item>>(limits)
  for (const name of ['a1', 'a2', 'a3', 'a4']) await lines.add(1, item(name))
  await lines.add(2, item('b1'))
  await lines.add(3, item('c1'))
  const batches = []
  while (lines.size) {
    batches.push(names(lines.take(2, 9000)))
    lines.settle()
  }
  expect(batches).toEqual(['a1 b1', 'c1 a2', 'a3 a4'])
})

test('an organisation is held back by itself, not by another; in its order when there is room', async () => {
  const lines = openLines<ReturnType<typeof item>>(limits)
  const added: string[] = []
  const add = (org: number, name: string, size = 1) =>
    void lines.add(org, item(name, 0, size)).then(() => added.push(name))
  for (let n = 0; n < 14; n += 1) add(1, `a${n}`)
  add(2, 'b0', 600)
  add(2, 'b1')
  await Promise.resolve()
  await Promise.resolve()
  expect([
    added.filter((name) => name.startsWith('a')).length,
    added.includes('b0'),
    added.includes('b1'),
  ]).toEqual([10, true, false])
  expect([1, 2, 3].map(lines.isFull)).toEqual([true, true, false])
  const order: string[] = []
  while (lines.size) {
    order.push(names(lines.take(4, 9000)))
    lines.settle()
  }
  await Promise.resolve()
  await Promise.resolve()
  expect(
    order
      .join(' ')
      .split(' ')
      .filter((name) => name.startsWith('a')),
  ).toEqual(Array.from({ length: 14 }, (_, n) => `a${n}`))
  expect(added).toHaveLength(16)
})

test('bounds in all: everybody waits, and comes in in turn', async () => {
  const lines = openLines<ReturnType<typeof item>>({ ...limits, most: 12 })
  for (const org of [1, 2]) for (let n = 0; n < 12; n += 1) void lines.add(org, item(`${org}.${n}`))
  void lines.add(3, item('3.0'))
  expect(lines.size).toBe(12)
  lines.take(4, 9000)
  lines.settle()
  expect(lines.size).toBe(12)
  expect(names(lines.take(6, 9000)).split(' ')).toContain('3.0')
})

test('how late: what two organisations wait, or the only one', async () => {
  const lines = openLines<ReturnType<typeof item>>(limits)
  await lines.add(1, item('a', 1000))
  expect(lines.behind(9000)).toBe(8000)
  await lines.add(2, item('b', 8500))
  expect(lines.behind(9000)).toBe(500)
  lines.take(1, 9000)
  expect(lines.behind(9000)).toBe(500)
  lines.settle()
  lines.take(1, 9000)
  // one waits, and the database does not take it
  expect(lines.behind(9000)).toBe(0)
  expect(lines.behind(14_000)).toBe(5000)
  lines.settle()
  expect(lines.behind(9000)).toBe(0)
})
