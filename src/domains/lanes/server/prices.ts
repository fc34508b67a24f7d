import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, found, may, visible } from '../../../server/context.ts'
import { onlyRow } from '../../../server/rows.ts'
import { shape } from '../../../server/shapes.ts'
import type { Input } from '../../../shared/contract.ts'
import { common, fieldRefusal, Refusal } from '../../../shared/errors.ts'
import * as f from '../../../shared/fields.ts'
import { say } from '../../../shared/text.ts'
import { isClosed } from '../../machines/rules.ts'
import { knowsCost } from '../../products/server/cost.ts'
import type { lanes } from '../contract.ts'
import { laneErrors, skips } from '../errors.ts'
import { changedPrice } from '../planogram.ts'
import { type PriceRow, ScheduleRow } from '../priceContract.ts'
import { laneRule, scheduleFrom } from '../rules.ts'
import { finish, open, pickLane } from './change.ts'
import * as q from './queries.ts'
import { skipsOf } from './versions.ts'

type Contract = typeof lanes
type Asked = Pick<Input<Contract['pricePlan']>, 'laneIds' | 'mode' | 'value' | 'alsoRetail'>
/** A lane with the prices it would get; `problem` is the rule they break, in both languages. */
export type Priced = {
  lane: q.LockedLane
  price: number | null
  retailPrice: number | null
  problem: string
}

async function pricedLanes(
  ctx: Ctx,
  device: q.Device,
  chosen: readonly q.LockedLane[],
  asked: Asked,
  trial = false,
): Promise<Priced[]> {
  const wanted = chosen.map((lane) => {
    const price = lane.price === null ? null : changedPrice(lane.price, asked)
    const retailPrice =
      lane.retailPrice === null
        ? null
        : asked.alsoRetail
          ? changedPrice(lane.retailPrice, asked)
          : lane.retailPrice
    return { lane, price, retailPrice }
  })
  return judged(ctx, device, wanted, trial)
}

/**
 * The rules of an edit for prices that are to come. A trial leaves no trace, so it tells nobody a
 * cost that he may not know, by trying price after price; the change itself holds to it.
 */
export async function judged(
  ctx: Ctx,
  device: q.Device,
  wanted: readonly Omit<Priced, 'problem'>[],
  trial = false,
): Promise<Priced[]> {
  const ids = wanted.flatMap(({ lane }) => (lane.productId === null ? [] : [lane.productId]))
  const products = await q.usableProducts(ctx, ids, device.orgId)
  return wanted.map((row) => {
    const { lane, price, retailPrice } = row
    const product = lane.productId === null ? null : products.get(lane.productId)
    if (lane.status === 'MERGED') return { ...row, problem: skips.secondary }
    if (product === null) return { ...row, problem: skips.noProduct }
    if (product === undefined) return { ...row, problem: skips.notUsable }
    const costPrice = trial && !knowsCost(ctx, product.orgId) ? 0 : product.costPrice
    const wrong = laneRule(lane, { ...lane, price, retailPrice }, { ...product, costPrice }, device)
    return { ...row, problem: wrong?.def.text ?? '' }
  })
}

const changes = ({ lane, price, retailPrice, problem }: Priced) =>
  problem === '' && (lane.price !== price || lane.retailPrice !== retailPrice)

async function shown(ctx: Ctx, priced: readonly Priced[]): Promise<PriceRow[]> {
  const sold = priced.map(({ lane }) => lane.productId)
  const names = await q.productNames(ctx, sold)
  return priced
    .map(({ lane, price, retailPrice, problem }) => ({
      laneId: lane.id,
      road: lane.roadIndex,
      productName: lane.productId === null ? null : (names.get(lane.productId) ?? null),
      from: lane.price,
      to: price,
      retailFrom: lane.retailPrice,
      retailTo: retailPrice,
      problem: say(problem, ctx.lang),
    }))
    .sort((a, b) => a.road - b.road)
}

const chosenOf = (all: readonly q.LockedLane[], ids: readonly number[]) =>
  [...new Set(ids)].map((id) => pickLane(all, id))

const pricePlan: Handlers<Contract>['pricePlan'] = async (ctx, input) => {
  const device = found(await q.device(ctx, input.deviceId))
  const all = (await q.lanesOf(ctx, [device.id])).get(device.id) ?? []
  const priced = await pricedLanes(ctx, device, chosenOf(all, input.laneIds), input, true)
  return { rows: await shown(ctx, priced), changes: priced.filter(changes).length }
}

const prices: Handlers<Contract>['prices'] = async (ctx, input) => {
  if (input.at !== undefined) return schedule(ctx, input, input.at)
  const opened = await open(ctx, input)
  const { device, all } = opened
  const priced = await pricedLanes(ctx, device, chosenOf(all, input.laneIds), input)
  const rows = await shown(ctx, priced)
  const changed = priced.filter(changes)
  if (changed.length === 0) throw new Refusal(laneErrors.noPriceChange)
  const lanes = changed.map(({ lane, price, retailPrice }) => ({ ...lane, price, retailPrice }))
  await q.saveLanes(ctx, lanes)
  await finish(ctx, opened, 'PRICE', loggedPrices(changed, 'from'), loggedPrices(changed, 'to'))
  return { rows, changed: changed.length, version: opened.version, scheduleId: null }
}

