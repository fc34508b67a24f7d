import { sql } from 'kysely'
import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, found, may, owns, visible } from '../../../server/context.ts'
import { rowOf, rowsOf } from '../../../server/rows.ts'
import { guarding, updateVersion } from '../../../server/shapes.ts'
import type { Input } from '../../../shared/contract.ts'
import { common, Refusal, reject } from '../../../shared/errors.ts'
import { type Code, kindOf } from '../contract.ts'
import {
  decidable,
  needsApproval,
  type RolloutState,
  rolloutFrom,
  type Stage,
  staged,
  stagesRule,
  unfit,
  updateFrom,
} from '../rollout.ts'
import type { RolloutRow, RolloutsContract } from '../rolloutContract.ts'
import { type ReleaseKind, releaseErrors } from '../rules.ts'
import { leave, release, tellAgain } from './engine.ts'
import * as q from './rolloutQueries.ts'

const oneEach = guarding({ release_updates_one: [releaseErrors.inRollout] })
const poke = (ctx: Ctx) => ctx.afterCommit(() => ctx.app.jobs.poke('rollouts'))

/** Ends what is under way of a version that is withdrawn. */
export async function abortAll(ctx: Ctx, versionId: number): Promise<void> {
  const rows = await rowsOf<{ id: number; kind: ReleaseKind }>(ctx.db)`
    select id, kind from rollouts where version_id = ${versionId}
      and state in ('PENDING', 'SCHEDULED', 'RUNNING', 'PAUSED') order by id for update`
  for (const { id, kind } of rows) await end(ctx, { id, kind }, '')
}
async function end(ctx: Ctx, r: { id: number; kind: ReleaseKind }, reason: string): Promise<void> {
  await leave(ctx, r, 'CANCELLED', 'ABORTED')
  await sql`update rollouts set state = case when state = 'PENDING' then 'REJECTED'
      else 'ABORTED' end, pause = null, reason = ${reason}, finished_at = ${ctx.now},
      next_at = null, version = version + 1 where id = ${r.id}`.execute(ctx.db)
}

