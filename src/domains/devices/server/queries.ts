import { type RawBuilder, sql } from 'kysely'
import { type Ctx, inheritable, may, visible } from '../../../server/context.ts'
import { all, matches } from '../../../server/lists.ts'
import { exists, onlyRow, rowOf, rowsOf } from '../../../server/rows.ts'
import { type Rows, shape } from '../../../server/shapes.ts'
import type { Input, Output } from '../../../shared/contract.ts'
import { addDays, shanghaiDay, startOfDay } from '../../../shared/instants.ts'
import { licenceSteps } from '../../../shared/licences.ts'
import { DeviceDetail, DeviceRow, type devices } from '../contract.ts'

type ListInput = Input<typeof devices.list>

/** The open fault a person should hear of first. */
const fault = sql`case when s.fault_count > 0 then (select jsonb_build_object('faultCode', f.code,
  'road', coalesce(l.road_index, f.road))
  from device_faults f left join lanes l on l.id = f.lane_id
  where f.device_id = d.id and f.org_id = d.org_id and f.closed_at is null
  order by f.level, f.opened_at limit 1) end`
const today = (ctx: Ctx) => startOfDay(shanghaiDay(ctx.now))
const from = (ctx: Ctx) => sql`devices d join device_states s on s.device_id = d.id
  join device_types t on t.id = d.type_id join organisations o on o.id = d.org_id left
  join stores st on st.id = d.store_id
  left join sales_rollups r on r.device_id = d.id and r.grain = 'DAY' and r.at = ${today(ctx)}
    and r.org_id = d.org_id`
const joined = sql`devices d join device_states s on s.device_id = d.id`
const status = sql`case when s.online then 'online' else 'offline' end`

const said = (ctx: Ctx) => ({
  typeName: sql`t.name`,
  ownedUserName: sql`o.name`,
  storeName: sql`coalesce(st.store_name, '')`,
  boardNo: sql`coalesce(d.board_no, '')`,
  card: sql`coalesce(d.card, '')`,
  status,
  lastSeenAt: sql`s.last_seen_at`,
  offlineSince: sql`s.offline_since`,
  signal: sql`s.signal`,
  temperature: sql`s.temperature`,
  humidity: sql`s.humidity`,
  tempAlarm: sql`s.temp_alarm`,
  faultCount: sql`s.fault_count`,
  fault: may(ctx, 'fault:read') ? fault : sql`null`,
  fw: sql`coalesce(s.fw, '')`,
  apk: sql`coalesce(s.apk, '')`,
  stock: sql`s.stock`,
  capacity: sql`s.capacity`,
  free: sql`s.lanes_free`,
  soldOut: sql`s.lanes_sold_out`,
  low: sql`s.lanes_low`,
  lanes: sql`s.lanes_total`,
  todayOrders: sql`coalesce(r.orders, 0)`,
  todayTurnover: may(ctx, 'dashboard:money') ? sql`coalesce(r.turnover, 0)` : sql`null`,
  createTime: sql`d.created_at`,
})
const listed = (ctx: Ctx) =>
  shape(DeviceRow.extend({ county: DeviceDetail.shape.county }), ['devices', 'd'], said(ctx), [
    'regionName',
    'tags',
    'freshness',
    'can',
  ])
export type Row = Rows<typeof listed>

const staff = (
  ctx: Ctx,
  kind: string,
) => sql`(select coalesce(array_agg(u.real_name order by a.id), '{}') from device_assignments a
  join users u on u.id = a.user_id where a.device_id = d.id and a.kind = ${kind} and a.to_at is null
    and ${visible(ctx, 'a.org_id')})`
const whole = (ctx: Ctx) =>
  shape(
    DeviceDetail,
    ['devices', 'd'],
    {
      ...said(ctx),
      country: sql`'中国'`,
      pattern: sql`t.pattern`,
      refrigeration: sql`t.refrigeration`,
      businessHours: sql`d.business_hours`,
      doorOpen: sql`s.door_open`,
      rsrp: sql`s.rsrp`,
      replenishers: staff(ctx, 'REPLENISHER'),
      repairers: staff(ctx, 'REPAIRER'),
    },
    ['regionName', 'tags', 'freshness', 'can', 'orgHours', 'licenceMatches'],
  )

