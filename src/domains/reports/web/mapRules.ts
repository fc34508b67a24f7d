/** Four steps of the brand by the share of the largest region. */
export const shade = (count: number, most: number): 0 | 1 | 2 | 3 => {
  const share = count / most
  return share > 0.5 ? 3 : share > 0.25 ? 2 : share > 0.08 ? 1 : 0
}

/** The colour between two `#rrggbb`. */
export function mix(from: string, to: string, share: number): string {
  const part = (at: number) => {
    const [a, b] = [from, to].map((color) => Number.parseInt(color.slice(at, at + 2), 16)) as [
      number,
      number,
    ]
    return Math.round(a + (b - a) * share)
      .toString(16)
      .padStart(2, '0')
  }
  return `#${part(1)}${part(3)}${part(5)}`
}

/**
 * Upper left and lower right corner around all points, with a rim; at least some ten kilometres.
 */
export function bounds(
  points: readonly { lng: number; lat: number }[],
): [[number, number], [number, number]] | null {
  if (points.length === 0) return null
  const side = (values: number[]): [number, number] => {
    const [low, high] = [Math.min(...values), Math.max(...values)]
    const rim = Math.max(0.06, (high - low) * 0.12)
    return [low - rim, high + rim]
  }
  const [west, east] = side(points.map((point) => point.lng))
  const [south, north] = side(points.map((point) => point.lat))
  return [
    [west, north],
    [east, south],
  ]
}
