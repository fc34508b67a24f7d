import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import { type Ctx, inheritable, visible } from '../../../server/context.ts'
import { exists, onlyRow, rowOf, rowsOf } from '../../../server/rows.ts'
import { type Rows, shape } from '../../../server/shapes.ts'
import * as f from '../../../shared/fields.ts'
import { drugOf, type RawSite, siteOf, withSite } from '../../drug-guard/server/facts.ts'
import { settingOf } from '../../settings/server/values.ts'
import { type Level, Planogram, Road } from '../contract.ts'
import { floorName, type Lane, type Product, roadIndexOf } from '../rules.ts'

const machine = (ctx: Ctx) =>
  shape(Planogram.shape.device.extend({ planogramVersion: z.number() }), ['devices', 'd'], {
    typeName: sql`t.name`,
    status: sql`case when s.online then 'online' else 'offline' end`,
    maxLevels: sql`t.max_levels`,
    maxRoads: sql`t.max_roads`,
    site: siteOf(ctx),
  })
export type Device = Rows<typeof machine>
export const device = async (ctx: Ctx, id: number) => (await devicesOf(ctx, [id])).get(id)
export async function devicesOf(ctx: Ctx, ids: readonly number[]): Promise<Map<number, Device>> {
  const rows = await machine(ctx).all(
    ctx.db,
    sql`from devices d join device_types t on t.id = d.type_id
      join device_states s on s.device_id = d.id
      where d.id = any(${[...ids]}::bigint[]) and ${visible(ctx, 'd.org_id', 'd.id')}`,
  )
  return new Map(rows.map((row) => [row.id, withSite(row as typeof row & { site: RawSite })]))
}

/**
 * Holds a machine while what may be written is found out; its version is taken only if something
 * is.
 */
export async function lockDevice(ctx: Ctx, id: number): Promise<Device | undefined> {
  await sql`select 1 from devices d
    where d.id = ${id} and ${visible(ctx, 'd.org_id', 'd.id')} for no key update`.execute(ctx.db)
  return device(ctx, id)
}

/**
 * Takes the next planogram version; false when somebody else did, or when the machine went to
 * another owner since it was read: what follows is written for the owner that was read. Locks the
 * machine, so that its lane edits take turns.
 */
export async function nextVersion(
  ctx: Ctx,
  { id, orgId }: Pick<Device, 'id' | 'orgId'>,
  version: number,
): Promise<boolean> {
  const { numAffectedRows } = await sql`update devices set planogram_version = ${version + 1}
    where id = ${id} and org_id = ${orgId} and planogram_version = ${version}`.execute(ctx.db)
  return Boolean(numAffectedRows)
}

export type LockedLane = Lane & {
  deviceId: number
  orgId: number
  roadIndex: number
  level: number
  lockReason: string | null
}
const lanes = (ctx: Pick<Ctx, 'db'>, where: RawBuilder<unknown>) =>
  rowsOf<LockedLane>(ctx.db)`select l.id, l.floor_id as "floorId", l.col, l.motor_no as "motorNo",
    l.product_id as "productId", l.capacity, l.quantity,
      l.reserved, l.failed_hold as "failedHold", l.warn_qty as "warnQty",
      l.retail_price as "retailPrice", l.price, l.restriction, l.status,
      l.merged_into as "mergedInto", l.device_id as "deviceId", l.org_id as "orgId",
      l.road_index as "roadIndex", f.level, l.lock_reason as "lockReason"
    from lanes l join lane_floors f on f.id = l.floor_id where ${where}`

/** Locks lanes in ascending order, the one order of the whole product (design.md, section 4). */
export const lockLanes = (ctx: Pick<Ctx, 'db'>, laneIds: readonly number[]) =>
  lanes(ctx, sql`l.id = any(${[...laneIds]}::bigint[]) order by l.id for no key update of l`)
export const lockAll = (ctx: Ctx, deviceId: number) =>
  lanes(
    ctx,
    sql`l.device_id = ${deviceId} and l.archived_at is null order by l.id for no key update of l`,
  )
