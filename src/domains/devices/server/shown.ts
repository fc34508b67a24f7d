import { type App, byRole, type Ctx, found, may } from '../../../server/context.ts'
import { allowedFrom } from '../../../shared/moves.ts'
import { placeName, regionPath } from '../../../shared/regions.ts'
import { licenceMatches } from '../../drug-guard/rules.ts'
import { isClosed } from '../../machines/rules.ts'
import { cachedFor, cachedSetting } from '../../settings/server/values.ts'
import type { DeviceDetail, DeviceRow } from '../contract.ts'
import { type AgeLimits, editable, freshness, lifecycleStates, mayRestore } from '../rules.ts'
import * as q from './queries.ts'
import { tagsOf } from './tags.ts'

/** From when on the word of these machines is old, by their organisation. */
export async function ageLimits(
  app: App,
  rows: readonly { readonly orgId: number }[],
): Promise<(orgId: number) => AgeLimits> {
  const set = await cachedFor(
    app,
    rows.map((row) => row.orgId),
    ['device.freshHours', 'device.staleHours'],
  )
  return (orgId) => {
    const of = set(orgId)
    return { fresh: of['device.freshHours'], stale: of['device.staleHours'] }
  }
}

/** What code says of a machine beside its columns. */
function made(
  ctx: Ctx,
  { county, lifecycle, lastSeenAt, orgId }: q.Row,
  limits: (orgId: number) => AgeLimits,
) {
  const change = may(ctx, 'device:update') && editable({ lifecycle }) === null
  const retire = may(ctx, 'device:delete')
  return {
    regionName: placeName(county),
    freshness: freshness(lastSeenAt, ctx.now, limits(orgId)),
    can: {
      update: change,
      pause: change && allowedFrom(lifecycleStates, 'PAUSED').includes(lifecycle),
      operate: change && allowedFrom(lifecycleStates, 'OPERATING').includes(lifecycle),
      retire: retire && allowedFrom(lifecycleStates, 'SCRAPPED').includes(lifecycle),
      restore: retire && byRole(ctx, mayRestore) && isClosed({ lifecycle }),
    },
  }
}

export const rowOf = (
  ctx: Ctx,
  { county, ...row }: q.Row,
  limits: (orgId: number) => AgeLimits,
): Omit<DeviceRow, 'tags'> => ({
  ...row,
  ...made(ctx, { county, ...row }, limits),
})

export const licenceFits = (device: {
  kind: string
  licenceAddress: string
  county: string
}): boolean =>
  licenceMatches(
    device,
    regionPath(device.county).map(({ name }) => name),
  )

export async function detailOf(ctx: Ctx, id: number): Promise<DeviceDetail> {
  const [device, tags] = await Promise.all([q.detail(ctx, id).then(found), tagsOf(ctx, [id])])
  return {
    ...device,
    ...made(ctx, device, await ageLimits(ctx.app, [device])),
    tags: tags(id),
    orgHours: await cachedSetting(ctx.app, device.orgId, 'device.businessHours'),
    licenceMatches: licenceFits(device),
  }
}
