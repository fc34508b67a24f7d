import type { Endpoint } from '../shared/contract.ts'
import { currentPath, href, safeRedirect } from './base.ts'

/**
 * Looking through a role or an organisation (src/server/view.ts): for this browser tab, until it is
 * left or the session ends.
 */
type View = { readonly kind: 'role' | 'org'; readonly id: number }
/** With the page to come back to. */
type Kept = View & { readonly from: string }
const key = 'view'

function current(): Kept | null {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? 'null') as Kept | null
  } catch {
    return null
  }
}

/** What a person does for himself (signing out, layouts) is not done through a view. */
export function viewHeader(endpoint: Endpoint): readonly [string, string] | null {
  const view =
    endpoint.access === 'open' || (endpoint.access === 'self' && endpoint.kind === 'write')
      ? null
      : current()
  return view && [`x-view-${view.kind}`, String(view.id)]
}

export function lookThrough(view: View): void {
  const from = current()?.from ?? currentPath() + location.search
  sessionStorage.setItem(key, JSON.stringify({ ...view, from } satisfies Kept))
  sessionStorage.removeItem('tabs')
  location.assign(href('/home'))
}

/** True when there was a view; the page is then loaded anew. */
export function stopLooking(): boolean {
  const view = current()
  if (!view) return false
  forgetView()
  sessionStorage.removeItem('tabs')
  location.assign(href(safeRedirect(view.from)))
  return true
}
export const forgetView = (): void => sessionStorage.removeItem(key)
