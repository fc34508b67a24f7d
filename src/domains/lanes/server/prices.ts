import { sql } from 'kysely'
import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, found, iso, isoOrNull, may, visible } from '../../../server/context.ts'
import type { Input } from '../../../shared/contract.ts'
import { common, Refusal } from '../../../shared/errors.ts'
import { say } from '../../../shared/text.ts'
import { knowsCost } from '../../products/server/cost.ts'
import type { lanes } from '../contract.ts'
import { laneErrors, skips } from '../errors.ts'
import { changedPrice, type Skip } from '../planogram.ts'
import type { PriceRow, ScheduleRow } from '../priceContract.ts'
import { laneRule, scheduleFrom } from '../rules.ts'
import { finish, isClosed, open, pickLane } from './change.ts'
import * as q from './queries.ts'

type Contract = typeof lanes
type Asked = Pick<Input<Contract['pricePlan']>, 'laneIds' | 'mode' | 'value' | 'alsoRetail'>
/** A lane with the prices it would get; `problem` is the rule they break, in both languages. */
export type Priced = { lane: q.LockedLane; price: number | null; retailPrice: number | null; problem: string }

async function pricedLanes(ctx: Ctx, device: q.Device, chosen: readonly q.LockedLane[], asked: Asked, trial = false): Promise<Priced[]> {
  const wanted = chosen.map((lane) => {
    const price = lane.price === null ? null : changedPrice(lane.price, asked)
    const retailPrice = lane.retailPrice === null ? null : asked.alsoRetail ? changedPrice(lane.retailPrice, asked) : lane.retailPrice
    return { lane, price, retailPrice }
  })
  return judged(ctx, device, wanted, trial)
}

/**
 * The rules of an edit for prices that are to come. A trial leaves no trace, so it tells nobody a cost that he may not know, by trying
 * price after price; the change itself holds to it.
 */
export async function judged(ctx: Ctx, device: q.Device, wanted: readonly Omit<Priced, 'problem'>[], trial = false): Promise<Priced[]> {
  const ids = wanted.flatMap(({ lane }) => (lane.productId === null ? [] : [lane.productId]))
  const products = await q.usableProducts(ctx, ids, device.org_id)
  const guard = { kind: device.kind, dispensingMode: device.dispensing_mode }
  return wanted.map((row) => {
    const { lane, price, retailPrice } = row
    const product = lane.productId === null ? null : products.get(lane.productId)
    if (lane.status === 'MERGED') return { ...row, problem: skips.secondary }
    if (product === null) return { ...row, problem: skips.noProduct }
    if (product === undefined) return { ...row, problem: skips.notUsable }
    const costPrice = trial && !knowsCost(ctx, product.orgId) ? 0 : product.costPrice
    const wrong = laneRule(lane, { ...lane, price, retailPrice }, { ...product, costPrice }, guard)
    return { ...row, problem: wrong?.def.text ?? '' }
  })
}

const changes = ({ lane, price, retailPrice, problem }: Priced) => problem === '' && (lane.price !== price || lane.retailPrice !== retailPrice)

