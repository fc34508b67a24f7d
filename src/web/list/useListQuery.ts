import { useCallback, useMemo } from 'react'
import { useLocation, useNavigate } from 'react-router'
import type { z } from 'zod'
import { say } from '../../shared/text.ts'
import { prefs } from '../prefs.ts'
import { toast } from '../toast.ts'
import { type Query, readQuery, withChange, writeQuery } from './listUrl.ts'

/** The address is the list's state: reload, back and a copied link show the same rows. */
export function useListQuery(
  input: z.ZodObject,
  fixed: Query,
): { query: Query; change: (part: Query) => void; reset: (part: Query) => void } {
  const { search, pathname } = useLocation()
  const navigate = useNavigate()
  const fixedKey = JSON.stringify(fixed)
  // biome-ignore lint/correctness/useExhaustiveDependencies: compared by content
  const query = useMemo(() => readQuery(input, search, fixed), [input, search, fixedKey])
  // biome-ignore lint/correctness/useExhaustiveDependencies: compared by content
  const go = useCallback(
    (next: Query) =>
      navigate(pathname + writeQuery(input, next, search, fixed), { replace: false }),
    [input, search, pathname, navigate, fixedKey],
  )
  return {
    query,
    change: (part) => {
      const next = withChange(query, part)
      // fields that do not fit together: said, and the list stays as it is
      const { error } = input.safeParse(next)
      const refused = error?.issues.find(({ code }) => code === 'custom')
      if (refused) toast('error', say(refused.message, prefs().lang))
      else go(next)
    },
    reset: (part) => go({ pageSize: query.pageSize, sort: query.sort, ...part }),
  }
}
