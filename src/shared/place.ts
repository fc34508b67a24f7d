import { z } from 'zod'
import { bi } from './text.ts'

/** Code of a province, city or county. */
export const regionCode = (wrong?: string) => z.string(wrong).regex(/^\d{6}(\d{3})?$/, wrong)

/**
 * Every coordinate of the product is GCJ-02 (the system of maps in China), six decimals, inside
 * this box.
 */
export const chinaBox = { west: 73, south: 3, east: 136, north: 54 } as const

const coordinate = (min: number, max: number) => {
  const wrong = bi('坐标超出中国范围', 'Outside China')
  return z.number(bi('坐标格式错误', 'Not a coordinate')).min(min, wrong).max(max, wrong)
}
export const longitude = coordinate(chinaBox.west, chinaBox.east)
export const latitude = coordinate(chinaBox.south, chinaBox.north)
/** Of a form: both or none, see `bothOrNone`. */
export const optionalLongitude = longitude.nullable().default(null)
export const optionalLatitude = latitude.nullable().default(null)

export const bothOrNone = (v: { lng: number | null; lat: number | null }): boolean =>
  (v.lng === null) === (v.lat === null)
export const bothOrNoneText = {
  path: ['lat'],
  message: bi('经度和纬度须同时填写', 'Enter both coordinates or none'),
}

export const inChina = (lng: number, lat: number): boolean =>
  lng >= chinaBox.west && lng <= chinaBox.east && lat >= chinaBox.south && lat <= chinaBox.north

/**
 * The codes of everything inside a region begin with this: those of provinces and cities end in
 * pairs of zeros, towns have nine digits.
 */
export const regionPrefix = (code: string): string =>
  code.length === 6 ? code.replace(/(00)+$/, '') : code

export const round6 = (n: number): number => Math.round(n * 1e6) / 1e6

/** Web Mercator, the projection of tiles: pixels of the world at a zoom. */
export const mercatorX = (lng: number, zoom: number): number =>
  ((lng + 180) / 360) * 256 * 2 ** zoom
export const mercatorY = (lat: number, zoom: number): number => {
  const sine = Math.sin((lat * Math.PI) / 180)
  return (0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)) * 256 * 2 ** zoom
}
export const lngOf = (x: number, zoom: number): number => (x / (256 * 2 ** zoom)) * 360 - 180
export const latOf = (y: number, zoom: number): number =>
  (Math.atan(Math.sinh(Math.PI * (1 - y / (128 * 2 ** zoom)))) * 180) / Math.PI

/** Where a WGS-84 position lies in GCJ-02: the published approximation, a few metres exact. */
export function toGcj(lng: number, lat: number): [lng: number, lat: number] {
  const [x, y] = [lng - 105, lat - 35]
  const waves = (at: number) =>
    ((20 * Math.sin(6 * at * Math.PI) + 20 * Math.sin(2 * at * Math.PI)) * 2) / 3
  const root = 0.1 * Math.sqrt(Math.abs(x))
  const east =
    300 +
    x +
    2 * y +
    0.1 * x * x +
    0.1 * x * y +
    root +
    waves(x) +
    ((20 * Math.sin(x * Math.PI) + 40 * Math.sin((x / 3) * Math.PI)) * 2) / 3 +
    ((150 * Math.sin((x / 12) * Math.PI) + 300 * Math.sin((x / 30) * Math.PI)) * 2) / 3
  const north =
    -100 +
    2 * x +
    3 * y +
    0.2 * y * y +
    0.1 * x * y +
    2 * root +
    waves(x) +
    ((20 * Math.sin(y * Math.PI) + 40 * Math.sin((y / 3) * Math.PI)) * 2) / 3 +
    ((160 * Math.sin((y / 12) * Math.PI) + 320 * Math.sin((y * Math.PI) / 30)) * 2) / 3
  const radians = (lat / 180) * Math.PI
  const flat = 1 - 0.006_693_421_622_965_943 * Math.sin(radians) ** 2
  const half = 6_378_245
  return [
    lng + (east * 180) / ((half / Math.sqrt(flat)) * Math.cos(radians) * Math.PI),
    lat +
      (north * 180) /
        (((half * (1 - 0.006_693_421_622_965_943)) / (flat * Math.sqrt(flat))) * Math.PI),
  ]
}
