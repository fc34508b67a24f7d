import { href, safeRedirect } from '../../../web/base.ts'
import { setToken } from '../../../web/token.ts'

/** Keeps the token and goes where the person wanted to. */
export function enter(token: string): void {
  setToken(token)
  history.replaceState(
    null,
    '',
    href(safeRedirect(new URLSearchParams(location.search).get('redirect'))),
  )
  dispatchEvent(new PopStateEvent('popstate'))
}

/** What a sign-in answered: inside, or on to the second step. False when it was neither. */
export function admitted(
  answer: { token?: string | undefined; factorTicket?: string | undefined },
  onFactor: (ticket: string) => void,
): boolean {
  if (answer.token) enter(answer.token)
  else if (answer.factorTicket) onFactor(answer.factorTicket)
  else return false
  return true
}
