import { sql } from 'kysely'
import { type Ctx, inheritable, visible } from '../../../server/context.ts'
import { settingOf } from '../../settings/server/values.ts'
import type { Level } from '../contract.ts'
import { floorName, type Lane, type Product, roadIndexOf } from '../rules.ts'

export type Device = {
  id: number
  org_id: number
  rtu_number: string
  nickname: string
  kind: string
  dispensing_mode: string | null
  lifecycle: string
  planogram_version: number
  type_id: number
  type_name: string
  max_levels: number
  max_roads: number
  online: boolean
}
const deviceSelect = sql`select d.id, d.org_id, d.rtu_number, d.nickname, d.kind, d.dispensing_mode, d.lifecycle, d.planogram_version, d.type_id, t.name as type_name, t.max_levels, t.max_roads, s.online
    from devices d join device_types t on t.id = d.type_id join device_states s on s.device_id = d.id`
export async function device(ctx: Ctx, id: number): Promise<Device | undefined> {
  return (await devicesOf(ctx, [id])).get(id)
}
export async function devicesOf(ctx: Ctx, ids: readonly number[]): Promise<Map<number, Device>> {
  const { rows } = await sql<Device>`${deviceSelect} where d.id = any(${[...ids]}::bigint[]) and ${visible(ctx, 'd.org_id', 'd.id')}`.execute(ctx.db)
  return new Map(rows.map((row) => [row.id, row]))
}

/** Holds a machine while what may be written is found out; its version is taken only if something is. */
export async function lockDevice(ctx: Ctx, id: number): Promise<Device | undefined> {
  await sql`select 1 from devices d where d.id = ${id} and ${visible(ctx, 'd.org_id', 'd.id')} for no key update`.execute(ctx.db)
  return device(ctx, id)
}

/**
 * Takes the next planogram version; false when somebody else did, or when the machine went to another owner since it was read: what
 * follows is written for the owner that was read. Locks the machine, so that its lane edits take turns.
 */
export async function nextVersion(ctx: Ctx, device: Pick<Device, 'id' | 'org_id'>, version: number): Promise<boolean> {
  const changed = await ctx.db
    .updateTable('devices')
    .set({ planogram_version: version + 1 })
    .where('id', '=', device.id)
    .where('org_id', '=', device.org_id)
    .where('planogram_version', '=', version)
    .executeTakeFirst()
  return changed.numUpdatedRows > 0n
}

const laneColumns = sql`l.id, l.floor_id as "floorId", l.col, l.motor_no as "motorNo", l.product_id as "productId", l.capacity, l.quantity, l.reserved, l.failed_hold as "failedHold",
  l.warn_qty as "warnQty", l.retail_price as "retailPrice", l.price, l.restriction, l.status, l.merged_into as "mergedInto"`
const lockedColumns = sql`l.device_id as "deviceId", l.org_id as "orgId", l.road_index as "roadIndex", f.level, l.lock_reason as "lockReason"`
export type LockedLane = Lane & { deviceId: number; orgId: number; roadIndex: number; level: number; lockReason: string | null }

/** Locks lanes in ascending order, the one order of the whole product (design.md, section 4). */
export async function lockLanes(ctx: Pick<Ctx, 'db'>, laneIds: readonly number[]): Promise<LockedLane[]> {
  const { rows } = await sql<LockedLane>`select ${laneColumns}, ${lockedColumns} from lanes l join lane_floors f on f.id = l.floor_id
    where l.id = any(${[...laneIds]}::bigint[]) order by l.id for no key update of l`.execute(ctx.db)
  return rows
}
export async function lockAll(ctx: Ctx, deviceId: number): Promise<LockedLane[]> {
  const { rows } = await sql<LockedLane>`select ${laneColumns}, ${lockedColumns} from lanes l join lane_floors f on f.id = l.floor_id
    where l.device_id = ${deviceId} and l.archived_at is null order by l.id for no key update of l`.execute(ctx.db)
  return rows
}
/** The same lanes to look at: plans are made before anything is locked. */
export async function lanesOf(ctx: Ctx, deviceIds: readonly number[]): Promise<Map<number, LockedLane[]>> {
  const { rows } = await sql<LockedLane>`select ${laneColumns}, ${lockedColumns} from lanes l join lane_floors f on f.id = l.floor_id
    where l.device_id = any(${[...deviceIds]}::bigint[]) and l.archived_at is null and ${visible(ctx, 'l.org_id', 'l.device_id')} order by l.device_id, l.road_index`.execute(
    ctx.db,
  )
  return Map.groupBy(rows, (lane) => lane.deviceId)
}

