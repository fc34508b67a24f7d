import { sql } from 'kysely'
import type { App, Ctx } from '../../../server/context.ts'
import { rowOf, rowsOf } from '../../../server/rows.ts'
import { bySystem } from '../../../server/run.ts'
import { clock, type Kind, type Piece } from '../../../server/work.ts'
import { bi } from '../../../shared/text.ts'
import { want } from '../../machines/server/shadows.ts'
import { notify } from '../../notices/server/notify.ts'
import {
  type Counts,
  guardTrips,
  nextStep,
  type Pause,
  passing,
  rolloutFrom,
  type Sales,
  type Stage,
  silentMinutes,
  updateFrom,
  verdict,
} from '../rollout.ts'
import type { ReleaseKind } from '../rules.ts'

/** What a roll-out is for its engine. */
export type Rollout = {
  readonly id: number
  readonly orgId: number
  readonly kind: ReleaseKind
  readonly name: string
  readonly state: 'SCHEDULED' | 'RUNNING' | 'PAUSED'
  readonly stage: number
  readonly stages: readonly Stage[]
  readonly guard: boolean
  readonly guardHours: number
  readonly guardDrop: number
  readonly retries: number
  readonly createdBy: number | null
  readonly stageAt: Date | null
  readonly overdue: boolean
}
type Due = Piece & { readonly id: number; readonly org_id: number }
const everySeconds = 60

/** Looks at every roll-out that is under way, once a minute and when something was done to it. */
export const rolloutKind = (app: App): Kind<Due, { state: 'LOOKED' }> => ({
  name: 'rollouts',
  table: 'rollouts',
  atOnce: 2,
  leaseSeconds: 120,
  waits: [60, 60, 300, 300, 600],
  async do(due) {
    await bySystem(app, (ctx) => advance(ctx, due.id))
    return { state: 'LOOKED' }
  },
  // one whose look fails for long is looked at all the same: nothing of it is ever given up
  mark: (ctx, due, to) =>
    sql`update rollouts set attempts = case when ${to.state === 'RETRY'} then attempts else 0 end,
        next_at = coalesce(${to.nextAt}, ${clock(app)} + make_interval(secs => ${everySeconds}))
      where ${due.ours}`.execute(ctx.db),
})

/**
 * One look: what machines did not say in time, then the one thing that follows from the counts.
 * Locks the roll-out, its machines, their shadows, in that order.
 */
export async function advance(ctx: Ctx, id: number): Promise<void> {
  const r = await held(ctx, id)
  if (!r || !['SCHEDULED', 'RUNNING', 'PAUSED'].includes(r.state)) return
  if (r.state === 'SCHEDULED') {
    await move(ctx, r, 'RUNNING', sql`started_at = ${ctx.now}, stage_at = ${ctx.now}, stage = 0`)
    return release(ctx, { ...r, stage: 0 })
  }
  await settle(ctx, r)
  const counts = await countsOf(ctx, r)
  if (r.state === 'PAUSED') {
    if (counts.every(({ open }) => open === 0) && !counts.some(({ failed }) => failed)) {
      const last = r.stage === r.stages.length - 1
      if (last && verdict(r.stages[r.stage] as Stage, counts[r.stage] as Counts) === 'PASSED')
        await move(ctx, r, 'DONE', sql`pause = null, finished_at = ${ctx.now}, next_at = null`)
    }
    return
  }
  const guarded = r.guard && (await trips(ctx, r))
  const step = nextStep(r.stages, r.stage, counts, { overdue: r.overdue, guarded })
  if (step.do === 'PAUSE') return pause(ctx, r, step.why)
  if (step.do === 'NEXT') {
    const stage = r.stage + 1
    await sql`update rollouts set stage = ${stage}, stage_at = ${ctx.now} where id = ${r.id}`.execute(
      ctx.db,
    )
    ctx.touch('releases', r.orgId)
    return release(ctx, { ...r, stage })
  }
  if (step.do === 'FINISH') {
    await leave(ctx, r, 'SKIPPED', 'OFFLINE')
    await move(ctx, r, 'DONE', sql`finished_at = ${ctx.now}, next_at = null`)
  } else if (r.kind === 'APK') await offerAfterFirmware(ctx, r)
}

export const held = (ctx: Ctx, id: number) =>
  rowOf<Rollout>(ctx.db)`select r.id, r.org_id as "orgId", r.kind, r.name, r.state, r.stage,
      r.stages, r.guard, r.guard_hours as "guardHours", r.guard_drop as "guardDrop", r.retries,
      r.created_by as "createdBy", r.stage_at as "stageAt",
      coalesce(r.started_at + make_interval(days => r.days) <= ${ctx.now}, false) as overdue
    from rollouts r where r.id = ${id} for update`

