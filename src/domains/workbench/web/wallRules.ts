import type { BoardPlace, BoardSale } from '../boardContract.ts'

/** The wall is drawn at this size and scaled as a whole, so that it is the same on every screen. */
export const base = { width: 1920, height: 1080 } as const
export const scaleOf = (width: number, height: number): number =>
  Math.max(0.1, Math.min(width / base.width, height / base.height))

type Position = readonly number[]
type Geometry =
  | { type: 'Polygon'; coordinates: readonly (readonly Position[])[] }
  | { type: 'MultiPolygon'; coordinates: readonly (readonly (readonly Position[])[])[] }
export type Outline = {
  properties: { name: string; adcode: string }
  geometry: Geometry
}

/** Of the country from its west and north end; a degree of longitude is shorter than one of latitude. */
export const box = { west: 73, north: 54, width: 64 * 0.76, height: 37 } as const
export const x = (lng: number): number => (lng - box.west) * 0.76
export const y = (lat: number): number => box.north - lat

export function pathOf({ geometry }: Outline): string {
  const rings = geometry.type === 'Polygon' ? geometry.coordinates : geometry.coordinates.flat()
  return rings
    .map(
      (ring) =>
        `M${ring.map(([lng = 0, lat = 0]) => `${x(lng).toFixed(2)} ${y(lat).toFixed(2)}`).join('L')}Z`,
    )
    .join('')
}

/** The worst that a place has, when it is more than a few of its machines. */
export function stateOf({ online, fault, offline }: BoardPlace): 'online' | 'fault' | 'offline' {
  if (fault > 0) return 'fault'
  return offline > online ? 'offline' : 'online'
}
export const sizeOf = (place: BoardPlace, most: number): number =>
  0.28 + 0.62 * Math.sqrt((place.online + place.fault + place.offline) / Math.max(1, most))

/** Names that are shown: the largest places, none so near another that the two would cover each other. */
export function named(places: readonly BoardPlace[], most = 10): BoardPlace[] {
  const shown: BoardPlace[] = []
  for (const place of places) {
    if (shown.length >= most) break
    const near = shown.some(
      (one) => Math.abs(x(one.lng) - x(place.lng)) < 4.6 && Math.abs(one.lat - place.lat) < 1.3,
    )
    if (!near) shown.push(place)
  }
  return shown
}

/** What was sold since the newest that was seen; nothing at the first look. */
export const newSales = (sales: readonly BoardSale[], seen: string | null): BoardSale[] =>
  seen === null ? [] : sales.filter(({ at }) => at > seen)

/** Points of a line over a box: the highest value reaches the top. */
export function line(
  values: readonly number[],
  of: { width: number; height: number; slots: number; most: number },
): string {
  const step = of.width / Math.max(1, of.slots - 1)
  return values
    .map((value, i) => {
      const [left, top] = [i * step, of.height - (of.height * value) / Math.max(1, of.most)]
      return `${i === 0 ? 'M' : 'L'}${left.toFixed(1)} ${top.toFixed(1)}`
    })
    .join('')
}

/** A number not below whose quarters are round, as the axis has them. */
export function ceiling(value: number): number {
  if (value <= 4) return 4
  const unit = 10 ** Math.floor(Math.log10(value / 4))
  const steps = unit === 1 ? [4, 8, 12, 16, 20, 24, 28, 32, 36, 40] : [4, 6, 8, 10, 12, 16, 20, 40]
  return (steps.find((n) => n * unit >= value) ?? 40) * unit
}

/** Figures follow what happens at most every so often, however much a fleet sells. */
export const calmMs = 5000