export function rolloutHandlers(code: Code): Handlers<RolloutsContract> {
  const kind = kindOf[code]

  const shown = (ctx: Ctx, { orgId, createdBy, ...row }: q.RolloutOf): RolloutRow => {
    const is = (...states: RolloutState[]) => states.includes(row.state)
    const acts = owns(ctx, orgId) && may(ctx, `${code}:rollout`)
    const decides = may(ctx, `${code}:approve`)
    const fine = decidable({ state: row.state, createdBy }, ctx.actor.userId) === null
    return {
      ...row,
      can: {
        approve: decides && fine,
        reject: decides && fine,
        pause: acts && is('RUNNING'),
        resume: acts && is('PAUSED') && row.pause !== 'CHECKPOINT',
        nextStage: acts && row.pause === 'CHECKPOINT',
        abort: acts && is('SCHEDULED', 'RUNNING', 'PAUSED'),
        retry: acts && is('RUNNING', 'PAUSED') && row.failed > 0,
        revert: acts && is('DONE', 'ABORTED', 'PAUSED') && row.succeeded > 0,
      },
    }
  }
  const get = async (ctx: Ctx, id: number) => shown(ctx, found(await q.row(ctx, kind, id)))
  const facts = ({ can: _, stages: _s, ...row }: RolloutRow) => row

  /** One act on one roll-out, which is held meanwhile. */
  async function act(
    ctx: Ctx,
    { id, version }: { id: number; version: number },
    allowed: readonly RolloutState[],
    set: Record<string, unknown>,
    work: (row: q.RolloutOf) => Promise<unknown>,
  ): Promise<RolloutRow> {
    found(
      await rowOf(ctx.db)`select 1 from rollouts r
        where id = ${id} and ${visible(ctx, 'r.org_id')} for update`,
    )
    const row = found(await q.row(ctx, kind, id))
    if (!allowed.includes(row.state)) throw new Refusal(releaseErrors.wrongState)
    await updateVersion(ctx, 'rollouts', { id, version }, set)
    await work(row)
    const after = await get(ctx, id)
    ctx.audit({
      ...{ id, name: row.name, orgId: row.orgId },
      ...{ before: facts(shown(ctx, row)), after: facts(after) },
    })
    ctx.touch('releases', row.orgId)
    poke(ctx)
    return after
  }

  type Plan = Input<RolloutsContract['preview']>
  async function planned(ctx: Ctx, plan: Plan) {
    const version = found(await q.offer(ctx, kind, plan.versionId))
    if (version.state !== 'PUBLISHED' || version.manifestId === null || version.expired)
      throw new Refusal(releaseErrors.notSigned)
    if (plan.downgrade && !version.downgrade) throw new Refusal(releaseErrors.noDowngrade)
    await q.reachable(ctx, plan)
    const machines = await q.chosen(ctx, kind, plan)
    // whoever names a machine that he does not see hears what he hears of one that is not there
    const known = new Set(machines.map(({ id }) => id))
    if ([...plan.deviceIds, ...plan.canaryIds].some((id) => !known.has(id)))
      throw new Refusal(common.notFound)
    const judged = machines.map((machine) => ({
      ...machine,
      reason: unfit(machine, { ...version, kind }, plan.downgrade),
    }))
    const fits = judged.filter(({ reason }) => reason === null)
    const fitting = new Set(fits.map(({ id }) => id))
    const canary = plan.canaryIds.filter((id) => fitting.has(id))
    reject(stagesRule({ kind, stages: plan.stages, devices: fits.length, canary: canary.length }))
    const stages = staged(
      fits.map(({ id }) => id),
      plan.stages,
      canary,
    )
    return { version, manifestId: version.manifestId, judged, fits, stages }
  }

  async function write(
    ctx: Ctx,
    { name, versionId, ...input }: Input<RolloutsContract['createRollout']>,
    forced: boolean,
  ): Promise<{ id: number; machines: readonly q.Machine[] }> {
    const plan = await planned(ctx, { versionId, ...input })
    const busy =
      plan.judged.length > 0 && plan.judged.every(({ reason }) => reason === 'IN_ROLLOUT')
    if (!plan.fits.length)
      throw new Refusal(busy ? releaseErrors.inRollout : releaseErrors.noneFits)
    const waits = forced || needsApproval(kind, plan.fits.length, input.downgrade)
    const { stages, atOnce, quietFrom, quietTo, randomDelayMin, bandwidth } = input
    const { id } = await ctx.db
      .insertInto('rollouts')
      .values({
        ...{ org_id: ctx.actor.orgId, kind, version_id: versionId, manifest_id: plan.manifestId },
        ...{ name, stages: JSON.stringify(stages), at_once: atOnce, quiet_from: quietFrom },
        ...{ quiet_to: quietTo, random_delay_min: randomDelayMin, bandwidth },
        ...{ guard: input.guard, guard_hours: input.guardHours, guard_drop: input.guardDrop },
        ...{ retries: input.retries, downgrade: input.downgrade, days: input.days },
        ...{ state: waits ? 'PENDING' : 'SCHEDULED', next_at: waits ? null : ctx.now },
        ...{ created_by: ctx.actor.userId, created_at: ctx.now },
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    const rows = plan.fits.map((machine) => ({
      ...{ device: machine.id, org: machine.orgId, stage: plan.stages.get(machine.id) ?? 0 },
      from: machine.current.slice(0, 40),
    }))
    await oneEach(
      sql`insert into release_updates (org_id, rollout_id, device_id, kind, stage, from_version,
          to_version)
        select org, ${id}, device, ${kind}, stage, "from", ${plan.version.versionName}
        from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as x(device bigint, org bigint,
          stage int, "from" text) order by device`.execute(ctx.db),
    )
    ctx.touch('releases')
    poke(ctx)
    return { id, machines: plan.fits }
  }

  return {
    async rollouts(ctx, input) {
      const { rows, total } = await q.listRows(ctx, kind, input)
      return { list: rows.map((row) => shown(ctx, row)), total }
    },
    rollout: (ctx, { id }) => get(ctx, id),
    async rolloutDevices(ctx, input) {
      const { orgId } = found(await q.row(ctx, kind, input.id))
      const acts = owns(ctx, orgId) && may(ctx, `${code}:rollout`)
      const { rows, total } = await q.deviceRows(ctx, kind, input)
      return {
        list: rows.map(({ rolloutState, ...row }) => ({
          ...row,
          can: {
            cancel:
              acts &&
              ['PENDING', 'SCHEDULED', 'RUNNING', 'PAUSED'].includes(rolloutState) &&
              updateFrom('CANCELLED').includes(row.state),
          },
        })),
        total,
      }
    },
    async preview(ctx, input) {
      const { version, judged, fits, stages } = await planned(ctx, input)
      const bad = judged.flatMap(({ reason, ...machine }) =>
        reason === null ? [] : [{ ...machine, reason }],
      )
      return {
        fits: fits.length,
        stages: input.stages.map((_, i) => [...stages.values()].filter((s) => s === i).length),
        size: version.size,
        approval: needsApproval(kind, fits.length, input.downgrade),
        unfit: bad.slice(0, 200).map(({ id, rtuNumber, nickname, current, reason }) => ({
          ...{ id, rtuNumber, nickname, current, reason },
        })),
        unfitTotal: bad.length,
      }
    },
    async createRollout(ctx, input) {
      const { id, machines } = await write(ctx, input, false)
      const after = await get(ctx, id)
      // its owner finds it, whoever planned it
      ctx.audit(
        ...machines.map((machine) => ({
          ...{ id: machine.id, name: machine.rtuNumber, orgId: machine.orgId },
          after: { rollout: id, name: after.name, versionName: after.versionName },
        })),
      )
      return after
    },
    approve: (ctx, { id, version }) =>
      act(
        ctx,
        { id, version },
        rolloutFrom('SCHEDULED'),
        {
          ...{ state: 'SCHEDULED', approved_by: ctx.actor.userId, approved_at: ctx.now },
          next_at: ctx.now,
        },
        async ({ state, createdBy, versionId }) => {
          reject(decidable({ state, createdBy }, ctx.actor.userId))
          const offer = found(await q.offer(ctx, kind, versionId))
          if (offer.state !== 'PUBLISHED' || offer.expired)
            throw new Refusal(releaseErrors.notSigned)
        },
      ),
    reject: (ctx, { id, version, reason }) =>
      act(
        ctx,
        { id, version },
        rolloutFrom('REJECTED'),
        {
          ...{ state: 'REJECTED', approved_by: ctx.actor.userId, approved_at: ctx.now, reason },
          finished_at: ctx.now,
        },
        async ({ state, createdBy }) => {
          reject(decidable({ state, createdBy }, ctx.actor.userId))
          await leave(ctx, { id, kind }, 'CANCELLED', 'REJECTED')
        },
      ),
    pause: (ctx, { id, version, reason }) =>
      act(ctx, { id, version }, ['RUNNING'], { state: 'PAUSED', pause: 'MANUAL', reason }, () =>
        tellAgain(ctx, { id, kind }),
      ),
    resume: (ctx, { id, version, reason }) =>
      act(
        ctx,
        { id, version },
        ['PAUSED'],
        { state: 'RUNNING', pause: null, reason, next_at: ctx.now },
        async ({ pause }) => {
          if (pause === 'CHECKPOINT') throw new Refusal(releaseErrors.wrongState)
          // whoever goes on has seen the figures
          if (pause === 'GUARD')
            await sql`update rollouts set guard = false where id = ${id}`.execute(ctx.db)
          await tellAgain(ctx, { id, kind })
        },
      ),
    async nextStage(ctx, { id, version }) {
      return act(
        ctx,
        { id, version },
        ['PAUSED'],
        { state: 'RUNNING', pause: null, stage_at: ctx.now, next_at: ctx.now },
        async ({ pause, stage, stages }) => {
          if (pause !== 'CHECKPOINT' || stage >= stages.length - 1)
            throw new Refusal(releaseErrors.wrongState)
          await sql`update rollouts set stage = ${stage + 1} where id = ${id}`.execute(ctx.db)
          await release(ctx, { id, kind, stage: stage + 1 })
          // those that asked meanwhile were told to hold
          await tellAgain(ctx, { id, kind })
        },
      )
    },
    abort: (ctx, { id, version, reason }) =>
      act(
        ctx,
        { id, version },
        rolloutFrom('ABORTED'),
        {
          ...{ state: 'ABORTED', pause: null, reason, finished_at: ctx.now },
          next_at: null,
        },
        () => leave(ctx, { id, kind }, 'CANCELLED', 'ABORTED'),
      ),
    retry: (ctx, { id, version }) =>
      act(
        ctx,
        { id, version },
        ['RUNNING', 'PAUSED'],
        { state: 'RUNNING', pause: null, next_at: ctx.now },
        async ({ stage }) => {
          const rows = await oneEach(
            rowsOf<{ id: number }>(ctx.db)`update release_updates set state = 'WAITING',
                finished_at = null, progress = 0, released_at = null
              where rollout_id = ${id} and state = any(${updateFrom('WAITING')})
                and stage <= ${stage} returning device_id as id`,
          )
          if (!rows.length) throw new Refusal(releaseErrors.nothingFailed)
          await release(ctx, { id, kind, stage })
          await tellAgain(ctx, { id, kind })
        },
      ),
    async revert(ctx, { id, version, reason }) {
      const before = found(await q.row(ctx, kind, id))
      if (!shown(ctx, before).can.revert) throw new Refusal(releaseErrors.wrongState)
      if (before.version !== version) throw new Refusal(common.stale)
      const back = await q.previous(ctx, before.versionId)
      if (!back) throw new Refusal(releaseErrors.noPrevious)
      const updated = await rowsOf<{ id: number }>(ctx.db)`
        select u.device_id as id from release_updates u join devices d on d.id = u.device_id
        where u.rollout_id = ${id} and u.state = 'SUCCEEDED' and d.org_id = u.org_id
          and d.lifecycle not in ('SOLD', 'SCRAPPED') and ${visible(ctx, 'u.org_id', 'u.device_id')}`
      const stages = (kind === 'FIRMWARE' ? [20, 100] : [100]).map(
        (percent): Stage => ({
          ...{ percent, successPct: 95, errorPct: 10, errorCount: 3, after: 'AUTO' },
        }),
      )
      const { id: next } = await write(
        ctx,
        {
          ...{ name: `${before.name.slice(0, 44)} ← `, versionId: back.id, stages },
          ...{ deviceIds: updated.map((one) => one.id), numbers: [], canaryIds: [] },
          ...{ downgrade: true, atOnce: false, quietFrom: before.quietFrom },
          ...{ quietTo: before.quietTo, randomDelayMin: 30, bandwidth: 0, guard: false },
          ...{ guardHours: 24, guardDrop: 10, retries: 1, days: 7 },
        },
        true,
      )
      await sql`update rollouts set reason = ${reason} where id = ${next}`.execute(ctx.db)
      const after = await get(ctx, next)
      ctx.audit({ id: next, name: after.name, after: { ...facts(after), of: before.name } })
      return after
    },
    async cancelDevice(ctx, { id, deviceId }) {
      const row = found(
        await rowOf<{ orgId: number; name: string }>(ctx.db)`select r.org_id as "orgId", r.name
          from rollouts r where r.id = ${id} and r.kind = ${kind}
            and ${visible(ctx, 'r.org_id')} for update`,
      )
      found(
        await rowOf(ctx.db)`select 1 from release_updates u where u.rollout_id = ${id}
          and u.device_id = ${deviceId} and ${visible(ctx, 'u.org_id', 'u.device_id')}`,
      )
      if (!(await leave(ctx, { id, kind }, 'CANCELLED', 'BY_HAND', deviceId)))
        throw new Refusal(releaseErrors.wrongState)
      ctx.audit({ id, name: row.name, orgId: row.orgId, after: { deviceId } })
      ctx.touch('releases', row.orgId)
      return { ok: true as const }
    },
  }
}
