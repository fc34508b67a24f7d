import type { CurrentUser } from '../shared/person.ts'
import type { Screen } from '../shared/screens.ts'
import { pathsOf } from './menus.ts'

/** Paths open without a session: the specification's (section 2), and those that a code leads to. */
export const publicPaths: readonly string[] = [
  '/login',
  '/404',
  '/commodityimg',
  '/bind-referrer',
  '/confirm-transfer',
  '/screen',
]

/** Children of the root layout: open for every signed-in user. */
const rootChildren: readonly string[] = [
  '/',
  '/home',
  '/best-selling-products',
  '/offline-equipment',
  '/online-platform',
  '/info',
  '/pwd',
  '/bindOpenId',
  '/notice',
]

export type UserState =
  | { readonly is: 'unknown' }
  | { readonly is: 'failed' }
  /** A failure that already carries a text for people. */
  | { readonly is: 'error'; readonly message: string }
  | { readonly is: 'badMenus' }
  | { readonly is: 'known'; readonly user: CurrentUser }

export type Action =
  | { readonly do: 'open' }
  | { readonly do: 'redirect'; readonly to: string }
  | { readonly do: 'loadUser' }
  | {
      readonly do: 'leave'
      readonly message: 'error.user' | 'error.menus' | { readonly text: string }
    }

/**
 * `/device/device-list/edit/:id` to the pattern that matches it; an id may be left out (settled
 * difference 12).
 */
export const screenPattern = (path: string): RegExp =>
  new RegExp(`^${path.replace(/[.+?()[\]]/g, '\\$&').replace(/\/:\w+/g, '(?:/[^/]+)?')}/?$`)

export const screenOf = (path: string, screens: readonly Screen[]): Screen | undefined =>
  screens.find((screen) => screen.path === path) ??
  screens.find((screen) => screenPattern(screen.path).test(path))

const below = (path: string, parent: string) => path === parent || path.startsWith(`${parent}/`)

/**
 * A menu node, hidden or not, authorises its own path and everything below it; a sub-page travels
 * with its parent.
 */
export function isAllowed(
  path: string,
  user: Pick<CurrentUser, 'menus'>,
  screens: readonly Screen[],
): boolean {
  if (rootChildren.includes(path)) return true
  const screen = screenOf(path, screens)
  if (screen && screen.permission === 'self' && screen.parent === undefined) return true
  const allowed = pathsOf(user.menus)
  return allowed.some(
    (node) => below(path, node) || (screen?.parent !== undefined && below(screen.parent, node)),
  )
}

export const isKnown = (path: string, screens: readonly Screen[]): boolean =>
  publicPaths.includes(path) || path === '/' || screenOf(path, screens) !== undefined

/**
 * The specification lists role management in the menu of organisations, its page below /system; its
 * device list has a child `list`.
 */
const moved: Readonly<Record<string, string>> = {
  '/organ/organ-role': '/system/organ-role',
  '/device/device-list/list': '/device/device-list',
}

const notFound = (path: string): Action => ({
  do: 'redirect',
  to: `/404?from=${encodeURIComponent(path)}`,
})

/**
 * The route guard (specification, section 4; product book, "Route guard"), one decision per row.
 * `target` includes the query.
 */
export function decide(state: {
  readonly hasToken: boolean
  readonly target: string
  readonly user: UserState
  readonly screens: readonly Screen[]
}): Action {
  const given = state.target.replace(/[?#].*$/, '')
  const path = given.replace(/(.)\/$/, '$1')
  const { user } = state
  const now = moved[path]
  if (now) return { do: 'redirect', to: now }
  if (!isKnown(path, state.screens)) return notFound(path)
  if (!state.hasToken) {
    if (publicPaths.includes(path)) return { do: 'open' }
    return {
      do: 'redirect',
      to: path === '/' ? '/login' : `/login?redirect=${encodeURIComponent(state.target)}`,
    }
  }
  // the phone that scanned a code may itself be signed in
  // and so may whoever opens the link that takes a change back
  if (path === '/login' && !/[?&]mode=(phone|undo)(&|$)/.test(state.target))
    return { do: 'redirect', to: '/' }
  if (publicPaths.includes(path)) return { do: 'open' }
  if (user.is === 'unknown') return { do: 'loadUser' }
  if (user.is === 'badMenus') return { do: 'leave', message: 'error.menus' }
  if (user.is === 'failed') return { do: 'leave', message: 'error.user' }
  if (user.is === 'error') return { do: 'leave', message: { text: user.message } }
  if (user.user.mustChangePassword)
    return path === '/pwd' ? { do: 'open' } : { do: 'redirect', to: '/pwd' }
  if (user.user.mustSetUpFactor)
    return path === '/info' ? { do: 'open' } : { do: 'redirect', to: '/info' }
  if (path === '/') return { do: 'redirect', to: '/home' }
  if (!isAllowed(path, user.user, state.screens)) return notFound(path)
  // one address for a page, so that it has one tab
  if (path !== given) return { do: 'redirect', to: path + state.target.slice(given.length) }
  return { do: 'open' }
}
