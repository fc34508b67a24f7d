import { type ReactNode, startTransition, useLayoutEffect, useState } from 'react'
import { UNSAFE_createBrowserHistory as createBrowserHistory, type Navigator, Router } from 'react-router'
import { basePath } from './base.ts'

/** Asked before the page is left for another one; answers whether to go. */
type Question = () => Promise<boolean>

const history = createBrowserHistory({ v5Compat: true })
type Guard = { readonly leaves: (from: string, to: string) => boolean; readonly ask: Question }
let guard: Guard | null = null
/** The address on the screen; after a step back the browser's is already the next one. */
let here = history.location.pathname
/** A step back that was undone, or is done after the answer: its event is not a new one. */
let ignored = 0

/** One guard at a time; the shell owns it. */
export function guardLeaving(next: Guard): () => void {
  guard = next
  return () => {
    if (guard === next) guard = null
  }
}

const pathOf = (to: Parameters<Navigator['push']>[0]): string => (typeof to === 'string' ? to.replace(/[?#].*$/, '') : (to.pathname ?? ''))

function gate(to: Parameters<Navigator['push']>[0], go: () => void): void {
  if (!guard?.leaves(here, pathOf(to))) return go()
  void guard.ask().then((yes) => {
    if (yes) go()
  })
}

const navigator: Navigator = {
  createHref: history.createHref,
  encodeLocation: history.encodeLocation,
  go: history.go,
  push: (to, state) => gate(to, () => history.push(to, state)),
  replace: (to, state) => gate(to, () => history.replace(to, state)),
}

type Shown = { readonly action: typeof history.action; readonly location: typeof history.location }
type Update = Shown & { readonly delta: number | null }

/** The router without its data layer (reads are TanStack Query's), with a question before unsaved work is left. */
export function AppRouter({ children }: { children: ReactNode }) {
  const [shown, setShown] = useState<Shown>({ action: history.action, location: history.location })
  useLayoutEffect(
    () =>
      history.listen((update: Update) => {
        if (ignored > 0) {
          ignored -= 1
          return
        }
        const { delta } = update
        if (update.action === 'POP' && delta && guard?.leaves(here, update.location.pathname)) {
          const { ask } = guard
          ignored += 1
          history.go(-delta)
          void ask().then((yes) => {
            if (yes) {
              guard = null
              history.go(delta)
            }
          })
          return
        }
        here = update.location.pathname
        startTransition(() => setShown({ action: update.action, location: update.location }))
      }),
    [],
  )
  return (
    <Router basename={basePath().replace(/\/$/, '') || '/'} location={shown.location} navigationType={shown.action} navigator={navigator}>
      {children}
    </Router>
  )
}
