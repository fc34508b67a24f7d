import { expect, test } from 'vitest'
import { decodeLine, encodeLine } from '../../shared/outline.ts'
import {
  chinaBox,
  inChina,
  latitude,
  latOf,
  lngOf,
  longitude,
  mercatorX,
  mercatorY,
  toGcj,
} from '../../shared/place.ts'
import { originOf, tileAddress } from '../settings/usual.ts'
import { distance, holds, writtenPosition } from './rules.ts'

test.each([
  [113.95, 22.54, true],
  [113.95, 91, false],
  [181, 22.54, false],
  [0, 0, false],
  [chinaBox.west, chinaBox.south, true],
  [Number.NaN, 22, false],
] as const)('%d, %d is %s', (lng, lat, fine) => {
  expect(inChina(lng, lat)).toBe(fine)
  expect(longitude.safeParse(lng).success && latitude.safeParse(lat).success).toBe(fine)
})

const square = [0, 0, 10, 0, 10, 10, 0, 10]
const hole = [4, 4, 6, 4, 6, 6, 4, 6]
test.each([
  [1, 1, true],
  [5, 5, false],
  [11, 5, false],
  [-1, -1, false],
] as const)('a square with a hole holds %d, %d: %s', (x, y, inside) =>
  expect(holds([square, hole], x, y)).toBe(inside),
)

test('borders come back as they went, far jumps and all', () => {
  const line = [116_000, 23_000, 116_001, 22_999, 75_000, 55_000, 75_000, 55_000]
  expect(decodeLine(encodeLine(line))).toEqual(line)
  expect(encodeLine(line)).not.toMatch(/["\\]/)
})

test.each([
  ['113.95,22.54', { lng: 113.95, lat: 22.54 }],
  [' 22.54，113.9512345 ', { lng: 113.951235, lat: 22.54 }],
  ['113.95 22.54', { lng: 113.95, lat: 22.54 }],
  ['科技园 22', null],
  ['440305', null],
] as const)('%s reads as %o', (text, position) => expect(writtenPosition(text)).toEqual(position))

test.each([
  ['', null],
  ['https://tiles.example.cn/{z}/{x}/{y}.png', 'https://tiles.example.cn'],
  ['http://10.0.0.5:8080/t?x={x}&y={y}&z={z}&key=a_b', 'http://10.0.0.5:8080'],
] as const)('%s is an address of %s', (address, origin) => {
  expect(tileAddress.test(address)).toBe(true)
  expect(originOf(address)).toBe(origin)
})
test.each([
  'https://tiles.example.cn/{z}/{x}.png',
  'javascript:alert({z}{x}{y})',
  'https://a.cn/{z}/{x}/{y}; script-src *',
  "https://a.cn/{z}/{x}/{y}' 'unsafe-inline",
  'https://{s}.a.cn/{z}/{x}/{y}.png',
  'https://user:pass@a.cn/{z}/{x}/{y}.png',
  '//a.cn/{z}/{x}/{y}.png',
  'https://*/{z}/{x}/{y}',
])('%s is no tile address', (address) => {
  expect(tileAddress.test(address)).toBe(false)
  expect(originOf(address)).toBeNull()
})

test('the projection goes there and back', () => {
  expect(mercatorX(180, 0)).toBeCloseTo(256)
  expect(lngOf(mercatorX(113.95, 12), 12)).toBeCloseTo(113.95, 9)
  expect(latOf(mercatorY(22.54, 12), 12)).toBeCloseTo(22.54, 9)
})

test('Shenzhen and Shenyang: GCJ-02 lies some hundred metres beside WGS-84', () => {
  // the gate of 天安门: known in both systems
  const [lng, lat] = toGcj(116.391_26, 39.907_36)
  expect(distance({ lng, lat }, { lng: 116.397_5, lat: 39.908_76 })).toBeLessThan(0.03)
})