export const loggedPrices = (rows: readonly Omit<Priced, 'problem'>[], which: 'from' | 'to') =>
  rows.map(({ lane, price, retailPrice }) => ({
    road: lane.roadIndex,
    price: which === 'from' ? lane.price : price,
    retailPrice: which === 'from' ? lane.retailPrice : retailPrice,
  }))

const longestWait = 366 * 86_400_000
/** Of one machine; a list shows all of them. */
const mostWaiting = 20
async function schedule(ctx: Ctx, input: Input<Contract['prices']>, at: string) {
  const device = found(await q.lockDevice(ctx, input.deviceId))
  if (isClosed(device)) throw new Refusal(laneErrors.closed)
  const wait = Date.parse(at) - ctx.now.getTime()
  if (wait <= 0 || wait > longestWait) throw fieldRefusal(laneErrors.wrongTime, 'at')
  if (device.planogramVersion !== input.version) throw new Refusal(common.stale)
  const all = (await q.lanesOf(ctx, [device.id])).get(device.id) ?? []
  const priced = await pricedLanes(ctx, device, chosenOf(all, input.laneIds), input)
  const rows = await shown(ctx, priced)
  const changed = priced.filter(changes)
  if (changed.length === 0) throw new Refusal(laneErrors.noPriceChange)
  const { waiting } = await onlyRow<{ waiting: number }>(ctx.db)`
    select count(*) as waiting from price_schedules
    where device_id = ${device.id} and state = 'WAITING'`
  if (waiting >= mostWaiting) throw new Refusal(laneErrors.tooManySchedules, { n: mostWaiting })
  const names = new Map(rows.map((row) => [row.laneId, row.productName ?? '']))
  // the prices that were looked at are the ones that come, whatever happens to the present ones
  const kept: ScheduledLane[] = changed.map(({ lane, price, retailPrice }) => ({
    laneId: lane.id,
    road: lane.roadIndex,
    productId: lane.productId as number,
    productName: names.get(lane.id) ?? '',
    from: lane.price as number,
    price: price as number,
    retailPrice: retailPrice as number,
  }))
  const { id } = await onlyRow<{ id: number }>(
    ctx.db,
  )`insert into price_schedules (org_id, device_id, user_id, by_name, run_at, next_at, lanes,
    created_at)
      values (${device.orgId}, ${device.id}, ${ctx.actor.userId}, ${ctx.actor.username}, ${at},
        ${at}, ${JSON.stringify(kept)}, ${ctx.now}) returning id`
  const after = { at, prices: loggedPrices(changed, 'to') }
  ctx.audit({
    id: device.id,
    name: device.rtuNumber,
    before: loggedPrices(changed, 'from'),
    after,
    orgId: device.orgId,
  })
  ctx.touch('lanes')
  return { rows, changed: changed.length, version: device.planogramVersion, scheduleId: id }
}

export type ScheduledLane = {
  laneId: number
  road: number
  productId: number
  productName: string
  from: number
  price: number
  retailPrice: number
}
const scheduled = shape(
  ScheduleRow.extend({ orgId: f.id, rtuNumber: z.string() }),
  ['price_schedules', 's'],
  {
    rtuNumber: sql`d.rtu_number`,
    runTime: sql`s.run_at`,
    createTime: sql`s.created_at`,
    endTime: sql`s.ended_at`,
    lanes: sql`(select jsonb_agg(lane - 'laneId' - 'productId' order by i)
      from jsonb_array_elements(s.lanes) with ordinality as x(lane, i))`,
    skipped: sql`s.skipped`,
  },
  ['can'],
)
const schedulesOf = (ctx: Ctx, where: RawBuilder<unknown>) =>
  scheduled.all(
    ctx.db,
    sql`from price_schedules s join devices d on d.id = s.device_id
      where ${where} and ${visible(ctx, 's.org_id', 's.device_id')}
      order by s.state = 'WAITING' desc, s.run_at desc, s.id desc limit 30`,
  )

const schedules: Handlers<Contract>['schedules'] = async (ctx, input) => {
  const device = found(await q.device(ctx, input.deviceId))
  const rows = await schedulesOf(ctx, sql`s.device_id = ${device.id}`)
  return {
    list: rows.map(({ orgId, rtuNumber, ...row }) => ({
      ...row,
      skipped: skipsOf(ctx, row.skipped),
      problem: say(row.problem, ctx.lang),
      can: { cancel: row.state === 'WAITING' && may(ctx, 'lane:price') },
    })),
  }
}

const cancelSchedule: Handlers<Contract>['cancelSchedule'] = async (ctx, { id }) => {
  const { deviceId, rtuNumber, state, runTime, orgId } = found(
    (await schedulesOf(ctx, sql`s.id = ${id}`))[0],
  )
  const changed = await sql`update price_schedules s
      set state = 'CANCELLED', next_at = null, ended_at = ${ctx.now},
        ended_by = ${ctx.actor.username}
    where s.id = ${id} and s.state = any(${scheduleFrom('CANCELLED')})
      and ${visible(ctx, 's.org_id', 's.device_id')}`.execute(ctx.db)
  if (!changed.numAffectedRows) throw new Refusal(laneErrors.scheduleEnded)
  ctx.audit({
    id: deviceId,
    name: rtuNumber,
    before: { state, at: runTime },
    after: { state: 'CANCELLED' },
    orgId,
  })
  ctx.touch('lanes')
  return { ok: true }
}

export const handlers: Pick<
  Handlers<Contract>,
  'pricePlan' | 'prices' | 'schedules' | 'cancelSchedule'
> = { pricePlan, prices, schedules, cancelSchedule }
