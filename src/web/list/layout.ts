/** What a person set for one list: order and hidden columns, density. */
export type Density = 'compact' | 'standard' | 'loose'
export type Layout = {
  readonly order: readonly string[]
  readonly hidden: readonly string[] | null
  readonly density: Density
}

const strings = (found: unknown): string[] =>
  Array.isArray(found) ? found.filter((item) => typeof item === 'string') : []

/** Settings may come from an older build: anything unknown is ignored. */
export function readLayout(found: unknown): Layout {
  const { order, hidden, density } = (
    typeof found === 'object' && found !== null ? found : {}
  ) as Record<string, unknown>
  return {
    order: strings(order),
    hidden: Array.isArray(hidden) ? strings(hidden) : null,
    density: density === 'compact' || density === 'loose' ? density : 'standard',
  }
}

/**
 * Columns in the person's order; those the settings do not know keep their place after the one
 * before them.
 */
export function arrange<C extends { key: string; defaultHidden?: boolean }>(
  columns: readonly C[],
  layout: Layout,
): { column: C; shown: boolean }[] {
  const known = layout.order.filter((key) => columns.some((column) => column.key === key))
  const keys = [...known]
  for (const [index, column] of columns.entries()) {
    if (known.includes(column.key)) continue
    const before = columns[index - 1]
    keys.splice(before ? keys.indexOf(before.key) + 1 : 0, 0, column.key)
  }
  return keys.flatMap((key) => {
    const column = columns.find((candidate) => candidate.key === key)
    return column
      ? [{ column, shown: layout.hidden ? !layout.hidden.includes(key) : !column.defaultHidden }]
      : []
  })
}
