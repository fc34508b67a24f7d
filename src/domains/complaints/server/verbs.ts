import { sql } from 'kysely'
import type { Handlers } from '../../../server/bind.ts'
import {
  type AuditEntry,
  bothScopes,
  type Ctx,
  found,
  isRefused,
  may,
} from '../../../server/context.ts'
import { answerOf } from '../../../server/lists.ts'
import { columns, updateVersion } from '../../../server/shapes.ts'
import { common, fieldRefusal, Refusal, reject } from '../../../shared/errors.ts'
import { yuan } from '../../../shared/money.ts'
import { missingPictures, uploadedBy } from '../../files/server/pictures.ts'
import { handlers as orders } from '../../orders/server/verbs.ts'
import { settingsOf } from '../../settings/server/values.ts'
import { type Complaint, type ComplaintRow, complaintErrors, type complaints } from '../contract.ts'
import {
  type ComplaintState,
  isOpen,
  laneAlarm,
  mayMove,
  overdue,
  removable,
  reopenable,
} from '../rules.ts'
import * as q from './queries.ts'

type Contract = typeof complaints
type EntryKind =
  | 'REPLY'
  | 'NOTE'
  | 'CLAIM'
  | 'ASSIGN'
  | 'ASK'
  | 'RESOLVE'
  | 'REOPEN'
  | 'INVALID'
  | 'MERGE'
  | 'REFUND'

/** The buyer as the orders show him: by the last four of his name at the provider. */
const buyer = (name: string): string => (name.length > 4 ? `***${name.slice(-4)}` : name)
const judged = (ctx: Ctx, c: q.ListRow): Pick<ComplaintRow, 'overdue' | 'can' | 'username'> => ({
  username: may(ctx, 'consumer:unmask') ? c.username : buyer(c.username),
  overdue: overdue(c, ctx.now),
  can: {
    handle: may(ctx, 'complaint:update') && isOpen(c.state),
    reply: may(ctx, 'complaint:reply') && isOpen(c.state),
    reopen: may(ctx, 'complaint:update') && reopenable(c) === null,
    refund:
      may(ctx, 'order:refund') &&
      may(ctx, 'complaint:update') &&
      c.orderNum !== null &&
      isOpen(c.state),
    remove: may(ctx, 'complaint:delete') && removable(c) === null,
  },
})

function shownRow(ctx: Ctx, c: q.ListRow): ComplaintRow {
  const { firstReplyDueAt, firstRepliedAt, mergedInto, refunded, ...row } = c
  return { ...row, ...judged(ctx, c) }
}

const masked = (phone: string): string => phone.replace(/^(\d{3})\d+(\d{4})$/, '$1****$2')

async function shown(ctx: Ctx, id: number): Promise<Complaint> {
  const c = found(await q.row(ctx, id))
  const { orgId, ...complaint } = c
  const near = await q.neighbours(ctx, c)
  const entries = await q.entries(ctx, id)
  const around = await q.around(ctx, c)
  return {
    ...complaint,
    ...judged(ctx, c),
    contactPhone: may(ctx, 'consumer:unmask') ? c.contactPhone : masked(c.contactPhone),
    sameLane: c.road === null ? 0 : near.lane,
    sameUser: near.buyer,
    laneAlarm: c.road !== null && near.reports >= laneAlarm.reports,
    entries,
    around,
  }
}

async function say(
  ctx: Ctx,
  c: { id: number; orgId: number },
  kind: EntryKind,
  content: string,
): Promise<void> {
  await ctx.db
    .insertInto('complaint_entries')
    .values({
      complaint_id: c.id,
      org_id: c.orgId,
      kind,
      user_id: ctx.actor.userId,
      username: ctx.actor.username,
      content,
      created_at: ctx.now,
    })
    .execute()
}

type Change = Partial<{
  state: ComplaintState
  assignee_id: number | null
  result: Complaint['result']
  remark: string
  merged_into: number
  refunded: boolean
  first_replied_at: Date
  resolved_at: Date | null
}>
const checkOpen = (c: q.Row) => reject(isOpen(c.state) ? null : complaintErrors.wrongState)
async function openOne(ctx: Ctx, id: number): Promise<q.Row> {
  const c = found(await q.row(ctx, id))
  checkOpen(c)
  return c
}
/** Somebody is at it now. */
const taken = (c: q.Row, userId: number | null): Change => ({
  assignee_id: userId,
  ...(c.state === 'OPEN' ? { state: 'HANDLING' } : {}),
})

/**
 * One statement against the version the person saw; the state is checked before, the version makes
 * it hold.
 */
async function change(ctx: Ctx, c: q.Row, version: number, to: Change): Promise<void> {
  if (to.state && to.state !== c.state) reject(mayMove(c.state, to.state))
  await updateVersion(ctx, 'complaints', { id: c.id, version }, to)
}

