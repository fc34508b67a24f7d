import { type RawBuilder, sql } from 'kysely'
import { type Ctx, inheritable, visible } from '../../../server/context.ts'
import { all, matches, selectPage } from '../../../server/lists.ts'
import type { Input } from '../../../shared/contract.ts'
import { addDays, shanghaiDay, startOfDay } from '../../../shared/instants.ts'
import type { devices, dispensingModes, kinds, lifecycles } from '../contract.ts'
import type { BusinessWindow } from '../hours.ts'

type ListInput = Input<typeof devices.list>
type SortKey = Exclude<ListInput['sort'], `-${string}`>
/** What the machines of a filter hold. */
type Held = { stock: number; capacity: number }
type Kind = (typeof kinds)[number]
type Lifecycle = (typeof lifecycles)[number]
export type Row = {
  id: number
  org_id: number
  rtu_number: string
  nickname: string
  type_id: number
  type_name: string
  kind: Kind
  org_name: string
  county: string
  address: string
  lng: number | null
  lat: number | null
  board_no: string | null
  card: string | null
  lifecycle: Lifecycle
  locked: boolean
  store_id: number | null
  store_name: string | null
  created_at: Date
  version: number
  online: boolean
  last_seen_at: Date | null
  offline_since: Date | null
  signal: 'strong' | 'medium' | 'weak' | null
  temperature: number | null
  humidity: number | null
  temp_alarm: boolean
  fault_count: number
  fault: { faultCode: string; road: number | null } | null
  fw: string | null
  apk: string | null
  stock: number
  capacity: number
  lanes_free: number
  lanes_sold_out: number
  lanes_low: number
  lanes_total: number
  orders: number | null
  turnover: number | null
}

/** The open fault a person should hear of first. */
const fault = sql`case when s.fault_count > 0 then (select jsonb_build_object('faultCode', f.code, 'road', coalesce(l.road_index, f.road))
  from device_faults f left join lanes l on l.id = f.lane_id where f.device_id = d.id and f.org_id = d.org_id and f.closed_at is null
  order by f.level, f.opened_at limit 1) end as fault`
const columns = sql`d.id, d.org_id, d.rtu_number, d.nickname, d.type_id, t.name as type_name, d.kind, o.name as org_name, d.county, d.address, d.lng, d.lat, d.board_no, d.card, d.lifecycle, d.locked, d.store_id, st.store_name, d.created_at, d.version,
  s.online, s.last_seen_at, s.offline_since, s.signal, s.temperature, s.humidity, s.temp_alarm, s.fault_count, s.fw, s.apk, s.stock, s.capacity, s.lanes_free, s.lanes_sold_out, s.lanes_low, s.lanes_total,
  r.orders, r.turnover, ${fault}`
const today = (ctx: Ctx) => startOfDay(shanghaiDay(ctx.now))
const from = (
  ctx: Ctx,
) => sql`devices d join device_states s on s.device_id = d.id join device_types t on t.id = d.type_id join organisations o on o.id = d.org_id
  left join stores st on st.id = d.store_id
  left join sales_rollups r on r.device_id = d.id and r.grain = 'DAY' and r.at = ${today(ctx)} and r.org_id = d.org_id`
const joined = sql`devices d join device_states s on s.device_id = d.id`
/** In stock, sold or scrapped a machine is not missed. */
const away = sql`(not s.online and d.lifecycle in ('OPERATING', 'PAUSED'))`
/** Faults first, then offline machines in use, then the rest; core.md, device list. */
const attention = sql`case when d.lifecycle not in ('OPERATING', 'PAUSED') then 0 when s.fault_count > 0 then 2 when not s.online then 1 else 0 end`