/** From what its table of states allows; the caller holds the row. */
async function move(
  ctx: Ctx,
  r: Rollout,
  to: 'RUNNING' | 'PAUSED' | 'DONE',
  set: ReturnType<typeof sql>,
): Promise<void> {
  await sql`update rollouts set state = ${to}, version = version + 1, ${set}
    where id = ${r.id} and state = any(${rolloutFrom(to)})`.execute(ctx.db)
  ctx.touch('releases', r.orgId)
}

/** What follows from silence, from other owners, and from failures that may pass. */
async function settle(ctx: Ctx, r: Rollout): Promise<void> {
  const silent = new Date(ctx.now.getTime() - silentMinutes * 60_000)
  await sql`update release_updates u set state = 'TIMED_OUT', finished_at = ${ctx.now},
      error_code = 'SILENT'
    from device_states s where u.rollout_id = ${r.id} and s.device_id = u.device_id
      and u.state = any(${updateFrom('TIMED_OUT')}) and u.reported_at < ${silent}
      and (u.state = 'INSTALLING' or s.online)`.execute(ctx.db)
  const moved = await rowsOf<{ id: number }>(ctx.db)`
    update release_updates u set state = 'CANCELLED', finished_at = ${ctx.now}, error_code = 'MOVED'
    from devices d where u.rollout_id = ${r.id} and d.id = u.device_id and d.org_id <> u.org_id
      and u.open and u.state = any(${updateFrom('CANCELLED')}) returning u.device_id as id`
  const again = await rowsOf<{ id: number }>(ctx.db)`
    update release_updates u set state = 'WAITING', finished_at = null, progress = 0
    where u.rollout_id = ${r.id} and u.state = 'FAILED' and u.error_code = any(${passing})
      and u.tries <= ${r.retries} and u.stage <= ${r.stage} and not exists (
      select from release_updates o where o.device_id = u.device_id and o.kind = u.kind and o.open)
    returning u.device_id as id`
  await wish(
    ctx,
    r.kind,
    [...moved, ...again].map(({ id }) => id),
  )
  await counted(
    ctx,
    r,
    again.map(({ id }) => id),
  )
}

export async function countsOf(ctx: Ctx, r: Pick<Rollout, 'id' | 'stages'>): Promise<Counts[]> {
  const rows = await rowsOf<Counts & { stage: number }>(ctx.db)`select stage, ${countColumns}
    from release_updates u where u.rollout_id = ${r.id} group by stage`
  const none: Counts = { total: 0, succeeded: 0, failed: 0, left: 0, open: 0 }
  return r.stages.map((_, i) => rows.find(({ stage }) => stage === i) ?? none)
}
export const countColumns = sql`count(*)::int as total,
  count(*) filter (where u.state = 'SUCCEEDED')::int as succeeded,
  count(*) filter (where u.state in ('FAILED', 'TIMED_OUT', 'ROLLED_BACK'))::int as failed,
  count(*) filter (where u.state in ('SKIPPED', 'CANCELLED'))::int as left,
  count(*) filter (where u.open)::int as open`

/** Lets the machines of the present stage have it. */
export async function release(ctx: Ctx, r: Pick<Rollout, 'id' | 'kind' | 'stage'>): Promise<void> {
  const rows = await rowsOf<{ id: number }>(ctx.db)`
    update release_updates set released_at = ${ctx.now}
    where rollout_id = ${r.id} and stage <= ${r.stage} and state = 'WAITING'
      and released_at is null returning device_id as id`
  const ids = rows.map(({ id }) => id)
  await wish(ctx, r.kind, ids)
  await counted(ctx, r, ids)
}
const counted = (ctx: Ctx, r: { readonly id: number }, ids: readonly number[]) =>
  ids.length
    ? sql`update release_updates set tries = tries + 1
        where rollout_id = ${r.id} and device_id = any(${[...ids]}::bigint[])`.execute(ctx.db)
    : undefined

/** Those that have not begun to install hold, or have nothing to do any more. */
export async function leave(
  ctx: Ctx,
  r: Pick<Rollout, 'id' | 'kind'>,
  state: 'CANCELLED' | 'SKIPPED',
  code: string,
  only?: number,
): Promise<number> {
  const rows = await rowsOf<{ id: number; told: boolean }>(ctx.db)`
    update release_updates set state = ${state}, finished_at = ${ctx.now}, error_code = ${code}
    where rollout_id = ${r.id} and open and state = any(${updateFrom(state)})
      and (${only ?? null}::bigint is null or device_id = ${only ?? null})
    returning device_id as id, released_at is not null as told`
  await wish(
    ctx,
    r.kind,
    rows.filter(({ told }) => told).map(({ id }) => id),
  )
  return rows.length
}