async function done(ctx: Ctx, c: q.Row, details: Record<string, unknown> = {}): Promise<Complaint> {
  const after = await shown(ctx, c.id)
  ctx.audit({
    id: c.id,
    name: String(c.id),
    orgId: c.orgId,
    before: { state: c.state },
    after: { state: after.state, ...details },
  })
  ctx.touch('complaints')
  return after
}

type Step = { to: Change; says: EntryKind; content?: string; log?: Record<string, unknown> }
/** The complaint changes, the entry tells it, the log keeps it. */
async function step(
  ctx: Ctx,
  c: q.Row,
  version: number,
  { to, says, content = '', log }: Step,
): Promise<Complaint> {
  await change(ctx, c, version, to)
  await say(ctx, c, says, content)
  return done(ctx, c, log)
}

const create: Handlers<Contract>['create'] = async (ctx, input) => {
  if (!input.orderNum && input.deviceId === undefined)
    throw fieldRefusal(complaintErrors.placeMissing, 'orderNum')
  const place = await q.placeOf(ctx, input)
  if (!place) throw fieldRefusal(common.notFound, input.orderNum ? 'orderNum' : 'deviceId')
  if (input.deviceId !== undefined && place.deviceId !== input.deviceId)
    throw fieldRefusal(complaintErrors.otherOrder, 'orderNum')
  if (input.road !== undefined && !(await q.laneExists(ctx, place.deviceId, input.road)))
    throw fieldRefusal(complaintErrors.noLane, 'road')
  if ((await missingPictures(ctx, input.images, uploadedBy(ctx))).length)
    throw new Refusal(common.notFound)
  const hours = await settingsOf(ctx.db, place.orgId, [
    'complaint.firstResponseHours',
    'complaint.resolveHours',
  ])
  const after = (h: number) => new Date(ctx.now.getTime() + h * 3_600_000)
  const { id } = await ctx.db
    .insertInto('complaints')
    .values(
      columns('complaints', {
        ...input,
        orgId: place.orgId,
        deviceId: place.deviceId,
        road: input.road ?? place.road,
        orderNum: input.orderNum || null,
        username: input.username || place.consumer,
        firstReplyDueAt: after(hours['complaint.firstResponseHours']),
        resolveDueAt: after(hours['complaint.resolveHours']),
        createdBy: ctx.actor.userId,
        createdAt: ctx.now,
      }),
    )
    .returning('id')
    .executeTakeFirstOrThrow()
  ctx.audit({
    id,
    name: String(id),
    orgId: place.orgId,
    after: { type: input.type, content: input.content, orderNum: input.orderNum },
  })
  ctx.touch('complaints')
  return shown(ctx, id)
}

const claim: Handlers<Contract>['claim'] = async (ctx, input) => {
  const c = await openOne(ctx, input.id)
  return step(ctx, c, input.version, { to: taken(c, ctx.actor.userId), says: 'CLAIM' })
}

const assign: Handlers<Contract>['assign'] = async (ctx, input) => {
  const { name, handles } = found(await q.person(ctx, input.assigneeId))
  if (!handles) throw fieldRefusal(complaintErrors.notStaff, 'assigneeId')
  const lines: AuditEntry[] = []
  for (const id of [...new Set(input.ids)].sort((a, b) => a - b)) {
    const c = await openOne(ctx, id)
    await change(ctx, c, c.version, taken(c, input.assigneeId))
    await say(ctx, c, 'ASSIGN', name)
    lines.push({ id, name: String(id), after: { assignee: name }, orgId: c.orgId })
  }
  ctx.audit(...lines)
  ctx.touch('complaints')
  return { ok: true as const }
}

const reply: Handlers<Contract>['reply'] = async (ctx, input) => {
  const c = await openOne(ctx, input.id)
  const state: ComplaintState = input.ask ? 'WAITING' : 'HANDLING'
  if (c.state === 'OPEN' && input.ask) reject(mayMove('HANDLING', 'WAITING'))
  else reject(c.state === state ? null : mayMove(c.state, state))
  const moved = { ...c, state: c.state === 'OPEN' && input.ask ? ('HANDLING' as const) : c.state }
  const first = c.firstRepliedAt ? {} : { first_replied_at: ctx.now }
  await change(ctx, moved, input.version, {
    state,
    assignee_id: c.assigneeId ?? ctx.actor.userId,
    ...first,
  })
  await say(ctx, c, input.ask ? 'ASK' : 'REPLY', input.content)
  return done(ctx, c, { content: input.content })
}

const note: Handlers<Contract>['note'] = async (ctx, input) => {
  const c = found(await q.row(ctx, input.id))
  return step(ctx, c, input.version, {
    to: {},
    says: 'NOTE',
    content: input.content,
    log: { note: input.content },
  })
}

