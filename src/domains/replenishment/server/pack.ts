import { sql } from 'kysely'
import { type Ctx, inheritable, visible } from '../../../server/context.ts'
import { rowsOf } from '../../../server/rows.ts'
import { addDays, shanghaiDay } from '../../../shared/instants.ts'
import { drugOf, type RawSite, siteOf, withSite } from '../../drug-guard/server/facts.ts'
import { guardVersion } from '../../drug-guard/server/version.ts'
import { settingOf } from '../../settings/server/values.ts'
import { stopDays } from '../../stock/expiry.ts'
import { type OfflinePack, type Route, routeLimits } from '../routeContract.ts'
import { orgsAbove } from './queries.ts'

type Lane = OfflinePack['lanes'][number]
type Batch = OfflinePack['batches'][number]
type Machine = OfflinePack['machines'][number]

/**
 * What a phone takes along for the stops that are left, as far as it holds that many lanes; or for
 * one machine, whether it is among them or not.
 */
export async function pack(
  ctx: Ctx,
  route: Route,
  planned: ReadonlyMap<number, number>,
  deviceId?: number,
): Promise<OfflinePack> {
  const left = route.stops
    .filter(({ state }) => state === 'OPEN' || state === 'DRAFT')
    .map((stop) => stop.deviceId)
  const wanted = deviceId === undefined ? left : [deviceId]
  const lanesOf = await rowsOf<{ id: number; n: number }>(ctx.db)`select l.device_id as id,
      count(*) as n from lanes l
    where l.device_id = any(${wanted}::bigint[]) and l.archived_at is null
      and l.product_id is not null and ${visible(ctx, 'l.org_id', 'l.device_id')} group by 1`
  const lanesIn = new Map(lanesOf.map(({ id, n }) => [id, n]))
  let room: number = routeLimits.lanes
  const fits = wanted.filter((id) => {
    const n = lanesIn.get(id) ?? 0
    if (n > room) return false
    room -= n
    return true
  })
  const lanes = await rowsOf<Omit<Lane, 'planned'>>(ctx.db)`
    select l.id, l.device_id as "deviceId", l.road_index as "roadIndex", fl.level,
      l.product_id as "productId", l.quantity, l.reserved, l.failed_hold as "failedHold",
      l.capacity, l.warn_qty as "warnQty", l.status,
      l.lock_reason as "lockReason", l.last_flow_seq as "flowSeq",
      case when l.layered then (select coalesce(jsonb_agg(jsonb_build_object('batchId', y.batch_id,
        'qty', y.qty) order by y.pos), '[]') from lane_layers y where y.lane_id = l.id)
      else '[]' end as layers
    from lanes l join lane_floors fl on fl.id = l.floor_id
    where l.device_id = any(${fits}::bigint[]) and l.archived_at is null and l.status <> 'MERGED'
      and l.product_id is not null and ${visible(ctx, 'l.org_id', 'l.device_id')}
    order by array_position(${fits}::bigint[], l.device_id), l.road_index`
  const productIds = [...new Set(lanes.map((lane) => lane.productId))]
  return {
    ...route,
    guardVersion,
    machines: (
      await rowsOf<Omit<Machine, 'site'> & { site: RawSite }>(ctx.db)`
        select d.id, d.rtu_number as "rtuNumber", d.nickname, d.kind,
          d.dispensing_mode as "dispensingMode", ${siteOf(ctx)} as site,
          d.planogram_version as "planogramVersion", s.boot,
          array(select x.id from ${orgsAbove(sql`d.org_id`)} x order by 1) as "orgIds"
        from devices d join device_states s on s.device_id = d.id
        where d.id = any(${fits}::bigint[]) and ${visible(ctx, 'd.org_id', 'd.id')} order by d.id`
    ).map(withSite),
    lanes: lanes.map((lane) => ({
      ...lane,
      planned: left.includes(lane.deviceId)
        ? (planned.get(lane.id) ?? 0)
        : Math.max(0, lane.capacity - lane.quantity),
    })),
    products: await rowsOf<OfflinePack['products'][number]>(ctx.db)`
      select p.id, p.name, p.model, coalesce(p.barcode, '') as barcode,
        coalesce(p.images[1], '') as img, p.drug_class as "drugClass",
        ${drugOf} as drug, coalesce(p.trace_required, p.drug_class <> 'NONE') as "traceRequired"
      from products p where p.id = any(${productIds}::bigint[]) order by p.id`,
    batches: await batchesOf(ctx, productIds),
    leftOut: wanted.filter((id) => !fits.includes(id)),
  }
}

/** Of these products; those that nothing is left of are not loaded, recalled ones are all told. */
async function batchesOf(ctx: Ctx, productIds: readonly number[]): Promise<Batch[]> {
  if (!productIds.length) return []
  const rows = await rowsOf<Omit<Batch, 'stopsOn'> & { drugClass: string }>(ctx.db)`
    select b.id, b.org_id as "orgId", b.product_id as "productId", b.batch_no as "batchNo",
      b.expires_on as "expiresOn", b.received_qty - b.loaded_qty + b.returned_qty as room,
      b.status = 'RECALLED' as recalled, p.drug_class as "drugClass"
    from batches b join products p on p.id = b.product_id
    where b.product_id = any(${[...productIds]}::bigint[]) and ${inheritable(ctx, 'b.org_id')}
      and (b.status = 'RECALLED' or b.received_qty is null
        or b.received_qty - b.loaded_qty + b.returned_qty > 0)
      and b.expires_on > ${addDays(shanghaiDay(ctx.now), -90)}::date
    order by b.status = 'RECALLED' desc, b.expires_on, b.id limit ${routeLimits.batches}`
  const setting = await settingOf(ctx.db, ctx.actor.orgId, 'stock.stopSaleDaysBeforeExpiry')
  return rows.map(({ drugClass, ...batch }) => ({
    ...batch,
    stopsOn: addDays(batch.expiresOn, -stopDays(drugClass, setting)),
  }))
}
