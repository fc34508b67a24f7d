import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import { admissionOf } from '../../../server/admission.ts'
import { type App, type Ctx, found, iso } from '../../../server/context.ts'
import { lockTimeout } from '../../../server/database.ts'
import { onlyRow, rowOf } from '../../../server/rows.ts'
import { shape } from '../../../server/shapes.ts'
import { within } from '../../../server/within.ts'
import { holderOf } from '../../../shared/address.ts'
import type { Input, Output } from '../../../shared/contract.ts'
import { common, type ErrorDef, fieldRefusal, Refusal, reject } from '../../../shared/errors.ts'
import { shanghaiDay, startOfDay } from '../../../shared/instants.ts'
import { deviceSplitErrors } from '../../device-splits/rules.ts'
import { hasStrategy, isBound, versionOf } from '../../device-splits/server/counting.ts'
import { DrugFacts, QueueFacts } from '../../drug-guard/contract.ts'
import {
  canPlace,
  type Goods,
  type Place,
  type Queue,
  registeredBuyer,
  type Sale,
  type Verdict,
} from '../../drug-guard/rules.ts'
import {
  asSite,
  drugOf,
  queueOf,
  type RawSite,
  siteOf,
  withQueues,
} from '../../drug-guard/server/facts.ts'
import { type GuardRefusal, noteRefusals } from '../../drug-guard/server/refusals.ts'
import { refreshDeviceCounters } from '../../machines/server/counters.ts'
import { checkAfter } from '../../payment-channels/rules.ts'
import { payeeOf } from '../../payment-channels/server/configs.ts'
import { cachedSetting, cachedSettings } from '../../settings/server/values.ts'
import { isPast, stopDays } from '../../stock/expiry.ts'
import { holdStock } from '../../stock/server/move.ts'
import { MobileAnswer, MobileLane, orderErrors, type orders } from '../contract.ts'
import { forbidden, queueRefusal, safeSeconds, splitDiscount } from '../rules.ts'
import { numbersOf } from './numbers.ts'
import { platformBehind } from './queue.ts'
import { countedFor, isRegistered, mostOf, register, saleFor } from './specials.ts'
import { countUnpaid, lostBy } from './unpaid.ts'

/** Few may order at once: who waits for a machine that somebody changes keeps no place for long. */
export const orderLockTimeout = (app: App, { rtuNumber }: Pick<Asked, 'rtuNumber'>) =>
  lockTimeout(admissionOf(app).lockMs(rtuNumber))

export type Device = Place & {
  id: number
  orgId: number
  storeId: number | null
  rtuNumber: string
  nickname: string
  lifecycle: string
  online: boolean
  /** Locked from afar, or its door is open: nothing is sold. */
  stopped: boolean
  /** Of the settings in force; 0 is no limit. */
  limitPerOrder: number
  limitPerDay: number
  /** Commands that the machine has not answered, and when the oldest of them was made. */
  waiting: number
  oldest: Date | null
  /** To a split strategy. */
  bound: boolean
}
export type Lane = Goods & {
  id: number
  roadIndex: number
  productId: number
  name: string
  model: string
  img: string
  price: number
  costPrice: number
  available: number
  /** Of them are not for whoever asks. */
  lost: number
  restriction: number
  purchaseLimit: number
  queue: Queue
  status: string
  onShelf: boolean
  /** The earliest date of the goods in it. */
  goodsExpireOn: string | null
  /** Too near to be sold. */
  past: boolean
}

/**
 * What judging an order needs: asked before its transaction, to refuse without one, and again in
 * it.
 */
export type Asking = Pick<Ctx, 'app' | 'db' | 'now' | 'ip'>
type Asked = Input<typeof orders.mobileOrder>