const resolve: Handlers<Contract>['resolve'] = async (ctx, { id, version, result, remark }) => {
  const to = { state: 'RESOLVED', result, remark, resolved_at: ctx.now } as const
  return step(ctx, found(await q.row(ctx, id)), version, {
    to,
    says: 'RESOLVE',
    content: remark,
    log: { result, remark },
  })
}

const invalidate: Handlers<Contract>['invalidate'] = async (ctx, { id, version, remark }) => {
  const to = { state: 'INVALID', remark } as const
  return step(ctx, found(await q.row(ctx, id)), version, {
    to,
    says: 'INVALID',
    content: remark,
    log: { remark },
  })
}

const reopen: Handlers<Contract>['reopen'] = async (ctx, { id, version, remark }) => {
  const c = found(await q.row(ctx, id))
  reject(reopenable(c))
  const to = { state: 'HANDLING', result: null, resolved_at: null } as const
  return step(ctx, c, version, { to, says: 'REOPEN', content: remark, log: { remark } })
}

const merge: Handlers<Contract>['merge'] = async (ctx, input) => {
  if (input.id === input.mainId) throw fieldRefusal(complaintErrors.mergeSelf, 'mainId')
  const c = found(await q.row(ctx, input.id))
  const main = found(await q.row(ctx, input.mainId))
  if (!isOpen(c.state) || main.mergedInto !== null) throw new Refusal(complaintErrors.wrongState)
  await change(ctx, c, input.version, {
    state: 'RESOLVED',
    merged_into: main.id,
    resolved_at: ctx.now,
  })
  await say(ctx, c, 'MERGE', `#${main.id}`)
  await say(ctx, main, 'NOTE', `#${c.id}: ${c.content}`.slice(0, 1000))
  return done(ctx, c, { mergedInto: main.id })
}

/**
 * The order's own rules decide; money and complaint change in one transaction. Who refunds handles
 * the complaint: both rights, and the rows of both.
 */
const refund: Handlers<Contract>['refund'] = async (by, input) => {
  if (!may(by, 'complaint:update')) throw new Refusal(common.forbidden)
  const { scope, scopeOf } = by.actor
  const ctx: Ctx = {
    ...by,
    actor: { ...by.actor, scope: scopeOf ? bothScopes(scope, scopeOf('complaint:update')) : scope },
  }
  const c = found(await q.row(ctx, input.id))
  if (c.orderNum === null) throw new Refusal(complaintErrors.noOrder)
  checkOpen(c)
  const { id, version, ...order } = input
  const inner: Ctx = { ...ctx, audit: () => {} }
  if (typeof orders.refund !== 'function') throw new Error('orders.refund has no slow part')
  const answer = await orders.refund(inner, { ...order, orderNum: c.orderNum })
  if (isRefused(answer)) return answer
  const back = answer.units.filter(
    ({ id: unit, refund: given }) => given && (input.unitIds?.includes(unit) ?? true),
  )
  const amount = back.reduce((sum, unit) => sum + (unit.refund?.amount ?? 0), 0)
  const content = [yuan(amount), ...back.map((unit) => unit.productName)].join(' · ').slice(0, 1000)
  const log = {
    orderNum: c.orderNum,
    unitIds: back.map((unit) => unit.id),
    reason: input.reason,
    amount,
  }
  return step(ctx, c, version, {
    to: { refunded: true, ...taken(c, c.assigneeId ?? ctx.actor.userId) },
    says: 'REFUND',
    content,
    log,
  })
}

const remove: Handlers<Contract>['remove'] = async (ctx, input) => {
  const c = found(await q.row(ctx, input.id))
  reject(removable(c))
  const { numAffectedRows } =
    await sql`update complaints set deleted_at = ${ctx.now}, version = version + 1
    where id = ${c.id} and version = ${input.version} and not refunded
      and deleted_at is null`.execute(ctx.db)
  if (!numAffectedRows) throw new Refusal(common.stale)
  ctx.audit({
    id: c.id,
    name: String(c.id),
    orgId: c.orgId,
    before: { state: c.state, content: c.content },
    after: { reason: input.reason },
  })
  ctx.touch('complaints')
  return { ok: true as const }
}

export const handlers: Handlers<Contract> = {
  async list(ctx, input) {
    const { rows, ...found } = await q.listRows(ctx, input)
    return answerOf(
      found,
      rows.map((row) => shownRow(ctx, row)),
    )
  },
  stats: (ctx) => q.stats(ctx),
  get: (ctx, input) => shown(ctx, input.id),
  create,
  claim,
  assign,
  reply,
  note,
  resolve,
  invalidate,
  reopen,
  merge,
  refund,
  remove,
}