export type ListFilters = Omit<ListInput, 'page' | 'pageSize' | 'sort'>
/** What a filter of the list means; the map shows the same machines. */
export function conditions(ctx: Ctx, input: ListFilters): RawBuilder<unknown>[] {
  const found = [
    visible(ctx, 'd.org_id', 'd.id'),
    matches('devices', 'd.id', input.keyword),
    input.status && (input.status === 'online' ? sql`s.online` : away),
    input.signal && sql`s.signal = ${input.signal}`,
    input.typeId && sql`d.type_id = ${input.typeId}`,
    input.kind && sql`d.kind = ${input.kind}`,
    input.lifecycle && sql`d.lifecycle = ${input.lifecycle}`,
    input.orgId && sql`d.org_id = ${input.orgId}`,
    input.storeId && sql`d.store_id = ${input.storeId}`,
    input.region && sql`${input.region} in (d.province, d.city, d.county)`,
    input.province && sql`d.province = ${input.province}`,
    input.city && sql`d.city = ${input.city}`,
    input.county && sql`d.county = ${input.county}`,
    input.soldOut && sql`s.lanes_sold_out > 0`,
    input.hasFault && sql`s.fault_count > 0`,
    input.tempAlarm && sql`s.temp_alarm`,
    input.boardNo && sql`d.board_no = ${input.boardNo}`,
    input.card && sql`d.card = ${input.card}`,
    input.ids && sql`d.id = any(${input.ids}::bigint[])`,
    input.from && sql`d.created_at >= ${startOfDay(input.from)}`,
    input.to && sql`d.created_at < ${startOfDay(addDays(input.to, 1))}`,
  ]
  return found.filter((c): c is RawBuilder<unknown> => Boolean(c))
}

export const listRows = (ctx: Ctx, input: ListInput) =>
  selectPage<Row, SortKey, Held>(ctx.db, {
    columns,
    from: from(ctx),
    countFrom: joined,
    wideSorts: ['todayOrders', 'todayTurnover'],
    sums: sql`coalesce(sum(s.stock), 0) as stock, coalesce(sum(s.capacity), 0) as capacity`,
    where: conditions(ctx, input),
    input,
    last: sql`d.id`,
    sort: {
      attention,
      rtuNumber: sql`d.rtu_number`,
      nickname: sql`d.nickname`,
      temperature: sql`s.temperature`,
      stock: sql`s.stock`,
      soldOut: sql`s.lanes_sold_out`,
      free: sql`s.lanes_free`,
      faultCount: sql`s.fault_count`,
      todayOrders: sql`coalesce(r.orders, 0)`,
      todayTurnover: sql`coalesce(r.turnover, 0)`,
      lastSeenAt: sql`s.last_seen_at`,
      createTime: sql`d.created_at`,
    },
  })

/** Sales of today of the same machines. The rollups are found by their owners first, then matched with machines. */
export async function soldToday(ctx: Ctx, input: ListInput): Promise<{ orders: number; turnover: number }> {
  const owners = sql`array(select o.id from organisations o where ${visible(ctx, 'o.id')})`
  const { rows } = await sql<{ orders: number; turnover: number }>`
    select coalesce(sum(r.orders), 0) as orders, coalesce(sum(r.turnover), 0) as turnover
    from ${joined} join sales_rollups r on r.device_id = d.id and r.org_id = d.org_id
    where r.grain = 'DAY' and r.at = ${today(ctx)} and r.org_id = any(${owners}) and ${all(conditions(ctx, input))}`.execute(ctx.db)
  return rows[0] as (typeof rows)[number]
}

type Counts = { all: number; online: number; offline: number; fault: number; soldOut: number; tempAlarm: number }
export async function counts(ctx: Ctx): Promise<Counts> {
  const { rows } = await sql<Counts>`select count(*) as "all", count(*) filter (where s.online) as online, count(*) filter (where ${away}) as offline,
      count(*) filter (where s.fault_count > 0) as fault, count(*) filter (where s.lanes_sold_out > 0) as "soldOut", count(*) filter (where s.temp_alarm) as "tempAlarm"
    from ${joined} where ${visible(ctx, 'd.org_id', 'd.id')}`.execute(ctx.db)
  return rows[0] as Counts
}

type Option = { id: number; rtuNumber: string; nickname: string; orgId: number; online: boolean }
export async function options(ctx: Ctx, input: Input<typeof devices.options>): Promise<Option[]> {
  const chosen = input.ids?.length ? sql`d.id = any(${input.ids}::bigint[])` : null
  const alike =
    input.typeOf && sql`d.type_id = (select other.type_id from devices other where other.id = ${input.typeOf} and ${visible(ctx, 'other.org_id', 'other.id')})`
  const { rows } = await sql<Option>`select d.id, d.rtu_number as "rtuNumber", d.nickname, d.org_id as "orgId", s.online from ${joined}
    where ${all([visible(ctx, 'd.org_id', 'd.id'), chosen ?? matches('devices', 'd.id', input.keyword), ...(alike ? [alike] : [])])} order by d.rtu_number limit ${input.ids?.length ? 200 : 50}`.execute(
    ctx.db,
  )
  return rows
}

