import { sql } from 'kysely'
import type { Handlers } from '../../../server/bind.ts'
import { type AuditEntry, type Ctx, found, may, visible } from '../../../server/context.ts'
import { rowsOf } from '../../../server/rows.ts'
import { oneOfMany } from '../../../server/run.ts'
import { common, fieldRefusal, Refusal, reject } from '../../../shared/errors.ts'
import { outcomeOf } from '../../../shared/outcome.ts'
import { say } from '../../../shared/text.ts'
import { lockMachine, type Machine } from '../../boards/server/binding.ts'
import { type distribution, distributionErrors, type Outcome } from '../contract.ts'
import { openRule, targetGiven } from '../rules.ts'
import * as q from './queries.ts'
import { addStaff, endStaff, peopleOf } from './staff.ts'
import { giveMachine, handedOver, moveWords, type Target, target } from './transfer.ts'

type Contract = typeof distribution
/** Answers the new owner where there is one. */
type Step = (ctx: Ctx, machine: Machine) => Promise<Target | null>

export async function setStoreOf(
  ctx: Ctx,
  machine: Machine,
  storeId: number | null,
): Promise<void> {
  reject(openRule(machine))
  if (storeId !== null && found(await q.storeOf(ctx, storeId)).orgId !== machine.orgId)
    throw fieldRefusal(distributionErrors.storeElsewhere, 'storeId')
  await sql`update devices set store_id = ${storeId}, version = version + 1
    where id = ${machine.id}`.execute(ctx.db)
  ctx.touch('devices')
  ctx.touch('stores')
}

/**
 * An operator distributes his people, not his machines (core.md, distribute one device): that is a
 * right of its own.
 */
export function checkMayMove(ctx: Ctx): void {
  if (!may(ctx, 'device:transfer')) throw new Refusal(common.forbidden)
}

/**
 * One step for each machine, in the order of their ids so that crossing calls wait for one another.
 * A refusal undoes that machine only and becomes its reason; a dry run undoes all of them. `said`:
 * what was done, for the log.
 */
async function forEach(
  ctx: Ctx,
  { deviceIds, dryRun, kind }: { deviceIds: readonly number[]; dryRun: boolean; kind: string },
  step: Step,
  said: Pick<AuditEntry, 'before' | 'after'>,
): Promise<Outcome> {
  const wanted = [...new Set(deviceIds)].sort((a, b) => a - b)
  const rows = await rowsOf<{ id: number; rtuNumber: string; org: string }>(
    ctx.db,
  )`select d.id, d.rtu_number as "rtuNumber", coalesce(o.name, '') as org
    from devices d left join organisations o on o.id = d.org_id
    where d.id = any(${wanted}::bigint[]) and ${visible(ctx, 'd.org_id', 'd.id')} order by d.id`
  if (rows.length !== wanted.length) throw new Refusal(common.notFound)
  const results: Outcome['results'] = []
  const lines: AuditEntry[] = []
  const given: number[] = []
  for (const { id, rtuNumber, org } of rows) {
    let to: Target | null = null
    const reason = await tried(
      ctx,
      dryRun,
      async (quiet) => {
        const machine = found(await lockMachine(quiet, id))
        to = await step(quiet, machine)
        return to
          ? handedOver(machine, org, to)
          : [{ id, name: rtuNumber, ...said, orgId: machine.orgId }]
      },
      lines,
    )
    if (reason === null && to && !dryRun) given.push(id)
    results.push({ deviceId: id, rtuNumber, ok: reason === null, reason: reason ?? '' })
  }
  await moveWords(ctx, given)
  const outcome = outcomeOf(results)
  // a trial did nothing to any machine
  ctx.audit(
    ...(dryRun
      ? [{ id: kind, name: `× ${results.length}（试运行）`, after: { done: outcome.done } }]
      : lines),
  )
  return outcome
}

async function tried(
  ctx: Ctx,
  dryRun: boolean,
  work: (quiet: Ctx) => Promise<AuditEntry[]>,
  lines: AuditEntry[],
): Promise<string | null> {
  const touched: Parameters<Ctx['touch']>[] = []
  const quiet: Ctx = { ...ctx, touch: (...args) => touched.push(args) }
  const wrong = await oneOfMany(ctx, async () => lines.push(...(await work(quiet))), dryRun)
  if (wrong) return say(wrong.def.text, ctx.lang, wrong.values)
  if (!dryRun) for (const args of touched) ctx.touch(...args)
  return null
}

export const assignMany: Handlers<Contract>['assignMany'] = async (ctx, input) => {
  const missing = targetGiven(input)
  if (missing) throw fieldRefusal(missing.def, missing.field)
  const { kind, orgId, userIds = [], storeId = null } = input
  if (kind === 'OWNER') checkMayMove(ctx)
  return forEach(ctx, input, await stepOf(ctx, kind, { orgId, userIds, storeId }), {
    after: { kind, userIds, storeId },
  })
}

type Given = { orgId: number | undefined; userIds: readonly number[]; storeId: number | null }
/** The target is looked up once; a foreign one answers like a missing one. */
async function stepOf(
  ctx: Ctx,
  kind: 'OWNER' | 'REPLENISHER' | 'REPAIRER' | 'STORE',
  given: Given,
): Promise<Step> {
  if (kind === 'OWNER') {
    const to = found(await target(ctx, given.orgId as number))
    return async (quiet, machine) => {
      await giveMachine(quiet, machine, to)
      return to
    }
  }
  if (kind === 'STORE') {
    found(await q.storeOf(ctx, given.storeId as number))
    return async (quiet, machine) => {
      await setStoreOf(quiet, machine, given.storeId)
      return null
    }
  }
  const people = await peopleOf(ctx, given.userIds)
  return async (quiet, machine) => {
    reject(openRule(machine))
    await addStaff(quiet, machine, kind, people)
    quiet.touch('devices')
    return null
  }
}

export const removeMany: Handlers<Contract>['removeMany'] = async (ctx, input) => {
  if (input.kind === 'OWNER') checkMayMove(ctx)
  return forEach(ctx, input, removal(input.kind), {
    before: { kind: input.kind },
    after: { kind: null },
  })
}

function removal(kind: 'OWNER' | 'REPLENISHER' | 'REPAIRER' | 'STORE'): Step {
  if (kind === 'OWNER')
    return async (ctx, machine) => {
      const to = await above(ctx, machine)
      await giveMachine(ctx, machine, to)
      return to
    }
  if (kind === 'STORE')
    return async (ctx, machine) => {
      const device = found(await q.detailRow(ctx, machine.id))
      if (device.storeId === null) throw new Refusal(distributionErrors.nothingThere)
      await setStoreOf(ctx, machine, null)
      return null
    }
  return async (ctx, machine) => {
    if (!(await endStaff(ctx, machine, { kind })).length)
      throw new Refusal(distributionErrors.nothingThere)
    ctx.touch('devices')
    return null
  }
}

/** Without its assignment the machine belongs to whoever stands above. */
export async function above(ctx: Ctx, machine: Machine): Promise<Target> {
  const device = found(await q.detailRow(ctx, machine.id))
  const to = device.parentOrgId === null ? undefined : await target(ctx, device.parentOrgId)
  if (!to) throw new Refusal(distributionErrors.noParent)
  return to
}
