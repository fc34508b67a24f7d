import { sql } from 'kysely'
import type { Handlers } from '../../../server/bind.ts'
import { byRole, type Ctx, found, visible } from '../../../server/context.ts'
import { rowsOf } from '../../../server/rows.ts'
import { common, type ErrorDef, fieldRefusal, Refusal, reject } from '../../../shared/errors.ts'
import { allowedFrom } from '../../../shared/moves.ts'
import { outcomeOf, resultOf } from '../../../shared/outcome.ts'
import { hasOpenOrder, lockMachine, takeBoard } from '../../boards/server/binding.ts'
import { isClosed } from '../../machines/rules.ts'
import { noteDevice } from '../../machines/server/events.ts'
import { deviceErrors, type devices, type lifecycles } from '../contract.ts'
import { lifecycleStates, mayRestore, readyRule, retireRule } from '../rules.ts'
import * as q from './queries.ts'
import { detailOf } from './shown.ts'

type Contract = typeof devices
type Lifecycle = (typeof lifecycles)[number]
type Moved = { id: number; orgId: number; rtuNumber: string; lifecycle: Lifecycle }

/** The timeline of each machine tells where it stands now. */
const note = (ctx: Ctx, machines: readonly Moved[], to: Lifecycle, reason: string) =>
  noteDevice(
    ctx,
    machines.map(({ id, orgId, lifecycle: from }) => ({
      deviceId: id,
      orgId,
      kind: 'LIFECYCLE',
      data: { from, to, ...(reason ? { reason } : {}) },
    })),
  )
const entry = (
  { id, rtuNumber: name, lifecycle, orgId }: Moved,
  to: Lifecycle,
  reason: string,
) => ({
  ...{ id, name, orgId },
  before: { lifecycle },
  after: { lifecycle: to, reason },
})
const moved = sql`id, org_id as "orgId", rtu_number as "rtuNumber"`

async function move(
  ctx: Ctx,
  machine: Moved,
  to: Lifecycle,
  reason: string,
): Promise<{ ok: true }> {
  await sql`update devices set lifecycle = ${to}, locked = false, version = version + 1
    where id = ${machine.id}`.execute(ctx.db)
  await note(ctx, [machine], to, reason)
  ctx.audit(entry(machine, to, reason))
  ctx.touch('identity')
  ctx.touch('devices')
  return { ok: true }
}

async function opened(ctx: Ctx, input: { id: number; version: number }, to: Lifecycle) {
  const machine = found(await lockMachine(ctx, input.id))
  if (machine.version !== input.version) throw new Refusal(common.stale)
  if (!allowedFrom(lifecycleStates, to).includes(machine.lifecycle))
    throw new Refusal(deviceErrors.wrongMove)
  return machine
}

/** Pieces in live lanes; the lanes stay locked until the machine has left service. */
async function stockOf(ctx: Ctx, deviceId: number): Promise<number> {
  const held = await rowsOf<{ n: number }>(
    ctx.db,
  )`select l.quantity as n from lanes l where l.device_id = ${deviceId} and l.archived_at is null
    order by l.id for no key update of l`
  return held.reduce((sum, { n }) => sum + n, 0)
}

export const retire: Handlers<Contract>['retire'] = async (ctx, input) => {
  const machine = await opened(ctx, input, input.to)
  if (input.confirmNumber !== machine.rtuNumber)
    throw fieldRefusal(deviceErrors.numberWrong, 'confirmNumber')
  const stock = await stockOf(ctx, machine.id)
  reject(retireRule({ openOrder: await hasOpenOrder(ctx, machine.id), stock }), { n: stock })
  await takeBoard(ctx, machine)
  return move(ctx, machine, input.to, input.reason)
}

export const restore: Handlers<Contract>['restore'] = async (ctx, input) => {
  const machine = await opened(ctx, input, 'STOCK')
  if (!byRole(ctx, mayRestore)) throw new Refusal(common.forbidden)
  return move(ctx, machine, 'STOCK', input.reason)
}

type Judged = Moved & { nickname: string; refusal: ErrorDef | null }
async function judge(ctx: Ctx, ids: readonly number[], hold = sql``): Promise<Judged[]> {
  const rows = await rowsOf<Omit<Judged, 'refusal'>>(
    ctx.db,
  )`select ${moved}, nickname, lifecycle from devices d
      where d.id = any(${[...ids]}::bigint[]) and ${visible(ctx, 'd.org_id', 'd.id')}
      order by d.id ${hold}`
  if (rows.length < new Set(ids).size) throw new Refusal(common.notFound)
  const able = allowedFrom(lifecycleStates, 'PAUSED')
  return rows.map((row) => ({
    ...row,
    refusal: able.includes(row.lifecycle)
      ? null
      : isClosed(row)
        ? deviceErrors.closed
        : deviceErrors.wrongMove,
  }))
}
const answer = (ctx: Ctx, judged: readonly Judged[]) =>
  outcomeOf(judged.map((one) => resultOf(one, ctx.lang, one.refusal)))

export const previewPauses: Handlers<Contract>['previewPauses'] = async (ctx, input) =>
  answer(ctx, await judge(ctx, input.ids))

export const pauseMany: Handlers<Contract>['pauseMany'] = async (ctx, input) => {
  const judged = await judge(ctx, input.ids, sql`for no key update of d`)
  const able = judged.filter((row) => row.refusal === null)
  await sql`update devices set lifecycle = 'PAUSED', version = version + 1
    where id = any(${able.map(({ id }) => id)}::bigint[])`.execute(ctx.db)
  await note(ctx, able, 'PAUSED', input.reason)
  ctx.audit(...able.map((machine) => entry(machine, 'PAUSED', input.reason)))
  ctx.touch('devices')
  return answer(ctx, judged)
}

export const setLifecycle: Handlers<Contract>['setLifecycle'] = async (ctx, input) => {
  const before = await detailOf(ctx, input.id)
  const allowed = allowedFrom(lifecycleStates, input.to)
  if (!allowed.includes(before.lifecycle)) throw new Refusal(deviceErrors.wrongMove)
  if (input.to === 'OPERATING') {
    const lanes = await q.lanesOf(ctx, input.id)
    reject(readyRule({ ...before, sellingLanes: lanes.selling }))
  }
  const result = await ctx.db
    .updateTable('devices')
    .set((eb) => ({ lifecycle: input.to, version: eb('version', '+', 1) }))
    .where('id', '=', input.id)
    .where('version', '=', input.version)
    .where('lifecycle', 'in', allowed)
    .executeTakeFirst()
  if (!result.numUpdatedRows) throw new Refusal(common.stale)
  ctx.audit(entry(before, input.to, input.reason))
  await note(ctx, [before], input.to, input.reason)
  ctx.touch('devices')
  return detailOf(ctx, input.id)
}

/**
 * Stops the sales of every operating machine of these organisations; who calls writes the log row.
 * Answers their numbers.
 */
export async function pauseDevicesOf(ctx: Ctx, orgIds: readonly number[]): Promise<string[]> {
  if (!orgIds.length) return []
  const paused = await rowsOf<Moved>(
    ctx.db,
  )`update devices set lifecycle = 'PAUSED', version = version + 1
      where org_id = any(${[...orgIds]}::bigint[]) and lifecycle = 'OPERATING'
        and ${visible(ctx, 'org_id', 'id')}
      returning ${moved}, 'OPERATING' as lifecycle`
  await note(ctx, paused, 'PAUSED', '')
  if (paused.length) ctx.touch('devices', paused)
  return paused.map(({ rtuNumber }) => rtuNumber).sort()
}
