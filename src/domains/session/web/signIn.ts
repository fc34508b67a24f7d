import type { z } from 'zod'
import { say } from '../../../shared/text.ts'
import { href, safeRedirect } from '../../../web/base.ts'
import { isApiError, messageOf } from '../../../web/call.ts'
import { prefs } from '../../../web/prefs.ts'
import { setToken } from '../../../web/token.ts'

/** Messages by field; `form` stands above the fields. */
export type Errors = Partial<Record<string, string>>

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

/** The first message of each field of an input that does not fit. */
export function problemsOf(error: z.ZodError): Errors {
  const found: Errors = {}
  for (const issue of error.issues)
    found[String(issue.path[0] ?? 'form')] ??= say(issue.message, prefs().lang)
  return found
}

/** A refusal at its fields, or by `claims` (error name to field), or above the form. */
export function errorsOf(error: unknown, claims: Readonly<Record<string, string>> = {}): Errors {
  if (isApiError(error) && error.errors.length > 0)
    return Object.fromEntries(error.errors.map((entry) => [entry.field, entry.message]))
  const field = isApiError(error) ? claims[error.error] : undefined
  return { [field ?? 'form']: messageOf(error) }
}
