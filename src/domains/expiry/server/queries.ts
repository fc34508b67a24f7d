import { type RawBuilder, sql } from 'kysely'
import { type Ctx, inheritable, may, visible } from '../../../server/context.ts'
import { all } from '../../../server/lists.ts'
import { exists, onlyRow, rowOf, rowsOf } from '../../../server/rows.ts'
import { shape } from '../../../server/shapes.ts'
import { type Stands, standing } from '../../../server/standing.ts'
import type { Input, Output } from '../../../shared/contract.ts'
import * as f from '../../../shared/fields.ts'
import { addDays, dayMs, shanghaiDay } from '../../../shared/instants.ts'
import { delivers } from '../../accounts/rules.ts'
import { cachedFor } from '../../settings/server/values.ts'
import { ExpiryRow, type expiry, RuleRow } from '../contract.ts'
import { mostDays, shownDays, withinOf } from '../rules.ts'

type Contract = typeof expiry
type State = Input<Contract['list']>['state']

/**
 * Days before their date from which goods count as near it: of the product or its category as the
 * nearest organisation above the machine has it, else as the owner of the product has it, else of
 * the organisation. Read for layers that are near enough by any of them.
 */
async function nearDays(ctx: Ctx): Promise<RawBuilder<unknown>> {
  const orgs = await rowsOf<{ org: number }>(ctx.db)`select distinct l.org_id as org
    from ${
      delivers(ctx.actor.home)
        ? sql`supplied_layers(null) l`
        : sql`lanes l where l.goods_expire_on is not null
          and ${visible(ctx, 'l.org_id', 'l.device_id')}`
    }`
  const set = await cachedFor(
    ctx.app,
    orgs.map(({ org }) => org),
    ['stock.nearExpiryDaysDrug', 'stock.nearExpiryDaysOther'],
  )
  const usual = orgs.map(({ org }) => ({
    org,
    drug: set(org)['stock.nearExpiryDaysDrug'],
    other: set(org)['stock.nearExpiryDaysOther'],
  }))
  const ofOwner = sql`left join jsonb_to_recordset(${JSON.stringify(usual)}::jsonb) as u(org bigint,
      drug int, other int) on u.org = s.org_id`
  const usually = sql`case p.drug_class when 'NONE' then u.other else u.drug end`
  if (delivers(ctx.actor.home))
    return sql`${ofOwner}
      left join supplied_near_days() e on e.org_id = s.org_id and e.product_id = p.id
      cross join lateral (select coalesce(e.of_product, p.near_expiry_days, e.of_category,
        ${usually}) as days) n`
  const above = sql`string_to_array(o.path::text, '.')`
  const nearest = (of: RawBuilder<unknown>) => sql`(select e.days from expiry_days e
    where ${of} and e.org_id::text = any(${above})
    order by array_position(${above}, e.org_id::text) desc limit 1)`
  return sql`left join organisations o on o.id = s.org_id ${ofOwner}
    cross join lateral (select coalesce(${nearest(sql`e.product_id = p.id`)}, p.near_expiry_days,
      ${nearest(sql`e.category_id = p.category_id`)},
      ${usually}) as days) n`
}

/** Layers of a batch; goods that were fetched lately; what lies in lanes without a known batch. */
const layers = sql`(select y.org_id, y.device_id, y.lane_id, y.pos, y.batch_id, y.qty, i.told_at,
    null::timestamptz as taken_at
  from lane_layers y left join expiry_items i on i.org_id = y.org_id and i.lane_id = y.lane_id
    and i.batch_id = y.batch_id where y.batch_id is not null)`
const taken = (since: Date) => sql`(select i.org_id, i.device_id, i.lane_id, 0 as pos, i.batch_id,
    i.taken_qty as qty, i.told_at, i.taken_at
  from expiry_items i where i.taken_at > ${since}
    and not exists (select from lane_layers y where y.lane_id = i.lane_id
      and y.batch_id = i.batch_id))`