async function deviceByNumber(ctx: Asking, rtuNumber: string): Promise<Device> {
  const device = await rowOf<Omit<Device, 'site'> & { site: RawSite }>(
    ctx.db,
  )`select d.id, d.org_id as "orgId", d.store_id as "storeId", d.rtu_number as "rtuNumber",
    d.nickname, d.lifecycle, d.kind, d.dispensing_mode as "dispensingMode", ${siteOf(ctx)} as site,
      coalesce(s.online, false) as online, d.locked or coalesce(s.door_open, false) as stopped,
      coalesce(c.limit_per_order, 0) as "limitPerOrder",
      coalesce(c.limit_per_day, 0) as "limitPerDay", v.waiting, v.oldest,
      ${isBound} as bound
    from devices d left join device_states s on s.device_id = d.id
    cross join lateral (select count(*)::int as waiting, min(v.created_at) as oldest
      from vend_commands v where v.device_id = d.id and v.state in ('WAIT','SENT','UNKNOWN')) v
    left join lateral (select limit_per_order, limit_per_day from device_configs c
      where c.device_id = d.id order by c.config_version desc limit 1) c on true
    where d.rtu_number = ${rtuNumber}`
  const { site, ...known } = found(device)
  return { ...known, site: asSite(site) }
}

const laneColumns = sql`l.id, l.road_index as "roadIndex", l.product_id as "productId", p.name,
  p.model, p.images[1] as img, p.drug_class as "drugClass", ${drugOf} as drug,
  ${queueOf} as queue, l.price, p.cost_price as "costPrice", l.quantity - l.reserved - l.failed_hold as available,
  l.restriction, p.purchase_limit as "purchaseLimit",
  l.status, p.status = 'ON' as "onShelf", l.goods_expire_on as "goodsExpireOn"`
const kept = z.object({
  drugClass: z.string(),
  drug: DrugFacts,
  queue: QueueFacts,
  goodsExpireOn: z.string().nullable(),
})
const shownLane = shape(MobileLane.extend(kept.shape), ['lanes', 'l'], {
  productId: sql`l.product_id`,
  productName: sql`p.name`,
  model: sql`p.model`,
  productImg: sql`p.images[1]`,
  price: sql`l.price`,
  retailPrice: sql`l.retail_price`,
  available: sql`true`,
  needsIdentity: sql`false`,
  drugClass: sql`p.drug_class`,
  drug: drugOf,
  queue: queueOf,
})

async function mobileLanes(
  ctx: Ctx,
  input: Input<typeof orders.mobileLanes>,
): Promise<Output<typeof orders.mobileLanes>> {
  const device = await deviceByNumber(ctx, input.rtuNumber)
  const selling = device.lifecycle === 'OPERATING' && device.online && !device.stopped
  const since = await cachedSetting(ctx.app, device.orgId, 'order.holdSeconds')
  const ago = (seconds: number) => new Date(ctx.now.getTime() - seconds * 1000)
  // what others hold and had their time to pay, or hold beside another order, is given to whoever
  // orders it (see makeRoom)
  const lanes = await shownLane.all(
    ctx.db,
    sql`from lanes l join products p on p.id = l.product_id
    where l.device_id = ${device.id} and l.archived_at is null and l.status = 'ENABLED'
      and p.status = 'ON' and (l.quantity - l.reserved - l.failed_hold > 0
      or l.reserved > 0 and exists (select from order_units u
        join unpaid_holds h on h.order_id = u.order_id
        where u.lane_id = l.id and u.hold = 'HELD'
          and (h.order_at <= ${ago(since)} or h.order_at <= ${ago(safeSeconds)}
          and (select count(*) from unpaid_holds a
            where a.device_id = h.device_id and a.address = h.address and a.address <> '') > 1)))
    order by l.road_index`,
  )
  const past = await pastIn(ctx, device.orgId)
  const sold = selling
    ? lanes.filter((lane) => guarded(lane, device, registeredBuyer).ok && !past(lane))
    : []
  const most = await mostOf(ctx.app, device.orgId)
  const list = sold.map(({ drugClass, drug, queue: _, goodsExpireOn, ...lane }) => {
    const needsIdentity = isRegistered({ drugClass, drug }, device)
    const restriction = strictest(lane.restriction, device.limitPerOrder, needsIdentity ? most : 0)
    return { ...lane, restriction, needsIdentity }
  })
  return { rtuNumber: device.rtuNumber, name: device.nickname, online: device.online, list }
}

/** What a lane would be locked for at the next turn is not sold before it. */
async function pastIn(ctx: Asking, orgId: number) {
  const days = await cachedSetting(ctx.app, orgId, 'stock.stopSaleDaysBeforeExpiry')
  const today = shanghaiDay(ctx.now)
  return ({ goodsExpireOn, drugClass }: Pick<Lane, 'goodsExpireOn' | 'drugClass'>) =>
    goodsExpireOn !== null && isPast(goodsExpireOn, today, stopDays(drugClass, days))
}

