import { sql } from 'kysely'
import { staff } from '../../seed/world.ts'
import type { Db } from '../../server/database.ts'
import { rowOf, rowsOf } from '../../server/rows.ts'
import { say } from '../../shared/text.ts'
import { type DemoNotice, demoMessages, demoNotices } from './seedTexts.ts'

type SeedIds = { org: ReadonlyMap<string, number>; user: ReadonlyMap<string, number> }
const hour = 3_600_000

/**
 * Announcements in every state with their readers, and what the system told each demo account. Runs
 * after devices and products.
 */
export async function seedNotices(db: Db, ids: SeedIds, now: Date): Promise<void> {
  const builtin = await rowsOf<{ code: string; id: number }>(db)`select code, id from roles
    where builtin`
  const role = new Map(builtin.map(({ code, id }) => [code, id]))
  const cover = await rowOf<{ url: string }>(db)`select url from uploads order by url limit 1`
  for (const notice of demoNotices)
    await addNotice(db, notice, { ...ids, role }, notice.cover && cover ? [cover.url] : [], now)
  // the first demo accounts come last: their newest message is the newest of all they can see
  for (const { role, username, orgKey } of staff.slice(0, 13).toReversed())
    await addMessages(db, role, idOf(ids.user, username), idOf(ids.org, orgKey), now)
}

async function addNotice(
  db: Db,
  n: DemoNotice,
  ids: SeedIds & { role: ReadonlyMap<string, number> },
  images: string[],
  now: Date,
): Promise<void> {
  const orgId = idOf(ids.org, staff.find((person) => person.username === n.author)?.orgKey ?? '')
  const after = (from: Date, hours: number) => new Date(from.getTime() + hours * hour)
  const created = after(now, -n.hoursAgo)
  const over = n.state === 'WITHDRAWN' || n.state === 'EXPIRED'
  const out = over || n.state === 'PUBLISHED'
  const ended = over ? after(created, n.lasts) : null
  const publishAt = out ? created : n.state === 'SCHEDULED' ? after(now, 36) : null
  const planned = n.lasts && publishAt ? after(publishAt, n.lasts) : null
  const expireAt = n.state === 'EXPIRED' ? ended : planned
  const text = n.html.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ')
  const { id } = await db
    .insertInto('notices')
    .values({
      org_id: orgId,
      title: n.title,
      content: n.html,
      excerpt: text.trim().slice(0, 200),
      images,
      channels: n.popup ? ['MESSAGE', 'POPUP'] : ['MESSAGE'],
      state: n.state,
      publish_at: publishAt,
      expire_at: expireAt,
      published_at: out ? created : null,
      ended_at: ended,
      fanned_at: out ? created : null,
      pinned: n.pinned ?? false,
      must_confirm: n.mustConfirm ?? false,
      author_id: idOf(ids.user, n.author),
      created_at: created,
      updated_at: ended ?? created,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const targets = [
    ...(n.roles ?? []).map((code) => ({ role_id: idOf(ids.role, code) })),
    ...(n.orgs ?? []).map((key) => ({ target_org_id: idOf(ids.org, key), with_subtree: true })),
    ...(n.roles || n.orgs ? [] : [{ everyone: true }]),
  ]
  const values = targets.map((target) => ({ org_id: orgId, notice_id: id, ...target }))
  await db.insertInto('notice_targets').values(values).execute()
  if (out) await publish(db, id, n, ended ?? expireAt, now)
}

async function publish(
  db: Db,
  id: number,
  n: DemoNotice,
  until: Date | null,
  now: Date,
): Promise<void> {
  const over = n.state !== 'PUBLISHED'
  await sql`insert into announcements (notice_id, org_id, sender, content, images, popup,
    must_confirm, pinned, until_at, swept_at)
    select n.id, n.org_id, o.name, n.content, n.images, 'POPUP' = any(n.channels), n.must_confirm,
      n.pinned, ${until}::timestamptz, ${over ? until : null}::timestamptz
    from notices n join organisations o on o.id = n.org_id where n.id = ${id}`.execute(db)
  await sql`insert into messages (org_id, user_id, kind, title_zh, title_en, body_zh, body_en, img,
    notice_id, created_at, read_at, confirmed_at, hidden_at)
    select u.org_id, u.id, 'ANNOUNCEMENT', n.title, n.title, n.excerpt, n.excerpt,
      coalesce(n.images[1], ''), n.id, n.published_at, x.at,
      case when n.must_confirm then x.at end, ${over ? (until ?? now) : null}::timestamptz
    from notices n join organisations h on h.id = n.org_id join organisations o on o.path <@ h.path
    join users u on u.org_id = o.id
    cross join lateral (select case when u.id % 10 < ${n.readers}
      or ((n.must_confirm or 'POPUP' = any(n.channels)) and u.id <= 13)
      then least(n.published_at + make_interval(mins => (7 + u.id * 13 % 240)::int),
        ${now}::timestamptz) end as at) x
    where n.id = ${id} and u.status = 'ENABLED' and exists (select from notice_targets t
      where t.notice_id = n.id and (t.everyone
      or t.role_id in (select ur.role_id from user_roles ur where ur.user_id = u.id)
      or o.path <@ (select s.path from organisations s where s.id = t.target_org_id)))
    order by u.id`.execute(db)
  await sql`update notices n
    set target_count = c.targets, read_count = c.readers, fan_cursor = c.last
    from (select count(*)::int as targets, count(read_at)::int as readers,
      coalesce(max(user_id), 0) as last from messages where notice_id = ${id}) c
      where n.id = ${id}`.execute(db)
}

async function addMessages(
  db: Db,
  role: string,
  userId: number,
  orgId: number,
  now: Date,
): Promise<void> {
  type Machine = { id: number; rtu_number: string; nickname: string }
  const machines = await rowsOf<Machine>(db)`select d.id, d.rtu_number, d.nickname
    from devices d join organisations o on o.id = d.org_id
    where o.path <@ (select path from organisations where id = ${orgId}) order by d.id limit 3`
  const rows = demoMessages(role).map((m, index) => {
    const machine = machines[index % Math.max(1, machines.length)]
    const at = new Date(now.getTime() - m.hoursAgo * hour)
    const detail = machine ? `/device/device-list?detail=${machine.id}` : ''
    const values = { number: machine?.rtu_number ?? '', name: machine?.nickname ?? '' }
    const fill = (text: string, lang: 'zh-CN' | 'en') => say(text, lang, values)
    return {
      org_id: orgId,
      user_id: userId,
      kind: m.kind,
      title_zh: fill(m.title, 'zh-CN'),
      title_en: fill(m.title, 'en'),
      body_zh: fill(m.body, 'zh-CN'),
      body_en: fill(m.body, 'en'),
      link: m.link === 'device' ? detail : m.link,
      created_at: at,
      read_at: m.read ? new Date(at.getTime() + hour / 2) : null,
    }
  })
  await db.insertInto('messages').values(rows).execute()
}

function idOf(ids: ReadonlyMap<string, number>, key: string): number {
  const id = ids.get(key)
  if (id === undefined) throw new Error(`the demo data names ${key}, which is not there`)
  return id
}
