import { sql } from 'kysely'
import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, found, iso, isoOrNull, may, owns } from '../../../server/context.ts'
import type { Input } from '../../../shared/contract.ts'
import { common, type ErrorDef, Refusal, reject } from '../../../shared/errors.ts'
import { allowedFrom } from '../../../shared/moves.ts'
import { type Notice, type NoticeInput, type NoticeRow, noticeErrors, type notices } from '../contract.ts'
import { changeable, noticeCan, noticeMoves, remindable, removable, running, startOf, timingRule } from '../rules.ts'
import { countAudience, roleOptions, targetsExist, writeTargets } from './audience.ts'
import { announce } from './fanout.ts'
import { cleanHtml, cut, picturesIn, plainText } from './html.ts'
import { messageHandlers } from './inbox.ts'
import * as q from './queries.ts'

type Contract = typeof notices

const shownRow = (ctx: Ctx, n: q.Row): NoticeRow => {
  const right = (code: string) => owns(ctx, n.org_id) && may(ctx, code)
  return {
    id: n.id,
    img: n.images[0] ?? '',
    title: n.title,
    toAll: n.targets.everyone,
    orgCount: n.targets.orgs.length,
    roleCount: n.targets.roles.length,
    userCount: n.targets.users.length,
    channels: n.channels,
    state: n.state,
    readCount: n.read_count,
    targetCount: n.target_count,
    pinned: n.pinned,
    mustConfirm: n.must_confirm,
    publishTime: isoOrNull(n.published_at ?? n.publish_at),
    expireTime: isoOrNull(n.expire_at),
    author: n.author,
    orgName: n.org_name,
    createTime: iso(n.created_at),
    version: n.version,
    can: noticeCan(
      { state: n.state, remindedAt: n.reminded_at },
      { update: right('notice:update'), delete: right('notice:delete'), publish: right('notice:publish') },
      ctx.now,
    ),
  }
}

const shown = async (ctx: Ctx, id: number): Promise<Notice> => shownOf(ctx, found(await q.row(ctx, id)))

async function shownOf(ctx: Ctx, n: q.Row): Promise<Notice> {
  return {
    ...shownRow(ctx, n),
    orgId: n.org_id,
    content: n.content,
    images: n.images,
    orgIds: n.targets.orgs,
    withSubtree: n.targets.orgs.length === 0 || n.targets.subtree,
    roleIds: n.targets.roles,
    userIds: n.targets.users,
    users: await q.namesOf(ctx, n.targets.users),
    publishAt: isoOrNull(n.publish_at),
    expireAt: isoOrNull(n.expire_at),
    remindTime: isoOrNull(n.reminded_at),
  }
}
/** For the log: everything but the text, which may be long. */
const logged = ({ content, can: _, ...rest }: Notice) => ({ ...rest, contentLength: content.length })

const field = (def: ErrorDef | null, name: string): void => {
  if (def) throw new Refusal(def, {}, [{ field: name, text: def.text }])
}
const dateOf = (text: string | null): Date | null => (text === null ? null : new Date(text))

/** The columns of what a person wrote: cleaned, with times that make sense and pictures that are his. */
async function columnsOf(ctx: Ctx, input: NoticeInput) {
  const content = cleanHtml(input.content)
  const text = plainText(content)
  field(text === '' ? noticeErrors.blank : content.length > 20_000 ? noticeErrors.tooLong : null, 'content')
  const [publishAt, expireAt] = [dateOf(input.publishAt), dateOf(input.expireAt)]
  const wrong = timingRule({ publishAt, expireAt }, ctx.now)
  field(wrong, wrong === noticeErrors.publishInPast ? 'publishAt' : 'expireAt')
  const pictures = [...input.images, ...picturesIn(content)]
  const known = await q.knownPictures(ctx, pictures)
  if (pictures.some((url) => !known.has(url))) throw new Refusal(common.notFound)
  return {
    title: input.title,
    content,
    excerpt: cut(text, 200),
    images: input.images,
    channels: [...new Set(['MESSAGE', ...input.channels])],
    publish_at: publishAt,
    expire_at: expireAt,
    pinned: input.pinned,
    must_confirm: input.mustConfirm,
    updated_at: ctx.now,
  }
}

