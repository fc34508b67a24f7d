import type { Endpoint } from '../shared/contract.ts'
import { href } from './base.ts'

/** Looking through a role or an organisation (src/server/view.ts): for this browser tab, until it is left or the session ends. */
type View = { readonly kind: 'role' | 'org'; readonly id: number }
const key = 'view'

function current(): View | null {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? 'null') as View | null
  } catch {
    return null
  }
}

/** What a person does for himself (signing out, layouts) is not done through a view. */
export function viewHeader(endpoint: Endpoint): readonly [string, string] | null {
  const view = endpoint.access === 'open' || (endpoint.access === 'self' && endpoint.kind === 'write') ? null : current()
  return view && [`x-view-${view.kind}`, String(view.id)]
}

export const isLooking = (): boolean => current() !== null

export function lookThrough(view: View): void {
  sessionStorage.setItem(key, JSON.stringify(view))
  sessionStorage.removeItem('tabs')
  location.assign(href('/home'))
}

/** True when there was a view; the page is then loaded anew. */
export function stopLooking(): boolean {
  if (!isLooking()) return false
  forgetView()
  sessionStorage.removeItem('tabs')
  location.assign(href('/home'))
  return true
}
export const forgetView = (): void => sessionStorage.removeItem(key)
