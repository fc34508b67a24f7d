import { describe, expect, it } from 'vitest'
import type { CurrentUser, MenuNode } from '../shared/person.ts'
import type { Screen } from '../shared/screens.ts'
import { decide, isAllowed, screenOf, type UserState } from './guard.ts'

const node = (path: string, children: MenuNode[] = [], hidden = false): MenuNode => ({
  name: path.slice(1),
  path,
  title: path,
  titleEn: path,
  icon: '',
  sort: 1,
  hidden,
  children,
})
const user: CurrentUser = {
  id: 1,
  username: 'operator',
  realName: '',
  role: 'ROLE_RTU_SP',
  is_superuser: false,
  img: '',
  title: '',
  permissions: [],
  orgId: 1,
  orgName: '',
  view: null,
  readOnly: false,
  canViewAs: false,
  mustChangePassword: false,
  mustSetUpFactor: false,
  menus: [
    node('/device', [node('/device/device-list')]),
    node('/finance', [node('/finance/busManager', [], true)]),
  ],
}
const ofRoot = ['/home', '/info', '/pwd', '/extra']
const screen = (path: string, parent?: string): Screen => ({
  path,
  title: path,
  permission: ofRoot.includes(path) ? 'self' : 'device:read',
  ...(parent ? { parent } : {}),
})
const screens = [
  screen('/device/device-list'),
  screen('/device/device-list/edit/:id'),
  screen('/device/create-one', '/device/device-list'),
  screen('/system/organ-role'),
  screen('/finance/busManager'),
  screen('/finance/busManager/create'),
  ...ofRoot.map((path) => screen(path)),
]
const known: UserState = { is: 'known', user }
const at = (target: string, hasToken: boolean, state: UserState = { is: 'unknown' }) =>
  decide({ hasToken, target, user: state, screens })

describe('route guard', () => {
  it.each(['/login', '/404', '/commodityimg', '/commodityimg?id=3', '/login/'])(
    'without a token %s is open',
    (target) => expect(at(target, false)).toEqual({ do: 'open' }),
  )
  it('with a token /login leads home, unless this is the phone that scanned a code', () => {
    expect(at('/login?mode=scan', true)).toEqual({ do: 'redirect', to: '/' })
    expect(at('/login?mode=phone&t=x', true)).toEqual({ do: 'open' })
  })
  it('without a token another known path goes to the login page and comes back', () => {
    expect(at('/device/device-list?page=2', false)).toEqual({
      do: 'redirect',
      to: '/login?redirect=%2Fdevice%2Fdevice-list%3Fpage%3D2',
    })
    expect(at('/', false)).toEqual({ do: 'redirect', to: '/login' })
  })
  it.each([true, false])('an unknown path is not found (token: %s)', (hasToken) =>
    expect(at('/nope?x=1', hasToken, known)).toEqual({ do: 'redirect', to: '/404?from=%2Fnope' }),
  )
  it('with a token the login page leads home', () => {
    expect(at('/login', true)).toEqual({ do: 'redirect', to: '/' })
    expect(at('/', true, known)).toEqual({ do: 'redirect', to: '/home' })
  })
  it('loads the user before anything else', () =>
    expect(at('/home', true)).toEqual({ do: 'loadUser' }))
  it.each([
    [{ is: 'failed' }, 'error.user'],
    [{ is: 'badMenus' }, 'error.menus'],
    [{ is: 'error', message: 'timed out' }, { text: 'timed out' }],
  ] as [UserState, unknown][])('%o ends the session with its message', (state, message) =>
    expect(at('/home', true, state)).toEqual({ do: 'leave', message }),
  )
  it('a path of the product outside the menus is not found', () =>
    expect(at('/system/organ-role', true, known)).toEqual({
      do: 'redirect',
      to: '/404?from=%2Fsystem%2Forgan-role',
    }))
  it.each([
    '/home',
    '/info',
    '/pwd',
    '/extra',
    '/device/device-list',
    '/device/device-list/edit/3',
    '/device/device-list/edit',
    '/device/create-one',
    '/finance/busManager/create',
  ])('%s is open for the user', (target) => expect(at(target, true, known)).toEqual({ do: 'open' }))
  it.each(['/nope', '/best-selling-products'])('%s has no page and is not found', (target) =>
    expect(at(target, true, known)).toEqual({
      do: 'redirect',
      to: `/404?from=${encodeURIComponent(target)}`,
    }),
  )
  it('a page has one address', () => {
    expect(at('/device/device-list/?page=2', true, known)).toEqual({
      do: 'redirect',
      to: '/device/device-list?page=2',
    })
    expect(at('/device/device-list/list', true, known)).toEqual({
      do: 'redirect',
      to: '/device/device-list',
    })
  })
  it('a first password must be changed before anything else', () => {
    const fresh: UserState = { is: 'known', user: { ...user, mustChangePassword: true } }
    expect(at('/home', true, fresh)).toEqual({ do: 'redirect', to: '/pwd' })
    expect(at('/pwd', true, fresh)).toEqual({ do: 'open' })
  })
  it('a second factor that the platform wants is set up before anything else', () => {
    const bare: UserState = { is: 'known', user: { ...user, mustSetUpFactor: true } }
    expect(at('/home', true, bare)).toEqual({ do: 'redirect', to: '/info' })
    expect(at('/info', true, bare)).toEqual({ do: 'open' })
  })
  it('the link that takes a change back opens whoever is signed in', () =>
    expect(at('/login?mode=undo', true, known)).toEqual({ do: 'open' }))
})

describe('screens', () => {
  it('prefers the exact path over a pattern', () =>
    expect(screenOf('/device/device-list', screens)?.path).toBe('/device/device-list'))
  it('a prefix is a whole segment', () =>
    expect(isAllowed('/device/device-listing', user, screens)).toBe(false))
})
