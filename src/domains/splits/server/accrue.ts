import { sql } from 'kysely'
import { type App, type Ctx, found } from '../../../server/context.ts'
import { isHeld, lockTimeout, systemScope } from '../../../server/database.ts'
import { onlyRow, rowsOf } from '../../../server/rows.ts'
import { bySystem } from '../../../server/run.ts'
import { addDays, shanghaiDay } from '../../../shared/instants.ts'
import { keepShares, sharesOf } from '../../billing/server/keep.ts'
import { post } from '../../ledger/server/post.ts'
import {
  type Book,
  type Facts,
  type NewDebt,
  type NewReturn,
  type Planned,
  planOrder,
} from '../plan.ts'
import { returnsName, splitFrom } from '../rules.ts'
import { bookOf, factsOf, partyColumns, type Row } from './facts.ts'

/**
 * Shares of orders that are over. Those of an organisation are one act under its lock, in the order
 * in which they were over: what rounding leaves goes from one to the next. Whoever changes a sale
 * touches its rows before his commit, so that what is read here stays so until ours.
 */
const most = 200

/** Organisations with something to do, those that wait longest first. */
const waiting = (app: App) =>
  app.database.read(
    systemScope,
    (db) => rowsOf<{ id: number }>(db)`
      with recursive g as (
        (select org_id as id from split_orders where touched_at is not null
          order by org_id limit 1)
        union all select (select o.org_id from split_orders o where o.touched_at is not null
          and o.org_id > g.id order by o.org_id limit 1) from g where g.id is not null)
      select g.id from g cross join lateral (select touched_at as at from split_orders o
        where o.org_id = g.id and o.touched_at is not null order by touched_at limit 1) first
      order by first.at, g.id`,
  )

/** Everything that is touched now; answers how many orders were looked at. */
export async function accrue(app: App): Promise<number> {
  let done = 0
  for (const { id } of await waiting(app))
    for (let some = most; some === most; done += some) some = await accrueSome(app, id)
  return done
}

const accrueSome = (app: App, orgId: number): Promise<number> =>
  bySystem(app, async (ctx) => {
    ctx.later(lockTimeout(1000))
    const { free } = await onlyRow<{ free: boolean }>(ctx.db)`
      select pg_try_advisory_xact_lock(hashtextextended(${`split ${orgId}`}, 0)) as free`
    if (!free) return 0
    // rows of an order are touched together, and looked at together
    const rows = await rowsOf<Row>(ctx.db)`
      select s.id, s.org_id as "orgId", s.device_id as "deviceId", s.order_id as "orderId",
        s.order_at as "orderAt", s.order_num as "orderNum", s.split_no as "splitNo",
        s.version_id as "versionId", s.config_id as "configId", s.state, s.created_at as "paidAt"
      from split_orders s where s.order_id in (select order_id from split_orders t
        where t.org_id = ${orgId} and t.touched_at is not null and not exists (
          select from split_orders o where o.order_id = t.order_id and o.state = 'SPLITTING')
        order by t.touched_at, t.order_id limit ${most})
      order by s.order_id, s.id for no key update skip locked`
    const parts = await rowsOf<{ id: number; count: number }>(ctx.db)`
      select order_id as id, count(*)::int as count from split_orders
      where order_id = any(${rows.map(({ orderId }) => orderId)}::bigint[]) group by 1`
    const byOrder = Map.groupBy(rows, ({ orderId }) => orderId)
    const ours = parts.flatMap(({ id, count }) => {
      const own = byOrder.get(id) ?? []
      return own.length === count ? own : []
    })
    if (!ours.length) return 0
    const facts = await factsOf(ctx, ours)
    await write(ctx, orgId, facts)
    return facts.length
  }).catch((error: unknown) => {
    // somebody holds a balance or a debt: the next turn
    if (isHeld(error)) return 0
    throw error
  })

