import { sql } from 'kysely'
import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, found, may, visible } from '../../../server/context.ts'
import { databaseRefusal } from '../../../server/run.ts'
import { common, fieldRefusal, Refusal } from '../../../shared/errors.ts'
import { say } from '../../../shared/text.ts'
import { lockMachine, type Machine } from '../../boards/server/binding.ts'
import { type distribution, distributionErrors, type Outcome } from '../contract.ts'
import { openRule, targetGiven } from '../rules.ts'
import * as q from './queries.ts'
import { addStaff, endStaff, peopleOf } from './staff.ts'
import { target, transferMachine } from './transfer.ts'

type Contract = typeof distribution
type Step = (ctx: Ctx, machine: Machine) => Promise<void>

export async function setStoreOf(ctx: Ctx, machine: Machine, storeId: number | null): Promise<void> {
  const closed = openRule(machine)
  if (closed) throw new Refusal(closed)
  if (storeId !== null && found(await q.storeOf(ctx, storeId)).org_id !== machine.org_id) throw fieldRefusal(distributionErrors.storeElsewhere, 'storeId')
  await ctx.db
    .updateTable('devices')
    .set((eb) => ({ store_id: storeId, version: eb('version', '+', 1) }))
    .where('id', '=', machine.id)
    .execute()
  ctx.touch('devices')
  ctx.touch('stores')
}

/** An operator distributes his people, not his machines (core.md, distribute one device): that is a right of its own. */
export function checkMayMove(ctx: Ctx): void {
  if (!may(ctx, 'device:transfer')) throw new Refusal(common.forbidden)
}

/**
 * One step for each machine, in the order of their ids so that crossing calls wait for one another. A refusal undoes that machine
 * only and becomes its reason; a dry run undoes all of them.
 */
async function forEach(ctx: Ctx, deviceIds: readonly number[], dryRun: boolean, step: Step): Promise<Outcome> {
  const wanted = [...new Set(deviceIds)].sort((a, b) => a - b)
  const { rows } = await sql<{ id: number; rtu_number: string }>`select d.id, d.rtu_number from devices d
    where d.id = any(${wanted}::bigint[]) and ${visible(ctx, 'd.org_id', 'd.id')} order by d.id`.execute(ctx.db)
  if (rows.length !== wanted.length) throw new Refusal(common.notFound)
  const results: Outcome['results'] = []
  for (const { id, rtu_number } of rows) {
    const reason = await tried(ctx, dryRun, async (quiet) => step(quiet, found(await lockMachine(quiet, id))))
    results.push({ deviceId: id, rtuNumber: rtu_number, ok: reason === null, reason: reason ?? '' })
  }
  const done = results.filter((result) => result.ok).length
  return { done, skipped: results.length - done, results }
}

async function tried(ctx: Ctx, dryRun: boolean, work: (quiet: Ctx) => Promise<void>): Promise<string | null> {
  const touched: Parameters<Ctx['touch']>[] = []
  await sql`savepoint one_machine`.execute(ctx.db)
  try {
    await work({ ...ctx, touch: (...args) => touched.push(args) })
  } catch (error) {
    const refusal = error instanceof Refusal ? error : databaseRefusal(error)
    if (!refusal) throw error
    await sql`rollback to savepoint one_machine`.execute(ctx.db)
    return say(refusal.def.text, ctx.lang, refusal.values)
  }
  if (dryRun) await sql`rollback to savepoint one_machine`.execute(ctx.db)
  else {
    await sql`release savepoint one_machine`.execute(ctx.db)
    for (const args of touched) ctx.touch(...args)
  }
  return null
}

function said(ctx: Ctx, outcome: Outcome, dryRun: boolean, after: Record<string, unknown>): void {
  const [first] = outcome.results
  const list = (ok: boolean) => outcome.results.filter((result) => result.ok === ok).map((result) => result.rtuNumber)
  ctx.audit({
    id: first?.deviceId as number,
    name: `${first?.rtuNumber}${outcome.results.length > 1 ? ` × ${outcome.results.length}` : ''}${dryRun ? '（试运行）' : ''}`,
    after: { ...after, done: list(true), skipped: list(false) },
  })
}

export const assignMany: Handlers<Contract>['assignMany'] = async (ctx, input) => {
  const missing = targetGiven(input)
  if (missing) throw fieldRefusal(missing.def, missing.field)
  const { kind, orgId, userIds = [], storeId = null } = input
  if (kind === 'OWNER') checkMayMove(ctx)
  const outcome = await forEach(ctx, input.deviceIds, input.dryRun, await stepOf(ctx, kind, { orgId, userIds, storeId }))
  said(ctx, outcome, input.dryRun, { kind, orgId, userIds, storeId })
  return outcome
}

type Given = { orgId: number | undefined; userIds: readonly number[]; storeId: number | null }
/** The target is looked up once; a foreign one answers like a missing one. */
async function stepOf(ctx: Ctx, kind: 'OWNER' | 'REPLENISHER' | 'REPAIRER' | 'STORE', given: Given): Promise<Step> {
  if (kind === 'OWNER') {
    const to = found(await target(ctx, given.orgId as number))
    return (quiet, machine) => transferMachine(quiet, machine, to)
  }
  if (kind === 'STORE') {
    found(await q.storeOf(ctx, given.storeId as number))
    return (quiet, machine) => setStoreOf(quiet, machine, given.storeId)
  }
  const people = await peopleOf(ctx, given.userIds)
  return async (quiet, machine) => {
    const closed = openRule(machine)
    if (closed) throw new Refusal(closed)
    await addStaff(quiet, machine, kind, people)
    quiet.touch('devices')
  }
}

export const removeMany: Handlers<Contract>['removeMany'] = async (ctx, input) => {
  if (input.kind === 'OWNER') checkMayMove(ctx)
  const outcome = await forEach(ctx, input.deviceIds, input.dryRun, removal(input.kind))
  said(ctx, outcome, input.dryRun, { kind: input.kind })
  return outcome
}

function removal(kind: 'OWNER' | 'REPLENISHER' | 'REPAIRER' | 'STORE'): Step {
  if (kind === 'OWNER') return (ctx, machine) => returnMachine(ctx, machine)
  if (kind === 'STORE')
    return async (ctx, machine) => {
      const device = found(await q.detailRow(ctx, machine.id))
      if (device.storeId === null) throw new Refusal(distributionErrors.nothingThere)
      await setStoreOf(ctx, machine, null)
    }
  return async (ctx, machine) => {
    if (!(await endStaff(ctx, machine, { kind })).length) throw new Refusal(distributionErrors.nothingThere)
    ctx.touch('devices')
  }
}

/** Without its assignment the machine belongs to whoever stands above. */
export async function returnMachine(ctx: Ctx, machine: Machine): Promise<void> {
  const device = found(await q.detailRow(ctx, machine.id))
  const to = device.parentOrgId === null ? undefined : await target(ctx, device.parentOrgId)
  if (!to) throw new Refusal(distributionErrors.noParent)
  await transferMachine(ctx, machine, to)
}