const create: Handlers<Contract>['create'] = async (ctx, input) => {
  const { orgId } = ctx.actor
  const columns = await columnsOf(ctx, input)
  if (!(await targetsExist(ctx, input, orgId))) throw new Refusal(common.notFound)
  const { id } = await ctx.db
    .insertInto('notices')
    .values({ ...columns, org_id: orgId, author_id: ctx.actor.userId, created_at: ctx.now })
    .returning('id')
    .executeTakeFirstOrThrow()
  await writeTargets(ctx, { id, orgId }, input)
  const after = await shown(ctx, id)
  ctx.audit({ id, name: after.title, after: logged(after) })
  ctx.touch('notices')
  return after
}

/** A notice of the actor's organisations; what happens to it is decided by the conditional update that follows. */
async function owned(ctx: Ctx, id: number): Promise<{ notice: Notice; row: q.Row }> {
  const row = found(await q.row(ctx, id))
  return { row, notice: await shownOf(ctx, row) }
}

/** Moves or changes the row if it still is as the rule saw it; answers and logs the result. */
async function change(ctx: Ctx, before: Notice, set: ReturnType<typeof sql>, where: ReturnType<typeof sql>): Promise<Notice> {
  const { numAffectedRows } = await sql`update notices set ${set}, version = version + 1, updated_at = ${ctx.now} where id = ${before.id} and ${where}`.execute(
    ctx.db,
  )
  if (!numAffectedRows) throw new Refusal(common.stale)
  return finish(ctx, before)
}
async function finish(ctx: Ctx, before: Notice): Promise<Notice> {
  const after = await shown(ctx, before.id)
  ctx.audit({ id: before.id, name: after.title, before: logged(before), after: logged(after), orgId: before.orgId })
  ctx.touch('notices')
  return after
}
/** Readers of the notice look again. They stand below its organisation, which reaches them all. */
const tellReaders = (ctx: Ctx, orgId: number): void => ctx.afterCommit(() => ctx.app.live.publish(['messages'], orgId))

const update: Handlers<Contract>['update'] = async (ctx, input) => {
  const { notice, row } = await owned(ctx, input.id)
  reject(changeable(row.state))
  const columns = await columnsOf(ctx, input)
  if (!(await targetsExist(ctx, input, row.org_id))) throw new Refusal(common.notFound)
  const changed = await ctx.db
    .updateTable('notices')
    .set((eb) => ({ ...columns, state: 'DRAFT', version: eb('version', '+', 1) }))
    .where('id', '=', input.id)
    .where('version', '=', input.version)
    .where('state', 'in', ['DRAFT', ...allowedFrom(noticeMoves, 'DRAFT')])
    .executeTakeFirst()
  if (!changed.numUpdatedRows) throw new Refusal(common.stale)
  await writeTargets(ctx, { id: input.id, orgId: row.org_id }, input)
  return finish(ctx, notice)
}

const remove: Handlers<Contract>['remove'] = async (ctx, input) => {
  const { notice, row } = await owned(ctx, input.id)
  reject(removable(row.state))
  const gone = await ctx.db
    .deleteFrom('notices')
    .where('id', '=', input.id)
    .where('version', '=', input.version)
    .where('state', '=', 'DRAFT')
    .executeTakeFirst()
  if (!gone.numDeletedRows) throw new Refusal(common.stale)
  ctx.audit({ id: input.id, name: notice.title, before: logged(notice), orgId: notice.orgId })
  ctx.touch('notices')
  return { ok: true as const }
}

