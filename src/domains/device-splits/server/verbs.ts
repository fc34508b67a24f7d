import { sql } from 'kysely'
import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, found, may } from '../../../server/context.ts'
import type { Input } from '../../../shared/contract.ts'
import { common, fieldRefusal, Refusal } from '../../../shared/errors.ts'
import { outcomeOf, resultOf } from '../../../shared/outcome.ts'
import { sampleOf } from '../../split-strategies/server/verbs.ts'
import type { deviceSplits } from '../contract.ts'
import { bindRefusal, deviceSplitErrors, releaseRefusal, sampleAmount } from '../rules.ts'
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
  return { to, rows: rows.map((row) => ({ ...row, refusal: bindRefusal(row, to) })) }
}
async function judgeRelease(ctx: Ctx, ids: readonly number[], hold = sql``) {
  const rows = await machines(ctx, ids, hold)
  return rows.map((row) => ({ ...row, refusal: releaseRefusal(row) }))
}

type Judged = q.Held & { refusal: ReturnType<typeof releaseRefusal> }
const answer = (ctx: Ctx, rows: readonly Judged[], to: string) =>
  outcomeOf(
    rows.map((row) => ({ ...resultOf(row, ctx.lang, row.refusal), from: row.tactics ?? '', to })),
  )

/** Ends what counts for these machines, and says so. */
async function change(ctx: Ctx, rows: readonly Judged[], to: q.Strategy | null): Promise<void> {
  const able = rows.filter(({ refusal }) => refusal === null)
  const ids = able.map(({ id }) => id)
  await sql`update split_bindings set released_at = greatest(${ctx.now}, bound_at),
      released_by = ${ctx.actor.userId}
    where device_id = any(${ids}::bigint[]) and released_at is null`.execute(ctx.db)
  if (to)
    await sql`insert into split_bindings (org_id, device_id, strategy_id, bound_at, bound_by)
      select ${to.orgId}, id, ${to.id}, ${ctx.now}, ${ctx.actor.userId}
      from unnest(${ids}::bigint[]) id order by id`.execute(ctx.db)
  ctx.audit(
    ...able.map(({ id, rtuNumber: name, orgId, tactics }) => ({
      ...{ id, name, orgId },
      before: { tactics },
      after: { tactics: to?.name ?? null },
    })),
  )
  ctx.touch('device-splits', able)
  ctx.touch('split-strategies', able)
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
  async previewBind(ctx, input) {
    const { to, rows } = await judgeBind(ctx, input)
    return answer(ctx, rows, to.name)
  },
  async bind(ctx, input) {
    const { to, rows } = await judgeBind(ctx, input, true)
    await change(ctx, rows, to)
    return answer(ctx, rows, to.name)
  },
  previewRelease: async (ctx, { ids }) => answer(ctx, await judgeRelease(ctx, ids), ''),
  async release(ctx, { ids }) {
    const rows = await judgeRelease(ctx, ids, sql`for no key update of d`)
    await change(ctx, rows, null)
    return answer(ctx, rows, '')
  },
}