/** The same lanes to look at: plans are made before anything is locked. */
export async function lanesByDevice(ctx: Ctx, ids: readonly number[]) {
  const rows = await lanes(
    ctx,
    sql`l.device_id = any(${[...ids]}::bigint[]) and l.archived_at is null
      and ${visible(ctx, 'l.org_id', 'l.device_id')} order by l.device_id, l.road_index`,
  )
  return Map.groupBy(rows, (lane) => lane.deviceId)
}
export const lanesOf = async (ctx: Ctx, deviceId: number) =>
  (await lanesByDevice(ctx, [deviceId])).get(deviceId) ?? []

const road = shape(
  Road.extend({ floorId: f.id, productOrg: f.id.nullable() }),
  ['lanes', 'l'],
  {
    column: sql`l.col`,
    productName: sql`p.name`,
    productImg: sql`p.images[1]`,
    model: sql`p.model`,
    drugClass: sql`p.drug_class`,
    drug: drugOf,
    costPrice: sql`p.cost_price`,
    roadCapacity: sql`l.capacity`,
    productStock: sql`l.quantity`,
    faultCode: sql`(select f.code from device_faults f
      where f.lane_id = l.id and f.closed_at is null order by f.opened_at desc limit 1)`,
    productOrg: sql`p.org_id`,
  },
  ['view', 'confirmedPrice', 'merged'],
)
export type ShownLane = Rows<typeof road>
export const shownLanes = (ctx: Ctx, deviceId: number) =>
  road.all(
    ctx.db,
    sql`from lanes l left join products p on p.id = l.product_id
      where l.device_id = ${deviceId} and l.archived_at is null
        and ${visible(ctx, 'l.org_id', 'l.device_id')} order by l.road_index`,
  )
type Floor = { id: number; level: number; name: string }
export const floors = (ctx: Ctx, deviceId: number) =>
  rowsOf<Floor>(ctx.db)`select id, level, name from lane_floors
    where device_id = ${deviceId} and archived_at is null order by level`

type Usable = Product & { orgId: number }
/** Products the owner of the machine may use: his own and those of organisations above him. */
export async function usableProducts(
  ctx: Ctx,
  ids: readonly (number | null)[],
  orgId: number,
): Promise<Map<number, Usable>> {
  const rows = await rowsOf<Usable>(ctx.db)`select p.id, p.org_id as "orgId",
      p.drug_class as "drugClass", ${drugOf} as drug, p.cost_price as "costPrice", p.retail_price as "retailPrice",
      p.warn_qty as "warnQty", p.status from products p, organisations o
    where p.id = any(${known(ids)}::bigint[]) and o.id = ${orgId}
      and p.org_id::text = any(string_to_array(o.path::text, '.'))
      and ${inheritable(ctx, 'p.org_id')}`
  const warnPercent = await settingOf(ctx.db, orgId, 'stock.defaultWarnPercent')
  return new Map(rows.map((row) => [row.id, { ...row, warnPercent }]))
}
const known = (ids: readonly (number | null)[]) => [...new Set(ids)].filter((id) => id !== null)

/**
 * Writes whole lanes back, one statement for all of them. Quantities belong to moveStock and are
 * not touched.
 */
export async function saveLanes(ctx: Ctx, lanes: readonly Lane[]): Promise<void> {
  await sql`update lanes l
    set motor_no = n."motorNo", product_id = n."productId", capacity = n.capacity,
      warn_qty = n."warnQty", retail_price = n."retailPrice", price = n.price,
      restriction = n.restriction, status = n.status, merged_into = n."mergedInto",
      version = l.version + 1
    from jsonb_to_recordset(${JSON.stringify(lanes)}::jsonb) as n(id bigint, "motorNo" int,
      "productId" bigint, capacity int, "warnQty" int, "retailPrice" bigint, price bigint,
      restriction int, status text, "mergedInto" bigint)
    where l.id = n.id`.execute(ctx.db)
}