/** The smallest of limits of which 0 is none. */
const strictest = (...limits: readonly number[]): number => {
  const set = limits.filter((n) => n > 0)
  return set.length ? Math.min(...set) : 0
}

/**
 * Pieces this customer took or ordered here today; what did not leave does not count, nor what
 * somebody elsewhere orders in his name and does not pay.
 */
async function boughtToday(ctx: Asking, device: Device, consumer: string): Promise<number> {
  const { n } = await onlyRow<{ n: number }>(ctx.db)`
    select count(*) as n from orders o
    join order_units u on u.org_id = o.org_id and u.created_at = o.created_at and u.order_id = o.id
    where o.device_id = ${device.id} and o.created_at >= ${startOfDay(shanghaiDay(ctx.now))}
      and o.consumer = ${consumer} and o.order_type <> 'TEST' and o.pay_state <> 'CLOSED'
      and (o.pay_state <> 'UNPAID' or exists (select from unpaid_holds h
        where h.order_id = o.id and h.address = ${holderOf(ctx.ip)}))
      and u.vend_state not in ('FAILED', 'VOID') and u.refund_state is distinct from 'SUCCESS'`
  return n
}

/**
 * Limits of the machine's settings: pieces of one order, and of one customer a day. Nobody can tell
 * customers without a name apart.
 */
export async function checkLimits(
  ctx: Asking,
  device: Device,
  pieces: number,
  consumer: string,
  takeTurns: boolean,
): Promise<void> {
  if (device.limitPerOrder > 0 && pieces > device.limitPerOrder)
    throw new Refusal(orderErrors.overLimit)
  if (device.limitPerDay === 0) return
  // two orders of one customer at once take turns, or both would find room
  if (consumer && takeTurns)
    await sql`select pg_advisory_xact_lock(hashtextextended(${`limit ${device.id} ${consumer}`},
      0))`.execute(ctx.db)
  const before = consumer ? await boughtToday(ctx, device, consumer) : 0
  if (before + pieces > device.limitPerDay) throw new Refusal(orderErrors.overLimit)
}

/** Whether the machine sells, and so much at once; the limits that count here. */
async function judgeMachine(ctx: Asking, device: Device, input: Asked) {
  if (device.lifecycle !== 'OPERATING' || device.stopped)
    throw new Refusal(orderErrors.deviceNotSelling)
  if (!device.online) throw new Refusal(orderErrors.deviceOffline)
  reject(queueRefusal({ ...device, platformMs: await platformBehind(ctx.app) }, ctx.now))
  const limits = await cachedSettings(ctx.app, device.orgId, [
    'order.maxPieces',
    'order.payTimeoutMachine',
    'order.holdSeconds',
    'order.openPerMachine',
    'order.openPerConsumer',
    'order.openPerAddress',
    'order.openPerNetwork',
    'order.requireSplit',
  ])
  const pieces = input.items.reduce((sum, item) => sum + item.count, 0)
  if (
    pieces > limits['order.maxPieces'] ||
    new Set(input.items.map((item) => item.roadIndex)).size !== input.items.length
  )
    throw new Refusal(orderErrors.overLimit)
  return { device, pieces, limits }
}

/** What an order begins with: the answer it got already, or a machine that sells. */
export type Seen =
  | { repeat: Output<typeof orders.mobileOrder> }
  | (Awaited<ReturnType<typeof judgeMachine>> & { next?: Awaited<ReturnType<typeof nextOrder>> })
export async function lookAt(ctx: Asking, input: Asked): Promise<Seen> {
  const [repeat, device] = await Promise.all([
    answerOfClient(ctx, input),
    deviceByNumber(ctx, input.rtuNumber),
  ])
  return repeat ? { repeat } : judgeMachine(ctx, device, input)
}

/**
 * The wanted lanes. Of what is there, this address leaves to others as many pieces as it lately
 * held and did not pay while they were wanted; that is read behind the lock, so that it does not
 * take them again at the moment they come free.
 */
