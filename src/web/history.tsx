import { type ReactNode, startTransition, useLayoutEffect, useState } from 'react'
import {
  createPath,
  type Location,
  type NavigationType,
  type Navigator,
  parsePath,
  Router,
  type To,
} from 'react-router'
import { basePath } from './base.ts'

/** Asked before the page is left for another one; answers whether to go. */
type Question = () => Promise<boolean>
type Guard = { readonly leaves: (from: string, to: string) => boolean; readonly ask: Question }
type Shown = { readonly action: `${NavigationType}`; readonly location: Location }

/**
 * What an entry of the browser's history holds: which one it is, so that a step over several can be
 * undone.
 */
type Entry = { readonly at?: number; readonly key?: string; readonly state?: unknown } | null
const entry = () => window.history.state as Entry
const location = (): Location => {
  const { pathname, search, hash } = window.location
  return { pathname, search, hash, state: entry()?.state ?? null, key: entry()?.key ?? 'default' }
}

let at = entry()?.at ?? 0
if (typeof entry()?.at !== 'number') window.history.replaceState({ ...entry(), at }, '')
let show: (shown: Shown) => void = () => undefined
let guard: Guard | null = null
/** The address on the screen; after a step back the browser's is already the next one. */
let here = window.location.pathname
/** A step back that was undone, or is done after the answer: its event is not a new one. */
let ignored = 0

/** One guard at a time; the shell owns it. */
export function guardLeaving(next: Guard): () => void {
  guard = next
  return () => {
    if (guard === next) guard = null
  }
}

const partsOf = (to: To) => (typeof to === 'string' ? parsePath(to) : to)

/** Goes to an address, after the question where something unsaved would be left. */
function gate(to: To, action: 'PUSH' | 'REPLACE', state: unknown): void {
  const { pathname = window.location.pathname, search = '', hash = '' } = partsOf(to)
  const go = () => {
    at += action === 'PUSH' ? 1 : 0
    const next = { at, key: crypto.getRandomValues(new Uint32Array(1))[0]?.toString(36), state }
    const path = createPath({ pathname, search, hash })
    if (action === 'PUSH') window.history.pushState(next, '', path)
    else window.history.replaceState(next, '', path)
    here = window.location.pathname
    show({ action, location: location() })
  }
  if (!guard?.leaves(here, pathname)) return go()
  void guard.ask().then((yes) => {
    if (yes) go()
  })
}

const navigator: Navigator = {
  createHref: (to) => (typeof to === 'string' ? to : createPath(to)),
  encodeLocation: (to) => {
    const { pathname, search, hash } = new URL(
      typeof to === 'string' ? to : createPath(to),
      window.location.href,
    )
    return { pathname, search, hash }
  },
  go: (steps) => window.history.go(steps),
  push: (to, state) => gate(to, 'PUSH', state),
  replace: (to, state) => gate(to, 'REPLACE', state),
}

/**
 * The browser went back or on by itself: it is there already, and goes back while the person is
 * asked.
 */
function popped(): void {
  const delta = (entry()?.at ?? at) - at
  at += delta
  if (ignored > 0) {
    ignored -= 1
    return
  }
  const { pathname } = window.location
  if (delta !== 0 && guard?.leaves(here, pathname)) {
    const { ask } = guard
    ignored += 1
    window.history.go(-delta)
    void ask().then((yes) => {
      if (!yes) return
      guard = null
      window.history.go(delta)
    })
    return
  }
  here = pathname
  show({ action: 'POP', location: location() })
}

/**
 * The router without its data layer (reads are TanStack Query's), with a question before unsaved
 * work is left: a blocker of the router's own needs that layer.
 */
export function AppRouter({ children }: { children: ReactNode }) {
  const [shown, setShown] = useState<Shown>(() => ({ action: 'POP', location: location() }))
  useLayoutEffect(() => {
    show = (next) => startTransition(() => setShown(next))
    addEventListener('popstate', popped)
    return () => removeEventListener('popstate', popped)
  }, [])
  return (
    <Router
      basename={basePath().replace(/\/$/, '') || '/'}
      location={shown.location}
      navigationType={shown.action as NavigationType}
      navigator={navigator}
    >
      {children}
    </Router>
  )
}