const unknown = sql`(select l.org_id, l.device_id, l.id as lane_id, 0 as pos,
    null::bigint as batch_id, case when l.layered then y.qty else l.quantity end as qty,
    null::timestamptz as told_at, null::timestamptz as taken_at
  from lanes l left join lateral (select sum(y.qty)::int as qty from lane_layers y
    where y.lane_id = l.id and y.batch_id is null) y on l.layered
  where l.archived_at is null and l.product_id is not null and l.quantity > 0
    and (not l.layered or y.qty > 0))`

const delivered = (since: Date | null) => sql`supplied_layers(${since}) s
  cross join lateral (select s.rtu_number, '' as nickname, s.lifecycle, s.province, s.city,
    s.county) d
  cross join lateral (select s.road_index, s.status, s.lock_reason, s.goods_expire_on) l`

type Source = { from: RawBuilder<unknown>; where: (RawBuilder<unknown> | null | false)[] }
/** The rows of a state, with what they are joined to. */
async function source(ctx: Ctx, state: State, fetched = false): Promise<Source> {
  const today = shanghaiDay(ctx.now)
  const joined = sql`join lanes l on l.id = s.lane_id join devices d on d.id = s.device_id`
  const scope = [
    !delivers(ctx.actor.home) && visible(ctx, 's.org_id', 's.device_id'),
    sql`d.lifecycle in ('OPERATING', 'PAUSED')`,
    // whoever watches a region watches its drugs
    ctx.actor.scope.watched && sql`p.drug_class <> 'NONE'`,
  ]
  if (state === 'unknown')
    return {
      from: sql`${unknown} s ${joined} join products p on p.id = l.product_id
        left join batches b on false`,
      // of unknown batch is of an unknown supplier
      where: [...scope, delivers(ctx.actor.home) && sql`false`],
    }
  const since = new Date(ctx.now.getTime() - shownDays * dayMs)
  const rows = delivers(ctx.actor.home)
    ? delivered(fetched ? since : null)
    : sql`${fetched ? taken(since) : layers} s ${joined}`
  const from = sql`${rows}
    join batches b on b.id = s.batch_id join products p on p.id = b.product_id`
  const past = sql`b.expires_on < ${today}::date`
  // whatever was fetched was worth it
  if (fetched) return { from, where: [state === 'expired' ? past : sql`not ${past}`, ...scope] }
  const before = (day: string) => sql`l.goods_expire_on <= ${day}::date`
  if (state === 'expired') return { from, where: [past, before(today), ...scope] }
  return {
    from: sql`${from} ${await nearDays(ctx)}`,
    where: [
      sql`not ${past} and b.expires_on - ${today}::date <= n.days`,
      before(addDays(today, mostDays)),
      ...scope,
    ],
  }
}

const listed = (ctx: Ctx) =>
  shape(ExpiryRow.extend({ productOrg: f.id }), ['lane_layers', 's'], {
    id: sql`s.lane_id || '-' || s.pos || coalesce('-' || s.batch_id, '')`,
    rtuNumber: sql`d.rtu_number`,
    nickname: sql`d.nickname`,
    roadIndex: sql`l.road_index`,
    productId: sql`p.id`,
    productName: sql`p.name`,
    drugClass: sql`p.drug_class`,
    batchNo: sql`coalesce(b.batch_no, '')`,
    producedOn: sql`b.produced_on`,
    expiresOn: sql`b.expires_on`,
    daysLeft: sql`b.expires_on - ${shanghaiDay(ctx.now)}::date`,
    costAmount: may(ctx, 'product:cost')
      ? sql`s.qty * coalesce(b.cost_price, p.cost_price)`
      : sql`null`,
    laneStatus: sql`l.status`,
    lockReason: sql`l.lock_reason`,
    handling: sql`case when s.taken_at is not null then 'TAKEN' when s.told_at is not null
      then 'TOLD' else 'OPEN' end`,
    handleTime: sql`coalesce(s.taken_at, s.told_at)`,
    productOrg: sql`p.org_id`,
  })

