import { type RawBuilder, sql } from 'kysely'
import type { Handler } from '../../../server/bind.ts'
import { type AuditEntry, bothScopes, type Ctx, visible } from '../../../server/context.ts'
import { onlyRow, rowsOf } from '../../../server/rows.ts'
import type { Endpoint } from '../../../shared/contract.ts'
import { fieldRefusal } from '../../../shared/errors.ts'
import { namePlaces, productErrors } from '../rules.ts'

type Reached = { devices: number; lanes: number; raised: number; lowered: number }

const following = (ctx: Ctx, ids: readonly number[], price: number): RawBuilder<unknown> =>
  sql`from lanes l join devices d on d.id = l.device_id join products p on p.id = l.product_id
    where l.product_id = any(${[...ids]}::bigint[]) and l.archived_at is null
      and d.lifecycle not in ('SOLD', 'SCRAPPED') and (l.price, l.retail_price) <> (${price}, ${price})
      and ${visible(ctx, 'l.org_id', 'l.device_id')}`

/** The lanes that would take the usual price, and which of them cost more or less then. */
export const lanesReached = (ctx: Ctx, ids: readonly number[], price: number) =>
  onlyRow<Reached>(ctx.db)`select count(distinct l.device_id)::int as devices,
    count(*)::int as lanes, count(*) filter (where l.price < ${price})::int as raised,
    count(*) filter (where l.price > ${price})::int as lowered
    ${following(ctx, ids, price)}`

/**
 * One price change for each machine, as if it had been asked for there for now: it keeps the rules
 * of lanes, names those it leaves out, and stands among the changes of the machine.
 */
export async function lanesFollow(ctx: Ctx, ids: readonly number[], price: number): Promise<void> {
  await sql`insert into price_schedules (org_id, device_id, user_id, by_name, run_at, next_at,
      created_at, lanes)
    select l.org_id, l.device_id, ${ctx.actor.userId}, ${ctx.actor.username}, ${ctx.now},
      ${ctx.now}, ${ctx.now}, jsonb_agg(jsonb_build_object('laneId', l.id, 'road', l.road_index,
        'productId', l.product_id, 'productName', p.name, 'from', l.price,
        'price', ${price}::bigint, 'retailPrice', ${price}::bigint) order by l.road_index)
    ${following(ctx, ids, price)} group by l.org_id, l.device_id`.execute(ctx.db)
  ctx.afterCommit(() => ctx.app.jobs.poke('price-schedules'))
}

/** Machines of one act; each of them gets a version of its lanes. */
const mostMachines = 50

/**
 * With a new cost, in the same act: lanes that would sell below it take the new price, as if it had
 * been set at each machine. Before the product is locked: whoever changes a lane holds its machine
 * first. Answers what the log says of the machines.
 */
export async function lanesRise(
  ctx: Ctx,
  id: number,
  below: number,
  price: number,
): Promise<AuditEntry[]> {
  const { scope, scopeOf } = ctx.actor
  // of those he may price: the others keep theirs, and with them the product its cost
  const reach = scopeOf ? bothScopes(scope, scopeOf('lane:price')) : scope
  const priced = { ...ctx, actor: { ...ctx.actor, scope: reach } }
  const machines = await rowsOf<{
    deviceId: number
    version: number
    rtuNumber: string
    laneIds: number[]
  }>(ctx.db)`select d.id as "deviceId", d.planogram_version as version,
      d.rtu_number as "rtuNumber", json_agg(l.id order by l.id) as "laneIds"
    from lanes l join devices d on d.id = l.device_id
    where l.product_id = ${id} and l.archived_at is null and l.price < ${below}
      and ${visible(priced, 'l.org_id', 'l.device_id')}
    group by d.id order by d.id limit ${mostMachines + 1}`
  if (machines.length > mostMachines)
    throw fieldRefusal(productErrors.tooManyToRaise, 'raiseLanes', { n: mostMachines })
  const { lanes = {} } = await ctx.app.product.handlers()
  const change = lanes.prices as Extract<Handler<Endpoint>, (...given: never) => unknown>
  const entries: AuditEntry[] = []
  const audit = (...logged: AuditEntry[]) =>
    void entries.push(...logged.map((entry) => ({ ...entry, action: 'lanes.prices' })))
  for (const { rtuNumber, ...machine } of machines) {
    const asked = { ...machine, mode: 'SET', value: price, alsoRetail: true }
    const { rows } = (await change({ ...priced, audit }, asked)) as {
      rows: { road: number; problem: string }[]
    }
    const kept = rows.filter(({ problem }) => problem !== '')
    if (kept.length) {
      const list = namePlaces(kept.map(({ road, problem }) => `${rtuNumber}-${road} ${problem}`))
      throw fieldRefusal(productErrors.lanesBelowCost, 'raiseLanes', { n: kept.length, list })
    }
  }
  return entries
}
