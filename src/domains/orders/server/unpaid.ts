import { sql } from 'kysely'
import type { App, Ctx } from '../../../server/context.ts'
import type { Db } from '../../../server/database.ts'
import { bySystem } from '../../../server/run.ts'
import { Refusal } from '../../../shared/errors.ts'
import { orderErrors } from '../contract.ts'
import { safeSeconds } from '../rules.ts'

/**
 * What may wait for its money. A customer proves nothing before he pays, so a name counts only beside the address that says it:
 * nobody uses up another's limit from elsewhere, and whoever changes names still meets the limits of his address.
 */
export type UnpaidLimits = {
  'order.openPerMachine': number
  'order.openPerConsumer': number
  'order.openPerAddress': number
  'order.openPerNetwork': number
}
export type Buyer = { orgId: number; deviceId: number; consumer: string; address: string }

/** What an address has paid for comes on top of what it may hold over all machines, up to this: a campus is no attacker. */
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

function subjectsOf(buyer: Buyer, limits: UnpaidLimits) {
  const own = ownSubjects(buyer).map(({ subject, limit }) => ({ subject, most: limits[limit] }))
  return [{ subject: machine(buyer.deviceId), most: limits['order.openPerMachine'] }, ...own]
}

export type Short = { readonly lane: number; readonly missing: number }
/** What is in the way of an order: lanes that are short of its goods, the machine that has as many unpaid orders as it may. */
export type InTheWay = { readonly short: readonly Short[]; readonly full: boolean }
export type Holding = { org_id: number; created_at: Date; id: number; device_id: number }
export type Giving = Holding & { address: string; orders: number }
/** Only looked at, or locked to be closed. */
const locked = (lock: boolean) => (lock ? sql`for no key update of o skip locked` : sql``)
const holdsOf = (short: readonly Short[]) =>
  sql`exists (select from order_units u where u.order_id = h.order_id and u.org_id = h.org_id and u.created_at = h.order_at
    and u.hold = 'HELD' and u.lane_id = any(${short.map(({ lane }) => lane)}::bigint[]))`

/** Which limits have no place left for him. */
export async function fullFor(db: Db, buyer: Buyer, limits: UnpaidLimits): Promise<{ machine: boolean; own: boolean }> {
  const { rows } = await sql<{ subject: string }>`
    select c.subject from unpaid_counts c join jsonb_to_recordset(${JSON.stringify(subjectsOf(buyer, limits))}::jsonb) as w(subject text, most int)
    on w.subject = c.subject where c.open >= w.most + c.credit`.execute(db)
  const machineFull = rows.some((row) => row.subject === machine(buyer.deviceId))
  return { machine: machineFull, own: rows.length > (machineFull ? 1 : 0) }
}

/** Pieces by lane that this address leaves to others for now. */
export async function lostBy(ctx: Pick<Ctx, 'db' | 'now'>, deviceId: number, address: string): Promise<ReadonlyMap<number, number>> {
  const { rows } = await sql<{ lane_id: number; pieces: number }>`
    select lane_id, sum(pieces)::int as pieces from unpaid_losses where device_id = ${deviceId} and address = ${address} and until > ${ctx.now} group by lane_id`.execute(
    ctx.db,
  )
  return new Map(rows.map((row) => [row.lane_id, row.pieces]))
}

/** Holds of others on wanted goods that nobody asked for before. */
export async function unasked(db: Db, buyer: Buyer, short: readonly Short[]): Promise<readonly number[]> {
  if (!short.length) return []
  const { rows } = await sql<{ order_id: number }>`
    select h.order_id from unpaid_holds h where h.device_id = ${buyer.deviceId} and not h.wanted and h.address <> ${buyer.address} and ${holdsOf(short)}`.execute(
    db,
  )
  return rows.map((row) => row.order_id)
}

export const markWanted = (ctx: Ctx, orderIds: readonly number[]): Promise<unknown> =>
  sql`with free as (select order_id from unpaid_holds where order_id = any(${[...orderIds]}::bigint[]) for update skip locked)
    update unpaid_holds h set wanted = true from free where free.order_id = h.order_id`.execute(ctx.db)

/** Orders in the way that had their time to pay. His own are among them only while nobody else asked for their goods. */
export async function timedOut(ctx: Pick<Ctx, 'db' | 'now'>, buyer: Buyer, way: InTheWay, seconds: number, lock: boolean): Promise<readonly Holding[]> {
  const { rows } = await sql<Holding>`
    select o.org_id, o.created_at, o.id, o.device_id from unpaid_holds h
    join orders o on o.org_id = h.org_id and o.created_at = h.order_at and o.id = h.order_id
    where h.device_id = ${buyer.deviceId} and h.order_at <= ${new Date(ctx.now.getTime() - seconds * 1000)} and o.pay_state = 'UNPAID'
      and (h.address <> ${buyer.address} or not h.wanted) and (${way.full} or ${holdsOf(way.short)})
    order by o.id limit 100 ${locked(lock)}`.execute(ctx.db)
  return rows
}

