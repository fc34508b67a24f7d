import { sql } from 'kysely'
import { type Ctx, inheritable, visible } from '../../../server/context.ts'
import { type Rows, shape } from '../../../server/shapes.ts'
import type { Input } from '../../../shared/contract.ts'
import * as f from '../../../shared/fields.ts'
import { type deviceTypes, TypeOption, TypeRow } from '../contract.ts'

const readable = (ctx: Ctx) =>
  inheritable(
    ctx,
    't.org_id',
    (watched) => sql`t.id in (select d.type_id from devices d where d.id = ${watched})`,
  )
const type = (ctx: Ctx) =>
  shape(
    TypeRow.extend({ orgId: f.id }),
    ['device_types', 't'],
    {
      deviceCount: sql`(select count(*) from devices d
        where d.type_id = t.id and ${visible(ctx, 'd.org_id', 'd.id')})`,
      createTime: sql`t.created_at`,
    },
    ['can'],
  )
export type Row = Rows<typeof type>

export const listRows = (ctx: Ctx, input: Input<typeof deviceTypes.list>) =>
  type(ctx).page(ctx.db, {
    from: sql`device_types t`,
    input,
    last: sql`t.id`,
    sort: {
      name: sql`t.name`,
      deviceCount: sql.ref('deviceCount'),
      createTime: sql`t.created_at`,
    },
    where: [
      readable(ctx),
      input.keyword && sql`strpos(lower(t.name), lower(${input.keyword})) > 0`,
      input.pattern && sql`t.pattern = ${input.pattern}`,
      input.kind && sql`t.kind = ${input.kind}`,
    ],
  })

export const row = (ctx: Ctx, id: number) =>
  type(ctx).one(ctx.db, sql`from device_types t where t.id = ${id} and ${readable(ctx)}`)

const option = shape(TypeOption, ['device_types', 't'], {})
export const options = (ctx: Ctx) =>
  option.all(ctx.db, sql`from device_types t where ${readable(ctx)} order by t.name limit 200`)

/**
 * Machines of the type and the widest drawing among them. Locks the type, so that none is added
 * meanwhile.
 */
export async function used(
  ctx: Ctx,
  id: number,
): Promise<{ deviceCount: number; levels: number; roads: number }> {
  await sql`select 1 from device_types where id = ${id} for update`.execute(ctx.db)
  const { rows } = await sql<Awaited<ReturnType<typeof used>>>`
    select count(distinct d.id) as "deviceCount", coalesce(max(f.level), 0) as levels,
      coalesce(max(l.col), 0) as roads
    from devices d
    left join lane_floors f on f.device_id = d.id and f.archived_at is null
    left join lanes l on l.floor_id = f.id and l.archived_at is null
    where d.type_id = ${id}`.execute(ctx.db)
  return rows[0] as (typeof rows)[number]
}
