import { type RawBuilder, sql } from 'kysely'
import { type Ctx, visible } from '../../../server/context.ts'
import { rowsOf } from '../../../server/rows.ts'
import { say } from '../../../shared/text.ts'
import type { messageKinds } from '../messageContract.ts'

/**
 * What other domains have to say to people. The only writer of messages besides the fan-out of
 * notices.
 */
export type Note = {
  kind: Exclude<(typeof messageKinds)[number], 'ANNOUNCEMENT'>
  /** `bi(zh, en)`; kept in both languages, shown in the reader's. */
  title: string
  body?: string
  /** A page of the app such as `/order/order-details/2026…`. */
  link?: string
  /** Nobody with an unread message of the same kind and link of the last hours gets another. */
  quietHours?: number
  /**
   * `orAbove`: where nobody of the organisation holds it, the nearest one above that has somebody.
   */
} & ({ userIds: readonly number[] } | { permission: string; orgId: number; orAbove?: true })

/** Writes a message for each recipient in the caller's transaction and scope; answers how many. */
export const notify = async (ctx: Ctx, notes: Note | readonly Note[]): Promise<number> =>
  (await notifyWhom(ctx, notes)).length

export type Recipient = { readonly userId: number; readonly orgId: number }
/** The same, for whoever keeps whom he told. */
export async function notifyWhom(ctx: Ctx, notes: Note | readonly Note[]): Promise<Recipient[]> {
  const written: Recipient[] = []
  for (const note of Array.isArray(notes) ? (notes as readonly Note[]) : [notes as Note])
    written.push(...(await write(ctx, note)))
  return written
}

async function write(ctx: Ctx, note: Note): Promise<Recipient[]> {
  const link = note.link ?? ''
  const text = (value: string, lang: 'zh-CN' | 'en', max: number) =>
    [...say(value, lang)].slice(0, max).join('')
  const quiet = note.quietHours
    ? sql`not exists (select from messages x
      where x.user_id = u.id and x.kind = ${note.kind} and x.link = ${link} and x.read_at is null
        and x.created_at > ${new Date(ctx.now.getTime() - note.quietHours * 3_600_000)})`
    : sql`true`
  const rows = await rowsOf<Recipient>(ctx.db)`
    insert into messages (org_id, user_id, kind, title_zh, title_en, body_zh, body_en, link,
      created_at)
    select u.org_id, u.id, ${note.kind}, ${text(note.title, 'zh-CN', 100)},
      ${text(note.title, 'en', 100)}, ${text(note.body ?? '', 'zh-CN', 500)},
      ${text(note.body ?? '', 'en', 500)},
      ${link}, ${ctx.now}::timestamptz
    from users u where ${visible(ctx, 'u.org_id')} and u.status = 'ENABLED' and u.deleted_at is null
      and ${chosen(note)} and ${quiet}
    order by u.id returning user_id as "userId", org_id as "orgId"`
  const orgs = new Set(rows.map((row) => row.orgId))
  ctx.afterCommit(() => {
    for (const org of orgs) ctx.app.live.publish(['messages'], org)
  })
  return rows
}

const chosen = (note: Note): RawBuilder<unknown> => {
  if ('userIds' in note) return sql`u.id = any(${[...note.userIds]}::bigint[])`
  const holds = (
    user: RawBuilder<unknown>,
  ) => sql`exists (select from user_roles ur join roles r on r.id = ur.role_id
    join role_permissions p on p.role_id = r.id where ur.user_id = ${user} and r.status = 'ENABLED'
      and p.permission_code = ${note.permission})`
  const nearest = sql`(select o.id from organisations o, organisations own
    where own.id = ${note.orgId} and o.path @> own.path
    and exists (select from users h
      where h.org_id = o.id and h.status = 'ENABLED' and h.deleted_at is null
        and ${holds(sql`h.id`)})
    order by nlevel(o.path) desc limit 1)`
  return sql`u.org_id = ${note.orAbove ? nearest : note.orgId} and ${holds(sql`u.id`)}`
}
