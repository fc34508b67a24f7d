import { round6 } from '../../shared/place.ts'

/** Even-odd over all borders of an area, holes included; borders are x and y in turn. */
export function holds(rings: readonly (readonly number[])[], x: number, y: number): boolean {
  let inside = false
  for (const ring of rings) {
    for (let i = 0, j = ring.length - 2; i < ring.length; j = i, i += 2) {
      const [xi, yi, xj, yj] = [
        ring[i] as number,
        ring[i + 1] as number,
        ring[j] as number,
        ring[j + 1] as number,
      ]
      if (yi > y !== yj > y && x < ((xj - xi) * (y - yi)) / (yj - yi) + xi) inside = !inside
    }
  }
  return inside
}

/** Kilometres between two positions, good enough for "which is nearer". */
export function distance(a: { lng: number; lat: number }, b: { lng: number; lat: number }): number {
  const east = (a.lng - b.lng) * Math.cos((((a.lat + b.lat) / 2) * Math.PI) / 180)
  return Math.hypot(east, a.lat - b.lat) * 111.2
}

/**
 * `113.95, 22.54`: what map pages and phones copy; the larger number is the longitude, whichever
 * comes first.
 */
export function writtenPosition(text: string): { lng: number; lat: number } | null {
  const found = /^\s*(\d{1,3}(?:\.\d+)?)\s*[,，;；\s]\s*(\d{1,3}(?:\.\d+)?)\s*$/.exec(text)
  if (!found) return null
  const [a, b] = [Number(found[1]), Number(found[2])]
  return { lng: round6(Math.max(a, b)), lat: round6(Math.min(a, b)) }
}