/** Every machine of it that may have begun hears the new state of affairs. */
export async function tellAgain(ctx: Ctx, r: Pick<Rollout, 'id' | 'kind'>): Promise<void> {
  const rows = await rowsOf<{ id: number }>(ctx.db)`select device_id as id from release_updates
    where rollout_id = ${r.id} and open and released_at is not null and state <> 'INSTALLING'`
  await wish(
    ctx,
    r.kind,
    rows.map(({ id }) => id),
  )
}

/**
 * A newer document for these machines; what it says is read when it is sent (`document.ts`). The
 * caller holds the roll-out, so nobody else makes a version of theirs.
 */
async function wish(ctx: Ctx, kind: ReleaseKind, ids: readonly number[]): Promise<void> {
  if (!ids.length) return
  const rows = await rowsOf<{ deviceId: number; orgId: number; version: number }>(ctx.db)`
    select d.id as "deviceId", d.org_id as "orgId", coalesce(s.wanted, 0) + 1 as version
    from devices d left join device_shadows s on s.device_id = d.id and s.kind = ${kind}
    where d.id = any(${[...new Set(ids)]}::bigint[]) order by d.id`
  await want(ctx, kind, rows)
  await sql`update release_updates u set document = x.version
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as x("deviceId" bigint, version int)
    where u.device_id = x."deviceId" and u.kind = ${kind} and u.open`.execute(ctx.db)
}

/** An app that waited for the firmware of its machine. */
async function offerAfterFirmware(ctx: Ctx, r: Rollout): Promise<void> {
  const rows = await rowsOf<{ id: number }>(ctx.db)`
    select u.device_id as id from release_updates u
    where u.rollout_id = ${r.id} and u.open and u.state in ('WAITING', 'NOTIFIED')
      and exists (select from release_updates w where w.device_id = u.device_id
        and w.kind = 'FIRMWARE' and w.finished_at >= u.released_at
        and w.finished_at >= ${new Date(ctx.now.getTime() - 3 * everySeconds * 1000)})`
  await wish(
    ctx,
    r.kind,
    rows.map(({ id }) => id),
  )
}

async function pause(ctx: Ctx, r: Rollout, why: Pause): Promise<void> {
  await move(ctx, r, 'PAUSED', sql`pause = ${why}, reason = ''`)
  if (why === 'CHECKPOINT') return
  await tellAgain(ctx, r)
  if (r.createdBy === null) return
  const [zh, en] = {
    MANUAL: ['已暂停', 'was paused'],
    CHECKPOINT: ['到达检查点', 'is at a checkpoint'],
    BREAKER: ['失败过多，已熔断暂停', 'was stopped: too many machines failed'],
    GUARD: ['业务指标下降，已暂停', 'was stopped: updated machines sell less'],
  }[why]
  await notify(ctx, {
    kind: 'JOB',
    userIds: [r.createdBy],
    title: bi(`升级任务 ${r.name} ${zh}`, `Roll-out ${r.name} ${en}`),
    link: r.kind === 'APK' ? '/apk/apk-history' : '/firmware/firmware-history',
  })
}

/** Updated machines of a stage beside those of the same types that were not, in the same hours. */
async function trips(ctx: Ctx, r: Rollout): Promise<boolean> {
  if (!r.stageAt) return false
  const from = new Date(Math.ceil(r.stageAt.getTime() / 3_600_000) * 3_600_000)
  const to = Math.min(ctx.now.getTime(), r.stageAt.getTime() + r.guardHours * 3_600_000)
  const hours = Math.floor((to - from.getTime()) / 3_600_000)
  if (hours < 1) return false
  const rows = await rowsOf<Sales & { updated: boolean }>(ctx.db)`
    with mine as (select u.device_id, d.type_id, d.org_id, u.state = 'SUCCEEDED' as updated
      from release_updates u join devices d on d.id = u.device_id
      where u.rollout_id = ${r.id} and (u.state = 'SUCCEEDED' or u.released_at is null))
    select m.updated, coalesce(sum(s.orders), 0)::int as orders,
      coalesce(sum(s.refund_orders), 0)::int as refunded,
      (count(distinct m.device_id) * ${hours}::int)::int as hours
    from mine m left join sales_rollups s on s.device_id = m.device_id and s.grain = 'HOUR'
      and s.at >= ${from} and s.at < ${new Date(from.getTime() + hours * 3_600_000)}
    where m.type_id in (select type_id from mine where updated) group by 1`
  const none: Sales = { orders: 0, refunded: 0, hours: 0 }
  const of = (updated: boolean) => rows.find((row) => row.updated === updated) ?? none
  return guardTrips(of(true), of(false), r.guardDrop)
}
