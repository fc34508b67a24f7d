import { sql } from 'kysely'
import { type Ctx, visible } from '../../../server/context.ts'
import { rowOf, rowsOf } from '../../../server/rows.ts'
import { shape } from '../../../server/shapes.ts'
import type { Input } from '../../../shared/contract.ts'
import { recentFrom } from '../../splits/rules.ts'
import { DeviceSplitRow, type deviceSplits } from '../contract.ts'

const trading = sql`case when b.id is null then 'PAUSED' else 'NORMAL' end`
/** Its bills of late by day: a line for each day and way to pay. */
const lately = (at: Date) => sql`from bill_days f where f.device_id = d.id and f.org_id = d.org_id
  and f.grain = 'DAY' and f.day >= ${recentFrom(at)}::date`
const deviceSplit = (at: Date) =>
  shape(
    DeviceSplitRow,
    ['devices', 'd'],
    {
      machineName: sql`d.nickname`,
      operatorName: sql`o.name`,
      strategyId: sql`b.strategy_id`,
      tactics: sql`s.name`,
      versionNo: sql`v.version_no`,
      mode: sql`v.mode`,
      merchantName: sql`v.merchant_name`,
      boundAt: sql`b.bound_at`,
      recentSplit: sql`(select coalesce(sum(f.split), 0)::bigint ${lately(at)})`,
      mallTrading: trading,
    },
    ['can'],
  )
/** Without a strategy first, and of these first what sold lately: there buyers are refused. */
const wanting = (at: Date) => sql`case when b.id is not null then 0
  when exists (select ${lately(at)}) then 2 else 1 end`
const bound = sql`devices d
  left join split_bindings b on b.device_id = d.id and b.released_at is null
  left join split_strategies s on s.id = b.strategy_id`
const from = (at: Date) => sql`${bound} join organisations o on o.id = d.org_id
  left join lateral (select v.* from split_strategy_versions v
    where v.strategy_id = b.strategy_id and v.state = 'PUBLISHED'
      and split_counts(v.valid_from, v.published_at, ${at})
    order by v.version_no desc limit 1) v on true`

export const listRows = (ctx: Ctx, input: Input<typeof deviceSplits.list>) =>
  deviceSplit(ctx.now).page(ctx.db, {
    from: from(ctx.now),
    countFrom: input.mode ? from(ctx.now) : bound,
    input,
    last: sql`d.id`,
    sort: { mallTrading: wanting(ctx.now), rtuNumber: sql`d.rtu_number`, boundAt: sql`b.bound_at` },
    where: [
      visible(ctx, 'd.org_id', 'd.id'),
      sql`d.lifecycle not in ('SOLD', 'SCRAPPED')`,
      input.keyword && sql`strpos(lower(d.nickname), lower(${input.keyword})) > 0`,
      input.rtuNumber && sql`strpos(d.rtu_number, ${input.rtuNumber}) > 0`,
      input.orgId && sql`d.org_id = ${input.orgId}`,
      input.strategyId && sql`b.strategy_id = ${input.strategyId}`,
      input.bound !== undefined && sql`(b.id is not null) = ${input.bound}`,
      input.mode && sql`v.mode = ${input.mode}`,
      input.mallTrading && sql`${trading} = ${input.mallTrading}`,
    ],
  })

export type Held = {
  id: number
  orgId: number
  rtuNumber: string
  nickname: string
  strategyId: number | null
  tactics: string | null
}
export const machines = (ctx: Ctx, ids: readonly number[], hold = sql``) =>
  rowsOf<Held>(ctx.db)`select d.id, d.org_id as "orgId", d.rtu_number as "rtuNumber", d.nickname,
      b.strategy_id as "strategyId", s.name as tactics from ${bound}
    where d.id = any(${[...ids]}::bigint[]) and ${visible(ctx, 'd.org_id', 'd.id')}
    order by d.id ${hold}`

export type Strategy = { id: number; orgId: number; name: string; state: string }
export const strategy = (ctx: Ctx, id: number, hold = sql``) =>
  rowOf<Strategy>(ctx.db)`select s.id, s.org_id as "orgId", s.name, s.state
    from split_strategies s where s.id = ${id} and ${visible(ctx, 's.org_id')} ${hold}`

/** What a deed of the actor did to each machine, and what is there now; the machines are held. */
export type Done = Held & {
  at: Date
  /** The binding it made, and whether it is still there. */
  made: number | null
  now: number | null
  was: { strategyId: number; orgId: number; name: string; state: string } | null
}
export async function deedOf(ctx: Ctx, actId: string): Promise<Done[]> {
  await sql`select from devices d where d.id in (select device_id from split_bindings
      where bound_act = ${actId} or released_act = ${actId}) order by d.id
    for no key update of d`.execute(ctx.db)
  return rowsOf<Done>(ctx.db)`
    with deed as (
      select device_id, max(case when bound_act = ${actId} then bound_at else released_at end) as at,
        max(id) filter (where bound_act = ${actId}) as made,
        max(strategy_id) filter (where released_act = ${actId}) as was
      from split_bindings w where (bound_act = ${actId} and bound_by = ${ctx.actor.userId}
          or released_act = ${actId} and released_by = ${ctx.actor.userId})
        and ${visible(ctx, 'w.org_id', 'w.device_id')}
      group by 1)
    select d.id, d.org_id as "orgId", d.rtu_number as "rtuNumber", d.nickname,
      b.strategy_id as "strategyId", s.name as tactics, a.at, a.made, b.id as now,
      (select json_build_object('strategyId', o.id, 'orgId', o.org_id, 'name', o.name,
        'state', o.state) from split_strategies o where o.id = a.was) as was
    from deed a join ${bound} on d.id = a.device_id
    where ${visible(ctx, 'd.org_id', 'd.id')} order by d.id`
}
/** Not retired until the act ends. */
export const holdStrategies = (ctx: Ctx, ids: readonly number[]) =>
  sql`select from split_strategies where id = any(${[...ids]}::bigint[]) order by id
    for share`.execute(ctx.db)
