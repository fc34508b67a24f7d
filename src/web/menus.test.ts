import { describe, expect, it } from 'vitest'
import { menusAreFine, pathsOf, readUser } from './menus.ts'

const leaf = {
  name: 'a',
  path: '/a',
  title: 'A',
  titleEn: 'A',
  icon: '',
  sort: 1,
  hidden: false,
  children: [],
}

describe('menus of GET /auth/user', () => {
  it.each([
    [undefined],
    [null],
    ['x'],
    [{}],
    [[null]],
    [[{ path: '/a' }]],
    [[{ name: '', path: '/a' }]],
    [[{ name: 'a', path: 1 }]],
    [[{ ...leaf, children: 'x' }]],
    [[{ ...leaf, children: [{ name: 'b' }] }]],
  ])('%o cannot be parsed', (menus) => {
    expect(menusAreFine(menus)).toBe(false)
    expect(readUser({ menus })).toBe('menus')
  })
  it('an empty list and nested nodes are fine', () => {
    expect(menusAreFine([])).toBe(true)
    expect(menusAreFine([{ ...leaf, children: [leaf] }])).toBe(true)
  })
  it('a user without its own fields is no user', () => expect(readUser({ menus: [] })).toBe('user'))
  it('hidden leaves authorise, groups do not', () =>
    expect(pathsOf([{ ...leaf, path: '/g', children: [{ ...leaf, hidden: true }] }])).toEqual([
      '/a',
    ]))
})
