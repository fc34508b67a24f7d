import { describe, expect, it } from 'vitest'
import { opened } from './shell/tabsList.ts'
import { topicsOfBlock } from './topics.ts'

describe('live events', () => {
  it.each([
    ['data: {"topics":["orders","devices"]}', ['orders', 'devices']],
    ['event: change\ndata: {"topics":\ndata: ["orders"]}', ['orders']],
    [': ping', []],
    ['data: nonsense', []],
    ['data: {"topics":[1,"orders"]}', ['orders']],
    ['data: null', []],
  ])('%j names %j', (block, topics) => expect(topicsOfBlock(block)).toEqual(topics))
})

describe('tabs', () => {
  const tab = (path: string, usedAt: number) => ({ path, search: '', usedAt })
  const full = Array.from({ length: 12 }, (_, index) =>
    tab(index === 0 ? '/home' : `/p${index}`, index),
  )
  it('opens once and keeps the query', () =>
    expect(opened([tab('/a', 1)], '/a', '?page=2', 5, new Set())).toEqual([
      { path: '/a', search: '?page=2', usedAt: 5 },
    ]))
  it('the oldest clean tab makes room, never home', () => {
    const next = opened(full, '/new', '', 99, new Set(['/p1']))
    expect(next).toHaveLength(12)
    expect(next.map((one) => one.path)).not.toContain('/p2')
    expect(next.map((one) => one.path)).toEqual(expect.arrayContaining(['/home', '/p1', '/new']))
  })
})
