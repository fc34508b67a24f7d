import { z } from 'zod'
import { read } from '../../shared/contract.ts'
import * as f from '../../shared/fields.ts'
import { latitude, longitude, regionCode } from '../../shared/place.ts'
import { bi } from '../../shared/text.ts'

/**
 * Where things are, without any network: the list of regions with coordinates, outlines, and what
 * the actor's rows say.
 */

const code = regionCode(bi('地区代码格式不正确', 'Not the code of a region'))
const wanted = f.text(60, bi('请输入要查找的内容', 'Enter what to look for'))
const position = { lng: z.number(), lat: z.number() }

export const Region = z.strictObject({
  region: z.string(),
  name: z.string(),
  lng: z.number().nullable(),
  lat: z.number().nullable(),
  /** False: the place of the region above it, as nothing better is known. */
  exact: z.boolean(),
  children: z.number().int().min(0),
})
/** Regions, machines and stores alike. */
export const Place = z.strictObject({
  title: z.string(),
  hint: z.string(),
  ...position,
  /** Code of the region it lies in, as deep as is known. */
  region: z.string(),
  address: z.string(),
  /** How close a map should look. */
  zoom: z.number().int(),
})
export type Place = z.infer<typeof Place>
const places = z.strictObject({ list: z.array(Place) })

/**
 * A county, or what stands for it; borders as shared/outline.ts packs them, holes after the border
 * they are in.
 */
export const Area = z.strictObject({
  region: z.string(),
  name: z.string(),
  lng: z.number().nullable(),
  lat: z.number().nullable(),
  polygons: z.array(z.array(z.string())),
})
export type Area = z.infer<typeof Area>

export const geo = {
  regions: read('self', {
    path: '/regions',
    summary: 'Regions below one, or the provinces, with coordinates (GCJ-02)',
    input: z.strictObject({ parent: code.optional() }),
    output: z.strictObject({ list: z.array(Region) }),
  }),
  search: read('self', {
    path: '/geo/search',
    summary:
      'Regions by name or pinyin, or a position written as longitude and latitude; at most 10',
    input: z.strictObject({ q: wanted }),
    output: places,
  }),
  searchDevices: read('device:read', {
    path: '/geo/search/devices',
    summary: 'Machines with a position, by number, name or address; at most 10',
    input: z.strictObject({ q: wanted }),
    output: places,
  }),
  searchStores: read('store:read', {
    path: '/geo/search/stores',
    summary: 'Stores with a position, by name or address; at most 10',
    input: z.strictObject({ q: wanted }),
    output: places,
  }),
  reverse: read('self', {
    path: '/geo/reverse',
    summary: 'The region of a position; the nearest one within 30 km when it lies in none',
    input: z.strictObject({ lng: longitude, lat: latitude }),
    output: z.strictObject({
      /** Code as deep as is known; null where there is none near. */
      region: z.string().nullable(),
      names: z.array(z.string()),
      inside: z.boolean(),
    }),
  }),
  outlines: read('self', {
    path: '/geo/outlines',
    summary: 'Counties of a province with their borders, and the borders between its cities',
    input: z.strictObject({
      province: z
        .string()
        .regex(/^\d{2}0000$/, bi('地区代码格式不正确', 'Not the code of a region')),
    }),
    output: z.strictObject({
      areas: z.array(Area),
      borders: z.array(z.string()),
      cities: z.array(z.strictObject({ name: z.string(), ...position })),
    }),
  }),
  tiles: read('self', {
    path: '/geo/tiles',
    summary: 'The map of streets below our own, when the platform has set one',
    output: z.strictObject({
      url: z.string(),
      attribution: z.string(),
      system: z.enum(['GCJ02', 'WGS84']),
    }),
  }),
}
