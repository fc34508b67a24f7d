import { person } from '../../shared/person.ts'
import { queryClient, readKey, useRead } from '../api.ts'
import { call } from '../call.ts'

/**
 * A choice kept per user on the server; shown at once, saved behind. A failed save costs a choice,
 * not a message.
 */
export function usePreference<T>(
  key: string,
  check: (found: unknown) => T,
): [T, (value: T) => void] {
  const { data } = useRead(
    person.preferences,
    {},
    { inline: true, staleTime: Number.POSITIVE_INFINITY },
  )
  const save = (value: T) => {
    void queryClient.cancelQueries({ queryKey: [person.preferences.path] })
    queryClient.setQueryData(
      readKey(person.preferences, {}),
      (held: Record<string, unknown> | undefined) => ({ ...held, [key]: value }),
    )
    void call(person.savePreference, { key, value })
      .catch(() => undefined)
      .then(() => queryClient.invalidateQueries({ queryKey: [person.preferences.path] }))
  }
  return [check(data?.[key]), save]
}