/**
 * The order that gives way to a newcomer: the oldest of the address with most of them here, if that address then still holds as
 * many as he does, and if it is enough for what he wants; who meets limits of his own moves nobody.
 */
export async function givingWay(ctx: Pick<Ctx, 'db' | 'now'>, buyer: Buyer, short: readonly Short[], lock: boolean): Promise<Giving | undefined> {
  // newcomers take turns at a machine, or several would judge by the same count
  if (lock) await sql`select pg_advisory_xact_lock(hashtextextended(${`giving way ${buyer.deviceId}`}, 0))`.execute(ctx.db)
  const { rows } = await sql<Giving>`
    with held as (
      select address, count(*)::int as n from unpaid_holds where device_id = ${buyer.deviceId} and address <> '' group by address
    )
    select o.org_id, o.created_at, o.id, o.device_id, h.address, t.n as orders
    from unpaid_holds h join held t on t.address = h.address
    join orders o on o.org_id = h.org_id and o.created_at = h.order_at and o.id = h.order_id
    where h.device_id = ${buyer.deviceId} and o.pay_state = 'UNPAID'
      and h.order_at <= ${new Date(ctx.now.getTime() - safeSeconds * 1000)}
      and t.n > coalesce((select n from held where address = ${buyer.address}), 0) + 1
      and not exists (select from unpaid_counts c
        where c.subject = any(${ownSubjects(buyer).map((own) => own.subject)}::text[]) and c.open >= c.most + c.credit)
      and not exists (select from jsonb_to_recordset(${JSON.stringify(short)}::jsonb) as s(lane bigint, missing int)
        where s.missing > (select count(*) from order_units u where u.org_id = o.org_id and u.created_at = o.created_at
          and u.order_id = o.id and u.hold = 'HELD' and u.lane_id = s.lane))
    order by t.n desc, h.order_at, h.order_id limit 1 ${locked(lock)}`.execute(ctx.db)
  return rows[0]
}

/**
 * Counts a new order against every limit at once: one conditional statement, whose last locks are held only until the commit.
 * Lock order: after orders and lanes, each subject in its order.
 */
export async function countUnpaid(ctx: Ctx, order: { id: number; at: Date }, buyer: Buyer, limits: UnpaidLimits): Promise<void> {
  const want = subjectsOf(buyer, limits)
  const { rows } = await sql<{ subject: string }>`
    with taken as (
      insert into unpaid_counts as c (subject, open, most, touched_at)
      select w.subject, 1, w.most, ${ctx.now}::timestamptz from jsonb_to_recordset(${JSON.stringify(want)}::jsonb) as w(subject text, most int)
      order by w.subject
      on conflict (subject) do update set open = c.open + 1, most = excluded.most, touched_at = excluded.touched_at
        where c.open < excluded.most + c.credit
      returning subject
    ), held as (
      insert into unpaid_holds (order_id, org_id, device_id, order_at, address, subjects)
      values (${order.id}, ${buyer.orgId}, ${buyer.deviceId}, ${order.at}, ${buyer.address}, ${want.map((w) => w.subject)}::text[])
    )
    select subject from taken`.execute(ctx.db)
  if (rows.length === want.length) return
  const full = want.find((w) => !rows.some((row) => row.subject === w.subject))
  throw new Refusal(full?.subject === machine(buyer.deviceId) ? orderErrors.machineBusy : orderErrors.tooManyUnpaid)
}

/** Orders stop waiting: paid, or closed. An order counted before is counted off once, whoever comes first. */
export function uncountUnpaid(ctx: Ctx, orderIds: readonly number[], paid: boolean): void {
  if (!orderIds.length) return
  ctx.later(sql`
    with gone as (delete from unpaid_holds where order_id = any(${[...orderIds]}::bigint[]) returning subjects),
    n as (select s.subject, count(*)::int as n from gone, unnest(gone.subjects) as s(subject) group by 1),
    locked as (select c.subject from unpaid_counts c where c.subject in (select subject from n) order by c.subject for no key update of c)
    update unpaid_counts c set open = c.open - n.n, touched_at = ${ctx.now}, credit = case when c.subject not like ${`${everywhere}%`} then 0
        when ${paid} then least(c.credit + n.n, ${mostCredit}::int) else greatest(c.credit - n.n, 0) end
    from n join locked on locked.subject = n.subject where c.subject = n.subject`)
}

/** Nothing is open and nothing was for a day: the row says no more than its absence. Nor does a loss that is over. */
export const forgetIdle = (app: App): Promise<unknown> =>
  bySystem(app, async (ctx) => {
    await sql`delete from unpaid_counts where open = 0 and touched_at < ${new Date(ctx.now.getTime() - 86_400_000)}`.execute(ctx.db)
    await sql`delete from unpaid_losses where until <= ${ctx.now}`.execute(ctx.db)
  })
