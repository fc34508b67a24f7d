import { sql } from 'kysely'
import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, found, may } from '../../../server/context.ts'
import { updateVersion } from '../../../server/shapes.ts'
import { fieldRefusal, Refusal } from '../../../shared/errors.ts'
import { shanghaiDay } from '../../../shared/instants.ts'
import { allowedFrom } from '../../../shared/moves.ts'
import { slotKinds } from '../../program-groups/contract.ts'
import { multirange, spansOf, weekOf, windowsFinding } from '../../program-groups/rules.ts'
import { inTurn, unmet } from '../../program-groups/server/bound.ts'
import { adBindingErrors, type adBindings, type BindingRow } from '../contract.ts'
import {
  barOf,
  bindingStates,
  holdingStates,
  type Line,
  mostUnseen,
  runningState,
} from '../rules.ts'
import * as q from './queries.ts'

type Contract = typeof adBindings
type State = BindingRow['state']

const shown = (ctx: Ctx, row: q.Row): BindingRow => {
  const to = (state: State, right: string) =>
    may(ctx, right) && allowedFrom(bindingStates, state).includes(row.state)
  return {
    ...row,
    can: {
      submit: to('PENDING', 'ad-binding:create'),
      review: row.state === 'PENDING' && may(ctx, 'ad-binding:review'),
      pause: to('PAUSED', 'ad-binding:update'),
      resume: row.state === 'PAUSED' && may(ctx, 'ad-binding:update'),
      revoke: to('REVOKED', 'ad-binding:delete'),
    },
  }
}
const get = async (ctx: Ctx, id: number) => shown(ctx, found(await q.row(ctx, id)))

type Plan = {
  groupId: number
  deviceIds: readonly number[]
  dateFrom: string
  dateTo: string
  weekdays: readonly number[]
  windows: readonly { from: string; to: string }[] | null
}
/** What is wrong with it in itself; its group and machines, held until it is written. */
async function checked(ctx: Ctx, plan: Plan) {
  if (plan.dateTo < plan.dateFrom) throw fieldRefusal(adBindingErrors.endFirst, 'dateTo')
  if (plan.dateTo < q.today(ctx)) throw fieldRefusal(adBindingErrors.past, 'dateTo')
  const finding = plan.windows && windowsFinding(plan.windows)
  if (finding) throw fieldRefusal(finding.def, finding.at)
  const group = await q.groupRow(ctx, plan.groupId)
  if (!group) throw fieldRefusal(adBindingErrors.group, 'groupId')
  // after the group, as whoever saves the group does
  await inTurn(ctx)
  const machines = await q.machines(ctx, group.orgId, plan.deviceIds)
  if (machines.length !== plan.deviceIds.length)
    throw fieldRefusal(adBindingErrors.devices, 'deviceIds')
  await playable(ctx, plan.groupId, plan.dateTo)
  const spans = spansOf(plan.windows ?? group.windows)
  return { group, machines, spans, week: multirange(weekOf(plan.weekdays, spans)) }
}
async function playable(ctx: Ctx, groupId: number, dateTo: string): Promise<void> {
  const content = await q.content(ctx, groupId, dateTo)
  if (!content || content.unapproved) throw fieldRefusal(adBindingErrors.unapproved, 'groupId')
  if (content.ends) throw fieldRefusal(adBindingErrors.endsBefore, 'dateTo')
}