export type ShownLane = Lane & {
  roadIndex: number
  productName: string | null
  model: string | null
  img: string | null
  drugClass: string | null
  costPrice: number | null
  productOrg: number | null
  lockReason: string | null
  faultCode: string | null
}
export async function shownLanes(ctx: Ctx, deviceId: number): Promise<ShownLane[]> {
  const { rows } =
    await sql<ShownLane>`select ${laneColumns}, l.road_index as "roadIndex", p.name as "productName", p.model, p.images[1] as img, p.drug_class as "drugClass", p.cost_price as "costPrice", p.org_id as "productOrg", l.lock_reason as "lockReason",
      (select f.code from device_faults f where f.lane_id = l.id and f.closed_at is null order by f.opened_at desc limit 1) as "faultCode"
    from lanes l left join products p on p.id = l.product_id where l.device_id = ${deviceId} and l.archived_at is null and ${visible(ctx, 'l.org_id', 'l.device_id')} order by l.road_index`.execute(
      ctx.db,
    )
  return rows
}
export async function floors(ctx: Ctx, deviceId: number) {
  return ctx.db
    .selectFrom('lane_floors')
    .select(['id', 'level', 'name'])
    .where('device_id', '=', deviceId)
    .where('archived_at', 'is', null)
    .orderBy('level')
    .execute()
}

type Usable = Product & { orgId: number }
/** Products the owner of the machine may use: his own and those of organisations above him. */
export async function usableProducts(ctx: Ctx, ids: readonly number[], orgId: number): Promise<Map<number, Usable>> {
  const { rows } =
    await sql<Usable>`select p.id, p.org_id as "orgId", p.drug_class as "drugClass", p.cost_price as "costPrice", p.retail_price as "retailPrice", p.warn_qty as "warnQty", p.status from products p, organisations o
    where p.id = any(${[...ids]}::bigint[]) and o.id = ${orgId} and p.org_id::text = any(string_to_array(o.path::text, '.')) and ${inheritable(ctx, 'p.org_id')}`.execute(
      ctx.db,
    )
  const warnPercent = await settingOf(ctx.db, orgId, 'stock.defaultWarnPercent')
  return new Map(rows.map((row) => [row.id, { ...row, warnPercent }]))
}

/** Writes whole lanes back, one statement for all of them. Quantities belong to moveStock and are not touched. */
export async function saveLanes(ctx: Ctx, lanes: readonly Lane[]): Promise<void> {
  const rows = lanes.map(({ id, motorNo, productId, capacity, warnQty, retailPrice, price, restriction, status, mergedInto }) => ({
    id,
    motorNo,
    productId,
    capacity,
    warnQty,
    retailPrice,
    price,
    restriction,
    status,
    mergedInto,
  }))
  await sql`update lanes l set motor_no = n."motorNo", product_id = n."productId", capacity = n.capacity, warn_qty = n."warnQty", retail_price = n."retailPrice", price = n.price,
      restriction = n.restriction, status = n.status, merged_into = n."mergedInto", version = l.version + 1
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as n(id bigint, "motorNo" int, "productId" bigint, capacity int, "warnQty" int, "retailPrice" bigint, price bigint, restriction int, status text, "mergedInto" bigint)
    where l.id = n.id`.execute(ctx.db)
}

/** Draws floors and lanes: two statements whatever the size. */
export async function draw(ctx: Ctx, device: Device, levels: readonly Level[]): Promise<void> {
  const added = await ctx.db
    .insertInto('lane_floors')
    .values(levels.map((level, i) => ({ org_id: device.org_id, device_id: device.id, level: i + 1, name: level.name || floorName(i + 1) })))
    .returning(['id', 'level'])
    .execute()
  const roads = added.flatMap((floor) => {
    const level = levels[floor.level - 1] as Level
    return Array.from({ length: level.columns }, (_, c) => {
      const road = roadIndexOf(floor.level, c + 1, device.max_roads)
      return { org_id: device.org_id, device_id: device.id, floor_id: floor.id, road_index: road, col: c + 1, motor_no: road, capacity: level.roadCapacity }
    })
  })
  await ctx.db.insertInto('lanes').values(roads).execute()
}

