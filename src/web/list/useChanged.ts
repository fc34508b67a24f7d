import { useEffect, useRef, useState } from 'react'

type Key = string | number
const none: ReadonlySet<Key> = new Set()
const lasts = 1000

/** Rows that are new or different since the same query was last answered, for one second. */
export function useChanged<R>(
  rows: readonly R[] | undefined,
  keyOf: (row: R) => Key,
  query: string,
): ReadonlySet<Key> {
  const held = useRef<{ query: string; texts: ReadonlyMap<Key, string> } | null>(null)
  const [changed, setChanged] = useState(none)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key of a row never changes its meaning
  useEffect(() => {
    if (!rows) return
    const texts = new Map(rows.map((row) => [keyOf(row), JSON.stringify(row)]))
    const before = held.current
    held.current = { query, texts }
    const found =
      before?.query === query
        ? [...texts].filter(([key, text]) => before.texts.get(key) !== text).map(([key]) => key)
        : []
    setChanged(found.length > 0 ? new Set(found) : none)
    if (found.length === 0) return
    const timer = setTimeout(() => setChanged(none), lasts)
    return () => clearTimeout(timer)
  }, [rows, query])
  return changed
}
