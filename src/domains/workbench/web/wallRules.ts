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

export type Window = { left: number; top: number; width: number; height: number }
export const country: Window = { left: 0, top: 0, width: box.width, height: box.height }
/** What is shown of the map when a province fills it, in the shape of the whole. */
export function windowOf({ geometry }: Outline): Window {
  const points = (geometry.type === 'Polygon' ? [geometry.coordinates] : geometry.coordinates).flat(
    2,
  )
  const [xs, ys] = [points.map(([lng = 0]) => x(lng)), points.map(([, lat = 0]) => y(lat))]
  const [left, right] = [Math.min(...xs), Math.max(...xs)]
  const [top, bottom] = [Math.min(...ys), Math.max(...ys)]
  const scale = 1.15 * Math.max((right - left) / box.width, (bottom - top) / box.height)
  const [width, height] = [scale * box.width, scale * box.height]
  return { left: (left + right - width) / 2, top: (top + bottom - height) / 2, width, height }
}
export const provinceCode = (city: string): string => `${city.slice(0, 2)}0000`
/** The province behind this one in a round of those with machines, the largest first; then the country. */
export function nextProvince(places: readonly BoardPlace[], now: string | null): string | null {
  const round = [...new Set(places.map(({ code }) => provinceCode(code)))]
  return round[now === null ? 0 : round.indexOf(now) + 1] ?? null
}
export const rotateMs = 30_000
export function machinesOf(places: readonly BoardPlace[], province: string) {
  const sum = { total: 0, online: 0, fault: 0, offline: 0 }
  for (const { code, online, fault, offline } of places) {
    if (provinceCode(code) !== province) continue
    sum.online += online
    sum.fault += fault
    sum.offline += offline
    sum.total += online + fault + offline
  }
  return sum
}

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
export function named(places: readonly BoardPlace[], most = 10, scale = 1): BoardPlace[] {
  const shown: BoardPlace[] = []
  for (const place of places) {
    if (shown.length >= most) break
    const near = shown.some(
      (one) =>
        Math.abs(x(one.lng) - x(place.lng)) < 4.6 * scale &&
        Math.abs(one.lat - place.lat) < 1.3 * scale,
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