export async function list(ctx: Ctx, input: Input<Contract['list']>) {
  const { handling } = input
  const { from, where } = await source(ctx, input.state, handling === 'TAKEN')
  const within = input.within && addDays(shanghaiDay(ctx.now), withinOf[input.within])
  return listed(ctx).page(ctx.db, {
    from,
    where: [
      ...where,
      input.deviceId && sql`s.device_id = ${input.deviceId}`,
      input.productId && sql`p.id = ${input.productId}`,
      input.drugClass && sql`p.drug_class = ${input.drugClass}`,
      input.batchNo && sql`strpos(lower(b.batch_no), lower(${input.batchNo})) > 0`,
      within && sql`b.expires_on <= ${within}::date`,
      input.region && sql`${input.region} in (d.province, d.city, d.county)`,
      handling === 'OPEN' && sql`s.told_at is null`,
      handling === 'TOLD' && sql`s.told_at is not null`,
    ],
    sort: { expiresOn: sql`b.expires_on`, qty: sql`s.qty`, rtuNumber: sql`d.rtu_number` },
    last: sql`(s.lane_id, s.pos)`,
    input,
  })
}

/** There are no more of them than layers and lanes. */
export async function stats(ctx: Ctx): Promise<Output<Contract['stats']>> {
  const figure = async (state: State) => {
    const { from, where } = await source(ctx, state)
    return onlyRow<{ rows: number; pieces: number }>(ctx.db)`select count(*) as rows,
      coalesce(sum(s.qty), 0) as pieces from ${from} where ${all(where)}`
  }
  return {
    near: await figure('near'),
    expired: await figure('expired'),
    unknown: await figure('unknown'),
  }
}

/** The rows of a state as something that stands open: expired since their date, near it since told. */
export async function stands(ctx: Ctx, state: State): Promise<Stands> {
  const { from, where } = await source(ctx, state)
  return standing(
    ctx.db,
    sql`select s.qty * coalesce(b.cost_price, p.cost_price), case when ${state} = 'expired'
        then ((b.expires_on + 1)::timestamp at time zone 'Asia/Shanghai') else s.told_at end
      from ${from} where ${all(where)}`,
  )
}

export type Lot = {
  laneId: number
  deviceId: number
  orgId: number
  name: string
  batchId: number
  road: number
  product: string
  batchNo: string
  expiresOn: string
  qty: number
}
/** What is near its date or past it in these lanes, by batch. */
export async function lotsOf(ctx: Ctx, laneIds: readonly number[]): Promise<Lot[]> {
  const lots = async (state: State) => {
    const { from, where } = await source(ctx, state)
    return rowsOf<Lot>(ctx.db)`select s.lane_id as "laneId", s.device_id as "deviceId",
        s.org_id as "orgId", coalesce(nullif(d.nickname, ''), d.rtu_number) as name,
        s.batch_id as "batchId", l.road_index as road, p.name as product, b.batch_no as "batchNo",
        b.expires_on as "expiresOn", sum(s.qty)::int as qty
      from ${from} where ${all(where)} and s.lane_id = any(${[...laneIds]}::bigint[])
      group by s.lane_id, s.device_id, s.org_id, d.nickname, d.rtu_number, s.batch_id, l.road_index,
        p.name, b.batch_no, b.expires_on order by b.expires_on, s.device_id, l.road_index`
  }
  return [...(await lots('expired')), ...(await lots('near'))]
}

export type Machine = { id: number; orgId: number; rtuNumber: string; laneIds: number[] }
/** Of those of these lanes that the actor sees. */
export const machinesOf = (ctx: Ctx, laneIds: readonly number[]) =>
  rowsOf<Machine>(ctx.db)`select d.id, d.org_id as "orgId", d.rtu_number as "rtuNumber",
      json_agg(l.id order by l.id) as "laneIds"
    from lanes l join devices d on d.id = l.device_id
    where l.id = any(${[...laneIds]}::bigint[]) and ${visible(ctx, 'l.org_id', 'l.device_id')}
    group by d.id order by d.id`

