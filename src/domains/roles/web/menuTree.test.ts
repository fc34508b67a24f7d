import { describe, expect, test } from 'vitest'
import type { MenuItem } from '../menuContract.ts'
import { moved, narrowed } from './menuTree.ts'

const list = [
  { id: 1, parentId: null },
  { id: 11, parentId: 1 },
  { id: 12, parentId: 1 },
  { id: 13, parentId: 1 },
  { id: 2, parentId: null },
]
const ids = (id: number, to: number) => moved(list, id, to)?.map((row) => row.id) ?? null

describe('drawing a menu', () => {
  test.each([
    [11, 13, [12, 13, 11]],
    [13, 11, [13, 11, 12]],
    [11, 12, [12, 11, 13]],
    [2, 1, [2, 1]],
    [11, 2, null],
    [11, 11, null],
  ] as [number, number, number[] | null][])('%i to the place of %i', (id, to, expected) =>
    expect(ids(id, to)).toEqual(expected),
  )
})

test('a search keeps what is found and everything above it', () => {
  const menu = (id: number, parentId: number | null, title: string) =>
    ({ id, parentId, title, titleEn: '', name: '', path: '', permission: null }) as MenuItem
  const menus = [
    menu(1, null, '系统'),
    menu(11, 1, '角色'),
    menu(12, 1, '菜单'),
    menu(2, null, '日志'),
  ]
  expect(narrowed(menus, '菜单').map((row) => row.id)).toEqual([1, 12])
})
