import { isValidElement, type ReactElement, type ReactNode, useRef } from 'react'

/**
 * Cells of a list that say what they said before are the same elements, so that React leaves what
 * is below them alone: a list is drawn several times while a page turns, mostly with the rows it
 * has. What holds another function than before is drawn anew, as it may do something else. `asOf`: of which answer they are; a new one draws all of
 * them, so that what says how long ago it was grows older.
 */
export function useKeptCells<K>(
  asOf: unknown,
): (row: K, column: string, content: ReactNode) => ReactNode {
  const held = useRef({ asOf, cells: new Map<K, Map<string, ReactNode>>() })
  if (held.current.asOf !== asOf) held.current = { asOf, cells: new Map() }
  const { cells } = held.current
  return (row, column, content) => {
    const own = cells.get(row) ?? new Map<string, ReactNode>()
    cells.set(row, own)
    const before = own.get(column)
    if (own.has(column) && same(before, content)) return before
    own.set(column, content)
    return content
  }
}
const deepest = 6

/** Whether two contents draw the same: elements by type and what they are given. */
export function same(a: unknown, b: unknown, depth = 0): boolean {
  if (Object.is(a, b)) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (depth > deepest) return false
  if (isValidElement(a) || isValidElement(b)) {
    if (!isValidElement(a) || !isValidElement(b)) return false
    const [one, other] = [a as ReactElement, b as ReactElement]
    return (
      one.type === other.type && one.key === other.key && same(one.props, other.props, depth + 1)
    )
  }
  if (Array.isArray(a) || Array.isArray(b))
    return (
      Array.isArray(a) &&
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((one, at) => same(one, b[at], depth + 1))
    )
  if (
    Object.getPrototypeOf(a) !== Object.prototype ||
    Object.getPrototypeOf(b) !== Object.prototype
  )
    return false
  const keys = Object.keys(a)
  return (
    keys.length === Object.keys(b).length &&
    keys.every(
      (key) =>
        Object.hasOwn(b, key) &&
        same((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key], depth + 1),
    )
  )
}
