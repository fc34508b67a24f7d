import { type RawBuilder, sql } from 'kysely'
import type { Ctx } from '../../../server/context.ts'
import { rowsOf } from '../../../server/rows.ts'
import { platformOrg } from '../../../shared/access.ts'
import { settingOf } from '../../settings/server/values.ts'
import { type Book, carryKey, type Facts, type Split, type Version } from '../plan.ts'
import { capOf, noReturn, usual } from '../rules.ts'

/** A party of a row as one number, and its two columns of one. */
export const partyId = (alias: string): RawBuilder<number> =>
  sql`coalesce(${sql.ref(`${alias}.party_org_id`)}, -${sql.ref(`${alias}.referrer_id`)})`
export const partyColumns = sql`case when n.party > 0 then n.party end,
  case when n.party < 0 then -n.party end`

/** What the plan of orders is made of; their rows of `split_orders` are held by the caller. */
export type Row = Pick<
  Facts,
  'orgId' | 'deviceId' | 'orderId' | 'orderAt' | 'orderNum' | 'configId' | 'paidAt'
> &
  Pick<Split, 'id' | 'splitNo' | 'state'> & { versionId: number }

export async function factsOf(ctx: Ctx, rows: readonly Row[]): Promise<Facts[]> {
  const ids = [...new Set(rows.map(({ orderId }) => orderId))]
  const times = rows.map(({ orderAt }) => orderAt.getTime())
  const [first, last] = [new Date(Math.min(...times)), new Date(Math.max(...times) + 1)]
  const orders = rowsOf<{ id: number; finalAt: Date | null }>(ctx.db)`
    select id, final_at as "finalAt" from orders
    where id = any(${ids}::bigint[]) and created_at between ${first} and ${last}`
  const units = rowsOf<Facts['units'][number] & { orderId: number }>(ctx.db)`
    select u.order_id as "orderId", u.id, u.unit_no as no, u.paid, u.vend_state = 'SUCCESS' as sold,
      u.split_version_id as "versionId",
      case when u.refund_state = 'SUCCESS' then r.refund_no end as back
    from order_units u left join refunds r on r.unit_id = u.id
    where u.order_id = any(${ids}::bigint[]) and u.created_at between ${first} and ${last}
    order by u.order_id, u.unit_no`
  const shared = rowsOf<Facts['shared'][number]>(ctx.db)`
    select split_id as "splitId", unit_id as "unitId", fee, base, gives, whole,
      back_at is not null as "isBack" from split_units
    where split_id = any(${rows.map(({ id }) => id)}::bigint[]) order by split_id, unit_no`
  const held = rowsOf<{ orderId: number; held: number }>(ctx.db)`
    select e.order_id as "orderId", -sum(e.amount)::bigint as held from ledger_entries e
    join ledger_accounts a on a.id = e.account_id and a.code = '2001'
    where e.order_id = any(${ids}::bigint[]) and e.created_at >= ${first} group by 1`
  const fixed = rowsOf<{ orderId: number; fixed: number }>(ctx.db)`
    select p.order_id as "orderId", sum(f.after_fee - f.before_fee)::bigint as fixed
    from payments p join payment_fee_fixes f on f.payment_id = p.id and f.account = '2002'
    where p.order_id = any(${ids}::bigint[]) and p.applied group by 1`
  const splitIds = rows.map(({ id }) => id)
  const outs = rowsOf<{
    splitId: number
    partyNo: number
    left: number
    kind: string
    returnConsent: boolean | null
    paidAt: Date
  }>(ctx.db)`
    select h.split_id as "splitId", h.party_no as "partyNo", h.sent - h.wanted_back as left, r.kind,
      r.return_consent as "returnConsent", q.done_at as "paidAt"
    from split_shares h join split_receivers r on r.id = h.receiver_id
    join split_requests q on q.request_no = h.sent_no
    where h.split_id = any(${splitIds}::bigint[]) and h.state = 'PAID' and h.sent > h.wanted_back`
  const returning = rowsOf<{ id: number }>(ctx.db)`
    select split_id as id from split_returns
    where split_id = any(${splitIds}::bigint[]) and state = 'SENDING'`
  const [versions, o, u, s, h, f, out, comes] = await Promise.all([
    versionsOf(ctx, rows),
    orders,
    units,
    shared,
    held,
    fixed,
    outs,
    returning,
  ])
  const fixes = new Map(f.map((row) => [row.orderId, row.fixed]))
  const finals = new Map(o.map(({ id, finalAt }) => [id, finalAt]))
  const helds = new Map(h.map((row) => [row.orderId, row.held]))
  const unitsOf = Map.groupBy(u, ({ orderId }) => orderId)
  const outsOf = Map.groupBy(out, ({ splitId }) => splitId)
  const sharedOf = Map.groupBy(s, ({ splitId }) => splitId)
  const read = [...Map.groupBy(rows, ({ orderId }) => orderId)].map(([orderId, own]): Facts => {
    const { orgId, deviceId, orderAt, orderNum, configId, paidAt } = own[0] as Row
    return {
      ...{ orgId, deviceId, orderId, orderAt, orderNum, configId, paidAt },
      finalAt: finals.get(orderId) ?? null,
      held: helds.get(orderId) ?? 0,
      feeFixed: fixes.get(orderId) ?? 0,
      splits: own.map(({ id, splitNo, state, versionId }) => ({
        ...{ id, splitNo, state },
        version: versions.get(versionId) as Version,
        returning: comes.some((one) => one.id === id),
        outs: (outsOf.get(id) ?? []).map(({ partyNo, left, paidAt, ...receiver }) => ({
          ...{ partyNo, left, why: noReturn(receiver, paidAt, ctx.now) },
        })),
      })),
      units: unitsOf.get(orderId) ?? [],
      shared: own
        .flatMap(({ id }) => sharedOf.get(id) ?? [])
        .map((one) => ({ ...one, gives: one.gives.map(Number) })),
    }
  })
  const over = ({ finalAt, paidAt }: Facts) => (finalAt ?? paidAt).getTime()
  return read.sort((a, b) => over(a) - over(b) || a.orderId - b.orderId)
}

