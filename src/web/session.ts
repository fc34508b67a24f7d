import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query'
import { type CurrentUser, person } from '../shared/person.ts'
import { queryClient } from './api.ts'
import { call, isApiError, messageOf, whenRightsChange } from './call.ts'
import type { UserState } from './guard.ts'
import { readUser } from './menus.ts'
import { endSession } from './token.ts'
import { stopLooking } from './view.ts'

const key = ['session.user'] as const

/**
 * Never rejects: every outcome is a state the guard decides on. A failure of our own (time-out, no
 * network) is shown by its message.
 */
async function fetchUser(): Promise<UserState> {
  try {
    const found = readUser(await call(person.user, {}))
    if (found === 'menus') return { is: 'badMenus' }
    return found === 'user' ? { is: 'failed' } : { is: 'known', user: found }
  } catch (error) {
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

/** Ends the session on the server as far as it answers, and here in any case. */
export async function logout(): Promise<void> {
  await Promise.race([
    call(person.logout, {}, { signIn: true }).catch(() => undefined),
    new Promise((resolve) => setTimeout(resolve, 3000)),
  ])
  endSession(undefined, { back: false })
}
