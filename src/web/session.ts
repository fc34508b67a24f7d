import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query'
import { type CurrentUser, person } from '../shared/person.ts'
import { queryClient } from './api.ts'
import { call, isApiError, messageOf, whenRightsChange } from './call.ts'
import type { UserState } from './guard.ts'
import { readUser } from './menus.ts'
import { endSession, offlineKey, token } from './token.ts'
import { stopLooking } from './view.ts'

const key = ['session.user'] as const

type Remembered = { readonly token: string; readonly user: CurrentUser }
/** Knows the person again without the network, as long as the session is the same. */
export function rememberUser(user: CurrentUser): void {
  if (user.view || token() === null) return
  const kept: Remembered = { token: markOf(token()), user }
  localStorage.setItem(offlineKey, JSON.stringify(kept))
}
const markOf = (held: string | null): string => (held ?? '').slice(-16)
function remembered(): CurrentUser | null {
  try {
    const kept = JSON.parse(localStorage.getItem(offlineKey) ?? 'null') as Remembered | null
    return kept?.token === markOf(token()) ? kept.user : null
  } catch {
    return null
  }
}
/** The network is there and does not answer: a known person waits no longer, in milliseconds. */
const patience = 5000

/**
 * Never rejects: every outcome is a state the guard decides on. A failure of our own (time-out, no
 * network) is shown by its message.
 */
async function fetchUser(): Promise<UserState> {
  const known = remembered()
  const limit = known ? { signal: AbortSignal.timeout(patience) } : {}
  try {
    const found = readUser(await call(person.user, {}, limit))
    if (found === 'menus') return { is: 'badMenus' }
    return found === 'user' ? { is: 'failed' } : { is: 'known', user: found }
  } catch (error) {
    if (known && isApiError(error) && (error.kind !== 'refused' || error.code >= 500_000)) {
      addEventListener('online', () => void queryClient.invalidateQueries({ queryKey: key }), {
        once: true,
      })
      return { is: 'known', user: known }
    }
    // the role or organisation is gone, or may no longer be looked through
    if (isApiError(error) && error.kind === 'refused' && stopLooking()) return { is: 'unknown' }
    return isApiError(error) && error.kind !== 'refused'
      ? { is: 'error', message: messageOf(error) }
      : { is: 'failed' }
  }
}

/**
 * Menus and buttons follow without a reload. A failure in between keeps what is known: the next
 * answer tells again.
 */
whenRightsChange(async () => {
  const state = await fetchUser()
  if (queryClient.getQueryData(key) && (state.is === 'known' || state.is === 'badMenus'))
    queryClient.setQueryData(key, state)
})

/** The signed-in user as the guard sees it; `unknown` until the first answer. */
export function useUserState(enabled: boolean): UserState {
  const found: UseQueryResult<UserState> = useQuery({
    queryKey: key,
    queryFn: fetchUser,
    enabled,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
  })
  return found.data ?? { is: 'unknown' }
}

/** The signed-in user; only below the guard. */
export function useUser(): CurrentUser {
  const state = useQueryClient().getQueryData<UserState>(key)
  useUserState(false)
  if (state?.is !== 'known') throw new Error('useUser outside the guard')
  return state.user
}

/** True when the user holds the permission code. For buttons of a record use its `can` instead. */
export function useMay(): (permission: string) => boolean {
  const user = useUser()
  return (permission) => user.permissions.includes(permission)
}

/** Asked before somebody leaves on purpose; false: he stays. */
let mayLeave: () => Promise<boolean> = async () => true
export function askBeforeLogout(ask: typeof mayLeave): void {
  mayLeave = ask
}

/** Ends the session on the server as far as it answers, and here in any case. */
export async function logout(): Promise<void> {
  if (!(await mayLeave())) return
  await Promise.race([
    call(person.logout, {}, { signIn: true }).catch(() => undefined),
    new Promise((resolve) => setTimeout(resolve, 3000)),
  ])
  endSession(undefined, { back: false })
}
