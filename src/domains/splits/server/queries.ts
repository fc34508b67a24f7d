import { sql } from 'kysely'
import { type Ctx, may, visible } from '../../../server/context.ts'
import { saysOnly } from '../../../server/counted.ts'
import { rowsOf } from '../../../server/rows.ts'
import { isoText, shape } from '../../../server/shapes.ts'
import type { Input } from '../../../shared/contract.ts'
import { addDays, shanghaiDay, startOfDay } from '../../../shared/instants.ts'
import { DebtRow, type Share, SplitDetail, SplitRow, type splits } from '../contract.ts'
import type { SplitState } from '../rules.ts'
import { partyId } from './facts.ts'

const person = (alias: string) =>
  sql<string | null>`coalesce(${sql.ref(`${alias}.real_name`)}, ${sql.ref(`${alias}.username`)})`
const said = (ctx: Ctx) => ({
  rtuNumber: sql`d.rtu_number`,
  orgName: sql`o.name`,
  strategyName: sql`t.name`,
  versionNo: sql`v.version_no`,
  shares: sql<Share[]>`(select coalesce(jsonb_agg(jsonb_build_object('orgId', h.party_org_id,
      'referrerId', h.referrer_id, 'name', p.name, 'isCollector', h.is_collector, 'given', h.given, 'returned', h.returned,
      'netted', h.netted, 'state', h.state, 'sent', h.sent, 'failReason', h.fail_reason)
    order by h.party_no), '[]') from split_shares h
    join split_parties p on p.version_id = s.version_id and p.party_no = h.party_no
    where h.split_id = s.id)`,
  state: sql<SplitState>`s.state`,
  failReason: sql<SplitRow['failReason']>`s.fail_reason`,
  mode: sql<SplitRow['mode']>`s.mode`,
  ledgerBy: person('l'),
  createTime: sql`s.created_at`,
  can: sql<SplitRow['can']>`jsonb_build_object(
    'run', ${may(ctx, 'split:run')}::boolean and s.state = 'READY'
      and (s.due_at is null or s.due_at > ${ctx.now}),
    'retry', ${may(ctx, 'split:retry')}::boolean and (s.fail_reason is not null
      or s.state = 'PARTIAL' or ${isStuck}),
    'toLedger', ${may(ctx, 'split:retry')}::boolean and ${stuck}
      and (s.ledger_by is null
        or ${ctx.actor.ofPlatform}::boolean and s.ledger_by <> ${ctx.actor.userId}::bigint))`,
})
/** The channel was asked until nobody asked any more, and did not say what became of it. */
const isStuck = sql<boolean>`(s.state in ('SPLITTING','RETURNING') and (exists (
    select from split_requests x
    where x.split_id = s.id and x.state = 'SENDING' and x.next_at is null)
  or exists (select from split_returns x
    where x.split_id = s.id and x.state = 'SENDING' and x.next_at is null))
  or exists (select from split_requests x where x.order_id = s.order_id and x.kind = 'RELEASE'
    and x.state = 'SENDING' and x.next_at is null))`
/** What a channel should have done. */
const stuck = sql<boolean>`s.mode <> 'LEDGER' and s.state in ('READY','PARTIAL')`
const row = (ctx: Ctx) => shape(SplitRow, ['split_orders', 's'], said(ctx))
const detail = (ctx: Ctx) =>
  shape(SplitDetail, ['split_orders', 's'], {
    ...said(ctx),
    units: sql<
      SplitDetail['units']
    >`(select coalesce(jsonb_agg(jsonb_build_object('unitNo', u.unit_no,
      'paid', u.paid, 'fee', u.fee, 'gives', to_jsonb(u.gives),
      'backAt', ${isoText(sql`u.back_at`)}) order by u.unit_no), '[]')
      from split_units u where u.split_id = s.id)`,
    returns: sql<
      SplitDetail['returns']
    >`(select coalesce(jsonb_agg(jsonb_build_object('returnNo', r.return_no,
      'refundNo', r.refund_no, 'orgId', r.party_org_id, 'amount', r.amount, 'came', r.came,
      'state', r.state, 'failReason', r.fail_reason, 'lastError', r.last_error,
      'doneAt', ${isoText(sql`r.done_at`)}) order by r.id), '[]')
      from split_returns r where r.split_id = s.id)`,
    requests: sql<
      SplitDetail['requests']
    >`(select coalesce(jsonb_agg(jsonb_build_object('requestNo', q.request_no, 'kind', q.kind,
      'state', q.state, 'lastError', q.last_error, 'channelNo', q.channel_no,
      'sentAt', ${isoText(sql`q.created_at`)}, 'doneAt', ${isoText(sql`q.done_at`)})
      order by q.id), '[]')
      from split_requests q where q.split_id = s.id or q.kind = 'RELEASE'
        and q.order_id = s.order_id)`,
    freezeDeadline: sql`case when s.mode = 'CHANNEL'
      and s.state in ('WAIT','READY','SPLITTING','PARTIAL') then s.created_at + make_interval(
        days => coalesce((select c.freeze_days from payment_configs c where c.id = s.config_id), 180))
      end`,
  })
const joins = sql`join devices d on d.id = s.device_id join organisations o on o.id = s.org_id
  join split_strategies t on t.id = s.strategy_id
  join split_strategy_versions v on v.id = s.version_id left join users l on l.id = s.ledger_by`
const readable = (ctx: Ctx) => visible(ctx, 's.org_id', 's.device_id')
const below = (column: string, orgId: number) => sql`${sql.ref(column)} in (
  select b.id from organisations a join organisations b on b.path <@ a.path where a.id = ${orgId})`

