import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, found, may } from '../../../server/context.ts'
import type { Input } from '../../../shared/contract.ts'
import { common, fieldRefusal, Refusal } from '../../../shared/errors.ts'
import { outcomeOf, resultOf } from '../../../shared/outcome.ts'
import { sampleOf } from '../../split-strategies/server/verbs.ts'
import type { deviceSplits } from '../contract.ts'
import {
  bindRefusal,
  deviceSplitErrors,
  releaseRefusal,
  sampleAmount,
  undoMs,
  undoRefusal,
} from '../rules.ts'
import * as q from './queries.ts'

type Contract = typeof deviceSplits

async function machines(ctx: Ctx, ids: readonly number[], hold = sql``): Promise<q.Held[]> {
  const rows = await q.machines(ctx, ids, hold)
  if (rows.length < ids.length) throw new Refusal(common.notFound)
  return rows
}
/** Machines first, then the strategy, which is not retired meanwhile. */
async function judgeBind(ctx: Ctx, { ids, strategyId }: Input<Contract['bind']>, holds = false) {
  const rows = await machines(ctx, ids, holds ? sql`for no key update of d` : sql``)
  const to = found(await q.strategy(ctx, strategyId, holds ? sql`for share` : sql``))
  if (to.state !== 'PUBLISHED') throw fieldRefusal(deviceSplitErrors.notPublished, 'strategyId')
  return rows.map((row) => ({ ...row, to, refusal: bindRefusal(row, to) }))
}
async function judgeRelease(ctx: Ctx, ids: readonly number[], hold = sql``) {
  const rows = await machines(ctx, ids, hold)
  return rows.map((row) => ({ ...row, to: null, refusal: releaseRefusal(row) }))
}

type To = { readonly id: number; readonly name: string } | null
type Judged = q.Held & { refusal: ReturnType<typeof releaseRefusal>; to: To }
const answer = (ctx: Ctx, rows: readonly Judged[], actId: string | null = null) => ({
  ...outcomeOf(
    rows.map((row) => ({
      ...resultOf(row, ctx.lang, row.refusal),
      ...{ from: row.tactics ?? '', to: row.to?.name ?? '' },
    })),
  ),
  actId: rows.some(({ refusal }) => refusal === null) ? actId : null,
})

/** Ends what counts for these machines, begins what was judged, and says so. */
async function change(ctx: Ctx, rows: readonly Judged[]) {
  const able = rows.filter(({ refusal }) => refusal === null)
  const actId = randomUUID()
  await sql`update split_bindings set released_at = greatest(${ctx.now}, bound_at),
      released_by = ${ctx.actor.userId}, released_act = ${actId}
    where device_id = any(${able.map(({ id }) => id)}::bigint[])
      and released_at is null`.execute(ctx.db)
  const begin = able.flatMap(({ id, orgId, to }) => (to ? [{ id, orgId, strategyId: to.id }] : []))
  await sql`insert into split_bindings (org_id, device_id, strategy_id, bound_at, bound_by,
      bound_act)
    select "orgId", id, "strategyId", ${ctx.now}, ${ctx.actor.userId}, ${actId}
    from jsonb_to_recordset(${JSON.stringify(begin)}::jsonb) as b("orgId" bigint, id bigint,
      "strategyId" bigint) order by id`.execute(ctx.db)
  ctx.audit(
    ...able.map(({ id, rtuNumber: name, orgId, tactics, to }) => ({
      ...{ id, name, orgId },
      before: { tactics },
      after: { tactics: to?.name ?? null },
    })),
  )
  ctx.touch('device-splits', able)
  ctx.touch('split-strategies', able)
  return answer(ctx, rows, actId)
}

/** What a deed of his did, judged for being taken back. */
async function judgeUndo(ctx: Ctx, actId: string) {
  const done = await q.deedOf(ctx, actId)
  const [first] = done
  if (!first) throw new Refusal(common.notFound)
  if (ctx.now.getTime() - first.at.getTime() > undoMs)
    throw new Refusal(deviceSplitErrors.undoTooLate)
  await q.holdStrategies(
    ctx,
    done.flatMap(({ was }) => was?.strategyId ?? []),
  )
  return (await q.deedOf(ctx, actId)).map((row) => ({
    ...row,
    to: row.was && { id: row.was.strategyId, name: row.was.name },
    refusal: undoRefusal(row),
  }))
}

export const handlers: Handlers<Contract> = {
  async list(ctx, input) {
    const { rows, total } = await q.listRows(ctx, input)
    const list = rows.map((row) => ({
      ...row,
      can: {
        bind: may(ctx, 'split:bind'),
        release: may(ctx, 'split:release') && row.strategyId !== null,
      },
    }))
    return { list, total }
  },
  sample: (ctx, { strategyId }) => sampleOf(ctx, strategyId, sampleAmount),
  previewBind: async (ctx, input) => answer(ctx, await judgeBind(ctx, input)),
  bind: async (ctx, input) => change(ctx, await judgeBind(ctx, input, true)),
  previewRelease: async (ctx, { ids }) => answer(ctx, await judgeRelease(ctx, ids)),
  release: async (ctx, { ids }) =>
    change(ctx, await judgeRelease(ctx, ids, sql`for no key update of d`)),
  undo: async (ctx, { actId }) => change(ctx, await judgeUndo(ctx, actId)),
}
