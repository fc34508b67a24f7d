import type { ShownRoad } from '../shown.ts'

/**
 * Where an arrow leads: along the level and on to the next one, or to the lane above or below that
 * covers the column.
 */
export function neighbour(
  rows: readonly (readonly ShownRoad[])[],
  road: ShownRoad,
  key: string,
): ShownRoad | undefined {
  const row = rows.findIndex((lanes) => lanes.includes(road))
  const here = rows[row] ?? []
  const index = here.indexOf(road)
  if (key === 'ArrowLeft') return here[index - 1] ?? rows[row - 1]?.at(-1)
  if (key === 'ArrowRight') return here[index + 1] ?? rows[row + 1]?.[0]
  if (key === 'Home') return here[0]
  if (key === 'End') return here.at(-1)
  const other = key === 'ArrowUp' ? rows[row - 1] : key === 'ArrowDown' ? rows[row + 1] : undefined
  return other?.findLast((candidate) => candidate.column <= road.column) ?? other?.[0]
}
