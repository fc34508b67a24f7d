import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, found, may, visible } from '../../../server/context.ts'
import { onlyRow } from '../../../server/rows.ts'
import { shape } from '../../../server/shapes.ts'
import type { Input } from '../../../shared/contract.ts'
import { common, fieldRefusal, Refusal } from '../../../shared/errors.ts'
import * as f from '../../../shared/fields.ts'
import { dayMs } from '../../../shared/instants.ts'
import { say } from '../../../shared/text.ts'
import { isClosed } from '../../machines/rules.ts'
import { knowsCost } from '../../products/server/cost.ts'
import type { lanes } from '../contract.ts'
import { laneErrors, skips } from '../errors.ts'
import { changedPrice } from '../planogram.ts'
import { ScheduleRow } from '../priceContract.ts'
import { laneRule, scheduleFrom } from '../rules.ts'
import { finish, logLanes, open, pickLanes } from './change.ts'
import { noteGuard } from './guard.ts'
import * as q from './queries.ts'
import { skipsOf } from './versions.ts'

type Contract = typeof lanes
type Prices = { price: number | null; retailPrice: number | null }
/** A lane with the prices it would get; `problem` is the rule they break, in both languages. */
type Priced = Prices & { lane: q.LockedLane; problem: string }

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
  const ids = wanted.map(({ lane }) => lane.productId)
  const products = await q.usableProducts(ctx, ids, device.orgId)
  const found = wanted.map((row) => {
    const { lane, price, retailPrice } = row
    if (lane.status === 'MERGED') return { ...row, problem: skips.secondary }
    if (lane.productId === null) return { ...row, problem: skips.noProduct }
    const product = products.get(lane.productId)
    if (product === undefined) return { ...row, problem: skips.notUsable }
    const costPrice = trial && !knowsCost(ctx, product.orgId) ? 0 : product.costPrice
    const wrong = laneRule(lane, { ...lane, price, retailPrice }, { ...product, costPrice }, device)
    return { ...row, problem: wrong?.def.text ?? '' }
  })
  if (!trial)
    noteGuard(
      ctx,
      device,
      found.flatMap(({ lane, problem }) => {
        const product = problem ? products.get(lane.productId ?? 0) : undefined
        return product ? [{ lane, product }] : []
      }),
      'PRICE',
    )
  return found
}

/** The chosen lanes as the wire shows them, and those whose prices change. */
async function repriced(
  ctx: Ctx,
  device: q.Device,
  all: readonly q.LockedLane[],
  asked: Input<Contract['pricePlan']>,
  trial = false,
) {
  const chosen = pickLanes(all, asked.laneIds)
  const next = (fen: number | null) => (fen === null ? null : changedPrice(fen, asked))
  const wanted = chosen.map((lane) => ({
    lane,
    price: next(lane.price),
    retailPrice: asked.alsoRetail ? next(lane.retailPrice) : lane.retailPrice,
  }))
  const priced = await judged(ctx, device, wanted, trial)
  const names = await q.productNames(
    ctx,
    chosen.map((lane) => lane.productId),
  )
  const rows = priced.map(({ lane, price, retailPrice, problem }) => ({
    laneId: lane.id,
    road: lane.roadIndex,
    productName: names.get(lane.productId ?? 0) ?? null,
    from: lane.price,
    to: price,
    retailFrom: lane.retailPrice,
    retailTo: retailPrice,
    problem: say(problem, ctx.lang),
  }))
  const changed = priced.filter(
    ({ lane, price, retailPrice, problem }) =>
      problem === '' && (lane.price !== price || lane.retailPrice !== retailPrice),
  )
  if (changed.length === 0 && !trial) throw new Refusal(laneErrors.noPriceChange)
  return { rows: rows.sort((a, b) => a.road - b.road), changed }
}