async function write(ctx: Ctx, orgId: number, facts: readonly Facts[]): Promise<void> {
  const book = await bookOf(ctx, facts)
  const before = new Map(book.debts.map(({ id, rest }) => [id, rest]))
  const planned = facts.map((one) => planOrder(one, book))
  keepShares(
    ctx,
    planned.flatMap(({ vouchers }, i) => sharesOf(vouchers, found(facts[i]).orderAt)),
  )
  keepOrders(ctx, planned)
  keepPieces(ctx, orgId, planned)
  keepBook(ctx, orgId, book, before)
  keepDays(ctx, orgId, planned)
  addDebts(
    ctx,
    planned.flatMap(({ debts }) => debts),
  )
  addReturns(
    ctx,
    planned.flatMap(({ returns }) => returns),
  )
  post(
    ctx,
    planned.flatMap(({ vouchers }) => vouchers),
  )
  ctx.touch('splits', orgId)
}

function keepOrders(ctx: Ctx, planned: readonly Planned[]): void {
  const rows = planned.flatMap(({ splits, units, failReason }) =>
    splits.map(({ split: { id, state: before }, state, dueAt }) => ({
      ...{ id, state, due: dueAt, why: failReason },
      accrued: before === 'WAIT' && state !== 'WAIT',
      fee: units.reduce((sum, unit) => sum + (unit.splitId === id ? unit.fee : 0), 0),
    })),
  )
  ctx.later(sql`update split_orders s set touched_at = null, state = n.state, fail_reason = n.why,
      due_at = case when n.accrued then n.due else s.due_at end,
      fee = case when n.accrued then n.fee else s.fee end,
      accrued_at = case when n.accrued then ${ctx.now}::timestamptz else s.accrued_at end,
      done_at = case when n.state in ('RETURNING','RETURNED') then coalesce(s.done_at, ${ctx.now}::timestamptz)
        else s.done_at end,
      ledger_by = case when n.state = s.state then s.ledger_by end, version = s.version + 1
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as n(id bigint, state text,
      due timestamptz, why text, accrued boolean, fee bigint)
    where s.id = n.id`)
}

function keepPieces(ctx: Ctx, orgId: number, planned: readonly Planned[]): void {
  const units = planned.flatMap((one) => one.units)
  const backs = planned.flatMap((one) => one.backs)
  if (units.length)
    ctx.later(sql`insert into split_units (org_id, split_id, unit_id, unit_no, paid, fee, base, gives,
        carries, whole)
      select ${orgId}::bigint, "splitId", "unitId", "unitNo", paid, fee, base, gives, carries, whole
      from jsonb_to_recordset(${JSON.stringify(units)}::jsonb) as n("splitId" bigint,
        "unitId" bigint, "unitNo" int, paid bigint, fee bigint, base bigint, gives bigint[],
        carries bigint[], whole boolean)`)
  if (backs.length)
    ctx.later(sql`update split_units set back_at = ${ctx.now}
      where unit_id = any(${backs}::bigint[])`)
  const shares = planned.flatMap(({ splits }) =>
    splits.flatMap(({ split, shares }) =>
      shares.map((share) => {
        const party = split.version.parties[share.partyNo - 1]
        const { orgId: partyId, isCollector: collects } = party ?? {}
        return { ...share, splitId: split.id, party: partyId, collects }
      }),
    ),
  )
  const rows = sql`jsonb_to_recordset(${JSON.stringify(shares)}::jsonb) as n("splitId" bigint,
    "partyNo" int, party bigint, collects boolean, given bigint, returned bigint, netted bigint)`
  if (units.length)
    ctx.later(sql`insert into split_shares (org_id, split_id, party_no, party_org_id, referrer_id,
        is_collector, given, netted)
      select ${orgId}::bigint, "splitId", "partyNo", ${partyColumns}, collects, given, netted
      from ${rows}
      where returned = 0 on conflict do nothing`)
  if (backs.length)
    ctx.later(sql`update split_shares s set returned = s.returned + n.returned from ${rows}
      where s.split_id = n."splitId" and s.party_no = n."partyNo" and n.returned > 0`)
}

