import { type RawBuilder, sql } from 'kysely'
import { type Ctx, personName, visible } from '../../../server/context.ts'
import { type Rows, shape } from '../../../server/shapes.ts'
import type { Input } from '../../../shared/contract.ts'
import * as f from '../../../shared/fields.ts'
import { addDays, startOfDay } from '../../../shared/instants.ts'
import { NamedPerson, Notice, NoticeRow, type notices, ReaderRow } from '../contract.ts'

/** What code asks of a notice besides what a list shows. */
const beside = {
  orgId: f.id,
  remindTime: Notice.shape.remindTime,
  targets: Notice.pick({
    toAll: true,
    orgIds: true,
    withSubtree: true,
    roleIds: true,
    userIds: true,
  }),
}
const idsIn = (column: string) =>
  sql`coalesce(array_remove(array_agg(${sql.ref(column)} order by t.id), null), '{}')`
const joined = {
  img: sql`coalesce(n.images[1], '')`,
  channels: sql`n.channels`,
  publishTime: sql`coalesce(n.published_at, n.publish_at)`,
  expireTime: sql`n.expire_at`,
  remindTime: sql`n.reminded_at`,
  author: sql`coalesce(${personName('a')}, '')`,
  orgName: sql`o.name`,
  createTime: sql`n.created_at`,
  targets: sql`(select jsonb_build_object(
      'toAll', coalesce(bool_or(t.everyone), false), 'withSubtree',
      coalesce(bool_or(t.with_subtree) filter (where t.target_org_id is not null), true),
      'orgIds', ${idsIn('t.target_org_id')}, 'roleIds', ${idsIn('t.role_id')},
      'userIds', ${idsIn('t.user_id')})
    from notice_targets t where t.notice_id = n.id)`,
}
const judged = ['toAll', 'orgCount', 'roleCount', 'userCount', 'can'] as const
const listed = shape(NoticeRow.extend(beside), ['notices', 'n'], joined, [...judged])
export type ListRow = Rows<typeof listed>

const notice = shape(Notice.extend(beside), ['notices', 'n'], joined, [
  ...judged,
  'orgIds',
  'withSubtree',
  'roleIds',
  'userIds',
  'users',
])

const from = sql`notices n join organisations o on o.id = n.org_id left
  join users a on a.id = n.author_id`
export const within = (
  column: RawBuilder<unknown>,
  range: { from?: string | undefined; to?: string | undefined },
) => [
  range.from && sql`${column} >= ${startOfDay(range.from)}`,
  range.to && sql`${column} < ${startOfDay(addDays(range.to, 1))}`,
]

export const listRows = (ctx: Ctx, input: Input<typeof notices.list>) =>
  listed.page(ctx.db, {
    from,
    input,
    last: sql`n.id`,
    sort: {
      createTime: sql`n.created_at`,
      publishTime: sql`coalesce(n.published_at, n.publish_at)`,
      expireTime: sql`n.expire_at`,
      pinned: sql`(n.pinned, n.created_at)`,
    },
    where: [
      visible(ctx, 'n.org_id'),
      input.state && sql`n.state = ${input.state}`,
      input.keyword && sql`strpos(lower(n.title), lower(${input.keyword})) > 0`,
      input.author &&
        sql`strpos(lower(a.real_name || ' ' || a.username), lower(${input.author})) > 0`,
      ...within(sql`n.created_at`, input),
    ],
  })

export const row = (ctx: Ctx, id: number) =>
  notice.one(ctx.db, sql`from ${from} where n.id = ${id} and ${visible(ctx, 'n.org_id')}`)

const name = personName('u')
const person = shape(NamedPerson, ['users', 'u'], { name })
export const namesOf = async (ctx: Ctx, ids: readonly number[]) =>
  ids.length === 0
    ? []
    : person.all(
        ctx.db,
        sql`from users u
          where u.id = any(${[...ids]}::bigint[]) and ${visible(ctx, 'u.org_id')} order by u.id`,
      )

const reader = shape(ReaderRow, ['messages', 'm'], {
  id: sql`u.id`,
  name,
  userName: sql`u.username`,
  orgName: sql`o.name`,
  readTime: sql`m.read_at`,
  confirmTime: sql`m.confirmed_at`,
})
export const readerRows = (ctx: Ctx, input: Input<typeof notices.readers>) =>
  reader.page(ctx.db, {
    from: sql`messages m join users u on u.id = m.user_id join organisations o on o.id = m.org_id`,
    input,
    last: sql`m.id`,
    sort: { name, readTime: sql`m.read_at` },
    where: [
      visible(ctx, 'm.org_id'),
      sql`m.notice_id = ${input.id}`,
      input.state === 'unread' ? sql`m.read_at is null` : sql`m.read_at is not null`,
      input.keyword &&
        sql`strpos(lower(u.real_name || ' ' || u.username || ' ' || o.name),
          lower(${input.keyword})) > 0`,
    ],
  })