/** Writes the prices and keeps the version. */
export async function savePrices(
  ctx: Ctx,
  opened: Parameters<typeof finish>[1],
  priced: readonly Priced[],
  logged = (prices: object): object => prices,
): Promise<void> {
  const lanes = priced.map(({ lane, price, retailPrice }) => ({ ...lane, price, retailPrice }))
  await q.saveLanes(ctx, lanes)
  await finish(ctx, opened, 'PRICE', pricesBefore(priced), logged(pricesAfter(priced)))
}
const pricesOf = (road: number, { price, retailPrice }: Prices) => ({ road, price, retailPrice })
const pricesBefore = (rows: readonly Priced[]) =>
  rows.map(({ lane }) => pricesOf(lane.roadIndex, lane))
const pricesAfter = (rows: readonly Priced[]) =>
  rows.map((row) => pricesOf(row.lane.roadIndex, row))

const longestWait = 366 * dayMs
/** Of one machine; a list shows all of them. */
const mostWaiting = 20
async function schedule(ctx: Ctx, input: Input<Contract['prices']>, at: string) {
  const device = found(await q.lockDevice(ctx, input.deviceId))
  if (isClosed(device)) throw new Refusal(laneErrors.closed)
  const wait = Date.parse(at) - ctx.now.getTime()
  if (wait <= 0 || wait > longestWait) throw fieldRefusal(laneErrors.wrongTime, 'at')
  const version = device.planogramVersion
  if (version !== input.version) throw new Refusal(common.stale)
  const all = await q.lanesOf(ctx, device.id)
  const { rows, changed } = await repriced(ctx, device, all, input)
  const { n } = await q.waitingSchedules(ctx, device.id)
  if (n >= mostWaiting) throw new Refusal(laneErrors.tooManySchedules, { n: mostWaiting })
  const names = new Map(rows.map((row) => [row.laneId, row.productName ?? '']))
  // the prices that were looked at are the ones that come, whatever happens to the present ones
  const kept = changed.map(({ lane, price, retailPrice }) => ({
    laneId: lane.id,
    road: lane.roadIndex,
    productId: lane.productId,
    productName: names.get(lane.id),
    from: lane.price,
    price,
    retailPrice,
  }))
  const { id } = await onlyRow<{ id: number }>(
    ctx.db,
  )`insert into price_schedules (org_id, device_id,
      user_id, by_name, run_at, next_at, lanes, created_at)
    values (${device.orgId}, ${device.id}, ${ctx.actor.userId}, ${ctx.actor.username}, ${at},
      ${at}, ${JSON.stringify(kept)}, ${ctx.now}) returning id`
  logLanes(ctx, device, { at, prices: pricesAfter(changed) }, pricesBefore(changed))
  ctx.touch('lanes')
  return { rows, changed: changed.length, version, scheduleId: id }
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

export const handlers = {
  async pricePlan(ctx, input) {
    const device = found(await q.device(ctx, input.deviceId))
    const all = await q.lanesOf(ctx, device.id)
    const { rows, changed } = await repriced(ctx, device, all, input, true)
    return { rows, changes: changed.length }
  },
  async prices(ctx, input) {
    if (input.at !== undefined) return schedule(ctx, input, input.at)
    const opened = await open(ctx, input)
    const { rows, changed } = await repriced(ctx, opened.device, opened.all, input)
    await savePrices(ctx, opened, changed)
    return { rows, changed: changed.length, version: opened.version, scheduleId: null }
  },
  async schedules(ctx, input) {
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
  },
  async cancelSchedule(ctx, { id }) {
    const row = found((await schedulesOf(ctx, sql`s.id = ${id}`))[0])
    const changed = await sql`update price_schedules s
      set state = 'CANCELLED', next_at = null, ended_at = ${ctx.now},
        ended_by = ${ctx.actor.username}
      where s.id = ${id} and s.state = any(${scheduleFrom('CANCELLED')})
        and ${visible(ctx, 's.org_id', 's.device_id')}`.execute(ctx.db)
    if (!changed.numAffectedRows) throw new Refusal(laneErrors.scheduleEnded)
    const before = { state: row.state, at: row.runTime }
    logLanes(ctx, { ...row, id: row.deviceId }, { state: 'CANCELLED' }, before)
    ctx.touch('lanes')
    return { ok: true }
  },
} satisfies Partial<Handlers<Contract>>
