import { sql } from 'kysely'
import type { App, Ctx } from '../../../server/context.ts'
import type { Db } from '../../../server/database.ts'
import { rowsOf } from '../../../server/rows.ts'
import { bySystem } from '../../../server/run.ts'
import { neighbourhoodOf } from '../../../shared/address.ts'
import { Refusal } from '../../../shared/errors.ts'
import { orderErrors } from '../contract.ts'
import { safeSeconds } from '../rules.ts'
import { liesAt, places, type Unpaid } from './rows.ts'

/**
 * What may wait for its money. A customer proves nothing before he pays, so a name counts only
 * beside the address that says it: nobody uses up another's limit from elsewhere, and whoever
 * changes names still meets the limits of his address.
 */
export type UnpaidLimits = {
  'order.openPerMachine': number
  'order.openPerConsumer': number
  'order.openPerAddress': number
  'order.openPerNetwork': number
}
export type Buyer = { orgId: number; deviceId: number; consumer: string; address: string }

/**
 * What an address has paid for comes on top of what it may hold over all machines, up to this: a
 * campus is no attacker.
 */
const mostCredit = 200

const machine = (deviceId: number) => `m|${deviceId}`
const everywhere = 'w|'

/** What a buyer himself is counted by; a call inside the house has no address. */
function ownSubjects({ deviceId, consumer, address }: Omit<Buyer, 'orgId'>) {
  if (!address) return []
  const list: { subject: string; limit: keyof UnpaidLimits }[] = [
    { subject: `a|${deviceId}|${address}`, limit: 'order.openPerAddress' },
    { subject: everywhere + address, limit: 'order.openPerNetwork' },
  ]
  if (consumer) list.push({ subject: `c|${address}|${consumer}`, limit: 'order.openPerConsumer' })
  return list
}

/**
 * Half of a machine's places: as many as those keep who did not pay for theirs, and as many as a
 * /48 of IPv6 has, which is easily had.
 */
const half = (limits: UnpaidLimits) => Math.ceil(limits['order.openPerMachine'] / 2)

function subjectsOf(buyer: Buyer, limits: UnpaidLimits) {
  const own = ownSubjects(buyer).map(({ subject, limit }) => ({ subject, most: limits[limit] }))
  const wide = buyer.address.includes(':')
    ? [{ subject: `n|${buyer.deviceId}|${neighbourhoodOf(buyer.address)}`, most: half(limits) }]
    : []
  return [
    { subject: machine(buyer.deviceId), most: limits['order.openPerMachine'] },
    ...wide,
    ...own,
  ]
}
/** Of the machine's places, those that this address leaves to others for now. */
const placesLost = ({ deviceId, address }: Buyer, limits: UnpaidLimits, now: Date) =>
  sql`(select least(count(*), ${limits['order.openPerMachine'] - half(limits)}::int)::int
    from unpaid_losses
    where device_id = ${deviceId} and address = ${address} and lane_id is null and until > ${now})`

export type Short = { readonly lane: number; readonly missing: number }
/**
 * What is in the way of an order: lanes that are short of its goods, limits of the machine and of
 * its buyer that have no place left.
 */
export type InTheWay = {
  readonly short: readonly Short[]
  readonly machine: readonly string[]
  readonly own: readonly string[]
}
/** An unpaid order: what it holds, and the limits that count it. */
export type Holding = Unpaid & {
  address: string
  wanted: boolean
  placeWanted: boolean
  subjects: readonly string[]
  lanes: readonly number[]
}

/**
 * Which limits have no place left for him: of the machine, and his own; whether he lost places of
 * the machine.
 */
export async function fullFor(
  { db, now }: Pick<Ctx, 'db' | 'now'>,
  buyer: Buyer,
  limits: UnpaidLimits,
): Promise<Pick<InTheWay, 'machine' | 'own'> & { lost: boolean }> {
  const isMachine = machine(buyer.deviceId)
  const rows = await rowsOf<{ subject: string; lost: number }>(db)`
    select c.subject, l.n as lost from unpaid_counts c
    join jsonb_to_recordset(${JSON.stringify(subjectsOf(buyer, limits))}::jsonb) as w(subject text,
      most int) on w.subject = c.subject
    cross join lateral (select case
      when w.subject = ${isMachine} then ${placesLost(buyer, limits, now)} else 0 end as n) l
    where c.open >= w.most - l.n + c.credit`
  const full = rows.map((row) => row.subject)
  return {
    machine: full.filter((subject) => subject === isMachine),
    own: full.filter((subject) => subject !== isMachine),
    lost: rows.some((row) => row.lost > 0),
  }
}