/** In stock, sold or scrapped a machine is not missed. */
const away = sql`(not s.online and d.lifecycle in ('OPERATING', 'PAUSED'))`
/** Faults first, then offline machines in use, then the rest; core.md, device list. */
const attention = sql`case when d.lifecycle not in ('OPERATING', 'PAUSED') then 0
  when s.fault_count > 0 then 2 when not s.online then 1 else 0 end`

export type ListFilters = Omit<ListInput, 'page' | 'pageSize' | 'sort'>
/** What a filter of the list means; the map shows the same machines. */
/** Of machines that may still sell: those of others do not end. */
export function licenceEnds(ctx: Ctx, state: 'EXPIRED' | 'SOON'): RawBuilder<unknown> {
  const today = shanghaiDay(ctx.now)
  const days =
    state === 'EXPIRED'
      ? sql`d.licence_until < ${today}::date`
      : sql`d.licence_until between ${today}::date and ${addDays(today, licenceSteps[0])}::date`
  return sql`${days} and d.lifecycle not in ('SOLD', 'SCRAPPED')`
}

export const conditions = (ctx: Ctx, input: ListFilters): RawBuilder<unknown> =>
  all([
    visible(ctx, 'd.org_id', 'd.id'),
    matches('devices', 'd.id', input.keyword),
    input.status && (input.status === 'online' ? sql`s.online` : away),
    input.signal && sql`s.signal = ${input.signal}`,
    input.typeId && sql`d.type_id = ${input.typeId}`,
    input.kind && sql`d.kind = ${input.kind}`,
    input.lifecycle && sql`d.lifecycle = ${input.lifecycle}`,
    input.orgId && sql`d.org_id = ${input.orgId}`,
    input.storeId && sql`d.store_id = ${input.storeId}`,
    input.tagIds &&
      sql`d.id in (select l.device_id from device_tag_links l
        where l.tag_id = any(${input.tagIds}::bigint[]) and l.org_id = d.org_id)`,
    input.region && sql`${input.region} in (d.province, d.city, d.county)`,
    input.province && sql`d.province = ${input.province}`,
    input.city && sql`d.city = ${input.city}`,
    input.county && sql`d.county = ${input.county}`,
    input.soldOut && sql`s.lanes_sold_out > 0`,
    input.hasFault && sql`s.fault_count > 0`,
    input.tempAlarm && sql`s.temp_alarm`,
    input.licenceState && licenceEnds(ctx, input.licenceState),
    input.boardNo && sql`d.board_no = ${input.boardNo}`,
    input.card && sql`d.card = ${input.card}`,
    input.ids && sql`d.id = any(${input.ids}::bigint[])`,
    input.from && sql`d.created_at >= ${startOfDay(input.from)}`,
    input.to && sql`d.created_at < ${startOfDay(addDays(input.to, 1))}`,
  ])

export const listRows = (ctx: Ctx, input: ListInput) =>
  listed(ctx).page<Exclude<ListInput['sort'], `-${string}`>, { stock: number; capacity: number }>(
    ctx.db,
    {
      from: from(ctx),
      countFrom: joined,
      wideSorts: ['todayOrders', 'todayTurnover'],
      sums: sql`coalesce(sum(s.stock), 0) as stock, coalesce(sum(s.capacity), 0) as capacity`,
      where: [conditions(ctx, input)],
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
    },
  )

export const detail = (ctx: Ctx, id: number) =>
  whole(ctx).one(
    ctx.db,
    sql`from ${from(ctx)} where d.id = ${id} and ${visible(ctx, 'd.org_id', 'd.id')}`,
  )

/** Whose the machine is, when the actor sees it. */
export async function ownerOf(ctx: Ctx, id: number): Promise<number | undefined> {
  const device = await rowOf<{ orgId: number }>(ctx.db)`select d.org_id as "orgId" from devices d
    where d.id = ${id} and ${visible(ctx, 'd.org_id', 'd.id')}`
  return device?.orgId
}

