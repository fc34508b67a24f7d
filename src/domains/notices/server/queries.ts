import { type RawBuilder, sql } from 'kysely'
import { type Ctx, visible } from '../../../server/context.ts'
import { selectPage } from '../../../server/lists.ts'
import type { Input } from '../../../shared/contract.ts'
import { addDays, startOfDay } from '../../../shared/instants.ts'
import type { channelNames, notices } from '../contract.ts'
import type { NoticeState } from '../rules.ts'

type Targets = { everyone: boolean; orgs: number[]; subtree: boolean; roles: number[]; users: number[] }
export type Row = {
  id: number
  org_id: number
  org_name: string
  title: string
  content: string
  images: string[]
  channels: (typeof channelNames)[number][]
  state: NoticeState
  publish_at: Date | null
  expire_at: Date | null
  published_at: Date | null
  pinned: boolean
  must_confirm: boolean
  author: string
  target_count: number
  read_count: number
  reminded_at: Date | null
  version: number
  created_at: Date
  targets: Targets
}
const from = sql`notices n join organisations o on o.id = n.org_id left join users a on a.id = n.author_id`
/** The content only where one notice is shown. */
const columns = (
  content: RawBuilder<unknown>,
) => sql`n.id, n.org_id, o.name as org_name, n.title, ${content} as content, n.images, n.channels, n.state, n.publish_at, n.expire_at, n.published_at,
  n.pinned, n.must_confirm, coalesce(nullif(a.real_name, ''), a.username, '') as author, n.target_count, n.read_count, n.reminded_at, n.version, n.created_at,
  (select jsonb_build_object('everyone', coalesce(bool_or(t.everyone), false), 'subtree', coalesce(bool_or(t.with_subtree), false),
    'orgs', coalesce(jsonb_agg(t.target_org_id order by t.id) filter (where t.target_org_id is not null), '[]'),
    'roles', coalesce(jsonb_agg(t.role_id order by t.id) filter (where t.role_id is not null), '[]'),
    'users', coalesce(jsonb_agg(t.user_id order by t.id) filter (where t.user_id is not null), '[]'))
    from notice_targets t where t.notice_id = n.id) as targets`

export const within = (column: RawBuilder<unknown>, range: { from?: string | undefined; to?: string | undefined }) => [
  range.from && sql`${column} >= ${startOfDay(range.from)}`,
  range.to && sql`${column} < ${startOfDay(addDays(range.to, 1))}`,
]

export const listRows = (ctx: Ctx, input: Input<typeof notices.list>) =>
  selectPage<Row>(ctx.db, {
    columns: columns(sql`''`),
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
      input.author && sql`strpos(lower(a.real_name || ' ' || a.username), lower(${input.author})) > 0`,
      ...within(sql`n.created_at`, input),
    ],
  })

export async function row(ctx: Ctx, id: number): Promise<Row | undefined> {
  const { rows } = await sql<Row>`select ${columns(sql`n.content`)} from ${from} where n.id = ${id} and ${visible(ctx, 'n.org_id')}`.execute(ctx.db)
  return rows[0]
}

export async function namesOf(ctx: Ctx, ids: readonly number[]): Promise<{ id: number; name: string }[]> {
  if (!ids.length) return []
  const { rows } = await sql<{ id: number; name: string }>`select u.id, coalesce(nullif(u.real_name, ''), u.username) as name from users u
    where u.id = any(${[...ids]}::bigint[]) and ${visible(ctx, 'u.org_id')} order by u.id`.execute(ctx.db)
  return rows
}

type Reader = { id: number; name: string; username: string; org_name: string; read_at: Date | null; confirmed_at: Date | null }
export const readerRows = (ctx: Ctx, input: Input<typeof notices.readers>) =>
  selectPage<Reader>(ctx.db, {
    columns: sql`u.id, coalesce(nullif(u.real_name, ''), u.username) as name, u.username, o.name as org_name, m.read_at, m.confirmed_at`,
    from: sql`messages m join users u on u.id = m.user_id join organisations o on o.id = m.org_id`,
    input,
    last: sql`m.id`,
    sort: { name: sql`coalesce(nullif(u.real_name, ''), u.username)`, readTime: sql`m.read_at` },
    where: [
      visible(ctx, 'm.org_id'),
      sql`m.notice_id = ${input.id}`,
      input.state === 'unread' ? sql`m.read_at is null` : sql`m.read_at is not null`,
      input.keyword && sql`strpos(lower(u.real_name || ' ' || u.username || ' ' || o.name), lower(${input.keyword})) > 0`,
    ],
  })

/** Pictures of uploads the actor may use; the others are somebody else's or were never uploaded. */
export async function knownPictures(ctx: Ctx, urls: readonly string[]): Promise<Set<string>> {
  if (!urls.length) return new Set()
  const { rows } = await sql<{ url: string }>`select u.url from uploads u where u.url = any(${[...urls]}::text[]) and ${visible(ctx, 'u.org_id')}`.execute(
    ctx.db,
  )
  return new Set(rows.map((found) => found.url))
}
