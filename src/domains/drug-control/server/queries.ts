import { sql } from 'kysely'
import { type Ctx, visible } from '../../../server/context.ts'
import { shape } from '../../../server/shapes.ts'
import type { Input } from '../../../shared/contract.ts'
import { addDays, startOfDay } from '../../../shared/instants.ts'
import { stoppingLocks } from '../../drug-guard/rules.ts'
import { type drugControl, Excursion, ExcursionRow, LockRow, RefusalRow } from '../contract.ts'

type Contract = typeof drugControl

const recallOf = sql`(select min(b.recalled_at + case b.recall_level when 'I' then interval '1 day'
    when 'II' then interval '2 days' else interval '7 days' end)
  from lane_layers y join batches b on b.id = y.batch_id
  where y.lane_id = l.id and b.status = 'RECALLED')`
const lock = shape(LockRow, ['lanes', 'l'], {
  rtuNumber: sql`d.rtu_number`,
  nickname: sql`d.nickname`,
  productName: sql`p.name`,
  drugClass: sql`p.drug_class`,
  reason: sql`l.lock_reason`,
  since: sql`l.locked_at`,
  qty: sql`l.quantity`,
  batchNo: sql`coalesce((select string_agg(distinct b.batch_no, ' ') from lane_layers y
    join batches b on b.id = y.batch_id where y.lane_id = l.id), '')`,
  orgName: sql`coalesce(o.name, '')`,
  dueAt: sql`case when l.lock_reason = 'RECALL' then ${recallOf}
    else l.locked_at + interval '1 day' end`,
})

const between = (
  column: string,
  { from, to }: { from?: string | undefined; to?: string | undefined },
) => [
  from && sql`${sql.ref(column)} >= ${startOfDay(from)}`,
  to && sql`${sql.ref(column)} < ${startOfDay(addDays(to, 1))}`,
]

export const locks = (ctx: Ctx, input: Input<Contract['locks']>) =>
  lock.page(ctx.db, {
    from: sql`lanes l join devices d on d.id = l.device_id left join organisations o on o.id = l.org_id
      left join products p on p.id = l.product_id`,
    where: [
      visible(ctx, 'l.org_id', 'l.device_id'),
      sql`l.status = 'LOCKED' and l.archived_at is null
        and l.lock_reason = any(${[...stoppingLocks]}::text[])`,
      // whoever watches a region watches its drugs
      ctx.actor.scope.watched && sql`p.drug_class <> 'NONE'`,
      input.reason && sql`l.lock_reason = ${input.reason}`,
      input.deviceId && sql`l.device_id = ${input.deviceId}`,
      input.productId && sql`l.product_id = ${input.productId}`,
      input.batchNo &&
        sql`exists (select from lane_layers y join batches b on b.id = y.batch_id
          where y.lane_id = l.id and strpos(lower(b.batch_no), lower(${input.batchNo})) > 0)`,
      input.code &&
        sql`exists (select from trace_codes c where c.code = ${input.code} and c.lane_id = l.id)`,
      input.region && sql`${input.region} in (d.province, d.city, d.county)`,
      ...between('l.locked_at', input),
    ],
    sort: { since: sql`l.locked_at`, qty: sql`l.quantity`, rtuNumber: sql`d.rtu_number` },
    last: sql`l.id`,
    input,
  })

export const state = sql`case when e.decision is not null then e.decision
  when e.to_at is null then 'OPEN' when e.locked_at is null then 'ALARM' else 'UNDECIDED' end`
const said = (ctx: Ctx) =>
  ({
    rtuNumber: sql`d.rtu_number`,
    nickname: sql`d.nickname`,
    minutes: sql`greatest(0, extract(epoch from coalesce(e.to_at, ${ctx.now}) - e.from_at) / 60)::int`,
    laneCount: sql`jsonb_array_length(e.lanes)`,
    pieces: sql`(select coalesce(sum((x->>'qty')::int), 0)::int from jsonb_array_elements(e.lanes) x)`,
    state,
    decidedBy: sql`u.username`,
  }) as const
export const excursions = sql`temperature_excursions e join devices d on d.id = e.device_id
  left join users u on u.id = e.decided_by`
// whoever watches a region watches its drugs
export const watchedDrugs = (ctx: Ctx) => ctx.actor.scope.watched && sql`d.kind = 'DRUG'`

export const excursionPage = (ctx: Ctx, input: Input<Contract['excursions']>) =>
  shape(ExcursionRow, ['temperature_excursions', 'e'], said(ctx)).page(ctx.db, {
    from: excursions,
    where: [
      visible(ctx, 'e.org_id', 'e.device_id'),
      watchedDrugs(ctx),
      input.state && sql`${state} = ${input.state}`,
      input.deviceId && sql`e.device_id = ${input.deviceId}`,
      input.productId &&
        sql`exists (select from jsonb_array_elements(e.lanes) x join lanes l on l.id = (x->>'id')::bigint
          where l.product_id = ${input.productId})`,
      input.region && sql`${input.region} in (d.province, d.city, d.county)`,
      ...between('e.from_at', input),
    ],
    sort: { fromAt: sql`e.from_at`, rtuNumber: sql`d.rtu_number` },
    filled: ['fromAt'],
    grows: true,
    last: sql`e.id`,
    input,
  })
export const excursion = (ctx: Ctx, id: number) =>
  shape(Excursion, ['temperature_excursions', 'e'], {
    ...said(ctx),
    lanes: sql`e.lanes`,
    curve: sql`e.curve`,
  }).one(
    ctx.db,
    sql`from ${excursions} where e.id = ${id} and ${visible(ctx, 'e.org_id', 'e.device_id')}
      and ${watchedDrugs(ctx) || sql`true`}`,
  )

const refusal = shape(RefusalRow, ['drug_guard_refusals', 'r'], {
  drugClass: sql`r.drug_class`,
  key: sql`r.key`,
  rtuNumber: sql`d.rtu_number`,
  nickname: sql`d.nickname`,
})
export const refusalPage = (ctx: Ctx, input: Input<Contract['refusals']>) =>
  refusal.page(ctx.db, {
    from: sql`drug_guard_refusals r join devices d on d.id = r.device_id`,
    where: [
      visible(ctx, 'r.org_id', 'r.device_id'),
      input.act && sql`r.act = ${input.act}`,
      input.rule && sql`r.rule = ${input.rule}`,
      input.deviceId && sql`r.device_id = ${input.deviceId}`,
      input.productId && sql`r.product_id = ${input.productId}`,
      input.region && sql`${input.region} in (d.province, d.city, d.county)`,
      ...between('r.last_at', input),
    ],
    sort: { lastAt: sql`r.last_at`, times: sql`r.times` },
    filled: ['lastAt'],
    grows: true,
    last: sql`r.id`,
    input,
  })