/** What strategies gave today; whoever shares out holds the organisation. */
function keepDays(ctx: Ctx, orgId: number, planned: readonly Planned[]): void {
  const rows = planned.flatMap(({ given, splits }) =>
    splits.map(({ split: { id, version } }) => ({
      ...{ strategy: version.strategyId, version: version.id, given: given.get(id) ?? 0 },
    })),
  )
  ctx.later(sql`insert into split_days as d (org_id, strategy_id, version_id, day, given)
    select ${orgId}::bigint, n.strategy, n.version, ${shanghaiDay(ctx.now)}::date, sum(n.given)
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as n(strategy bigint, version bigint,
      given bigint)
    where n.given <> 0 group by 2, 3 order by 2, 3
    on conflict (strategy_id, day, version_id) do update set given = d.given + excluded.given`)
}

function keepBook(
  ctx: Ctx,
  orgId: number,
  { carries, debts }: Book,
  before: ReadonlyMap<number | null, number>,
): void {
  const rows = [...carries].map(([key, carry]) => {
    const [strategy, collector, party] = key.split(' ').map(Number)
    return { strategy, collector, party, carry }
  })
  ctx.later(sql`insert into split_carries (org_id, strategy_id, collector_org_id, party_org_id,
      referrer_id, carry)
    select ${orgId}::bigint, n.strategy, n.collector, ${partyColumns}, n.carry
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as n(strategy bigint, collector bigint,
      party bigint, carry bigint)
    order by 2, 3, 4, 5
    on conflict (strategy_id, collector_org_id, party_org_id, referrer_id) do update set carry = excluded.carry
      where split_carries.carry <> excluded.carry`)
  const paid = debts.filter(({ id, rest }) => id !== null && rest !== before.get(id))
  if (paid.length)
    ctx.later(sql`update split_debts d set netted = d.netted + d.rest - n.rest,
        version = d.version + 1
      from jsonb_to_recordset(${JSON.stringify(paid)}::jsonb) as n(id bigint, rest bigint)
      where d.id = n.id`)
}

/** A refund may leave a party a debt twice: of what it had, and of what did not come back. */
export function addDebts(ctx: Ctx, debts: readonly NewDebt[]): void {
  const rows = debts.map(({ facts, splitId, refundNo, collector, party, amount, rest }) => ({
    ...{ org_id: facts.orgId, device_id: facts.deviceId, order_num: facts.orderNum },
    ...{ split_id: splitId, refund_no: refundNo, collector, party, amount, netted: amount - rest },
  }))
  if (rows.length)
    ctx.later(sql`insert into split_debts as d (org_id, device_id, split_id, order_num, refund_no,
        collector_org_id, party_org_id, referrer_id, amount, netted, created_at)
      select n.org_id, n.device_id, n.split_id, n.order_num, n.refund_no, n.collector,
        ${partyColumns}, n.amount, n.netted, ${ctx.now}::timestamptz
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as n(org_id bigint, device_id bigint,
        split_id bigint, order_num text, refund_no text, collector bigint, party bigint,
        amount bigint, netted bigint)
      on conflict (split_id, (coalesce(party_org_id, -referrer_id)), refund_no) do update
        set amount = d.amount + excluded.amount, netted = d.netted + excluded.netted,
          version = d.version + 1`)
}