export async function lanesFor(
  ctx: Asking,
  device: Device,
  input: Asked,
  locking?: RawBuilder<unknown>,
): Promise<ReadonlyMap<number, Lane>> {
  const roads = input.items.map((item) => item.roadIndex)
  const wanted = sql<Lane>`select ${laneColumns} from lanes l join products p on p.id = l.product_id
    where l.device_id = ${device.id} and l.org_id = ${device.orgId} and l.archived_at is null
      and l.road_index = any(${roads}::int[]) order by l.id ${locking ?? sql``}`.execute(ctx.db)
  const [{ rows }, lost] = await Promise.all([wanted, lostBy(ctx, device.id, holderOf(ctx.ip))])
  const lanes = locking ? await withQueues(ctx, rows) : rows
  const past = await pastIn(ctx, device.orgId)
  return new Map(
    lanes.map((lane) => [
      lane.roadIndex,
      {
        ...lane,
        lost: lost.get(lane.id) ?? 0,
        available: lane.available - (lost.get(lane.id) ?? 0),
        past: past(lane),
      },
    ]),
  )
}

/** What the drug guard says of a sale; of other goods nothing. */
export const guarded = (lane: Goods & { queue: Queue }, device: Place, sale: Sale): Verdict =>
  canPlace(lane, device, { sale, queue: lane.queue })

/** What the guard refuses of an order, as the list of refusals has it. */
export const refusalOf = (lane: Lane, device: Device, sale: Sale): GuardRefusal => ({
  ...{ orgId: device.orgId, deviceId: device.id, road: lane.roadIndex },
  ...{ productId: lane.productId, verdict: guarded(lane, device, sale), act: 'CHECKOUT' },
})

/** Why this lane cannot sell `count` at `price` now; null when it can. */
export function laneRefusal(
  lane: Lane | undefined,
  item: { count: number; price: number },
  device: Device,
  sale: Sale,
): ErrorDef | null {
  if (lane?.status !== 'ENABLED' || !lane.onShelf || lane.past) return orderErrors.laneNotSelling
  const verdict = guarded(lane, device, sale)
  if (!verdict.ok) return forbidden(verdict)
  if (lane.price !== item.price) return orderErrors.priceChanged
  // what nobody may have is not short of anything
  if (item.count > strictest(lane.restriction, lane.purchaseLimit, 32)) return orderErrors.overLimit
  return lane.available < item.count ? orderErrors.outOfStock : null
}

/** Id and number of an order that is about to be written. */
export async function nextOrder(ctx: Asking): Promise<{ id: number; orderNum: string }> {
  const { id, sequence } = await onlyRow<{ id: number; sequence: number }>(
    ctx.db,
  )`select nextval('orders_id_seq') as id, nextval('order_num_seq') as sequence`
  return { id, orderNum: numbersOf(ctx.app)(shanghaiDay(ctx.now), sequence) }
}

/**
 * Reserves and prices in one transaction; the lanes are locked before they are judged, so the last
 * piece sells once. `seen`: what was looked at a moment before; nothing of it is locked by an
 * order.
 */
