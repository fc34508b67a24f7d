import { sql } from 'kysely'
import { type Ctx, inheritable, visible } from '../../../server/context.ts'
import { selectPage } from '../../../server/lists.ts'
import type { Input } from '../../../shared/contract.ts'
import type { deviceTypes, NewType } from '../contract.ts'

export type Row = Omit<NewType, 'screenSize' | 'dropSensor' | 'maxLevels' | 'maxRoads'> & {
  id: number
  org_id: number
  screen_size: string
  drop_sensor: boolean
  max_levels: number
  max_roads: number
  version: number
  created_at: Date
  devices: number
}
const from = sql`device_types t`
const readable = (ctx: Ctx) => inheritable(ctx, 't.org_id', (watched) => sql`t.id in (select d.type_id from devices d where d.id = ${watched})`)
const columns = (
  ctx: Ctx,
) => sql`t.id, t.org_id, t.img, t.name, t.screen, t.screen_size, t.refrigeration, t.pattern, t.kind, t.drop_sensor, t.max_levels, t.max_roads, t.version, t.created_at,
  (select count(*) from devices d where d.type_id = t.id and ${visible(ctx, 'd.org_id', 'd.id')}) as devices`

export const listRows = (ctx: Ctx, input: Input<typeof deviceTypes.list>) =>
  selectPage<Row>(ctx.db, {
    columns: columns(ctx),
    from,
    input,
    last: sql`t.id`,
    sort: { name: sql`t.name`, deviceCount: sql`devices`, createTime: sql`t.created_at` },
    where: [
      readable(ctx),
      input.keyword && sql`strpos(lower(t.name), lower(${input.keyword})) > 0`,
      input.pattern && sql`t.pattern = ${input.pattern}`,
      input.kind && sql`t.kind = ${input.kind}`,
    ],
  })

export async function row(ctx: Ctx, id: number): Promise<Row | undefined> {
  const { rows } = await sql<Row>`select ${columns(ctx)} from ${from} where t.id = ${id} and ${readable(ctx)}`.execute(ctx.db)
  return rows[0]
}
export async function options(ctx: Ctx): Promise<Row[]> {
  const { rows } = await sql<Row>`select ${columns(ctx)} from ${from} where ${readable(ctx)} order by t.name limit 200`.execute(ctx.db)
  return rows
}

/** Machines of the type and the widest drawing among them. Locks the type, so that none is added meanwhile. */
export async function used(ctx: Ctx, id: number): Promise<{ devices: number; levels: number; roads: number }> {
  await sql`select 1 from device_types where id = ${id} for update`.execute(ctx.db)
  const { rows } = await sql<{ devices: number; levels: number; roads: number }>`
    select count(distinct d.id) as devices, coalesce(max(f.level), 0) as levels, coalesce(max(l.col), 0) as roads
    from devices d left join lane_floors f on f.device_id = d.id and f.archived_at is null left join lanes l on l.floor_id = f.id and l.archived_at is null where d.type_id = ${id}`.execute(
    ctx.db,
  )
  return rows[0] as (typeof rows)[number]
}

export const columnsOf = (type: NewType) => ({
  name: type.name,
  img: type.img,
  screen: type.screen,
  screen_size: type.screen ? type.screenSize : '',
  refrigeration: type.refrigeration,
  pattern: type.pattern,
  kind: type.kind,
  drop_sensor: type.dropSensor,
  max_levels: type.maxLevels,
  max_roads: type.maxRoads,
})
