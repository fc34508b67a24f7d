import { sql } from 'kysely'
import { z } from 'zod'
import { type Ctx, visible } from '../../../server/context.ts'
import { matches } from '../../../server/lists.ts'
import { onlyRow, rowsOf } from '../../../server/rows.ts'
import { isoText, shape } from '../../../server/shapes.ts'
import type { Input } from '../../../shared/contract.ts'
import * as f from '../../../shared/fields.ts'
import {
  Config,
  ConfigVersion,
  DeviceConfig,
  type deviceSettings,
  type Sync,
  SyncRow,
} from '../contract.ts'
import { defaultConfig, type Storage } from '../rules.ts'

/** A version as the contract says it: figures that somebody compares have columns of their own. */
export const config = sql`jsonb_build_object('tempMin', c.temp_min, 'tempMax', c.temp_max, 'humMin',
  c.hum_min, 'humMax', c.hum_max,
  'limitPerOrder', c.limit_per_order, 'limitPerDay', c.limit_per_day) || c.doc`

const machine = shape(
  DeviceConfig.omit({ deviceId: true, sync: true, storage: true, can: true }).extend({
    ...{
      id: f.id,
      orgId: f.id,
      kind: z.string(),
      lifecycle: z.string(),
      dropSensor: z.boolean(),
      autoRefund: z.boolean(),
    },
    config: Config.nullable(),
  }),
  ['devices', 'd'],
  {
    refrigeration: sql`t.refrigeration`,
    online: sql`s.online`,
    version: sql`coalesce(c.config_version, 0)`,
    config,
    changedBy: sql`coalesce(u.real_name, '')`,
    changedAt: sql`c.created_at`,
  },
)
export type Device = Awaited<ReturnType<typeof devices>>[number]

/** Machines with the settings in force: the newest version, or the defaults of their type. */
export async function devices(ctx: Ctx, ids: readonly number[]) {
  const rows = await machine.all(
    ctx.db,
    sql`from devices d join device_types t on t.id = d.type_id
      join device_states s on s.device_id = d.id
    left join lateral (select * from device_configs c where c.device_id = d.id
      order by c.config_version desc limit 1) c on true
    left join users u on u.id = c.by_user
    where d.id = any(${[...ids]}::bigint[]) and ${visible(ctx, 'd.org_id', 'd.id')} order by d.id`,
  )
  return rows.map(({ dropSensor, autoRefund, config, ...row }) => ({
    ...row,
    config: config ?? defaultConfig({ ...row, dropSensor, autoRefund }),
  }))
}

/** Storage ranges of what stands in these machines. */
export async function storageOf(
  ctx: Ctx,
  deviceIds: readonly number[],
): Promise<Map<number, Storage[]>> {
  const rows = await rowsOf<{
    id: number
    list: Storage[]
  }>(
    ctx.db,
  )`select device_id as id, jsonb_agg(jsonb_build_object('product', product, 'min', min, 'max', max)
    order by product) as list
    from (select distinct l.device_id, p.name as product, p.store_temp_min as min,
      p.store_temp_max as max from lanes l join products p on p.id = l.product_id
      where l.device_id = any(${[...deviceIds]}::bigint[]) and l.archived_at is null
        and num_nonnulls(p.store_temp_min, p.store_temp_max) > 0) x group by 1`
  return new Map(rows.map(({ id, list }) => [id, list]))
}

