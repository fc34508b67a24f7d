import { describe, expect, it, test } from 'vitest'
import { bi } from '../shared/text.ts'
import { menusAreFine, pathsOf, readUser } from './menus.ts'
import { pagesFor, searchLeaves } from './shell/menuSearch.ts'

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

test('a page is found by name also where no menu shows it, by whom it is for', () => {
  const screens = [
    { path: '/organ/organ-user', title: bi('组织用户', 'Users'), permission: 'user:read' },
    {
      path: '/organ/online-users',
      title: bi('在线用户', 'Online users'),
      permission: 'user:read',
      parent: '/organ/organ-user',
    },
    { path: '/organ/organ-user/:id', title: bi('用户', 'User'), permission: 'user:read' },
    { path: '/log/operate-log', title: bi('操作日志', 'Log'), permission: 'log:read' },
    { path: '/info', title: bi('个人中心', 'Profile'), permission: 'self' },
  ] as const
  const hidden = { ...leaf, path: '/organ/organ-user', hidden: true }
  const menus = [{ ...leaf, path: '/organ', title: '组织', titleEn: '', children: [leaf, hidden] }]
  const found = (query: string, permissions = ['user:read']) =>
    searchLeaves(pagesFor({ menus, permissions }, screens), query).map(({ node }) => node.path)
  expect(found('用户')).toEqual(['/organ/organ-user', '/organ/online-users'])
  expect(found('组织')).toEqual(['/a', '/organ/organ-user', '/organ/online-users'])
  expect(found('用户', [])).toEqual([])
  expect(found('日志', ['log:read'])).toEqual([])
  expect(found('profile')).toEqual(['/info'])
})