async function versionsOf(ctx: Ctx, rows: readonly Row[]): Promise<Map<number, Version>> {
  const ids = [...new Set(rows.map(({ versionId }) => versionId))]
  const found = await rowsOf<{
    id: number
    strategyId: number
    mode: string
    feeMode: 'BEFORE' | 'AFTER'
    timing: Version['timing']
    timingNumber: number | null
    capBp: number | null
    parties: Version['parties']
  }>(ctx.db)`
    select v.id, v.strategy_id as "strategyId", v.mode, v.fee_mode as "feeMode", v.timing,
      v.timing_number as "timingNumber", c.split_cap_bp as "capBp",
      (select jsonb_agg(jsonb_build_object('orgId', ${partyId('p')}, 'ratioBp', p.ratio_bp,
        'isCollector', p.is_collector) order by p.party_no)
        from split_parties p where p.version_id = v.id) as parties
    from split_strategy_versions v left join payment_configs c on c.id = v.config_id
    where v.id = any(${ids}::bigint[])`
  return new Map(
    found.map(({ mode, feeMode, capBp, parties, ...version }) => [
      version.id,
      {
        ...{ ...version, parties },
        collector: parties.find(({ isCollector }) => isCollector)?.orgId ?? 0,
        terms: { parties, feeMode, capBp: capOf(mode, capBp ?? usual.capBp) },
      },
    ]),
  )
}

/** Held until the commit: debts by id, then balances. */
export async function bookOf(ctx: Ctx, facts: readonly Facts[]): Promise<Book> {
  const versions = facts.flatMap(({ splits }) => splits.map(({ version }) => version))
  const parties = versions.flatMap((version) => version.parties.map(({ orgId }) => orgId))
  const all = [...new Set(parties)].sort((a, b) => a - b)
  const debts = rowsOf<Book['debts'][number]>(ctx.db)`
    select id, collector_org_id as collector, ${partyId('b')} as party, rest from split_debts b
    where collector_org_id = any(${versions.map(({ collector }) => collector)}::bigint[])
      and ${partyId('b')} = any(${all}::bigint[]) and amount - netted - written_off > 0
    order by id for no key update`
  const owed = rowsOf<{ party: number; owed: number }>(ctx.db)`
    select party, owed from ledger_hold(${all}::bigint[])`
  const strategies = [...new Set(versions.map(({ strategyId }) => strategyId))]
  const carries = rowsOf<{
    strategyId: number
    collector: number
    party: number
    carry: number
  }>(ctx.db)`
    select strategy_id as "strategyId", collector_org_id as collector, ${partyId('c')} as party, carry
    from split_carries c where strategy_id = any(${strategies}::bigint[])`
  const share = settingOf(ctx.db, platformOrg, 'funds.debtShare')
  const [d, o, c, debtShareBp] = await Promise.all([debts, owed, carries, share])
  return {
    debts: d,
    owed: new Map(o.map((row) => [row.party, row.owed])),
    carries: new Map(c.map((row) => [carryKey(row, row.party), row.carry])),
    debtShareBp,
  }
}
