import { sql } from 'kysely'
import type { App } from '../../../server/context.ts'
import { isHeld, lockTimeout, systemScope } from '../../../server/database.ts'
import { bySystem } from '../../../server/run.ts'
import { holderOf } from '../../../shared/address.ts'
import type { Input } from '../../../shared/contract.ts'
import { fieldRefusal, Refusal } from '../../../shared/errors.ts'
import type { Sale } from '../../drug-guard/rules.ts'
import { type GuardRefusal, writeRefusals } from '../../drug-guard/server/refusals.ts'
import { raiseSecurity } from '../../security/server/raise.ts'
import { orderErrors, type orders } from '../contract.ts'
import {
  type Asking,
  checkLimits,
  type Lane,
  laneRefusal,
  lanesFor,
  lookAt,
  nextOrder,
  orderLockTimeout,
  refusalOf,
  type Seen,
} from './create.ts'
import { countedFor, saleFor } from './specials.ts'
import { closeOrders } from './timers.ts'
import {
  type Buyer,
  fullFor,
  givingWay,
  holdingsFor,
  type InTheWay,
  lockUnpaid,
  markWanted,
  timedOut,
  type Unasked,
  unasked,
} from './unpaid.ts'

/** Orders that hold what he wants, and what is to be done about them before he is judged. */
type Look = {
  buyer: Buyer
  way: InTheWay
  seconds: number
  refusal: Refusal
  unasked: Unasked
  mayMove: boolean
}

/** What cannot be sold, whoever gives way. */
type Refused = { drugs: readonly GuardRefusal[]; refusal: Refusal }

/** How long a buyer waits for the rows of machines at which he orders nothing. */
const elsewhereMs = 100

/**
 * Before an order is made: whoever cannot have it is told so by reading alone, since anybody may
 * ask, as often as he likes. Where its goods are held by orders that had their time to pay, those
 * are closed early. Where there are none, one order of the address that holds most gives way.
 * Whoever pays one of them after all finds the way of every late payment: his money goes back.
 * Those that fill a limit of his own may stand at other machines; where somebody holds one of
 * these, he meets his limit, and this machine is not the one that is held.
 */
export async function makeRoom(
  app: App,
  input: Input<typeof orders.mobileOrder>,
  request: { readonly ip: string },
): Promise<Seen> {
  const { seen, look, refused } = await app.database.readSame(systemScope, (db) =>
    lookFor({ app, db, now: app.now(), ip: request.ip }, input),
  )
  if (refused) {
    await writeRefusals(app, refused.drugs)
    throw refused.refusal
  }
  if (!look) return seen
  if (look.unasked.goods.length || look.unasked.places.length)
    await bySystem(app, (ctx) => markWanted(ctx, look.unasked))
  if (!look.mayMove) throw look.refusal
  const { buyer, way, seconds, refusal } = look
  let elsewhere = false
  await bySystem(app, async (ctx) => {
    ctx.later(orderLockTimeout(app, input))
    // one after the other at a machine, or several would judge by the same orders
    await sql`select pg_advisory_xact_lock(hashtextextended(${`giving way ${buyer.deviceId}`},
      0))`.execute(ctx.db)
    const held = await holdingsFor(ctx.db, buyer, way)
    const old = timedOut(held, buyer, way, { now: ctx.now, seconds })
    const giving = old.length ? undefined : givingWay(held, buyer, way, ctx.now)
    const closing = await lockUnpaid(ctx, giving ? [giving] : old)
    elsewhere = closing.some(({ deviceId }) => deviceId !== buyer.deviceId)
    if (elsewhere) ctx.later(lockTimeout(elsewhereMs))
    await closeOrders(ctx, closing, 'CLOSED_EARLY')
    if (!giving || !closing.length) return
    await raiseSecurity(ctx, {
      orgId: giving.orgId,
      kind: 'STOCK_HOARDED',
      subject: input.rtuNumber,
      deviceId: giving.deviceId,
      detail: { address: giving.address, orders: giving.orders },
    })
  }).catch((error: unknown) => {
    throw elsewhere && isHeld(error) ? refusal : error
  })
  return seen
}

/** No look: nothing is in his way. Refused where nothing can be moved out of it. */
async function lookFor(
  ctx: Asking,
  input: Input<typeof orders.mobileOrder>,
): Promise<{ seen: Seen; look?: Look; refused?: Refused }> {
  const at = await lookAt(ctx, input)
  if ('repeat' in at) return { seen: at }
  const { device, pieces, limits } = at
  await checkLimits(ctx, device, pieces, input.consumer, false)
  const buyer = {
    orgId: device.orgId,
    deviceId: device.id,
    consumer: input.consumer,
    address: holderOf(ctx.ip),
  }
  const [lanes, { lost, ...full }, next] = await Promise.all([
    lanesFor(ctx, device, input),
    fullFor(ctx, buyer, limits),
    nextOrder(ctx),
  ])
  const seen = { ...at, next }
  const judge = (sale: Sale) => {
    const drugs: GuardRefusal[] = []
    const refused = input.items.flatMap((item) => {
      const lane = lanes.get(item.roadIndex)
      const def = laneRefusal(lane, item, device, sale)
      if (lane && def?.name === orderErrors.drugForbidden.name)
        drugs.push(refusalOf(lane, device, sale))
      const refusal = def && fieldRefusal(def, `items.${item.roadIndex}`)
      return refusal
        ? [{ lane: lane as Lane, missing: item.count - (lane?.available ?? 0), refusal }]
        : []
    })
    const other = refused.find(({ refusal }) => refusal.def !== orderErrors.outOfStock)
    return { refused, never: other && { drugs, refusal: other.refusal } }
  }
  const sale = await saleFor(ctx, device, input, lanes)
  const { refused, never } = judge(sale)
  // what cannot be sold moves nobody
  if (never) return { seen, refused: never }
  const counted = await countedFor(ctx, sale, input.identity, false)
  const { never: limited } = counted === sale ? {} : judge(counted)
  if (limited) return { seen, refused: limited }
  const short = refused.map(({ lane, missing }) => ({ lane: lane.id, missing }))
  const way = { short, ...full }
  if (!short.length && !way.machine.length && !way.own.length) return { seen }
  const refusal =
    refused[0]?.refusal ??
    new Refusal(way.own.length ? orderErrors.tooManyUnpaid : orderErrors.machineBusy)
  // nor does who himself let these goods or places run out
  if (lost || refused.some(({ lane }) => lane.lost > 0)) throw refusal
  const seconds = limits['order.holdSeconds']
  const held = await holdingsFor(ctx.db, buyer, way)
  const mayMove =
    timedOut(held, buyer, way, { now: ctx.now, seconds }).length > 0 ||
    givingWay(held, buyer, way, ctx.now) !== undefined
  return {
    seen,
    look: { buyer, way, seconds, refusal, unasked: unasked(held, buyer, way), mayMove },
  }
}
