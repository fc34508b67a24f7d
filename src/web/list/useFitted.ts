import { useRef } from 'react'
import type { Column } from '../columns.tsx'
import { textWidth } from './textWidth.ts'

/**
 * Padding and a little air: letters are wider than counted. Heads are written smaller, and say by a
 * mark that they sort.
 */
const cellRoom = 28
const headRoom = 21
const sortRoom = 13
const headSize = 12 / 13
/** Where a text is cut. */
const most = 224
/** Below this a text says nothing. */
const least = 88
/** What a row is called stands first; cut more, one row is like the next. */
const leastFirst = 152

/**
 * Texts give way, widest first, until the list fits its room; none below what can still be read.
 * A list that cannot fit scrolls instead.
 */
export function squeezed<R>(columns: readonly Column<R>[], room: number): readonly Column<R>[] {
  const sum = (widths: readonly number[]) => widths.reduce((a, b) => a + b, 0)
  const widths = columns.map((column) => Number(column.width ?? 120))
  if (room <= 0 || sum(widths) <= room) return columns
  const floors = columns.map((column, index) => {
    const gives = column.fit !== undefined && column.ellipsis === true
    return gives
      ? Math.max(index === 0 ? leastFirst : least, textWidth(column.title) + cellRoom)
      : (widths[index] ?? 0)
  })
  for (let cap = most; cap >= least; cap -= 4) {
    const cut = widths.map((width, index) => Math.min(width, Math.max(cap, floors[index] ?? 0)))
    if (sum(cut) <= room)
      return columns.map((column, index) => ({ ...column, width: cut[index] ?? 120 }))
  }
  return columns
}

/**
 * Gives a column the width of its heading and of what stands below it. It grows with later rows and
 * never shrinks under the hand; another language starts anew.
 */
export function useFitted<R>(
  rows: readonly R[] | undefined,
  language: string,
  sortable: readonly string[],
): (column: Column<R>) => Column<R> {
  const held = useRef({ language, widths: new Map<string, number>() })
  if (held.current.language !== language) held.current = { language, widths: new Map() }
  const { widths } = held.current
  return (column) => {
    const { fit: textOf, key } = column
    if (!textOf || !rows || rows.length === 0) return column
    const head = textWidth(column.title) * headSize + (sortable.includes(key) ? sortRoom : 0)
    const cells = rows.map((row) => textWidth(textOf((row as Record<string, unknown>)[key], row)))
    const wanted = Math.ceil(
      Math.max(head + headRoom, Math.min(most, Math.max(...cells)) + cellRoom),
    )
    const width = Math.max(widths.get(key) ?? 0, wanted)
    widths.set(key, width)
    return { ...column, width }
  }
}
