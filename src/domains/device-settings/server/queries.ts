import { sql } from 'kysely'
import { type Ctx, iso, isoOrNull, visible } from '../../../server/context.ts'
import { matches, selectPage } from '../../../server/lists.ts'
import type { Input } from '../../../shared/contract.ts'
import type { Config, deviceSettings, Sync, syncStates } from '../contract.ts'
import { defaultConfig, type Storage } from '../rules.ts'

export type ConfigRow = {
  config_version: number | null
  temp_min: number | null
  temp_max: number | null
  hum_min: number
  hum_max: number
  limit_per_order: number
  limit_per_day: number
  doc: Omit<Config, 'tempMin' | 'tempMax' | 'humMin' | 'humMax' | 'limitPerOrder' | 'limitPerDay'>
}
type DeviceRow = ConfigRow & {
  id: number
  org_id: number
  rtu_number: string
  nickname: string
  kind: string
  lifecycle: string
  refrigeration: boolean
  drop_sensor: boolean
  auto_refund: boolean
  online: boolean
  changed_by: string | null
  changed_at: Date | null
}
const configColumns = sql`c.config_version, c.temp_min, c.temp_max, c.hum_min, c.hum_max, c.limit_per_order, c.limit_per_day, c.doc`

export type Device = {
  id: number
  orgId: number
  rtuNumber: string
  nickname: string
  kind: string
  lifecycle: string
  refrigeration: boolean
  online: boolean
  /** 0 while the defaults hold. */
  version: number
  config: Config
  changedBy: string
  changedAt: string | null
}

export const configOf = (row: ConfigRow): Config => ({
  tempMin: row.temp_min,
  tempMax: row.temp_max,
  humMin: row.hum_min,
  humMax: row.hum_max,
  limitPerOrder: row.limit_per_order,
  limitPerDay: row.limit_per_day,
  ...row.doc,
})

/** Machines with the settings in force: the newest version, or the defaults of their type. */
export async function devices(ctx: Ctx, ids: readonly number[]): Promise<Device[]> {
  const { rows } = await sql<DeviceRow>`
    select d.id, d.org_id, d.rtu_number, d.nickname, d.kind, d.lifecycle, t.refrigeration, d.drop_sensor, d.auto_refund, s.online, ${configColumns}, u.real_name as changed_by, c.created_at as changed_at
    from devices d join device_types t on t.id = d.type_id join device_states s on s.device_id = d.id
    left join lateral (select * from device_configs c where c.device_id = d.id order by c.config_version desc limit 1) c on true
    left join users u on u.id = c.by_user
    where d.id = any(${[...ids]}::bigint[]) and ${visible(ctx, 'd.org_id', 'd.id')} order by d.id`.execute(ctx.db)
  return rows.map((row) => ({
    id: row.id,
    orgId: row.org_id,
    rtuNumber: row.rtu_number,
    nickname: row.nickname,
    kind: row.kind,
    lifecycle: row.lifecycle,
    refrigeration: row.refrigeration,
    online: row.online,
    version: row.config_version ?? 0,
    config:
      row.config_version === null
        ? defaultConfig({ refrigeration: row.refrigeration, kind: row.kind, dropSensor: row.drop_sensor, autoRefund: row.auto_refund })
        : configOf(row),
    changedBy: row.changed_by ?? '',
    changedAt: isoOrNull(row.changed_at),
  }))
}

/** Locks the machines, so that two people who set the same one take turns. */
export const lockDevices = (ctx: Ctx, ids: readonly number[]) =>
  sql`select d.id from devices d where d.id = any(${[...ids]}::bigint[]) and ${visible(ctx, 'd.org_id', 'd.id')} order by d.id for no key update`.execute(
    ctx.db,
  )

/** Storage ranges of what stands in these machines. */
export async function storageOf(ctx: Ctx, deviceIds: readonly number[]): Promise<Map<number, Storage[]>> {
  const { rows } = await sql<Storage & { device_id: number }>`
    select distinct l.device_id, p.name as product, p.store_temp_min as min, p.store_temp_max as max from lanes l join products p on p.id = l.product_id
    where l.device_id = any(${[...deviceIds]}::bigint[]) and l.archived_at is null and num_nonnulls(p.store_temp_min, p.store_temp_max) > 0 order by p.name`.execute(
    ctx.db,
  )
  const found = Map.groupBy(rows, (row) => row.device_id)
  return new Map([...found].map(([id, list]) => [id, list.map(({ product, min, max }) => ({ product, min, max }))]))
}