/**
 * Sales of today of the same machines. The rollups are found by their owners first, then matched
 * with machines; what machines say of themselves is read only when the filter asks for it, or this
 * would be more than half of what the page costs.
 */
export function soldToday(ctx: Ctx, input: ListInput) {
  const owners = sql`array(select o.id from organisations o where ${visible(ctx, 'o.id')})`
  const { status, signal, soldOut, hasFault, tempAlarm } = input
  const machines = status || signal || soldOut || hasFault || tempAlarm ? joined : sql`devices d`
  return onlyRow<{ orders: number; turnover: number }>(ctx.db)`
    select coalesce(sum(r.orders), 0) as orders, coalesce(sum(r.turnover), 0) as turnover
    from ${machines} join sales_rollups r on r.device_id = d.id and r.org_id = d.org_id
    where r.grain = 'DAY' and r.at = ${today(ctx)} and r.org_id = any(${owners})
      and ${conditions(ctx, input)}`
}

export const counts = (ctx: Ctx) =>
  onlyRow<Output<typeof devices.counts>>(
    ctx.db,
  )`select count(*) as "all", count(*) filter (where s.online) as online,
      count(*) filter (where ${away}) as offline,
      count(*) filter (where s.fault_count > 0) as fault,
      count(*) filter (where s.lanes_sold_out > 0) as "soldOut",
      count(*) filter (where s.temp_alarm) as "tempAlarm"
    from ${joined} where ${visible(ctx, 'd.org_id', 'd.id')}`

export type Type = { pattern: string; maxLevels: number; maxRoads: number; kind: string }
const typeColumns = sql`t.pattern, t.max_levels as "maxLevels", t.max_roads as "maxRoads", t.kind`
export const typeOf = (ctx: Ctx, typeId: number) =>
  onlyRow<Type>(ctx.db)`select ${typeColumns} from device_types t where t.id = ${typeId}`
/** The type, when the organisation that owns the machine may use it: its own or one from above. */
export const usableType = (ctx: Ctx, typeId: number, orgId: number) =>
  rowOf<Type>(ctx.db)`select ${typeColumns} from device_types t, organisations o
    where t.id = ${typeId} and o.id = ${orgId}
      and t.org_id::text = any(string_to_array(o.path::text, '.'))
      and ${inheritable(ctx, 't.org_id')}`

export const isStoreOf = (ctx: Ctx, storeId: number, orgId: number) =>
  exists(ctx.db)`select 1 from stores s
    where s.id = ${storeId} and s.org_id = ${orgId} and ${visible(ctx, 's.org_id')}`

export const isDisabledBoard = (ctx: Ctx, boardNo: string) =>
  exists(
    ctx.db,
  )`select 1 from main_boards b where b.board_no = ${boardNo} and b.disabled_at is not null
    and ${visible(ctx, 'b.org_id')}`

export const lanesOf = (ctx: Ctx, deviceId: number) =>
  onlyRow<{ lanes: number; selling: number; classes: string[] }>(ctx.db)`
    select count(*) as lanes,
      count(*) filter (where l.status = 'ENABLED' and l.product_id is not null) as selling,
      coalesce(array_agg(distinct p.drug_class) filter (where p.drug_class is not null),
        '{}') as classes
    from lanes l left join products p on p.id = l.product_id
    where l.device_id = ${deviceId} and l.archived_at is null`

/** Identifiers of the actor's roles that let him edit machines. */
export async function editsBy(ctx: Ctx): Promise<string[]> {
  const roles = await rowsOf<{ code: string }>(
    ctx.db,
  )`select r.code from user_roles ur join roles r on r.id = ur.role_id and r.status = 'ENABLED'
      join role_permissions p on p.role_id = r.id and p.permission_code = 'device:update'
      where ur.user_id = ${ctx.actor.userId}`
  return roles.map(({ code }) => code)
}