/** Pieces by lane that this address leaves to others for now. */
export async function lostBy(
  ctx: Pick<Ctx, 'db' | 'now'>,
  deviceId: number,
  address: string,
): Promise<ReadonlyMap<number, number>> {
  const rows = await rowsOf<{ laneId: number; pieces: number }>(
    ctx.db,
  )`select lane_id as "laneId", sum(pieces)::int as pieces from unpaid_losses
    where device_id = ${deviceId} and address = ${address} and lane_id is not null
      and until > ${ctx.now} group by lane_id`
  return new Map(rows.map((row) => [row.laneId, row.pieces]))
}

/**
 * Unpaid orders at his machine, and those that count against limits of his own, the oldest first.
 */
export function holdingsFor(
  db: Db,
  { deviceId, address }: Buyer,
  { own }: InTheWay,
): Promise<readonly Holding[]> {
  const his = own.length
    ? sql`or h.address = ${address} and h.subjects && ${[...own]}::text[]`
    : sql``
  return rowsOf<Holding>(db)`
    select h.org_id as "orgId", h.order_at as "createdAt", h.order_id as id,
      h.device_id as "deviceId", h.address, h.wanted,
      h.place_wanted as "placeWanted", h.subjects,
      array(select u.lane_id from order_units u
        where u.org_id = h.org_id and u.created_at = h.order_at and u.order_id = h.order_id
          and u.hold = 'HELD') as lanes
    from unpaid_holds h where h.device_id = ${deviceId} ${his} order by h.order_at, h.order_id`
}

/**
 * Of these orders as many as must be closed to make room, the first ones first; none of them where
 * all would not be enough.
 */
export function freeing(
  orders: readonly Holding[],
  { short, machine, own }: InTheWay,
): readonly Holding[] {
  const missing = new Map<string | number, number>([
    ...short.map((s) => [s.lane, s.missing] as const),
    ...[...machine, ...own].map((subject) => [subject, 1] as const),
  ])
  const chosen = orders.filter((order) => {
    const helps = [...order.lanes, ...order.subjects].filter((what) => (missing.get(what) ?? 0) > 0)
    for (const what of helps) missing.set(what, (missing.get(what) ?? 0) - 1)
    return helps.length > 0
  })
  return [...missing.values()].every((n) => n <= 0) ? chosen : []
}

export type Unasked = { readonly goods: readonly number[]; readonly places: readonly number[] }
/**
 * Orders of others whose goods or place nobody asked for before; who asks for more than all of them
 * hold asks for nothing.
 */
export function unasked(held: readonly Holding[], buyer: Buyer, way: InTheWay): Unasked {
  const others = freeing(held, way).length
    ? held.filter((order) => order.address !== buyer.address)
    : []
  const lanes = new Set(way.short.map(({ lane }) => lane))
  return {
    goods: others
      .filter((order) => !order.wanted && order.lanes.some((lane) => lanes.has(lane)))
      .map(({ id }) => id),
    places: others.filter((order) => !order.placeWanted && way.machine.length).map(({ id }) => id),
  }
}

export const markWanted = (ctx: Ctx, { goods, places }: Unasked): Promise<unknown> =>
  sql`with free as (select order_id from unpaid_holds
    where order_id = any(${[...goods, ...places]}::bigint[]) for update skip locked)
    update unpaid_holds h set wanted = h.wanted or h.order_id = any(${[...goods]}::bigint[]),
      place_wanted = h.place_wanted or h.order_id = any(${[...places]}::bigint[])
    from free where free.order_id = h.order_id`.execute(ctx.db)

const olderThan = (now: Date, seconds: number) => (order: Holding) =>
  order.createdAt.getTime() <= now.getTime() - seconds * 1000

/**
 * Orders in the way that had their time to pay. His own are among them only while nobody else asked
 * for their goods or place, or where they fill a limit of his own: whoever shares his address must
 * not be kept out by them.
 */
export const timedOut = (
  held: readonly Holding[],
  buyer: Buyer,
  way: InTheWay,
  { now, seconds }: { now: Date; seconds: number },
): readonly Holding[] =>
  freeing(
    held
      .filter(olderThan(now, seconds))
      .filter(
        (order) =>
          order.address !== buyer.address ||
          !(order.wanted || order.placeWanted) ||
          order.subjects.some((subject) => way.own.includes(subject)),
      ),
    way,
  )