/** Writes the next version of each; false when somebody else wrote one meanwhile. */
export async function addVersions(ctx: Ctx, rows: readonly { device: Device; config: Config }[]): Promise<boolean> {
  const values = rows.map(({ device, config }) => {
    const { tempMin, tempMax, humMin, humMax, limitPerOrder, limitPerDay, ...doc } = config
    return { id: device.id, org: device.orgId, v: device.version + 1, tempMin, tempMax, humMin, humMax, limitPerOrder, limitPerDay, doc }
  })
  const { numAffectedRows } = await sql`
    insert into device_configs (device_id, config_version, org_id, temp_min, temp_max, hum_min, hum_max, limit_per_order, limit_per_day, doc, by_user, created_at)
    select id, v, org, "tempMin", "tempMax", "humMin", "humMax", "limitPerOrder", "limitPerDay", doc, ${ctx.actor.userId}::bigint, ${ctx.now}::timestamptz
    from jsonb_to_recordset(${JSON.stringify(values)}::jsonb) as x(id bigint, v int, org bigint, "tempMin" numeric, "tempMax" numeric, "humMin" numeric, "humMax" numeric, "limitPerOrder" int, "limitPerDay" int, doc jsonb)
    on conflict do nothing`.execute(ctx.db)
  // what orders and machines look at row by row follows the version
  await sql`update devices d set drop_sensor = x."dropSensor", auto_refund = x."autoRefund", version = d.version + 1
    from jsonb_to_recordset(${JSON.stringify(rows.map(({ device, config }) => ({ id: device.id, ...config })))}::jsonb) as x(id bigint, "dropSensor" boolean, "autoRefund" boolean)
    where d.id = x.id and (d.drop_sensor, d.auto_refund) is distinct from (x."dropSensor", x."autoRefund")`.execute(ctx.db)
  return Number(numAffectedRows) === rows.length
}

export async function versionRows(ctx: Ctx, input: Input<typeof deviceSettings.versions>) {
  type Row = ConfigRow & { config_version: number; changed_by: string | null; created_at: Date }
  const { rows, total } = await selectPage<Row>(ctx.db, {
    columns: sql`${configColumns}, c.created_at, u.real_name as changed_by`,
    from: sql`device_configs c left join users u on u.id = c.by_user`,
    where: [sql`c.device_id = ${input.id}`, visible(ctx, 'c.org_id', 'c.device_id')],
    input,
    last: sql`c.config_version`,
    sort: { version: sql`c.config_version` },
  })
  return {
    total,
    list: rows.map((row) => ({ version: row.config_version, config: configOf(row), changedBy: row.changed_by ?? '', createTime: iso(row.created_at) })),
  }
}

type Shadow = {
  wanted: number | null
  delivered: number
  applied: number
  refused: number
  state: (typeof syncStates)[number]
  reason: string
  wanted_at: Date
  delivered_at: Date | null
  answered_at: Date | null
}
const nothingWanted: Sync = {
  wanted: 0,
  delivered: 0,
  applied: 0,
  refused: 0,
  state: 'APPLIED',
  reason: '',
  wantedAt: null,
  deliveredAt: null,
  answeredAt: null,
}
const syncOf = (row: Shadow | null | undefined): Sync =>
  row
    ? {
        wanted: row.wanted ?? 0,
        delivered: row.delivered,
        applied: row.applied,
        refused: row.refused,
        state: row.state,
        reason: row.state === 'REFUSED' ? row.reason : '',
        wantedAt: iso(new Date(row.wanted_at)),
        deliveredAt: row.delivered_at && iso(new Date(row.delivered_at)),
        answeredAt: row.answered_at && iso(new Date(row.answered_at)),
      }
    : nothingWanted

export async function syncOfDevice(ctx: Ctx, deviceId: number): Promise<Sync> {
  const { rows } = await sql<Shadow>`select * from device_shadows where device_id = ${deviceId} and kind = 'CONFIG'`.execute(ctx.db)
  return syncOf(rows[0])
}

export async function syncRows(ctx: Ctx, input: Input<typeof deviceSettings.syncs>) {
  type Row = { id: number; rtu_number: string; nickname: string; org_name: string; online: boolean; config: Shadow | null; planogram: Shadow | null }
  const shadow = (kind: string) =>
    sql`left join device_shadows ${sql.ref(kind.toLowerCase())} on ${sql.ref(`${kind.toLowerCase()}.device_id`)} = d.id and ${sql.ref(`${kind.toLowerCase()}.kind`)} = ${kind}`
  const chosen = input.kind.toLowerCase()
  const { rows, total } = await selectPage<Row>(ctx.db, {
    columns: sql`d.id, d.rtu_number, d.nickname, o.name as org_name, s.online, to_jsonb(config) as config, to_jsonb(planogram) as planogram`,
    from: sql`devices d join device_states s on s.device_id = d.id join organisations o on o.id = d.org_id ${shadow('CONFIG')} ${shadow('PLANOGRAM')}`,
    where: [
      visible(ctx, 'd.org_id', 'd.id'),
      sql`d.lifecycle not in ('SOLD', 'SCRAPPED')`,
      matches('devices', 'd.id', input.keyword),
      input.orgId && sql`d.org_id = ${input.orgId}`,
      input.ids && sql`d.id = any(${input.ids}::bigint[])`,
      input.state && sql`coalesce(${sql.ref(`${chosen}.state`)}, 'APPLIED') = ${input.state}`,
    ],
    input,
    last: sql`d.id`,
    sort: { rtuNumber: sql`d.rtu_number`, wantedAt: sql.ref(`${chosen}.wanted_at`) },
  })
  return {
    total,
    list: rows.map((row) => ({
      id: row.id,
      rtuNumber: row.rtu_number,
      nickname: row.nickname,
      ownedUserName: row.org_name,
      online: row.online,
      config: syncOf(row.config),
      planogram: syncOf(row.planogram),
    })),
  }
}
