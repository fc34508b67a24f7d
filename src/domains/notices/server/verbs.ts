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
  return {
    toAll: targets.everyone,
    orgCount: targets.orgs.length,
    roleCount: targets.roles.length,
    userCount: targets.users.length,
    can: noticeCan(
      { state, remindTime },
      {
        update: right('notice:update'),
        delete: right('notice:delete'),
        publish: right('notice:publish'),
      },
      ctx.now,
    ),
  }
}

function shownRow(ctx: Ctx, row: q.ListRow): NoticeRow {
  const { orgId: _, remindTime: __, targets: ___, ...notice } = row
  return { ...notice, ...judged(ctx, row) }
}

async function shownOf(ctx: Ctx, row: q.Row): Promise<Notice> {
  const { targets, ...notice } = row
  return {
    ...notice,
    ...judged(ctx, row),
    orgIds: targets.orgs,
    withSubtree: targets.orgs.length === 0 || targets.subtree,
    roleIds: targets.roles,
    userIds: targets.users,
    users: await q.namesOf(ctx, targets.users),
  }
}
const shown = async (ctx: Ctx, id: number): Promise<Notice> =>
  shownOf(ctx, found(await q.row(ctx, id)))

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
  field(
    text === '' ? noticeErrors.blank : content.length > 20_000 ? noticeErrors.tooLong : null,
    'content',
  )
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

/**
 * A notice of the actor's organisations; what happens to it is decided by the conditional update
 * that follows.
 */
async function owned(ctx: Ctx, id: number): Promise<{ notice: Notice; row: q.Row }> {
  const row = found(await q.row(ctx, id))
  return { row, notice: await shownOf(ctx, row) }
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
  const after = await shown(ctx, before.id)
  ctx.audit({
    id: before.id,
    name: after.title,
    before: logged(before),
    after: logged(after),
    orgId: before.orgId,
  })
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
  const { notice, row } = await owned(ctx, input.id)
  reject(changeable(row.state))
  const set = await written(ctx, input)
  if (!(await targetsExist(ctx, input, row.orgId))) throw new Refusal(common.notFound)
  const changed = await ctx.db
    .updateTable('notices')
    .set((eb) => ({ ...set, state: 'DRAFT', version: eb('version', '+', 1) }))
    .where('id', '=', input.id)
    .where('version', '=', input.version)
    .where('state', 'in', ['DRAFT', ...allowedFrom(noticeMoves, 'DRAFT')])
    .executeTakeFirst()
  if (!changed.numUpdatedRows) throw new Refusal(common.stale)
  await writeTargets(ctx, { id: input.id, orgId: row.orgId }, input)
  return finish(ctx, notice)
}

const remove: Handlers<Contract>['remove'] = async (ctx, input) => {
  const { notice, row } = await owned(ctx, input.id)
  reject(removable(row.state))
  const { numAffectedRows } =
    await sql`delete from notices where id = ${input.id} and version = ${input.version}
      and state = 'DRAFT'`.execute(ctx.db)
  if (!numAffectedRows) throw new Refusal(common.stale)
  ctx.audit({ id: input.id, name: notice.title, before: logged(notice), orgId: notice.orgId })
  ctx.touch('notices')
  return { ok: true as const }
}

const publish: Handlers<Contract>['publish'] = async (ctx, input) => {
  const { notice, row } = await owned(ctx, input.id)
  reject(changeable(row.state))
  if (!notice.toAll && notice.orgCount + notice.roleCount + notice.userCount === 0)
    field(noticeErrors.noTarget, 'toAll')
  const at = startOf(row.publishAt, input.immediately, ctx.now)
  timed(input.immediately ? { ...row, publishAt: null } : row, ctx.now)
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
  const after = await change(
    ctx,
    notice,
    sql`state = 'WITHDRAWN', ended_at = ${ctx.now}`,
    sql`state = any(${allowedFrom(noticeMoves, 'WITHDRAWN')})`,
  )
  // this one row hides it from everybody; the messages themselves are tidied by the sweep
  await announced(ctx, notice, sql`until_at = ${ctx.now}`)
  return after
}

const pin: Handlers<Contract>['pin'] = async (ctx, input) => {
  const { notice } = await owned(ctx, input.id)
  const after = await change(ctx, notice, sql`pinned = ${input.pinned}`, sql`true`)
  await announced(ctx, notice, sql`pinned = ${input.pinned}`)
  return after
}

const remind: Handlers<Contract>['remind'] = async (ctx, input) => {
  const { notice, row } = await owned(ctx, input.id)
  reject(remindable(row, ctx.now))
  const after = await change(
    ctx,
    notice,
    sql`reminded_at = ${ctx.now}`,
    sql`state = 'PUBLISHED' and reminded_at is not distinct from ${row.remindTime}`,
  )
  await announced(ctx, notice, sql`reminded_at = ${ctx.now}`)
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