export const list = (ctx: Ctx, input: Input<typeof splits.list>) => {
  // whoever names one finds it; of all, a week
  const named = input.orderNum || input.splitNo || input.odd
  const to = input.to ?? shanghaiDay(ctx.now)
  const from = input.from ?? (named && !input.to ? null : addDays(to, -6))
  return row(ctx).page(ctx.db, {
    from: sql`split_orders s ${joins}`,
    countFrom: sql`split_orders s`,
    late: { name: 's', joins },
    input,
    last: sql`s.id`,
    sort: { createTime: sql`s.created_at` },
    filled: ['createTime'],
    grows: true,
    counted: saysOnly(input, ['from', 'to', 'state', 'orgId']) && {
      ...{ list: 'split_orders', ctx, from, to, by: 'createTime' },
      below: input.orgId && below('c.org_id', input.orgId),
      kinds: input.state && sql`c.kind = ${input.state}`,
    },
    where: [
      readable(ctx),
      from && sql`s.created_at >= ${startOfDay(from)}`,
      sql`s.created_at < ${startOfDay(addDays(to, 1))}`,
      input.orderNum && sql`s.order_num = ${input.orderNum}`,
      input.splitNo && sql`s.split_no = ${input.splitNo}`,
      input.state && sql`s.state = ${input.state}`,
      input.orgId && below('s.org_id', input.orgId),
      input.partyId &&
        sql`exists (select from split_shares h where h.split_id = s.id
          and h.party_org_id = ${input.partyId})`,
      input.referrerId &&
        sql`exists (select from split_shares h where h.split_id = s.id
          and h.referrer_id = ${input.referrerId})`,
      input.due &&
        sql`s.due_at >= ${startOfDay(input.due)} and s.due_at < ${startOfDay(addDays(input.due, 1))}`,
      input.odd && sql`(s.state = 'PARTIAL' or s.fail_reason is not null)`,
    ],
  })
}
export const one = (ctx: Ctx, id: number) =>
  detail(ctx).one(ctx.db, sql`from split_orders s ${joins} where s.id = ${id} and ${readable(ctx)}`)

export type Held = {
  id: number
  version: number
  isStuck: boolean
  orgId: number
  orderId: number
  state: SplitState
  mode: string
  failReason: string | null
  ledgerBy: number | null
  dueAt: Date | null
  createdAt: Date
}
/** Locked until the commit. */
export const held = async (ctx: Ctx, id: number): Promise<Held | undefined> =>
  (
    await rowsOf<Held>(ctx.db)`select s.id, s.version, ${isStuck} as "isStuck",
      s.org_id as "orgId", s.order_id as "orderId", s.state, s.mode,
      s.fail_reason as "failReason", s.ledger_by as "ledgerBy", s.due_at as "dueAt",
      s.created_at as "createdAt"
    from split_orders s where s.id = ${id} and ${readable(ctx)} for no key update`
  )[0]

const debt = (ctx: Ctx) =>
  shape(DebtRow, ['split_debts', 'b'], {
    partyName: sql`p.name`,
    collectorName: sql`c.name`,
    age: sql`greatest(0, floor(extract(epoch from ${ctx.now}::timestamptz - b.created_at) / 86400))::int`,
    offBy: person('u'),
    createTime: sql`b.created_at`,
    can: sql<DebtRow['can']>`jsonb_build_object('writeOff', ${may(ctx, 'ledger:adjust')}::boolean
      and b.rest > 0 and b.off_by is distinct from ${ctx.actor.userId}::bigint)`,
  })
// a party may be of another tree: what it is called is said by the version it agreed to
const debtJoins = sql`join split_orders s on s.id = b.split_id
  join split_parties p on p.version_id = s.version_id
    and (p.party_org_id = b.party_org_id or p.referrer_id = b.referrer_id)
  join split_parties c on c.version_id = s.version_id and c.is_collector
  left join users u on u.id = b.off_by`
const readableDebt = (ctx: Ctx) => visible(ctx, 'b.org_id', 'b.device_id')
export const debts = (ctx: Ctx, input: Input<typeof splits.debts>) =>
  debt(ctx).page(ctx.db, {
    from: sql`split_debts b ${debtJoins}`,
    countFrom: sql`split_debts b`,
    late: { name: 'b', joins: debtJoins },
    input,
    last: sql`b.id`,
    sort: { createTime: sql`b.created_at`, rest: sql`b.rest` },
    filled: ['createTime', 'rest'],
    grows: true,
    where: [
      readableDebt(ctx),
      input.closed === false && sql`b.amount - b.netted - b.written_off > 0`,
      input.closed === true && sql`b.rest = 0`,
      input.orderNum && sql`b.order_num = ${input.orderNum}`,
      input.partyId && sql`b.party_org_id = ${input.partyId}`,
      input.referrerId && sql`b.referrer_id = ${input.referrerId}`,
    ],
  })
export const oneDebt = (ctx: Ctx, id: number) =>
  debt(ctx).one(
    ctx.db,
    sql`from split_debts b ${debtJoins} where b.id = ${id} and ${readableDebt(ctx)}`,
  )

export type HeldDebt = {
  orgId: number
  orderId: number
  orderNum: string
  configId: number | null
  party: number
  collector: number
  rest: number
  offBy: number | null
}
export const heldDebt = async (ctx: Ctx, id: number): Promise<HeldDebt | undefined> =>
  (
    await rowsOf<HeldDebt>(ctx.db)`select b.org_id as "orgId", s.order_id as "orderId",
      b.order_num as "orderNum", s.config_id as "configId", ${partyId('b')} as party,
      b.collector_org_id as collector, b.rest, b.off_by as "offBy"
    from split_debts b join split_orders s on s.id = b.split_id
    where b.id = ${id} and ${readableDebt(ctx)} for no key update of b`
  )[0]
