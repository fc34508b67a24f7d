import { sql } from 'kysely'
import { type Ctx, visible } from '../../../server/context.ts'
import { rowsOf } from '../../../server/rows.ts'
import { type Rows, shape } from '../../../server/shapes.ts'
import type { Input } from '../../../shared/contract.ts'
import { addDays, shanghaiDay, startOfDay } from '../../../shared/instants.ts'
import { type adMaterials, CreativeRow, MaterialOption, MaterialRow } from '../contract.ts'

const uses = sql`from program_group_items i join ad_creatives c on c.id = i.creative_id
  where c.material_id = m.id`
const material = shape(
  MaterialRow,
  ['ad_materials', 'm'],
  {
    kind: sql`m.kind`,
    state: sql`m.state`,
    tags: sql`m.tags`,
    validUntil: sql`m.valid_until::text`,
    orgName: sql`o.name`,
    refCount: sql`(select count(distinct i.group_id) ${uses})`,
    creativeCount: sql`(select count(*) from ad_creatives c where c.material_id = m.id)`,
    replacesName: sql`coalesce((select r.name from ad_materials r
      where r.id = m.replaces_id and m.state = 'PENDING'), '')`,
    uploader: sql`coalesce(u.real_name, '')`,
    createTime: sql`m.created_at`,
  },
  ['can'],
)
export type Row = Rows<typeof material>
const from = sql`ad_materials m join organisations o on o.id = m.org_id
  left join users u on u.id = m.created_by`

export const listRows = (ctx: Ctx, input: Input<typeof adMaterials.list>) =>
  material.page(ctx.db, {
    from,
    countFrom: sql`ad_materials m`,
    input,
    last: sql`m.id`,
    sort: {
      name: sql`m.name`,
      bytes: sql`m.bytes`,
      validUntil: sql`m.valid_until`,
      createTime: sql`m.created_at`,
    },
    where: [
      visible(ctx, 'm.org_id'),
      input.keyword && sql`strpos(lower(m.name), lower(${input.keyword})) > 0`,
      input.kind && sql`m.kind = ${input.kind}`,
      input.state && sql`m.state = ${input.state}`,
      input.orgId && sql`m.org_id = ${input.orgId}`,
      input.tag && sql`${input.tag} = any(m.tags)`,
      input.inUse !== undefined && sql`exists (select ${uses}) = ${input.inUse}`,
      input.endsWithin !== undefined &&
        sql`m.valid_until <= ${shanghaiDay(ctx.now)}::date + ${input.endsWithin}::int`,
      input.from && sql`m.created_at >= ${startOfDay(input.from)}`,
      input.to && sql`m.created_at < ${startOfDay(addDays(input.to, 1))}`,
    ],
  })

export const row = (ctx: Ctx, id: number) =>
  material.one(ctx.db, sql`from ${from} where m.id = ${id} and ${visible(ctx, 'm.org_id')}`)

const option = shape(MaterialOption, ['ad_materials', 'm'], {
  kind: sql`m.kind`,
  orgName: sql`o.name`,
})
export const options = (ctx: Ctx, orgId?: number) =>
  option.all(
    ctx.db,
    sql`from ${from} where ${visible(ctx, 'm.org_id')} and m.state = 'APPROVED'
      and ${orgId === undefined ? sql`true` : sql`m.org_id = ${orgId}`}
      order by m.name, m.id limit 500`,
  )

export const references = (ctx: Ctx, id: number) =>
  rowsOf<{ groupId: number; groupName: string; creativeTitle: string }>(ctx.db)`
    select distinct g.id as "groupId", g.name as "groupName", c.title as "creativeTitle"
    from ad_creatives c join program_group_items i on i.creative_id = c.id
    join program_groups g on g.id = i.group_id
    where c.material_id = ${id} and ${visible(ctx, 'g.org_id')} order by 2, 3, 1 limit 200`

const creative = shape(
  CreativeRow,
  ['ad_creatives', 'c'],
  {
    materialName: sql`m.name`,
    kind: sql`m.kind`,
    file: sql`m.file`,
    state: sql`m.state`,
    validUntil: sql`m.valid_until::text`,
    orgName: sql`o.name`,
    refCount: sql`(select count(distinct i.group_id) from program_group_items i
      where i.creative_id = c.id)`,
    createTime: sql`c.created_at`,
  },
  ['can'],
)
export type Creative = Rows<typeof creative>
const creativeFrom = sql`ad_creatives c join ad_materials m on m.id = c.material_id
  join organisations o on o.id = c.org_id`

export const listCreatives = (ctx: Ctx, input: Input<typeof adMaterials.creatives>) =>
  creative.page(ctx.db, {
    from: creativeFrom,
    input,
    last: sql`c.id`,
    sort: { title: sql`c.title`, createTime: sql`c.created_at` },
    where: [
      visible(ctx, 'c.org_id'),
      input.keyword &&
        sql`(strpos(lower(c.title), lower(${input.keyword})) > 0
          or strpos(lower(m.name), lower(${input.keyword})) > 0)`,
      input.materialId && sql`c.material_id = ${input.materialId}`,
      input.orgId && sql`c.org_id = ${input.orgId}`,
      input.state && sql`m.state = ${input.state}`,
    ],
  })
export const creativeRow = (ctx: Ctx, id: number) =>
  creative.one(ctx.db, sql`from ${creativeFrom} where c.id = ${id} and ${visible(ctx, 'c.org_id')}`)