/**
 * The order that gives way to a newcomer: the oldest of the address with most of them here, if that
 * address then still holds as many as he does, and if it is enough for what he wants; who meets
 * limits of his own moves nobody else.
 */
export function givingWay(
  held: readonly Holding[],
  buyer: Buyer,
  way: InTheWay,
  now: Date,
): (Holding & { orders: number }) | undefined {
  if (way.own.length) return undefined
  const orders = (address: string) => held.filter((order) => order.address === address).length
  const own = orders(buyer.address)
  const may = held
    .filter(olderThan(now, safeSeconds))
    .filter(
      (order) => order.address && orders(order.address) > own + 1 && freeing([order], way).length,
    )
  const most = Math.max(...may.map((order) => orders(order.address)))
  const giving = may.find((order) => orders(order.address) === most)
  return giving && { ...giving, orders: most }
}

/** Locks orders to close them; none where one of them is being paid or closed. */
export async function lockUnpaid(ctx: Ctx, orders: readonly Unpaid[]): Promise<readonly Unpaid[]> {
  const rows = await rowsOf<Unpaid>(ctx.db)`
    select o.org_id as "orgId", o.created_at as "createdAt", o.id, o.device_id as "deviceId"
    from orders o join ${places(orders)} on ${liesAt('o')}
    where o.pay_state = 'UNPAID' order by o.id for no key update of o skip locked`
  return rows.length === orders.length ? rows : []
}

/**
 * Counts a new order against every limit at once: one conditional statement, whose last locks are
 * held only until the commit. Lock order: after orders and lanes, each subject in its order.
 */
export async function countUnpaid(
  ctx: Ctx,
  order: { id: number; at: Date },
  buyer: Buyer,
  limits: UnpaidLimits,
): Promise<void> {
  const want = subjectsOf(buyer, limits)
  const rows = await rowsOf<{ subject: string }>(ctx.db)`
    with taken as (
      insert into unpaid_counts as c (subject, open, most, touched_at)
      select w.subject, 1, w.most - case
        when w.subject = ${want[0]?.subject} then ${placesLost(buyer, limits, ctx.now)}
        else 0 end, ${ctx.now}::timestamptz
      from jsonb_to_recordset(${JSON.stringify(want)}::jsonb) as w(subject text, most int)
      order by w.subject
      on conflict (subject) do update
      set open = c.open + 1, most = excluded.most, touched_at = excluded.touched_at
        where c.open < excluded.most + c.credit
      returning subject
    ), held as (
      insert into unpaid_holds (order_id, org_id, device_id, order_at, address, subjects)
      values (${order.id}, ${buyer.orgId}, ${buyer.deviceId}, ${order.at}, ${buyer.address},
        ${want.map((w) => w.subject)}::text[])
    )
    select subject from taken`
  if (rows.length === want.length) return
  const full = want.find((w) => !rows.some((row) => row.subject === w.subject))
  throw new Refusal(
    full?.subject === machine(buyer.deviceId) ? orderErrors.machineBusy : orderErrors.tooManyUnpaid,
  )
}

/**
 * Orders stop waiting: paid, or closed. An order counted before is counted off once, whoever comes
 * first.
 */
export function uncountUnpaid(ctx: Ctx, orderIds: readonly number[], paid: boolean): void {
  if (!orderIds.length) return
  ctx.later(sql`
    with gone as (delete from unpaid_holds where order_id = any(${[...orderIds]}::bigint[])
      returning subjects),
    n as (select s.subject, count(*)::int as n from gone, unnest(gone.subjects) as s(subject)
      group by 1),
    locked as (select c.subject from unpaid_counts c where c.subject in (select subject from n)
      order by c.subject for no key update of c)
    update unpaid_counts c set open = c.open - n.n, touched_at = ${ctx.now}, credit = case
      when c.subject not like ${`${everywhere}%`} then 0
        when ${paid} then least(c.credit + n.n, ${mostCredit}::int)
        else greatest(c.credit - n.n, 0) end
    from n join locked on locked.subject = n.subject where c.subject = n.subject`)
}

/**
 * Nothing is open and nothing was for a day: the row says no more than its absence. Nor does a loss
 * that is over.
 */
export const forgetIdle = (app: App): Promise<unknown> =>
  bySystem(app, async (ctx) => {
    await sql`delete from unpaid_counts
      where open = 0 and touched_at < ${new Date(ctx.now.getTime() - 86_400_000)}`.execute(ctx.db)
    await sql`delete from unpaid_losses where until <= ${ctx.now}`.execute(ctx.db)
  })
