import { sql } from 'kysely'
import type { Handlers } from '../../../server/bind.ts'
import { byRole, type Ctx, found, visible } from '../../../server/context.ts'
import { common, type ErrorDef, Refusal, reject } from '../../../shared/errors.ts'
import { allowedFrom } from '../../../shared/moves.ts'
import { say } from '../../../shared/text.ts'
import { hasOpenOrder, lockMachine, takeBoard } from '../../boards/server/binding.ts'
import { noteDevice } from '../../machines/server/events.ts'
import { deviceErrors, type devices, type lifecycles } from '../contract.ts'
import { isClosed, lifecycleStates, mayRestore, readyRule, retireRule } from '../rules.ts'
import * as q from './queries.ts'
import { detailOf, matchesLicence } from './shown.ts'

type Contract = typeof devices
type Lifecycle = (typeof lifecycles)[number]

/** The timeline of each machine tells where it stands now. */
const said = (ctx: Ctx, rows: readonly { id: number; org_id: number; from: string }[], to: Lifecycle, reason: string) =>
  noteDevice(
    ctx,
    rows.map(({ id, org_id, from }) => ({ deviceId: id, orgId: org_id, kind: 'LIFECYCLE', data: { from, to, ...(reason ? { reason } : {}) } })),
  )

async function move(
  ctx: Ctx,
  machine: { id: number; org_id: number; rtu_number: string; lifecycle: string },
  to: Lifecycle,
  reason: string,
): Promise<{ ok: true }> {
  await ctx.db
    .updateTable('devices')
    .set((eb) => ({ lifecycle: to, locked: false, version: eb('version', '+', 1) }))
    .where('id', '=', machine.id)
    .execute()
  await said(ctx, [{ ...machine, from: machine.lifecycle }], to, reason)
  ctx.audit({ id: machine.id, name: machine.rtu_number, before: { lifecycle: machine.lifecycle }, after: { lifecycle: to, reason }, orgId: machine.org_id })
  ctx.touch('identity')
  ctx.touch('devices')
  return { ok: true }
}

async function opened(ctx: Ctx, input: { id: number; version: number }, to: Lifecycle) {
  const machine = found(await lockMachine(ctx, input.id))
  if (machine.version !== input.version) throw new Refusal(common.stale)
  if (!allowedFrom(lifecycleStates, to).includes(machine.lifecycle as Lifecycle)) throw new Refusal(deviceErrors.wrongMove)
  return machine
}

/** Pieces in live lanes; the lanes stay locked until the machine has left service. */
async function stockOf(ctx: Ctx, deviceId: number): Promise<number> {
  const { rows } = await sql<{
    quantity: number
  }>`select l.quantity from lanes l where l.device_id = ${deviceId} and l.archived_at is null order by l.id for no key update of l`.execute(ctx.db)
  return rows.reduce((sum, lane) => sum + lane.quantity, 0)
}

export const retire: Handlers<Contract>['retire'] = async (ctx, input) => {
  const machine = await opened(ctx, input, input.to)
  if (input.confirmNumber !== machine.rtu_number)
    throw new Refusal(deviceErrors.numberWrong, {}, [{ field: 'confirmNumber', text: deviceErrors.numberWrong.text }])
  const stock = await stockOf(ctx, machine.id)
  const refusal = retireRule({ openOrder: await hasOpenOrder(ctx, machine.id), stock })
  if (refusal) throw new Refusal(refusal, { n: stock })
  await takeBoard(ctx, machine)
  return move(ctx, machine, input.to, input.reason)
}

export const restore: Handlers<Contract>['restore'] = async (ctx, input) => {
  const machine = await opened(ctx, input, 'STOCK')
  if (!byRole(ctx, mayRestore)) throw new Refusal(common.forbidden)
  return move(ctx, machine, 'STOCK', input.reason)
}