export async function archive(ctx: Ctx, deviceId: number): Promise<void> {
  await ctx.db.updateTable('lanes').set({ archived_at: ctx.now }).where('device_id', '=', deviceId).where('archived_at', 'is', null).execute()
  await ctx.db.updateTable('lane_floors').set({ archived_at: ctx.now }).where('device_id', '=', deviceId).where('archived_at', 'is', null).execute()
  await ctx.db
    .updateTable('device_faults')
    .set({ closed_at: ctx.now })
    .where('device_id', '=', deviceId)
    .where('lane_id', 'is not', null)
    .where('closed_at', 'is', null)
    .execute()
}

/** Faulty lanes without an open fault sell again. */
export async function enableRepaired(ctx: Ctx, laneIds: readonly number[]): Promise<number> {
  const changed = await ctx.db
    .updateTable('lanes')
    .set((eb) => ({ status: 'ENABLED' as const, version: eb('version', '+', 1) }))
    .where('id', 'in', [...laneIds])
    .where('status', '=', 'FAULT')
    .where(sql<boolean>`not exists (select 1 from device_faults f where f.lane_id = lanes.id and f.closed_at is null)`)
    .executeTakeFirst()
  return Number(changed.numUpdatedRows)
}
export const closeLaneFaults = (ctx: Ctx, laneId: number) =>
  ctx.db
    .updateTable('device_faults')
    .set({ closed_at: ctx.now, handled_by: ctx.actor.userId })
    .where('lane_id', '=', laneId)
    .where('closed_at', 'is', null)
    .execute()

export async function deviceOfLane(ctx: Ctx, laneId: number): Promise<number | undefined> {
  const { rows } = await sql<{ id: number }>`select l.device_id as id from lanes l where l.id = ${laneId} and l.archived_at is null
    and ${visible(ctx, 'l.org_id', 'l.device_id')}`.execute(ctx.db)
  return rows[0]?.id
}

export async function nameFloors(ctx: Ctx, floors: readonly { id: number; name: string }[]): Promise<void> {
  if (floors.length === 0) return
  await sql`update lane_floors f set name = n.name from jsonb_to_recordset(${JSON.stringify(floors)}::jsonb) as n(id bigint, name text) where f.id = n.id`.execute(
    ctx.db,
  )
}

export const lockByHand = (ctx: Ctx, laneIds: readonly number[], reason: string) =>
  sql`update lanes set status = 'LOCKED', lock_reason = ${reason}, version = version + 1 where id = any(${[...laneIds]}::bigint[])`.execute(ctx.db)
/** A lane that was faulty before is faulty again. */
export const unlockByHand = (ctx: Ctx, laneIds: readonly number[]) =>
  sql`update lanes l set lock_reason = null, version = version + 1, status = case when exists (select 1 from device_faults f where f.lane_id = l.id and f.closed_at is null)
    then 'FAULT' else 'ENABLED' end where l.id = any(${[...laneIds]}::bigint[])`.execute(ctx.db)

export async function waitingSchedules(ctx: Ctx, deviceId: number): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*)::int as n from price_schedules s where s.device_id = ${deviceId} and s.state = 'WAITING'
    and ${visible(ctx, 's.org_id', 's.device_id')}`.execute(ctx.db)
  return rows[0]?.n ?? 0
}
export async function copyRunning(ctx: Ctx, deviceId: number): Promise<boolean> {
  const { rows } = await sql`select 1 from lane_copy_targets t where t.device_id = ${deviceId} and t.state in ('WAITING', 'UNDOING') limit 1`.execute(ctx.db)
  return rows.length > 0
}
export async function productNames(ctx: Ctx, ids: readonly (number | null)[]): Promise<Map<number, string>> {
  const { rows } = await sql<{ id: number; name: string }>`select p.id, p.name from products p where p.id = any(${ids.filter((id) => id !== null)}::bigint[])
    and ${inheritable(ctx, 'p.org_id', (watched) => sql`p.id in (select l.product_id from lanes l where l.device_id = ${watched})`)}`.execute(ctx.db)
  return new Map(rows.map((row) => [row.id, row.name]))
}
