import { useCallback, useMemo } from 'react'
import { useLocation, useNavigate } from 'react-router'
import type { z } from 'zod'
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
    change: (part) => go(withChange(query, part)),
    reset: (part) => go({ pageSize: query.pageSize, sort: query.sort, ...part }),
  }
}
