import { type RawBuilder, sql } from 'kysely'
import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, found, may, owns, visible } from '../../../server/context.ts'
import { columns } from '../../../server/shapes.ts'
import { common, type ErrorDef, fieldRefusal, Refusal, reject } from '../../../shared/errors.ts'
import { allowedFrom } from '../../../shared/moves.ts'
import { missingPictures } from '../../files/server/pictures.ts'
import {
  type Notice,
  type NoticeInput,
  type NoticeRow,
  noticeErrors,
  type notices,
} from '../contract.ts'
import {
  changeable,
  noticeCan,
  noticeMoves,
  remindable,
  removable,
  running,
  startOf,
  timingRule,
} from '../rules.ts'
import { countAudience, roleOptions, targetsExist, writeTargets } from './audience.ts'
import { announce } from './fanout.ts'
import { cleanHtml, cut, picturesIn, plainText } from './html.ts'
import { messageHandlers } from './inbox.ts'
import * as q from './queries.ts'

type Contract = typeof notices

/** What every notice says of its readers, and what may be done with it. */
function judged(ctx: Ctx, { orgId, state, remindTime, targets }: q.ListRow) {
  const right = (code: string) => owns(ctx, orgId) && may(ctx, code)
  const rights = {
    update: right('notice:update'),
    delete: right('notice:delete'),
    publish: right('notice:publish'),
  }
  return {
    toAll: targets.toAll,
    orgCount: targets.orgIds.length,
    roleCount: targets.roleIds.length,
    userCount: targets.userIds.length,
    can: noticeCan({ state, remindTime }, rights, ctx.now),
  }
}

function shownRow(ctx: Ctx, row: q.ListRow): NoticeRow {
  const { orgId: _, remindTime: __, targets: ___, ...notice } = row
  return { ...notice, ...judged(ctx, row) }
}

async function shown(ctx: Ctx, id: number): Promise<Notice> {
  const row = found(await q.row(ctx, id))
  const { targets, ...notice } = row
  const users = await q.namesOf(ctx, targets.userIds)
  return { ...notice, ...targets, ...judged(ctx, row), users }
}

/** For the log: everything but the text, which may be long. */
const logged = ({ content, can: _, ...rest }: Notice) => ({
  ...rest,
  contentLength: content.length,
})

const field = (def: ErrorDef | null, name: string): void => {
  if (def) throw fieldRefusal(def, name)
}

function timed(times: Pick<NoticeInput, 'publishAt' | 'expireAt'>, now: Date): void {
  const wrong = timingRule(times, now)
  field(wrong, wrong === noticeErrors.publishInPast ? 'publishAt' : 'expireAt')
}

/**
 * The columns of what a person wrote: cleaned, with times that make sense and pictures that are
 * his.
 */
async function written(ctx: Ctx, input: NoticeInput) {
  const content = cleanHtml(input.content)
  const text = plainText(content)
  field(text === '' ? noticeErrors.blank : null, 'content')
  field(content.length > 20_000 ? noticeErrors.tooLong : null, 'content')
  const { title, images, publishAt, expireAt, pinned, mustConfirm } = input
  timed(input, ctx.now)
  const pictures = [...images, ...picturesIn(content)]
  if ((await missingPictures(ctx, pictures, visible(ctx, 'u.org_id'))).length)
    throw new Refusal(common.notFound)
  return columns('notices', {
    title,
    content,
    excerpt: cut(text, 200),
    images,
    channels: [...new Set(['MESSAGE', ...input.channels])],
    publishAt,
    expireAt,
    pinned,
    mustConfirm,
    updatedAt: ctx.now,
  })
}

const create: Handlers<Contract>['create'] = async (ctx, input) => {
  const { orgId } = ctx.actor
  const set = await written(ctx, input)
  if (!(await targetsExist(ctx, input, orgId))) throw new Refusal(common.notFound)
  const { id } = await ctx.db
    .insertInto('notices')
    .values({ ...set, org_id: orgId, author_id: ctx.actor.userId, created_at: ctx.now })
    .returning('id')
    .executeTakeFirstOrThrow()
  await writeTargets(ctx, { id, orgId }, input)
  const after = await shown(ctx, id)
  ctx.audit({ id, name: after.title, after: logged(after) })
  ctx.touch('notices')
  return after
}

/** Moves or changes the row if it still is as the rule saw it; answers and logs the result. */
async function change(
  ctx: Ctx,
  before: Notice,
  set: RawBuilder<unknown>,
  where: RawBuilder<unknown>,
): Promise<Notice> {
  const { numAffectedRows } =
    await sql`update notices set ${set}, version = version + 1, updated_at = ${ctx.now}
      where id = ${before.id} and ${where}`.execute(ctx.db)
  if (!numAffectedRows) throw new Refusal(common.stale)
  return finish(ctx, before)
}
async function finish(ctx: Ctx, before: Notice): Promise<Notice> {
  const { id, orgId } = before
  const after = await shown(ctx, id)
  ctx.audit({ id, name: after.title, before: logged(before), after: logged(after), orgId })
  ctx.touch('notices')
  return after
}
/**
 * What readers see of it; they look again, and stand below its organisation, which reaches them
 * all.
 */