/** Marks those that people were not told of since; answers them. */
export async function markTold(
  ctx: Ctx,
  lots: readonly Lot[],
  before: (orgId: number) => Date,
): Promise<Set<string>> {
  const asked = lots.map(({ orgId: org, deviceId: device, laneId: lane, batchId: batch }) => ({
    org,
    device,
    lane,
    batch,
    before: before(org),
  }))
  const rows = await rowsOf<{ lane: number; batch: number }>(ctx.db)`
    with x as materialized (select * from jsonb_to_recordset(${JSON.stringify(asked)}::jsonb)
      as x (org bigint, device bigint, lane bigint, batch bigint, before timestamptz))
    insert into expiry_items as i (org_id, device_id, lane_id, batch_id, told_at)
    select org, device, lane, batch, ${ctx.now}::timestamptz from x order by org, lane, batch
    on conflict (org_id, lane_id, batch_id) do update set told_at = excluded.told_at
      where i.told_at is null or i.told_at <= (select x.before from x
        where x.org = i.org_id and x.lane = i.lane_id and x.batch = i.batch_id)
    returning lane_id as lane, batch_id as batch`
  return new Set(rows.map(({ lane, batch }) => lotKey(lane, batch)))
}
export const lotKey = (laneId: number, batchId: number): string => `${laneId}/${batchId}`

export type OfMachine = { deviceId: number; orgId: number; near: number; expired: number }
/** What each machine holds of either, in the scope of the caller. */
export async function byMachine(ctx: Ctx): Promise<OfMachine[]> {
  const sums = async (state: State) => {
    const { from, where } = await source(ctx, state)
    return rowsOf<{ deviceId: number; orgId: number; n: number }>(ctx.db)`select
      s.device_id as "deviceId", s.org_id as "orgId", sum(s.qty)::int as n
      from ${from} where ${all(where)} group by s.device_id, s.org_id`
  }
  const found = new Map<number, OfMachine>()
  for (const state of ['near', 'expired'] as const)
    for (const { deviceId, orgId, n } of await sums(state)) {
      const sum = found.get(deviceId) ?? { deviceId, orgId, near: 0, expired: 0 }
      found.set(deviceId, { ...sum, [state]: n })
    }
  return [...found.values()]
}

const rule = shape(RuleRow, ['expiry_days', 'e'], {
  productName: sql`p.name`,
  categoryName: sql`c.name`,
})
export const rules = (ctx: Ctx, orgId: number) =>
  rule.all(
    ctx.db,
    sql`from expiry_days e left join products p on p.id = e.product_id
      left join product_categories c on c.id = e.category_id
      where e.org_id = ${orgId} and ${visible(ctx, 'e.org_id')} order by e.id desc limit 500`,
  )
const tables = { productId: 'products', categoryId: 'product_categories' } as const
export const usable = (ctx: Ctx, of: keyof typeof tables, id: number) =>
  exists(ctx.db)`select 1 from ${sql.table(tables[of])} x
    where x.id = ${id} and ${inheritable(ctx, 'x.org_id')}`

export async function saveDays(
  ctx: Ctx,
  orgId: number,
  of: keyof typeof tables,
  id: number,
  days: number | null,
): Promise<{ before: number | null }> {
  const column = sql.ref(of === 'productId' ? 'product_id' : 'category_id')
  const old = await rowOf<{ days: number }>(ctx.db)`select days from expiry_days
    where org_id = ${orgId} and ${column} = ${id}`
  await (days === null
    ? sql`delete from expiry_days where org_id = ${orgId} and ${column} = ${id}`
    : sql`insert into expiry_days (org_id, ${column}, days) values (${orgId}, ${id}, ${days})
        on conflict (${column}, org_id) where ${column} is not null
        do update set days = excluded.days`
  ).execute(ctx.db)
  return { before: old?.days ?? null }
}