/** Draws floors and lanes: two statements whatever the size. */
export async function draw(ctx: Ctx, device: Device, levels: readonly Level[]): Promise<void> {
  const owner = { org_id: device.orgId, device_id: device.id }
  const floors = levels.map(({ name }, i) => ({
    ...owner,
    level: i + 1,
    name: name || floorName(i + 1),
  }))
  const added = await ctx.db
    .insertInto('lane_floors')
    .values(floors)
    .returning(['id', 'level'])
    .execute()
  const roads = added.flatMap((floor) => {
    const { columns, roadCapacity: capacity } = levels[floor.level - 1] as Level
    return Array.from({ length: columns }, (_, i) => {
      const road = roadIndexOf(floor.level, i + 1, device.maxRoads)
      const place = { floor_id: floor.id, road_index: road, col: i + 1, motor_no: road }
      return { ...owner, ...place, capacity }
    })
  })
  await ctx.db.insertInto('lanes').values(roads).execute()
}

export async function archive(ctx: Ctx, deviceId: number): Promise<void> {
  for (const table of ['lanes', 'lane_floors'])
    await sql`update ${sql.table(table)} set archived_at = ${ctx.now}
      where device_id = ${deviceId} and archived_at is null`.execute(ctx.db)
  await sql`update device_faults set closed_at = ${ctx.now}
    where device_id = ${deviceId} and lane_id is not null and closed_at is null`.execute(ctx.db)
}

/** Faulty lanes without an open fault sell again. */
export async function enableRepaired(ctx: Ctx, laneIds: readonly number[]): Promise<number> {
  const { numAffectedRows } = await sql`update lanes l set status = 'ENABLED', version = version + 1
      where id = any(${[...laneIds]}::bigint[])
    and status = 'FAULT' and not exists (select 1 from device_faults f
      where f.lane_id = l.id and f.closed_at is null)`.execute(ctx.db)
  return Number(numAffectedRows)
}
export const closeLaneFaults = (ctx: Ctx, laneId: number) =>
  sql`update device_faults set closed_at = ${ctx.now}, handled_by = ${ctx.actor.userId}
    where lane_id = ${laneId} and closed_at is null`.execute(ctx.db)

export const deviceOfLane = (ctx: Ctx, laneId: number) =>
  rowOf<{ id: number }>(ctx.db)`select l.device_id as id from lanes l
    where l.id = ${laneId} and l.archived_at is null and ${visible(ctx, 'l.org_id', 'l.device_id')}`

export async function nameFloors(
  ctx: Ctx,
  floors: readonly { id: number; name: string }[],
): Promise<void> {
  if (floors.length === 0) return
  const named = sql`jsonb_to_recordset(${JSON.stringify(floors)}::jsonb) as n(id bigint, name text)`
  await sql`update lane_floors f set name = n.name from ${named} where f.id = n.id`.execute(ctx.db)
}

export const lockByHand = (ctx: Ctx, laneIds: readonly number[], reason: string) =>
  sql`update lanes set status = 'LOCKED', lock_reason = ${reason}, version = version + 1
    where id = any(${[...laneIds]}::bigint[])`.execute(ctx.db)

export const waitingSchedules = (ctx: Ctx, deviceId: number) =>
  onlyRow<{ n: number }>(ctx.db)`select count(*) as n from price_schedules s
    where s.device_id = ${deviceId} and s.state = 'WAITING'
      and ${visible(ctx, 's.org_id', 's.device_id')}`
export const copyRunning = (ctx: Ctx, deviceId: number) =>
  exists(ctx.db)`select 1 from lane_copy_targets t
    where t.device_id = ${deviceId} and t.state in ('WAITING', 'UNDOING') limit 1`
export async function productNames(ctx: Ctx, ids: readonly (number | null)[]) {
  const sold = (watched: unknown) =>
    sql`p.id in (select l.product_id from lanes l where l.device_id = ${watched})`
  const rows = await rowsOf<{ id: number; name: string }>(ctx.db)`select p.id, p.name
    from products p
    where p.id = any(${known(ids)}::bigint[]) and ${inheritable(ctx, 'p.org_id', sold)}`
  return new Map(rows.map((row) => [row.id, row.name]))
}
