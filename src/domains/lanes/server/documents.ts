import { sql } from 'kysely'
import { type Ctx, found, visible } from '../../../server/context.ts'
import { rowsOf } from '../../../server/rows.ts'
import type { Doc, DocLane } from '../planogram.ts'

/** The settings of the lanes of machines as they are now. */
export async function docsOf(
  ctx: Pick<Ctx, 'db' | 'actor'>,
  deviceIds: readonly number[],
): Promise<Map<number, Doc>> {
  const docs = new Map(deviceIds.map((id): [number, Doc] => [id, { floors: [], lanes: [] }]))
  const ids = sql`any(${[...deviceIds]}::bigint[])`
  type Floor = Doc['floors'][number] & { deviceId: number }
  const floors = await rowsOf<Floor>(ctx.db)`select f.device_id as "deviceId", f.level, f.name
    from lane_floors f
    where f.device_id = ${ids} and f.archived_at is null
      and ${visible(ctx, 'f.org_id', 'f.device_id')} order by f.level`
  type Lane = DocLane & { deviceId: number }
  const lanes = await rowsOf<Lane>(ctx.db)`select l.device_id as "deviceId", l.road_index as road,
      f.level, l.col, l.motor_no as "motorNo", l.product_id as "productId",
      p.name as "productName", l.capacity, l.warn_qty as "warnQty",
      l.retail_price as "retailPrice", l.price, l.restriction, case
        when l.status in ('FAULT', 'LOCKED') then 'ENABLED' else l.status end as status,
      m.road_index as "mergedInto"
    from lanes l join lane_floors f on f.id = l.floor_id left join products p on p.id = l.product_id
    left join lanes m on m.id = l.merged_into
    where l.device_id = ${ids} and l.archived_at is null
      and ${visible(ctx, 'l.org_id', 'l.device_id')} order by l.road_index`
  for (const { deviceId, ...floor } of floors) docs.get(deviceId)?.floors.push(floor)
  for (const { deviceId, ...lane } of lanes) docs.get(deviceId)?.lanes.push(lane)
  return docs
}
export const docOf = async (ctx: Ctx, deviceId: number): Promise<Doc> =>
  found((await docsOf(ctx, [deviceId])).get(deviceId))

/**
 * Lanes as their machine is told: the number of the motor, how many columns one covers, what it
 * sells and for how much.
 */
const toldLanes = ({ lanes }: Doc) =>
  lanes
    .filter((lane) => lane.status !== 'MERGED')
    .map((lane) => ({
      lane: lane.road,
      motor: lane.motorNo,
      width: 1 + lanes.filter((other) => other.mergedInto === lane.road).length,
      product: lane.status === 'DISABLED' ? null : lane.productId,
      name: lane.productName ?? '',
      price: lane.status === 'DISABLED' ? null : lane.price,
      capacity: lane.capacity,
      limit: lane.restriction,
    }))

/** The newest planogram of machines, for the gateway to send. */
export async function planogramDocuments(
  ctx: Pick<Ctx, 'db' | 'actor'>,
  deviceIds: readonly number[],
) {
  type Newest = { id: number; version: number }
  const rows = await rowsOf<Newest>(ctx.db)`select d.id, d.planogram_version as version
    from devices d
    where d.id = any(${[...deviceIds]}::bigint[]) and ${visible(ctx, 'd.org_id', 'd.id')}`
  const docs = await docsOf(ctx, deviceIds)
  const bodyOf = (id: number) => ({ lanes: toldLanes(docs.get(id) as Doc) })
  return new Map(rows.map(({ id, version }) => [id, { version, body: bodyOf(id) }]))
}
