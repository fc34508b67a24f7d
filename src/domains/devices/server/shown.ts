import { type App, byRole, type Ctx, found, iso, isoOrNull, may } from '../../../server/context.ts'
import { allowedFrom } from '../../../shared/moves.ts'
import { placeName, regionPath } from '../../../shared/regions.ts'
import { cachedByOrg, cachedSetting } from '../../settings/server/values.ts'
import type { DeviceDetail, DeviceRow } from '../contract.ts'
import { type AgeLimits, editable, freshness, isClosed, licenceMatches, lifecycleStates, mayRestore, usualAge } from '../rules.ts'
import * as q from './queries.ts'

/** Machines as answers show them. */

export const regionNames = (county: string): string[] => regionPath(county).map((region) => region.name)

/** From when on the word of a machine is old, by its organisation. */
export async function ageLimits(app: App): Promise<(orgId: number) => AgeLimits> {
  const fresh = await cachedByOrg(app, 'device.freshHours')
  const stale = await cachedByOrg(app, 'device.staleHours')
  return (orgId) => ({ fresh: fresh.get(orgId) ?? usualAge.fresh, stale: stale.get(orgId) ?? usualAge.stale })
}

export function row(ctx: Ctx, d: q.Row, limits: (orgId: number) => AgeLimits): DeviceRow {
  const change = may(ctx, 'device:update') && editable(d) === null
  return {
    id: d.id,
    rtuNumber: d.rtu_number,
    nickname: d.nickname,
    typeId: d.type_id,
    typeName: d.type_name,
    kind: d.kind,
    orgId: d.org_id,
    ownedUserName: d.org_name,
    storeName: d.store_name ?? '',
    regionName: placeName(d.county),
    address: d.address,
    lng: d.lng,
    lat: d.lat,
    boardNo: d.board_no ?? '',
    card: d.card ?? '',
    lifecycle: d.lifecycle,
    locked: d.locked,
    status: d.online ? 'online' : 'offline',
    lastSeenAt: isoOrNull(d.last_seen_at),
    freshness: freshness(d.last_seen_at, ctx.now, limits(d.org_id)),
    offlineSince: isoOrNull(d.offline_since),
    signal: d.signal,
    temperature: d.temperature,
    humidity: d.humidity,
    tempAlarm: d.temp_alarm,
    faultCount: d.fault_count,
    fault: may(ctx, 'fault:read') ? d.fault : null,
    fw: d.fw ?? '',
    apk: d.apk ?? '',
    stock: d.stock,
    capacity: d.capacity,
    free: d.lanes_free,
    soldOut: d.lanes_sold_out,
    low: d.lanes_low,
    lanes: d.lanes_total,
    todayOrders: d.orders ?? 0,
    todayTurnover: may(ctx, 'dashboard:money') ? (d.turnover ?? 0) : null,
    createTime: iso(d.created_at),
    can: {
      update: change,
      pause: change && allowedFrom(lifecycleStates, 'PAUSED').includes(d.lifecycle),
      operate: change && allowedFrom(lifecycleStates, 'OPERATING').includes(d.lifecycle),
      retire: may(ctx, 'device:delete') && allowedFrom(lifecycleStates, 'SCRAPPED').includes(d.lifecycle),
      restore: may(ctx, 'device:delete') && byRole(ctx, mayRestore) && isClosed(d.lifecycle),
    },
  }
}

export const matchesLicence = (d: q.Detail) => licenceMatches({ kind: d.kind, licenceAddress: d.licence_address }, regionNames(d.county))

export async function detailOf(ctx: Ctx, id: number): Promise<{ raw: q.Detail; shown: DeviceDetail }> {
  const d = found(await q.detailRow(ctx, id))
  const shown = {
    ...row(ctx, d, await ageLimits(ctx.app)),
    country: '中国',
    province: d.province,
    city: d.city,
    county: d.county,
    storeId: d.store_id,
    pattern: d.pattern,
    refrigeration: d.refrigeration,
    dispensingMode: d.dispensing_mode,
    licenceNo: d.licence_no,
    licenceAddress: d.licence_address,
    dropSensor: d.drop_sensor,
    autoRefund: d.auto_refund,
    businessHours: d.business_hours,
    orgHours: await cachedSetting(ctx.app, d.org_id, 'device.businessHours'),
    onlineMall: d.online_mall,
    remark: d.remark,
    doorOpen: d.door_open,
    rsrp: d.rsrp,
    planogramVersion: d.planogram_version,
    replenishers: d.replenishers,
    repairers: d.repairers,
    licenceMatches: matchesLicence(d),
    version: d.version,
  }
  return { raw: d, shown }
}