export type Detail = Row & {
  province: string
  city: string
  pattern: 'spring' | 'lift' | 'belt' | 'pusher' | 'locker'
  refrigeration: boolean
  max_levels: number
  max_roads: number
  type_kind: Kind
  dispensing_mode: (typeof dispensingModes)[number] | null
  licence_no: string
  licence_address: string
  drop_sensor: boolean
  auto_refund: boolean
  business_hours: BusinessWindow[]
  online_mall: boolean
  remark: string
  door_open: boolean
  rsrp: number | null
  planogram_version: number
  replenishers: string[]
  repairers: string[]
}
export async function detailRow(ctx: Ctx, id: number): Promise<Detail | undefined> {
  const staff = (kind: string) =>
    sql`(select coalesce(array_agg(u.real_name order by a.id), '{}') from device_assignments a join users u on u.id = a.user_id where a.device_id = d.id and a.kind = ${kind} and a.to_at is null
      and ${visible(ctx, 'a.org_id')})`
  const { rows } =
    await sql<Detail>`select ${columns}, d.province, d.city, t.pattern, t.refrigeration, t.max_levels, t.max_roads, t.kind as type_kind, d.dispensing_mode, d.licence_no, d.licence_address,
      d.drop_sensor, d.auto_refund, d.business_hours, d.online_mall, d.remark, s.door_open, s.rsrp, d.planogram_version, ${staff('REPLENISHER')} as replenishers, ${staff('REPAIRER')} as repairers
    from ${from(ctx)} where d.id = ${id} and ${visible(ctx, 'd.org_id', 'd.id')}`.execute(ctx.db)
  return rows[0]
}

/** The type, when the organisation that owns the machine may use it: its own or one from above. */
export async function usableType(ctx: Ctx, typeId: number, orgId: number) {
  const { rows } = await sql<{ id: number; pattern: string; max_levels: number; max_roads: number; kind: Kind }>`
    select t.id, t.pattern, t.max_levels, t.max_roads, t.kind from device_types t, organisations o
    where t.id = ${typeId} and o.id = ${orgId} and t.org_id::text = any(string_to_array(o.path::text, '.')) and ${inheritable(ctx, 't.org_id')}`.execute(ctx.db)
  return rows[0]
}

export async function owner(ctx: Ctx, orgId: number) {
  const { rows } = await sql<{
    id: number
    kind: string
    name: string
  }>`select o.id, o.kind, o.name from organisations o where o.id = ${orgId} and o.status = 'ENABLED' and ${visible(ctx, 'o.id')}`.execute(ctx.db)
  return rows[0]
}

export async function storeOf(ctx: Ctx, storeId: number, orgId: number): Promise<boolean> {
  const { rows } = await sql`select 1 from stores s where s.id = ${storeId} and s.org_id = ${orgId} and ${visible(ctx, 's.org_id')}`.execute(ctx.db)
  return rows.length > 0
}

export async function isDisabledBoard(ctx: Ctx, boardNo: string): Promise<boolean> {
  const { rows } = await sql`select 1 from main_boards b where b.board_no = ${boardNo} and b.disabled_at is not null and ${visible(ctx, 'b.org_id')}`.execute(
    ctx.db,
  )
  return rows.length > 0
}

export async function lanesOf(ctx: Ctx, deviceId: number) {
  const { rows } = await sql<{ lanes: number; selling: number; classes: string[] }>`
    select count(*) as lanes, count(*) filter (where l.status = 'ENABLED' and l.product_id is not null) as selling,
      coalesce(array_agg(distinct p.drug_class) filter (where p.drug_class is not null), '{}') as classes
    from lanes l left join products p on p.id = l.product_id where l.device_id = ${deviceId} and l.archived_at is null`.execute(ctx.db)
  return rows[0] as (typeof rows)[number]
}

/** Identifiers of the actor's roles that let him edit machines. */
export async function editsBy(ctx: Ctx): Promise<string[]> {
  const { rows } = await sql<{ code: string }>`select r.code from user_roles ur join roles r on r.id = ur.role_id and r.status = 'ENABLED'
    join role_permissions p on p.role_id = r.id and p.permission_code = 'device:update' where ur.user_id = ${ctx.actor.userId}`.execute(ctx.db)
  return rows.map((row) => row.code)
}
