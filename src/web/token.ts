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

let own = localStorage.getItem(key)
/**
 * Of the session this page was opened with or began. Another tab may have put somebody else's there
 * since: this page never speaks with that one, whatever it still had to say.
 */
export const token = (): string | null => {
  const held = localStorage.getItem(key)
  return held === own ? held : null
}

export function setToken(value: string): void {
  own = value
  localStorage.setItem(key, value)
}

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
  // the session of whoever signed in meanwhile in another tab is not ours to end
  if (token() !== null || localStorage.getItem(key) === null) {
    localStorage.removeItem(key)
    localStorage.removeItem(offlineKey)
    if (message) sessionStorage.setItem(flashKey, message)
  }
  forgetView()
  sessionStorage.removeItem('tabs')
  location.reload()
}

export function takeFlash(): string | null {
  const message = sessionStorage.getItem(flashKey)
  sessionStorage.removeItem(flashKey)
  return message
}

/** Another tab of this browser signed out or signed in as somebody else, perhaps while this slept. */
export function watchToken(): void {
  const look = () => {
    if (leaving || localStorage.getItem(key) === own) return
    leaving = true
    forgetView()
    sessionStorage.removeItem('tabs')
    location.reload()
  }
  addEventListener('storage', look)
  addEventListener('pageshow', look)
  document.addEventListener('visibilitychange', look)
}