async function mobileOrder(
  ctx: Ctx,
  input: Asked,
  seen?: Seen,
): Promise<Output<typeof orders.mobileOrder>> {
  const at = seen ?? (await lookAt(ctx, input))
  if ('repeat' in at) return at.repeat
  const { device, pieces, limits } = at
  const payee = await payeeOf(ctx.app, device, input.payType)
  if (!payee) throw new Refusal(orderErrors.notCollecting)
  if (!device.bound && limits['order.requireSplit'])
    if (!(await hasStrategy(ctx.db, device.orgId, payee.configId, ctx.now)))
      throw new Refusal(deviceSplitErrors.tradePaused)
  ctx.later(orderLockTimeout(ctx.app, input))
  await checkLimits(ctx, device, pieces, input.consumer, true)
  const { id, orderNum } = at.next ?? (await nextOrder(ctx))
  const [laneOf, first] = await Promise.all([
    lanesFor(ctx, device, input, sql`for no key update of l`),
    takeKey(ctx, { id, orderNum }, device, input.clientId),
  ])
  // a twin with the same client id committed while we waited: its order is the answer
  if (!first) return found((await answerOfClient(ctx, input)) ?? undefined)
  const judge = (sale: Sale) => {
    for (const item of input.items) {
      const lane = laneOf.get(item.roadIndex)
      const refusal = laneRefusal(lane, item, device, sale)
      if (lane && refusal) noteRefusals(ctx, [refusalOf(lane, device, sale)])
      if (refusal) throw fieldRefusal(refusal, `items.${item.roadIndex}`)
    }
  }
  const sale = await saleFor(ctx, device, input, laneOf)
  judge(sale)
  judge(await countedFor(ctx, sale, input.identity, true))
  const sold = input.items.map((item) => ({
    lane: laneOf.get(item.roadIndex) as Lane,
    count: item.count,
  }))
  const total = sold.reduce((sum, { lane, count }) => sum + lane.price * count, 0)
  const expireAt = new Date(ctx.now.getTime() + limits['order.payTimeoutMachine'] * 60_000)
  const outTradeNo = `HD${orderNum}`
  // word of a channel may be lost: it is asked
  const asked = payee.configId === null ? null : new Date(ctx.now.getTime() + checkAfter(0) * 1000)
  const units = unitsStatement(
    ctx,
    { id, orderNum, orgId: device.orgId, deviceId: device.id, isSplit: true },
    sold,
  )
  ctx.later(sql`
    with made as (
      insert into orders (org_id, created_at, id, order_num, device_id, rtu_number, device_name,
        consumer, channel, order_type, pay_type, detail, img,
        pieces, total_amount, payable_amount, expire_at)
      values (${device.orgId}, ${ctx.now}, ${id}, ${orderNum}, ${device.id}, ${device.rtuNumber},
        ${device.nickname}, ${input.consumer}, 'MACHINE',
        'SCAN', ${input.payType}, ${detailText(sold)}, ${sold[0]?.lane.img}, ${pieces}, ${total},
        ${total}, ${expireAt})
    ), billed as (
      insert into payments (org_id, device_id, order_id, order_at, order_num, out_trade_no,
        provider, config_id, amount, next_at, created_at)
      values (${device.orgId}, ${device.id}, ${id}, ${ctx.now}, ${orderNum}, ${outTradeNo},
        ${payee.provider}, ${payee.configId}, ${total}, ${asked}, ${ctx.now})
    ), told as (
      insert into order_events (org_id, created_at, order_id, order_at, device_id, kind, data,
        actor)
      values (${device.orgId}, ${ctx.now}, ${id}, ${ctx.now}, ${device.id}, 'CREATED',
        ${JSON.stringify({ pieces, total })}, ${input.consumer})
    )
    ${units}`)
  const special = sold.filter(({ lane }) => isRegistered(lane, device))
  if (special.length && input.identity)
    register(
      ctx,
      { id, orgId: device.orgId },
      special.map(({ lane }) => lane.id),
      input.identity,
    )
  holdStock(
    ctx,
    sold.map(({ lane, count }) => ({ laneId: lane.id, reserved: count })),
  )
  refreshDeviceCounters(ctx, [device.id])
  await countUnpaid(
    ctx,
    { id, at: ctx.now },
    {
      orgId: device.orgId,
      deviceId: device.id,
      consumer: input.consumer,
      address: holderOf(ctx.ip),
    },
    limits,
  )
  return { orderNum, payableAmount: total, outTradeNo, expireAt: iso(expireAt) }
}