/** Writes the next version of each; false when somebody else wrote one meanwhile. */
export async function addVersions(
  ctx: Ctx,
  rows: readonly { device: Device; config: Config }[],
): Promise<boolean> {
  const values = rows.map(({ device, config }) => {
    const { tempMin, tempMax, humMin, humMax, limitPerOrder, limitPerDay, ...doc } = config
    return {
      id: device.id,
      org: device.orgId,
      v: device.version + 1,
      tempMin,
      tempMax,
      humMin,
      humMax,
      limitPerOrder,
      limitPerDay,
      doc,
    }
  })
  const { numAffectedRows } = await sql`
    insert into device_configs (device_id, config_version, org_id, temp_min, temp_max, hum_min,
      hum_max, limit_per_order, limit_per_day, doc, by_user, created_at)
    select id, v, org, "tempMin", "tempMax", "humMin", "humMax", "limitPerOrder", "limitPerDay",
      doc, ${ctx.actor.userId}::bigint, ${ctx.now}::timestamptz
    from jsonb_to_recordset(${JSON.stringify(values)}::jsonb) as x(id bigint, v int, org bigint,
      "tempMin" numeric, "tempMax" numeric, "humMin" numeric, "humMax" numeric, "limitPerOrder" int,
      "limitPerDay" int, doc jsonb)
    on conflict do nothing`.execute(ctx.db)
  // what orders and machines look at row by row follows the version
  await sql`update devices d
    set drop_sensor = x."dropSensor", auto_refund = x."autoRefund", version = d.version + 1
    from jsonb_to_recordset(${JSON.stringify(rows.map(({ device, config }) => ({ id: device.id, ...config })))}::jsonb) as x(id bigint, "dropSensor" boolean, "autoRefund" boolean)
    where d.id = x.id and (d.drop_sensor, d.auto_refund) is distinct
    from (x."dropSensor", x."autoRefund")`.execute(ctx.db)
  return Number(numAffectedRows) === rows.length
}

const configVersion = shape(ConfigVersion, ['device_configs', 'c'], {
  version: sql`c.config_version`,
  config,
  changedBy: sql`coalesce(u.real_name, '')`,
  createTime: sql`c.created_at`,
})
export async function versionRows(ctx: Ctx, input: Input<typeof deviceSettings.versions>) {
  const { rows, total } = await configVersion.page(ctx.db, {
    from: sql`device_configs c left join users u on u.id = c.by_user`,
    where: [sql`c.device_id = ${input.id}`, visible(ctx, 'c.org_id', 'c.device_id')],
    input,
    last: sql`c.config_version`,
    sort: { version: sql`c.config_version` },
  })
  return { list: rows, total }
}

const nothingWanted: Sync = {
  ...{ wanted: 0, delivered: 0, applied: 0, refused: 0, state: 'APPLIED', reason: '' },
  ...{ wantedAt: null, deliveredAt: null, answeredAt: null },
}
/**
 * How far a machine is with what is wanted of it, from its row of device_shadows under this alias.
 */
function sync(alias: string) {
  const [column, moment] = [
    (name: string) => sql.ref(`${alias}.${name}`),
    (name: string) => isoText(`${alias}.${name}`),
  ]
  return sql`case when ${column('device_id')} is null then ${JSON.stringify(nothingWanted)}::jsonb
    else jsonb_build_object(
    'wanted', coalesce(${column('wanted')}, 0), 'delivered', ${column('delivered')}, 'applied',
    ${column('applied')}, 'refused', ${column('refused')},
    'state', ${column('state')}, 'reason', case
      when ${column('state')} = 'REFUSED' then ${column('reason')} else '' end,
    'wantedAt', ${moment('wanted_at')}, 'deliveredAt', ${moment('delivered_at')}, 'answeredAt',
    ${moment('answered_at')}) end`
}

export async function syncOfDevice(ctx: Ctx, deviceId: number): Promise<Sync> {
  const shadow = sql`device_shadows x on x.device_id = ${deviceId} and x.kind = 'CONFIG'`
  return (
    await onlyRow<{ sync: Sync }>(
      ctx.db,
    )`select ${sync('x')} as sync from (select) machine left join ${shadow}`
  ).sync
}

const syncRow = shape(SyncRow, ['devices', 'd'], {
  ownedUserName: sql`o.name`,
  online: sql`s.online`,
  config: sync('config'),
  planogram: sync('planogram'),
})
export async function syncRows(ctx: Ctx, input: Input<typeof deviceSettings.syncs>) {
  const chosen = input.kind.toLowerCase()
  const { rows, total } = await syncRow.page(ctx.db, {
    from: sql`devices d join device_states s on s.device_id = d.id
      join organisations o on o.id = d.org_id
      left join device_shadows config on config.device_id = d.id and config.kind = 'CONFIG'
      left join device_shadows planogram on planogram.device_id = d.id
        and planogram.kind = 'PLANOGRAM'`,
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
  return { list: rows, total }
}
