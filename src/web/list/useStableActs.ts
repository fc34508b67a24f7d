import { useRef } from 'react'
import type { RowAction } from './types.ts'

type Key = string | number

/**
 * The acts of a row with handlers that stay the same from one drawing to the next and do what the
 * newest would: a cell that looks the same need not be drawn again because of them.
 */
export function useStableActs<R>(
  actions: ((row: R) => readonly RowAction[]) | undefined,
  rows: readonly R[],
  keyOf: (row: R) => Key,
): (row: R) => readonly RowAction[] {
  const newest = useRef({ actions, rows, keyOf })
  newest.current = { actions, rows, keyOf }
  const handlers = useRef(new Map<string, () => void>())
  const handlerOf = (row: Key, act: string) => {
    const name = `${row} ${act}`
    const known = handlers.current.get(name)
    if (known) return known
    const handler = () => {
      const now = newest.current
      const found = now.rows.find((one) => now.keyOf(one) === row)
      if (found)
        now
          .actions?.(found)
          .find(({ key }) => key === act)
          ?.onClick?.()
    }
    if (handlers.current.size > most) handlers.current.clear()
    handlers.current.set(name, handler)
    return handler
  }
  return (row) =>
    (actions?.(row) ?? []).map((action) =>
      action.onClick ? { ...action, onClick: handlerOf(keyOf(row), action.key) } : action,
    )
}
const most = 2000