const publish: Handlers<Contract>['publish'] = async (ctx, input) => {
  const { notice, row } = await owned(ctx, input.id)
  reject(changeable(row.state))
  if (!notice.toAll && notice.orgCount + notice.roleCount + notice.userCount === 0) field(noticeErrors.noTarget, 'toAll')
  const at = startOf({ publishAt: row.publish_at }, input.immediately, ctx.now)
  const wrong = timingRule({ publishAt: input.immediately ? null : row.publish_at, expireAt: row.expire_at }, ctx.now)
  field(wrong, wrong === noticeErrors.publishInPast ? 'publishAt' : 'expireAt')
  const next = at > ctx.now ? 'SCHEDULED' : 'PUBLISHED'
  const published = next === 'PUBLISHED' ? sql`${ctx.now}::timestamptz` : sql`null`
  const after = await change(
    ctx,
    notice,
    sql`state = ${next}, publish_at = ${at}, published_at = ${published}`,
    sql`version = ${input.version} and state = any(${allowedFrom(noticeMoves, next)})`,
  )
  if (next === 'PUBLISHED') {
    await announce(ctx, [input.id])
    ctx.afterCommit(() => ctx.app.jobs.poke('notice-publish'))
  }
  return after
}

const withdraw: Handlers<Contract>['withdraw'] = async (ctx, input) => {
  const { notice, row } = await owned(ctx, input.id)
  reject(running(row.state))
  const after = await change(ctx, notice, sql`state = 'WITHDRAWN', ended_at = ${ctx.now}`, sql`state = any(${allowedFrom(noticeMoves, 'WITHDRAWN')})`)
  // this one row hides it from everybody; the messages themselves are tidied by the sweep
  await ctx.db.updateTable('announcements').set({ until_at: ctx.now }).where('notice_id', '=', input.id).execute()
  tellReaders(ctx, notice.orgId)
  return after
}

const pin: Handlers<Contract>['pin'] = async (ctx, input) => {
  const { notice } = await owned(ctx, input.id)
  const after = await change(ctx, notice, sql`pinned = ${input.pinned}`, sql`true`)
  await ctx.db.updateTable('announcements').set({ pinned: input.pinned }).where('notice_id', '=', input.id).execute()
  tellReaders(ctx, notice.orgId)
  return after
}

const remind: Handlers<Contract>['remind'] = async (ctx, input) => {
  const { notice, row } = await owned(ctx, input.id)
  reject(remindable({ state: row.state, remindedAt: row.reminded_at }, ctx.now))
  const seen = row.reminded_at
  const after = await change(ctx, notice, sql`reminded_at = ${ctx.now}`, sql`state = 'PUBLISHED' and reminded_at is not distinct from ${seen}`)
  await ctx.db.updateTable('announcements').set({ reminded_at: ctx.now }).where('notice_id', '=', input.id).execute()
  tellReaders(ctx, notice.orgId)
  return after
}

async function audience(ctx: Ctx, input: Input<Contract['audience']>): Promise<{ count: number }> {
  return { count: await countAudience(ctx, input, input.orgId ?? ctx.actor.orgId) }
}

export const handlers: Handlers<Contract> = {
  ...messageHandlers,
  async list(ctx, input) {
    const { rows, total } = await q.listRows(ctx, input)
    return { list: rows.map((n) => shownRow(ctx, n)), total }
  },
  get: (ctx, input) => shown(ctx, input.id),
  roles: async (ctx, input) => ({ list: await roleOptions(ctx, input) }),
  audience,
  async readers(ctx, input) {
    found(await q.row(ctx, input.id))
    const { rows, total } = await q.readerRows(ctx, input)
    const list = rows.map((m) => ({
      id: m.id,
      name: m.name,
      userName: m.username,
      orgName: m.org_name,
      readTime: isoOrNull(m.read_at),
      confirmTime: isoOrNull(m.confirmed_at),
    }))
    return { list, total }
  },
  create,
  update,
  remove,
  publish,
  withdraw,
  pin,
  remind,
}