async function shown(ctx: Ctx, priced: readonly Priced[]): Promise<PriceRow[]> {
  const names = await q.productNames(
    ctx,
    priced.map(({ lane }) => lane.productId),
  )
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

const chosenOf = (all: readonly q.LockedLane[], ids: readonly number[]) => [...new Set(ids)].map((id) => pickLane(all, id))

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
  await q.saveLanes(
    ctx,
    changed.map(({ lane, price, retailPrice }) => ({ ...lane, price, retailPrice })),
  )
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
async function schedule(ctx: Ctx, input: Input<Contract['prices']>, at: string) {
  const device = found(await q.device(ctx, input.deviceId))
  if (isClosed(device)) throw new Refusal(laneErrors.closed)
  const wait = Date.parse(at) - ctx.now.getTime()
  if (wait <= 0 || wait > longestWait) throw new Refusal(laneErrors.wrongTime, {}, [{ field: 'at', text: laneErrors.wrongTime.text }])
  if (device.planogram_version !== input.version) throw new Refusal(common.stale)
  const all = (await q.lanesOf(ctx, [device.id])).get(device.id) ?? []
  const priced = await pricedLanes(ctx, device, chosenOf(all, input.laneIds), input)
  const rows = await shown(ctx, priced)
  const changed = priced.filter(changes)
  if (changed.length === 0) throw new Refusal(laneErrors.noPriceChange)
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
  const { id } = await ctx.db
    .insertInto('price_schedules')
    .values({
      org_id: device.org_id,
      device_id: device.id,
      user_id: ctx.actor.userId as number,
      by_name: ctx.actor.username,
      run_at: at,
      next_at: at,
      lanes: JSON.stringify(kept),
      created_at: ctx.now,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  ctx.audit({
    id: device.id,
    name: device.rtu_number,
    before: loggedPrices(changed, 'from'),
    after: { at, prices: loggedPrices(changed, 'to') },
    orgId: device.org_id,
  })
  ctx.touch('lanes')
  return { rows, changed: changed.length, version: device.planogram_version, scheduleId: id }
}

export type ScheduledLane = { laneId: number; road: number; productId: number; productName: string; from: number; price: number; retailPrice: number }
type ScheduleSql = {
  id: number
  device_id: number
  run_at: Date
  state: ScheduleRow['state']
  by_name: string
  created_at: Date
  ended_at: Date | null
  ended_by: string
  lanes: ScheduledLane[]
  changed: number
  skipped: Skip[]
  problem: string
}

const schedules: Handlers<Contract>['schedules'] = async (ctx, input) => {
  const device = found(await q.device(ctx, input.deviceId))
  const { rows } =
    await sql<ScheduleSql>`select s.id, s.device_id, s.run_at, s.state, s.by_name, s.created_at, s.ended_at, s.ended_by, s.lanes, s.changed, s.skipped, s.problem
    from price_schedules s where s.device_id = ${device.id} and ${visible(ctx, 's.org_id', 's.device_id')} order by s.state = 'WAITING' desc, s.run_at desc, s.id desc limit 30`.execute(
      ctx.db,
    )
  return {
    list: rows.map((row) => ({
      id: row.id,
      deviceId: row.device_id,
      runTime: iso(row.run_at),
      state: row.state,
      byName: row.by_name,
      createTime: iso(row.created_at),
      endTime: isoOrNull(row.ended_at),
      endedBy: row.ended_by,
      lanes: row.lanes.map(({ road, productName, from, price, retailPrice }) => ({ road, productName, from, price, retailPrice })),
      changed: row.changed,
      skipped: row.skipped.map(({ road, reason }) => ({ road, reason: say(reason, ctx.lang) })),
      problem: say(row.problem, ctx.lang),
      can: { cancel: row.state === 'WAITING' && may(ctx, 'lane:price') },
    })),
  }
}

const cancelSchedule: Handlers<Contract>['cancelSchedule'] = async (ctx, { id }) => {
  const { rows } = await sql<{ device_id: number; rtu_number: string; org_id: number; state: ScheduleRow['state']; run_at: Date }>`
    select s.device_id, d.rtu_number, d.org_id, s.state, s.run_at from price_schedules s join devices d on d.id = s.device_id
    where s.id = ${id} and ${visible(ctx, 's.org_id', 's.device_id')}`.execute(ctx.db)
  const row = found(rows[0])
  const changed = await sql`update price_schedules s set state = 'CANCELLED', next_at = null, ended_at = ${ctx.now}, ended_by = ${ctx.actor.username}
    where s.id = ${id} and s.state = any(${scheduleFrom('CANCELLED')}) and ${visible(ctx, 's.org_id', 's.device_id')}`.execute(ctx.db)
  if (!changed.numAffectedRows) throw new Refusal(laneErrors.scheduleEnded)
  ctx.audit({ id: row.device_id, name: row.rtu_number, before: { state: row.state, at: iso(row.run_at) }, after: { state: 'CANCELLED' }, orgId: row.org_id })
  ctx.touch('lanes')
  return { ok: true }
}

export const handlers: Pick<Handlers<Contract>, 'pricePlan' | 'prices' | 'schedules' | 'cancelSchedule'> = { pricePlan, prices, schedules, cancelSchedule }