type Written = {
  groupId: number
  orgId: number
  slotKind: string
  dateFrom: string
  dateTo: string
  weekdays: readonly number[]
  windows: string
  follows: boolean
  week: string
  starts: string | null
  ends: string | null
  state: State
  machines: readonly { id: number }[]
}
/** The constraint is the last word where two write at once. */
async function write(ctx: Ctx, b: Written): Promise<number> {
  const priority = b.starts === null ? 'NORMAL' : 'INTERRUPT'
  const holds = priority === 'NORMAL' && holdingStates.includes(b.state)
  const plays = ['SCHEDULED', 'RUNNING'].includes(b.state)
  const moments = sql`${b.starts}::timestamptz, ${b.ends}::timestamptz`
  const { rows } = await sql<{ id: number }>`insert into ad_bindings (org_id, group_id, slot_kind,
      priority, date_from, date_to, weekdays, windows, follows, starts_at, ends_at, state,
      created_by, created_at)
    values (${b.orgId}, ${b.groupId}, ${b.slotKind}, ${priority}, ${b.dateFrom}::date,
      ${b.dateTo}::date, ${[...b.weekdays]}::int[], ${b.windows}::int4multirange, ${b.follows},
      ${moments},
      ${b.state}, ${ctx.actor.userId}, ${ctx.now}::timestamptz)
    returning id`.execute(ctx.db)
  const id = Number(rows[0]?.id)
  await unmet(
    adBindingErrors.overlap,
    sql`insert into ad_binding_devices (binding_id, org_id, device_id, slot_kind, group_id,
      priority, starts_at, ends_at, days, week, holds, plays)
    select ${id}, d.org_id, d.id, ${b.slotKind}, ${b.groupId}, ${priority}, ${moments},
      daterange(${b.dateFrom}::date, ${b.dateTo}::date, '[]'), ${b.week}::int4multirange,
      ${holds}, ${plays}
    from devices d where d.id = any(${b.machines.map((one) => one.id)}::bigint[])
    order by d.id`.execute(ctx.db),
  )
  return id
}
const held = (plan: Plan, slotKind: string, week: string) => ({
  ...{ deviceIds: plan.deviceIds, dateFrom: plan.dateFrom, dateTo: plan.dateTo },
  ...{ slotKind, week },
})

const create: Handlers<Contract>['create'] = async (ctx, plan) => {
  const { group, machines, spans, week } = await checked(ctx, plan)
  if ((await q.conflicts(ctx, held(plan, group.slotKind, week))).length)
    throw fieldRefusal(adBindingErrors.overlap, 'windows')
  const { groupId, dateFrom, dateTo, weekdays } = plan
  const id = await write(ctx, {
    ...{ groupId, dateFrom, dateTo, weekdays, week, machines },
    ...{ orgId: group.orgId, slotKind: group.slotKind, windows: multirange(spans) },
    ...{ starts: null, ends: null, state: 'DRAFT', follows: plan.windows === null },
  })
  const after = await get(ctx, id)
  ctx.audit({ id, name: after.groupName, after, orgId: after.orgId })
  ctx.touch('ad-bindings', [after.orgId])
  return after
}

const interrupt: Handlers<Contract>['interrupt'] = async (ctx, input) => {
  const minute = (text: string) => Math.floor(Date.parse(text) / 60_000) * 60_000
  const [starts, ends] = [minute(input.startsAt), minute(input.endsAt)]
  if (ends <= starts) throw fieldRefusal(adBindingErrors.endFirst, 'endsAt')
  if (ends - starts > 86_400_000) throw fieldRefusal(adBindingErrors.tooLong, 'endsAt')
  const dateFrom = shanghaiDay(new Date(starts))
  const dateTo = shanghaiDay(new Date(ends))
  const { groupId, deviceIds } = input
  const weekdays = [1, 2, 3, 4, 5, 6, 7]
  const always = [{ from: '00:00', to: '24:00' }]
  const plan = { groupId, deviceIds, dateFrom, dateTo, weekdays, windows: always }
  const { group, machines, spans, week } = await checked(ctx, plan)
  const alone = deviceIds.length > mostUnseen
  const id = await write(ctx, {
    ...{ groupId, dateFrom, dateTo, weekdays, week, machines },
    ...{ orgId: group.orgId, slotKind: group.slotKind, windows: multirange(spans) },
    ...{ starts: new Date(starts).toISOString(), ends: new Date(ends).toISOString() },
    follows: false,
    state: alone ? 'PENDING' : starts <= ctx.now.getTime() ? 'RUNNING' : 'SCHEDULED',
  })
  const after = await get(ctx, id)
  ctx.audit({ id, name: after.groupName, after, orgId: after.orgId })
  ctx.touch('ad-bindings', [after.orgId])
  return after
}

