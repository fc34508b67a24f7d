import { sql } from 'kysely'
import { type Ctx, visible } from '../../../server/context.ts'
import { type Rows, shape } from '../../../server/shapes.ts'
import type { Input } from '../../../shared/contract.ts'
import { DeviceTagOption, DeviceTagRow, type deviceTags } from '../contract.ts'

const deviceCount = (ctx: Ctx) =>
  sql`(select count(*) from device_tag_links l join devices d on d.id = l.device_id
    where l.tag_id = t.id and ${visible(ctx, 'd.org_id', 'd.id')})`
const deviceTag = (ctx: Ctx) =>
  shape(
    DeviceTagRow,
    ['device_tags', 't'],
    {
      orgName: sql`o.name`,
      deviceCount: deviceCount(ctx),
      createTime: sql`t.created_at`,
    },
    ['can'],
  )
export type Row = Rows<typeof deviceTag>
const from = sql`device_tags t join organisations o on o.id = t.org_id`

export const listRows = (ctx: Ctx, input: Input<typeof deviceTags.list>) =>
  deviceTag(ctx).page(ctx.db, {
    from,
    countFrom: sql`device_tags t`,
    input,
    last: sql`t.id`,
    sort: { name: sql`t.name`, createTime: sql`t.created_at` },
    where: [
      visible(ctx, 't.org_id'),
      input.keyword && sql`strpos(lower(t.name), lower(${input.keyword})) > 0`,
      input.orgId && sql`t.org_id = ${input.orgId}`,
      input.tone && sql`t.tone = ${input.tone}`,
    ],
  })

export const row = (ctx: Ctx, id: number) =>
  deviceTag(ctx).one(ctx.db, sql`from ${from} where t.id = ${id} and ${visible(ctx, 't.org_id')}`)

const option = shape(DeviceTagOption, ['device_tags', 't'], { orgName: sql`o.name` })
export const options = (ctx: Ctx, orgId?: number) =>
  option.all(
    ctx.db,
    sql`from ${from} where ${visible(ctx, 't.org_id')}
      and ${orgId === undefined ? sql`true` : sql`t.org_id = ${orgId}`}
      order by t.name, t.id limit 500`,
  )
