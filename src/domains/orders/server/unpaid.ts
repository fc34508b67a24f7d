import { sql } from 'kysely'
import type { App, Ctx } from '../../../server/context.ts'
import { bySystem } from '../../../server/run.ts'
import { Refusal } from '../../../shared/errors.ts'
import { orderErrors } from '../contract.ts'

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

function subjectsOf({ deviceId, consumer, address }: Buyer, limits: UnpaidLimits) {
  const list = [{ subject: machine(deviceId), most: limits['order.openPerMachine'] }]
  // a call inside the house has no address
  if (!address) return list
  list.push({ subject: `a|${deviceId}|${address}`, most: limits['order.openPerAddress'] })
  list.push({ subject: everywhere + address, most: limits['order.openPerNetwork'] })
  if (consumer) list.push({ subject: `c|${address}|${consumer}`, most: limits['order.openPerConsumer'] })
  return list
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
export async function uncountUnpaid(ctx: Ctx, orderIds: readonly number[], paid: boolean): Promise<void> {
  if (!orderIds.length) return
  await sql`
    with gone as (delete from unpaid_holds where order_id = any(${[...orderIds]}::bigint[]) returning subjects),
    n as (select s.subject, count(*)::int as n from gone, unnest(gone.subjects) as s(subject) group by 1),
    locked as (select c.subject from unpaid_counts c where c.subject in (select subject from n) order by c.subject for no key update of c)
    update unpaid_counts c set open = c.open - n.n, touched_at = ${ctx.now}, credit = case when c.subject not like ${`${everywhere}%`} then 0
        when ${paid} then least(c.credit + n.n, ${mostCredit}::int) else greatest(c.credit - n.n, 0) end
    from n join locked on locked.subject = n.subject where c.subject = n.subject`.execute(ctx.db)
}

/** Nothing is open and nothing was for a day: the row says no more than its absence. */
export const forgetIdle = (app: App): Promise<unknown> =>
  bySystem(app, (ctx) => sql`delete from unpaid_counts where open = 0 and touched_at < ${new Date(ctx.now.getTime() - 86_400_000)}`.execute(ctx.db))