/** Another state, here and for each of its machines. */
async function move(
  ctx: Ctx,
  { id, version }: { id: number; version: number },
  to: (row: q.Row) => State | Promise<State>,
  set: Record<string, unknown> = {},
): Promise<BindingRow> {
  const before = await get(ctx, id)
  const state = await to(before)
  if (!allowedFrom(bindingStates, state).includes(before.state))
    throw new Refusal(adBindingErrors.wrongState)
  await updateVersion(ctx, 'ad_bindings', { id, version }, { state, ...set })
  await sql`update ad_binding_devices
    set holds = priority = 'NORMAL' and ${holdingStates.includes(state)},
      plays = ${['SCHEDULED', 'RUNNING'].includes(state)}
    where binding_id = ${id}`.execute(ctx.db)
  const after = await get(ctx, id)
  ctx.audit({ id, name: after.groupName, before, after, orgId: after.orgId })
  ctx.touch('ad-bindings', [after.orgId])
  return after
}

const submit: Handlers<Contract>['submit'] = (ctx, one) =>
  move(ctx, one, async (row) => {
    if (row.state !== 'DRAFT') throw new Refusal(adBindingErrors.wrongState)
    await playable(ctx, row.groupId, row.dateTo)
    const group = await q.groupRow(ctx, row.groupId)
    return group?.ofPlatform ? runningState(row, ctx.now) : 'PENDING'
  })

const review: Handlers<Contract>['review'] = (ctx, { approve, reason, ...one }) =>
  move(
    ctx,
    one,
    async (row) => {
      if (row.state !== 'PENDING') throw new Refusal(adBindingErrors.wrongState)
      if (!approve && reason === '') throw fieldRefusal(adBindingErrors.reason, 'reason')
      if ((await q.authorOf(ctx, one.id)) === ctx.actor.userId)
        throw new Refusal(adBindingErrors.ownReview)
      if (!approve) return 'REJECTED'
      await playable(ctx, row.groupId, row.dateTo)
      return runningState(row, ctx.now)
    },
    {
      ...{ reason: approve ? '' : reason },
      ...{ reviewed_by: ctx.actor.userId, reviewed_at: ctx.now },
    },
  )

const timeline: Handlers<Contract>['timeline'] = async (ctx, { deviceId, date }) => {
  found(await q.seesMachine(ctx, deviceId))
  const rows = await q.planned(ctx, deviceId)
  const names = new Map(rows.map((row) => [row.groupId, row.groupName]))
  const plan = rows.map(
    ({ groupName: _, priority, ...row }): Line => ({
      ...row,
      rank: priority === 'NORMAL' ? 'BOUND' : 'INTERRUPT',
    }),
  )
  return {
    slots: slotKinds.map((slot) => ({
      slot,
      pieces: barOf(plan, slot, date).map(({ from, to, line }) => ({
        ...{ from, to, rank: line?.rank ?? 'BUILT_IN', bindingId: line?.bindingId ?? null },
        groupName: line ? (names.get(line.groupId) ?? '') : '',
      })),
    })),
  }
}

export const handlers: Handlers<Contract> = {
  async list(ctx, input) {
    const { rows, total } = await q.listRows(ctx, input)
    return { list: rows.map((row) => shown(ctx, row)), total }
  },
  create,
  submit,
  review,
  pause: (ctx, one) => move(ctx, one, () => 'PAUSED'),
  resume: (ctx, one) =>
    move(ctx, one, (row) => {
      if (row.state !== 'PAUSED') throw new Refusal(adBindingErrors.wrongState)
      return 'RUNNING'
    }),
  async remove(ctx, one) {
    await move(ctx, one, () => 'REVOKED')
    return { ok: true as const }
  },
  interrupt,
  async checkConflicts(ctx, plan) {
    const { group, week } = await checked(ctx, plan)
    return { list: await q.conflicts(ctx, held(plan, group.slotKind, week)) }
  },
  timeline,
}