/** What receivers give back: asked of the channel, or the party's debt at once. */
function addReturns(ctx: Ctx, returns: readonly NewReturn[]): void {
  if (!returns.length) return
  const rows = returns.map(({ facts, splitId, partyNo, party, refundNo, amount, why }) => ({
    ...{ org_id: facts.orgId, device_id: facts.deviceId, config_id: facts.configId },
    ...{ split_id: splitId, party_no: partyNo, party, refund_no: refundNo, amount, why },
    return_no: `${refundNo}R${party}`,
  }))
  const given = sql`jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as n(org_id bigint,
    device_id bigint, config_id bigint, split_id bigint, party_no int, party bigint, refund_no text,
    return_no text, amount bigint, why text)`
  ctx.later(sql`update split_shares s set wanted_back = s.wanted_back + n.amount
    from (select split_id, party_no, sum(amount) as amount from ${given} group by 1, 2) n
    where s.split_id = n.split_id and s.party_no = n.party_no`)
  ctx.later(sql`update split_outs o set amount = o.amount - n.amount
    from (select party, config_id, sum(amount) as amount from ${given}
      where config_id is not null group by 1, 2) n
    where o.org_id = n.party and o.config_id = n.config_id`)
  ctx.later(sql`insert into split_returns (org_id, device_id, split_id, party_no, party_org_id,
      refund_no, return_no, config_id, amount, state, fail_reason, done_at, next_at, created_at)
    select n.org_id, n.device_id, n.split_id, n.party_no, n.party, n.refund_no, n.return_no,
      n.config_id, n.amount, case when n.why is null then 'SENDING' else 'DEBT' end, n.why,
      case when n.why is not null then ${ctx.now}::timestamptz end,
      case when n.why is null then ${ctx.now}::timestamptz end, ${ctx.now}::timestamptz
    from ${given}`)
  ctx.afterCommit(() => ctx.app.jobs.poke(returnsName))
}

/** So many are done in one act; more are another act. */
export const mostDue = 500
/**
 * What is due and leaves its collector by no channel is done: its shares may be withdrawn. What was
 * touched meanwhile is looked at first.
 */
export const settleDue = (app: App): Promise<number> =>
  bySystem(app, async (ctx) => {
    const done = await rowsOf<{ orgId: number }>(ctx.db)`
      update split_orders s set state = 'DONE', done_at = ${ctx.now}, fail_reason = null,
        ledger_by = null, version = s.version + 1
      from (select id from split_orders o where o.state = 'READY' and o.due_at <= ${ctx.now}
          and o.fail_reason is null and o.touched_at is null
          and (o.mode = 'LEDGER' or not exists (select from split_shares h
            where h.split_id = o.id and not h.is_collector
              and h.given > h.returned + h.netted))
        order by o.due_at limit ${mostDue} for no key update skip locked) due
      where s.id = due.id and s.state = any(${splitFrom('DONE')}::text[])
      returning s.org_id as "orgId"`
    if (done.length) ctx.touch('splits', [...new Set(done.map(({ orgId }) => orgId))])
    return done.length
  })

/** So long what was done is counted: what a bank brings comes within days. */
const doneDays = 60
/**
 * Adds up the changes of what is due, so that screens read a line for each party and day. Two who do
 * it at once leave two lines, which say the same.
 */
export const foldDues = (app: App): Promise<void> =>
  bySystem(app, async (ctx) => {
    const since = addDays(shanghaiDay(ctx.now), -doneDays)
    await sql`with fresh as (delete from split_dues where not kept returning *),
        gone as (delete from split_dues where kept and done and day < ${since}::date),
        old as (delete from split_dues k using (select distinct org_id, config_id, mode, done, day
            from fresh) f
          where k.kept and k.org_id = f.org_id and k.config_id is not distinct from f.config_id
            and k.mode = f.mode and k.done = f.done and k.day is not distinct from f.day
          returning k.*)
      insert into split_dues (org_id, config_id, mode, done, day, amount, kept)
      select org_id, config_id, mode, done, day, sum(amount), true
      from (select * from fresh union all select * from old) x
      where not done or day >= ${since}::date
      group by 1, 2, 3, 4, 5 having sum(amount) <> 0`.execute(ctx.db)
    // what referrers were given is asked for as long as they are
    await sql`with fresh as (delete from referrer_dues where not kept returning *),
        old as (delete from referrer_dues k using (select distinct referrer_id, config_id, done, day
            from fresh) f
          where k.kept and k.referrer_id = f.referrer_id
            and k.config_id is not distinct from f.config_id and k.done = f.done and k.day = f.day
          returning k.*)
      insert into referrer_dues (org_id, referrer_id, config_id, done, day, amount, kept)
      select org_id, referrer_id, config_id, done, day, sum(amount), true
      from (select * from fresh union all select * from old) x
      group by 1, 2, 3, 4, 5 having sum(amount) <> 0`.execute(ctx.db)
  })
