import type { Handlers } from '../../../server/bind.ts'
import type { App } from '../../../server/context.ts'
import { platformOrg } from '../../../shared/access.ts'
import { inChina } from '../../../shared/place.ts'
import { regionPath, regionTree } from '../../../shared/regions.ts'
import { cachedSetting, settingsOf } from '../../settings/server/values.ts'
import { originOf } from '../../settings/usual.ts'
import type { geo } from '../contract.ts'
import { writtenPosition } from '../rules.ts'
import { findRegions, outlinesOf, placeOf, regionAt } from './atlas.ts'
import { deviceRows, storeRows, street } from './queries.ts'

type Contract = typeof geo
const most = 10

const namesOf = (code: string): string[] => [
  ...new Set(regionPath(code).map((region) => region.name)),
]

const regions: Handlers<Contract>['regions'] = async (_ctx, { parent }) => {
  const below = parent === undefined ? regionTree() : (regionPath(parent).at(-1)?.children ?? [])
  return {
    list: below.map(({ code, name, children }) => {
      const at = placeOf(code)
      return {
        region: code,
        name,
        lng: at?.lng ?? null,
        lat: at?.lat ?? null,
        exact: at?.exact ?? false,
        children: children.length,
      }
    }),
  }
}

const search: Handlers<Contract>['search'] = async (_ctx, { q }) => {
  const written = writtenPosition(q)
  if (!written) return { list: findRegions(q, most) }
  if (!inChina(written.lng, written.lat)) return { list: [] }
  const region = regionAt(written.lng, written.lat)?.code ?? ''
  return {
    list: [
      {
        title: `${written.lng}, ${written.lat}`,
        hint: namesOf(region).join(' / '),
        ...written,
        region,
        address: '',
        zoom: street,
      },
    ],
  }
}

const reverse: Handlers<Contract>['reverse'] = async (_ctx, { lng, lat }) => {
  const found = regionAt(lng, lat)
  return {
    region: found?.code ?? null,
    names: found ? namesOf(found.code) : [],
    inside: found?.inside ?? false,
  }
}

const tiles: Handlers<Contract>['tiles'] = async (ctx) => {
  const set = await settingsOf(ctx.db, platformOrg, [
    'map.tileUrl',
    'map.tileAttribution',
    'map.tileSystem',
  ])
  return {
    url: set['map.tileUrl'],
    attribution: set['map.tileAttribution'],
    system: set['map.tileSystem'],
  }
}

export const handlers: Handlers<Contract> = {
  regions,
  search,
  searchDevices: async (ctx, { q }) => ({ list: await deviceRows(ctx, q) }),
  searchStores: async (ctx, { q }) => ({ list: await storeRows(ctx, q) }),
  reverse,
  outlines: async (_ctx, { province }) => outlinesOf(province),
  tiles,
}

/** The one foreign place a page may load pictures from; null without a tile address. */
export const tileOrigin = async (app: App): Promise<string | null> =>
  originOf(await cachedSetting(app, platformOrg, 'map.tileUrl'))