async function announced(ctx: Ctx, { id, orgId }: Notice, set: RawBuilder<unknown>): Promise<void> {
  await sql`update announcements set ${set} where notice_id = ${id}`.execute(ctx.db)
  ctx.afterCommit(() => ctx.app.live.publish(['messages'], orgId))
}

const update: Handlers<Contract>['update'] = async (ctx, input) => {
  const before = await shown(ctx, input.id)
  const { id, orgId } = before
  reject(changeable(before.state))
  const set = await written(ctx, input)
  if (!(await targetsExist(ctx, input, orgId))) throw new Refusal(common.notFound)
  const changed = await ctx.db
    .updateTable('notices')
    .set((eb) => ({ ...set, state: 'DRAFT', version: eb('version', '+', 1) }))
    .where('id', '=', id)
    .where('version', '=', input.version)
    .where('state', 'in', ['DRAFT', ...allowedFrom(noticeMoves, 'DRAFT')])
    .executeTakeFirst()
  if (!changed.numUpdatedRows) throw new Refusal(common.stale)
  await writeTargets(ctx, { id, orgId }, input)
  return finish(ctx, before)
}

const remove: Handlers<Contract>['remove'] = async (ctx, { id, version }) => {
  const before = await shown(ctx, id)
  reject(removable(before.state))
  const { numAffectedRows } = await sql`delete from notices
    where id = ${id} and version = ${version} and state = 'DRAFT'`.execute(ctx.db)
  if (!numAffectedRows) throw new Refusal(common.stale)
  ctx.audit({ id, name: before.title, before: logged(before), orgId: before.orgId })
  ctx.touch('notices')
  return { ok: true as const }
}

const publish: Handlers<Contract>['publish'] = async (ctx, { id, version, immediately }) => {
  const before = await shown(ctx, id)
  reject(changeable(before.state))
  if (!before.toAll && before.orgCount + before.roleCount + before.userCount === 0)
    field(noticeErrors.noTarget, 'toAll')
  const at = startOf(before.publishAt, immediately, ctx.now)
  timed(immediately ? { ...before, publishAt: null } : before, ctx.now)
  const next = at > ctx.now ? 'SCHEDULED' : 'PUBLISHED'
  const published = next === 'PUBLISHED' ? sql`${ctx.now}::timestamptz` : sql`null`
  const set = sql`state = ${next}, publish_at = ${at}, published_at = ${published}`
  const fits = sql`version = ${version} and state = any(${allowedFrom(noticeMoves, next)})`
  const after = await change(ctx, before, set, fits)
  if (next === 'PUBLISHED') {
    await announce(ctx, [id])
    ctx.afterCommit(() => ctx.app.jobs.poke('notice-publish'))
  }
  return after
}

const withdraw: Handlers<Contract>['withdraw'] = async (ctx, { id }) => {
  const before = await shown(ctx, id)
  reject(running(before.state))
  const fits = sql`state = any(${allowedFrom(noticeMoves, 'WITHDRAWN')})`
  const after = await change(ctx, before, sql`state = 'WITHDRAWN', ended_at = ${ctx.now}`, fits)
  // this one row hides it from everybody; the messages themselves are tidied by the sweep
  await announced(ctx, before, sql`until_at = ${ctx.now}`)
  return after
}

const pin: Handlers<Contract>['pin'] = async (ctx, { id, pinned }) => {
  const before = await shown(ctx, id)
  const after = await change(ctx, before, sql`pinned = ${pinned}`, sql`true`)
  await announced(ctx, before, sql`pinned = ${pinned}`)
  return after
}

const remind: Handlers<Contract>['remind'] = async (ctx, { id }) => {
  const before = await shown(ctx, id)
  reject(remindable(before, ctx.now))
  const unsaid = sql`reminded_at is not distinct from ${before.remindTime}`
  const set = sql`reminded_at = ${ctx.now}`
  const after = await change(ctx, before, set, sql`state = 'PUBLISHED' and ${unsaid}`)
  await announced(ctx, before, set)
  return after
}

export const handlers: Handlers<Contract> = {
  ...messageHandlers,
  async list(ctx, input) {
    const { rows, total } = await q.listRows(ctx, input)
    return { list: rows.map((n) => shownRow(ctx, n)), total }
  },
  get: (ctx, input) => shown(ctx, input.id),
  roles: async (ctx, input) => ({ list: await roleOptions(ctx, input) }),
  audience: (ctx, input) => countAudience(ctx, input, input.orgId ?? ctx.actor.orgId),
  async readers(ctx, input) {
    found(await q.row(ctx, input.id))
    const { rows: list, total } = await q.readerRows(ctx, input)
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