/** The number and the client id are this order's; false when the client id has one already. */
export async function takeKey(
  ctx: Ctx,
  order: { id: number; orderNum: string },
  device: Pick<Device, 'id' | 'orgId'>,
  clientId: string,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    insert into order_keys (order_num, client_id, order_id, org_id, device_id, created_at)
    values (${order.orderNum}, ${clientId}, ${order.id}, ${device.orgId}, ${device.id}, ${ctx.now})
    on conflict (client_id) do nothing`.execute(ctx.db)
  return numAffectedRows === 1n
}

const answered = shape(
  MobileAnswer.extend({ rtuNumber: z.string(), goods: z.string() }),
  ['orders', 'o'],
  {
    outTradeNo: sql`p.out_trade_no`,
    goods: sql`(select string_agg(u.road || '×' || u.n || '×' || u.list_price, ' ' order by u.road)
      from (select road, list_price, count(*) as n from order_units u
    where u.org_id = o.org_id and u.created_at = o.created_at and u.order_id = o.id
    group by 1, 2) u)`,
  },
)
/**
 * Nearly always there is none: the key alone is asked for first. Who says his id again for
 * something else gets no answer for it.
 */
async function answerOfClient(
  ctx: Asking,
  { clientId, rtuNumber, items }: Asked,
): Promise<Output<typeof orders.mobileOrder> | null> {
  type Key = { orgId: number; at: Date; id: number }
  const key = await rowOf<Key>(
    ctx.db,
  )`select org_id as "orgId", created_at as at, order_id as id from order_keys
    where client_id = ${clientId}`
  if (!key) return null
  const found = await answered.one(
    ctx.db,
    sql`from orders o join payments p on p.order_id = o.id
    where o.org_id = ${key.orgId} and ${within('o.created_at', [key.at])} and o.id = ${key.id}
    order by p.id limit 1`,
  )
  if (!found) return null
  const { rtuNumber: machine, goods, ...answer } = found
  const asked = items
    .toSorted((a, b) => a.roadIndex - b.roadIndex)
    .map(({ roadIndex, count, price }) => `${roadIndex}×${count}×${price}`)
  if (machine !== rtuNumber || goods !== asked.join(' ')) throw new Refusal(common.keyReused)
  return answer
}

export const detailText = (
  sold: readonly { lane: Pick<Lane, 'name' | 'model'>; count: number }[],
): string => {
  const [first, ...rest] = sold.map(({ lane, count }) => `${lane.name} ${lane.model} ×${count}`)
  return rest.length ? `${first} +${rest.length}` : (first ?? '')
}

type Piece = Pick<
  Lane,
  'id' | 'roadIndex' | 'productId' | 'name' | 'model' | 'img' | 'drugClass' | 'price' | 'costPrice'
>
type OfOrder = {
  id: number
  orderNum: string
  orgId: number
  deviceId: number
  /** Its pieces are sold under what counts for them of the strategies of the organisation. */
  isSplit?: boolean
}
export async function addUnits(
  ctx: Ctx,
  order: OfOrder,
  sold: readonly { lane: Piece; count: number }[],
  discount = 0,
): Promise<void> {
  await unitsStatement(ctx, order, sold, discount).execute(ctx.db)
}

function unitsStatement(
  ctx: Ctx,
  order: OfOrder,
  sold: readonly { lane: Piece; count: number }[],
  discount = 0,
): RawBuilder<unknown> {
  const lanes = sold.flatMap(({ lane, count }) => Array.from({ length: count }, () => lane))
  const shares = splitDiscount(
    discount,
    lanes.map((lane) => lane.price),
  )
  const units = lanes.map((lane, index) => ({
    ...lane,
    unitNo: index + 1,
    discount: shares[index],
  }))
  return sql`insert into order_units (org_id, created_at, order_id, order_num, device_id, unit_no,
    lane_id, road, product_id, product_name, model, drug_class, img, list_price, discount, paid,
    cost, split_version_id)
    select ${order.orgId}::bigint, ${ctx.now}::timestamptz, ${order.id}::bigint, ${order.orderNum},
      ${order.deviceId}::bigint,
      "unitNo", id, "roadIndex", "productId", name, model, "drugClass", img, price, discount,
      price - discount, "costPrice", ${order.isSplit ? versionOf(order, ctx.now) : sql`null`}
    from jsonb_to_recordset(${JSON.stringify(units)}::jsonb) as u("unitNo" int, id bigint,
      "roadIndex" int, "productId" bigint, name text, model text,
      "drugClass" text, img text, price bigint, "costPrice" bigint, discount bigint) order by "unitNo"`
}

/** Commands of a paid order: one per lane piece, waiting for the gateway. */
export function addCommands(ctx: Ctx, order: { orgId: number; at: Date; id: number }): void {
  ctx.later(sql`with u as (
      update order_units set attempt = 1
      where org_id = ${order.orgId} and ${within('created_at', [order.at])}
        and order_id = ${order.id} and kind = 'LANE' and attempt = 0 returning *
    )
    insert into vend_commands (cmd_id, org_id, device_id, order_id, order_at, order_num, unit_id,
      unit_no, lane_id, road, motor_no, attempt, created_at)
    select gen_random_uuid(), u.org_id, u.device_id, u.order_id, u.created_at, u.order_num, u.id,
      u.unit_no, u.lane_id, u.road, l.motor_no, 1,
      ${ctx.now}::timestamptz
    from u join lanes l on l.id = u.lane_id`)
  ctx.touch('vend')
}

export const createHandlers = { mobileLanes, mobileOrder }
