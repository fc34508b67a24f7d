import { sql } from 'kysely'
import { type Ctx, visible } from '../../../server/context.ts'
import { rowsOf } from '../../../server/rows.ts'
import { type Rows, shape } from '../../../server/shapes.ts'
import type { Input } from '../../../shared/contract.ts'
import { shanghaiDay } from '../../../shared/instants.ts'
import { type GroupItem, GroupRow, type programGroups } from '../contract.ts'

/** A set of minutes as people write hours. */
export const hoursOf = (column: string) => {
  const clock = (minute: string) =>
    `lpad((${minute} / 60)::text, 2, '0') || ':' || lpad((${minute} % 60)::text, 2, '0')`
  return sql<{ from: string; to: string }[]>`(select jsonb_agg(jsonb_build_object(
      'from', ${sql.raw(clock('lower(w)'))}, 'to', ${sql.raw(clock('upper(w)'))}) order by w)
    from unnest(${sql.ref(column)}) w)`
}
const group = shape(
  GroupRow,
  ['program_groups', 'g'],
  {
    slotKind: sql`g.slot_kind`,
    transition: sql`g.transition`,
    state: sql`g.state`,
    windows: hoursOf('g.windows'),
    orgName: sql`o.name`,
    itemCount: sql`(select count(*) from program_group_items i where i.group_id = g.id)`,
    loopSeconds: sql`(select coalesce(sum(i.seconds), 0) from program_group_items i
      where i.group_id = g.id)`,
    createTime: sql`g.created_at`,
    updateTime: sql`g.updated_at`,
  },
  ['can'],
)
export type Row = Rows<typeof group>
const from = sql`program_groups g join organisations o on o.id = g.org_id`

export const listRows = (ctx: Ctx, input: Input<typeof programGroups.list>) =>
  group.page(ctx.db, {
    from,
    countFrom: sql`program_groups g`,
    input,
    last: sql`g.id`,
    sort: { name: sql`g.name`, createTime: sql`g.created_at`, updateTime: sql`g.updated_at` },
    where: [
      visible(ctx, 'g.org_id'),
      input.keyword && sql`strpos(lower(g.name), lower(${input.keyword})) > 0`,
      input.slotKind && sql`g.slot_kind = ${input.slotKind}`,
      input.state && sql`g.state = ${input.state}`,
      input.orgId && sql`g.org_id = ${input.orgId}`,
    ],
  })

export const row = (ctx: Ctx, id: number) =>
  group.one(ctx.db, sql`from ${from} where g.id = ${id} and ${visible(ctx, 'g.org_id')}`)

export const items = (ctx: Ctx, id: number) =>
  rowsOf<GroupItem>(ctx.db)`
    select i.creative_id as "creativeId", i.seconds, c.title, c.caption, c.qr_url as "qrUrl",
      m.kind, m.file, m.state = 'APPROVED'
        and coalesce(m.valid_until >= ${shanghaiDay(ctx.now)}::date, true) as plays
    from program_group_items i join ad_creatives c on c.id = i.creative_id
    join ad_materials m on m.id = c.material_id
    where i.group_id = ${id} and ${visible(ctx, 'i.org_id')} order by i.position`

/** Of these creatives those that a group of this organisation may show, and how long a film is. */
export const usable = (ctx: Ctx, orgId: number, creativeIds: readonly number[]) =>
  rowsOf<{ id: number; film: number | null }>(ctx.db)`
    select c.id, case when m.kind = 'VIDEO' then c.seconds end as film
    from ad_creatives c join ad_materials m on m.id = c.material_id
    join organisations o on o.id = c.org_id join organisations g on g.id = ${orgId}
    where c.id = any(${[...creativeIds]}::bigint[]) and o.path <@ g.path
      and ${visible(ctx, 'c.org_id')} for share of c`