type Judged = { id: number; org_id: number; rtu_number: string; nickname: string; lifecycle: Lifecycle; refusal: ErrorDef | null }
async function judge(ctx: Ctx, ids: readonly number[], hold = sql``): Promise<Judged[]> {
  const { rows } = await sql<Omit<Judged, 'refusal'>>`select d.id, d.org_id, d.rtu_number, d.nickname, d.lifecycle from devices d
    where d.id = any(${[...ids]}::bigint[]) and ${visible(ctx, 'd.org_id', 'd.id')} order by d.id ${hold}`.execute(ctx.db)
  if (rows.length < new Set(ids).size) throw new Refusal(common.notFound)
  const able = allowedFrom(lifecycleStates, 'PAUSED')
  return rows.map((row) => ({ ...row, refusal: able.includes(row.lifecycle) ? null : isClosed(row.lifecycle) ? deviceErrors.closed : deviceErrors.wrongMove }))
}
const resultOf = (ctx: Ctx, judged: readonly Judged[]) => ({
  done: judged.filter((row) => row.refusal === null).length,
  skipped: judged.filter((row) => row.refusal !== null).length,
  results: judged.map(({ id, rtu_number, nickname, refusal }) => ({
    id,
    rtuNumber: rtu_number,
    nickname,
    ok: refusal === null,
    reason: refusal ? say(refusal.text, ctx.lang) : '',
  })),
})

export const previewPauses: Handlers<Contract>['previewPauses'] = async (ctx, input) => resultOf(ctx, await judge(ctx, input.ids))

export const pauseMany: Handlers<Contract>['pauseMany'] = async (ctx, input) => {
  const judged = await judge(ctx, input.ids, sql`for no key update of d`)
  const able = judged.filter((row) => row.refusal === null)
  if (able.length > 0)
    await ctx.db
      .updateTable('devices')
      .set((eb) => ({ lifecycle: 'PAUSED' as const, version: eb('version', '+', 1) }))
      .where(
        'id',
        'in',
        able.map((row) => row.id),
      )
      .execute()
  await said(
    ctx,
    able.map((row) => ({ ...row, from: row.lifecycle })),
    'PAUSED',
    input.reason,
  )
  const after = { lifecycle: 'PAUSED', reason: input.reason }
  ctx.audit(...able.map(({ id, rtu_number: name, lifecycle, org_id: orgId }) => ({ id, name, before: { lifecycle }, after, orgId })))
  ctx.touch('devices')
  return resultOf(ctx, judged)
}

export const setLifecycle: Handlers<Contract>['setLifecycle'] = async (ctx, input) => {
  const { raw } = await detailOf(ctx, input.id)
  const allowed = allowedFrom(lifecycleStates, input.to)
  if (!allowed.includes(raw.lifecycle)) throw new Refusal(deviceErrors.wrongMove)
  if (input.to === 'OPERATING') {
    const lanes = await q.lanesOf(ctx, input.id)
    reject(readyRule({ boardNo: raw.board_no, sellingLanes: lanes.selling, licenceMatches: matchesLicence(raw) }))
  }
  const result = await ctx.db
    .updateTable('devices')
    .set((eb) => ({ lifecycle: input.to, version: eb('version', '+', 1) }))
    .where('id', '=', input.id)
    .where('version', '=', input.version)
    .where('lifecycle', 'in', allowed)
    .executeTakeFirst()
  if (!result.numUpdatedRows) throw new Refusal(common.stale)
  ctx.audit({
    id: input.id,
    name: raw.rtu_number,
    before: { lifecycle: raw.lifecycle },
    after: { lifecycle: input.to, reason: input.reason },
    orgId: raw.org_id,
  })
  await said(ctx, [{ id: input.id, org_id: raw.org_id, from: raw.lifecycle }], input.to, input.reason)
  ctx.touch('devices')
  return (await detailOf(ctx, input.id)).shown
}

/** Stops the sales of every operating machine of these organisations; who calls writes the log row. Answers their numbers. */
export async function pauseDevicesOf(ctx: Ctx, orgIds: readonly number[]): Promise<string[]> {
  if (!orgIds.length) return []
  const paused = await ctx.db
    .updateTable('devices')
    .set((eb) => ({ lifecycle: 'PAUSED' as const, version: eb('version', '+', 1) }))
    .where('org_id', 'in', [...orgIds])
    .where('lifecycle', 'in', allowedFrom(lifecycleStates, 'PAUSED'))
    .where(visible(ctx, 'devices.org_id', 'devices.id'))
    .returning(['id', 'org_id', 'rtu_number'])
    .execute()
  await said(
    ctx,
    paused.map((device) => ({ ...device, from: 'OPERATING' })),
    'PAUSED',
    '',
  )
  if (paused.length)
    ctx.touch(
      'devices',
      paused.map((device) => device.org_id),
    )
  return paused.map((device) => device.rtu_number).sort()
}
