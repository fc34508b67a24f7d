import { href } from './base.ts'
import { forgetView } from './view.ts'

/**
 * The session token; the key is the specification's. Also what must survive the reload after a
 * logout.
 */
const key = 'Authorization'
const flashKey = 'flash'
/** Who is signed in, for pages that work without the network (session.ts). */
export const offlineKey = 'offline.user'

export const token = (): string | null => localStorage.getItem(key)
export const setToken = (value: string): void => localStorage.setItem(key, value)

let leaving = false
/** True once this page is being left on purpose: no "unsaved changes" question then. */
export const isLeaving = (): boolean => leaving

/**
 * Ends the session in this browser once, however many calls failed; `message` is shown on the login
 * page. Signing in leads back to the open page, unless the person left on purpose: the next one at
 * this desk may not see it.
 */
export function endSession(message?: string, { back = true } = {}): void {
  if (leaving) return
  leaving = true
  if (!back) history.replaceState(null, '', href('/'))
  localStorage.removeItem(key)
  localStorage.removeItem(offlineKey)
  forgetView()
  sessionStorage.removeItem('tabs')
  if (message) sessionStorage.setItem(flashKey, message)
  location.reload()
}

export function takeFlash(): string | null {
  const message = sessionStorage.getItem(flashKey)
  sessionStorage.removeItem(flashKey)
  return message
}

/** Another tab of this browser signed out or signed in as somebody else. */
export function watchToken(): void {
  const own = token()
  addEventListener('storage', (event) => {
    if (leaving || event.key !== key || event.newValue === own) return
    leaving = true
    forgetView()
    sessionStorage.removeItem('tabs')
    location.reload()
  })
}
