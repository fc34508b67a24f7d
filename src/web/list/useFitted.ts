import { useRef } from 'react'
import type { Column } from '../columns.tsx'
import { textWidth } from './textWidth.ts'

/** Padding of a cell, and a little air. */
const cellRoom = 32

/** Gives a text column the width of what stands in it. It grows with later rows and never shrinks under the hand; another language starts anew. */
export function useFitted<R>(
  rows: readonly R[] | undefined,
  language: string,
): (column: Column<R>) => Column<R> {
  const held = useRef({ language, widths: new Map<string, number>() })
  if (held.current.language !== language) held.current = { language, widths: new Map() }
  const { widths } = held.current
  return (column) => {
    const { fit, key } = column
    if (!fit || !rows || rows.length === 0) return column
    const longest = Math.max(...rows.map((row) => widthOf(row, key, fit.text)))
    const wanted = Math.min(fit.most, Math.max(fit.least, longest + cellRoom))
    const width = Math.max(widths.get(key) ?? 0, wanted)
    widths.set(key, width)
    return { ...column, width }
  }
}

function widthOf<R>(row: R, key: string, text: (value: unknown) => string): number {
  const value = (row as Record<string, unknown>)[key]
  return value === null || value === undefined ? 0 : textWidth(text(value))
}
