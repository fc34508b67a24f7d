import { type RawBuilder, sql } from 'kysely'
import type { Ctx } from '../../../server/context.ts'
import { shanghaiDay } from '../../../shared/instants.ts'
import { isReferrer, type Voucher } from '../../ledger/rules.ts'

/** Money of an order that moved; amounts in fen. */
export type BillFact = {
  readonly orgId: number
  readonly deviceId: number
  /** Null: the simulator. */
  readonly configId: number | null
  readonly provider: string
  readonly payType: string
  /** When the order was made, and when this happened. */
  readonly orderAt: Date
  readonly at: Date
} & { readonly [K in Amount]?: number }
type Amount = 'price' | 'refundment' | 'fee' | 'orders' | 'refundOrders'
const amounts: readonly Amount[] = ['price', 'refundment', 'fee', 'orders', 'refundOrders']

/** What pending split gave to a party; negative: it took back. */
export type ShareFact = {
  /** Of the order. */
  readonly orgId: number
  readonly orderAt: Date
  readonly orderId: number
  /** As one number, see `partyOf`: a referrer has no bill of his own. */
  readonly party: number
  readonly share: number
}

/** What vouchers of an order give to parties and take back, for `keepShares`. */
export const sharesOf = (vouchers: readonly Voucher[], orderAt: Date): ShareFact[] =>
  vouchers.flatMap(({ type, orgId, orderId, entries }) =>
    orderId !== null && (type === 'V3' || type === 'V7')
      ? entries.flatMap(({ account, amount, orgId: party = orgId }) =>
          account === '2002' || account === '1101'
            ? [{ orgId, orderAt, orderId, party, share: -amount }]
            : [],
        )
      : [],
  )

const grains = ['DAY', 'MONTH'] as const
const dayOf = (grain: (typeof grains)[number], at: Date): string =>
  grain === 'DAY' ? shanghaiDay(at) : `${shanghaiDay(at).slice(0, 7)}-01`

/** Each fact on its own day and on that of its order, by day and by month: mostly one row each. */
const spread = (facts: readonly BillFact[]) =>
  facts.flatMap((fact) =>
    grains.flatMap((grain) => {
      const own = amounts.map((name) => fact[name] ?? 0)
      const none = amounts.map(() => 0)
      const [day, ordered] = [dayOf(grain, fact.at), dayOf(grain, fact.orderAt)]
      const { orgId, deviceId, provider, payType } = fact
      const place = [orgId, deviceId, grain, fact.configId ?? 0, provider, payType]
      return day === ordered
        ? [[...place, day, ...own, ...own]]
        : [
            [...place, day, ...own, ...none],
            [...place, ordered, ...none, ...own],
          ]
    }),
  )

/**
 * Adds to the figures of bills, in the transaction that moves the money: after the figures of sales
 * and before the ledger, in the order of locks.
 */
export function keepBills(ctx: Ctx, facts: readonly BillFact[]): void {
  if (facts.length) ctx.later(billStatement(facts))
}

function billStatement(facts: readonly BillFact[]): RawBuilder<unknown> {
  return sql`insert into bill_days as r (org_id, device_id, grain, config_id, provider, pay_type, day,
      price, refundment, fee, orders, refund_orders, ordered_price, ordered_refundment,
      ordered_fee, ordered_orders, ordered_refund_orders)
    select (v->>0)::bigint, (v->>1)::bigint, v->>2, (v->>3)::bigint, v->>4, v->>5, (v->>6)::date,
      sum((v->>7)::bigint), sum((v->>8)::bigint), sum((v->>9)::bigint), sum((v->>10)::int),
      sum((v->>11)::int), sum((v->>12)::bigint), sum((v->>13)::bigint), sum((v->>14)::bigint),
      sum((v->>15)::int), sum((v->>16)::int)
    from jsonb_array_elements(${JSON.stringify(spread(facts))}::jsonb) v
    group by 1, 2, 3, 4, 5, 6, 7 order by 2, 3, 7, 4, 5, 6, 1
    on conflict (device_id, grain, day, config_id, provider, pay_type, org_id) do update
    set price = r.price + excluded.price, refundment = r.refundment + excluded.refundment,
      fee = r.fee + excluded.fee, orders = r.orders + excluded.orders,
      refund_orders = r.refund_orders + excluded.refund_orders,
      ordered_price = r.ordered_price + excluded.ordered_price,
      ordered_refundment = r.ordered_refundment + excluded.ordered_refundment,
      ordered_fee = r.ordered_fee + excluded.ordered_fee,
      ordered_orders = r.ordered_orders + excluded.ordered_orders,
      ordered_refund_orders = r.ordered_refund_orders + excluded.ordered_refund_orders`
}

/** The same for what is given to parties: by the vouchers that split, in their transaction. */
export function keepShares(ctx: Ctx, shares: readonly ShareFact[]): void {
  if (!shares.length) return
  const today = shanghaiDay(ctx.now)
  const rows = (
    facts: readonly ShareFact[],
  ) => sql`(select o.org_id as owner_id, o.device_id, coalesce(p.config_id, 0) as config_id,
        p.provider, o.pay_type, s.party, g.grain, s.share * d.own as share,
        s.share * d.ordered as ordered,
        date_trunc(g.grain, case when d.ordered = 1 and d.own = 0
          then o.created_at at time zone 'Asia/Shanghai' else ${today}::timestamp end)::date as day
      from jsonb_to_recordset(${JSON.stringify(facts)}::jsonb) as s("orgId" bigint, "orderAt" timestamptz,
        "orderId" bigint, party bigint, share bigint)
      join orders o on o.org_id = s."orgId" and o.created_at = s."orderAt" and o.id = s."orderId"
      join payments p on p.order_id = o.id and p.applied
      cross join (values (1, 0), (0, 1)) d(own, ordered)
      cross join (values ('DAY'), ('MONTH')) g(grain)) x`
  ctx.later(sql`insert into bill_days as r (org_id, device_id, grain, config_id, provider, pay_type,
      day, split, ordered_split)
    select owner_id, device_id, grain, config_id, provider, pay_type, day, sum(share), sum(ordered)
    from ${rows(shares)} group by 1, 2, 3, 4, 5, 6, 7 order by 2, 3, 7, 4, 5, 6, 1
    on conflict (device_id, grain, day, config_id, provider, pay_type, org_id) do update
    set split = r.split + excluded.split, ordered_split = r.ordered_split + excluded.ordered_split`)
  const ofOrgs = shares.filter(({ party }) => !isReferrer(party))
  if (!ofOrgs.length) return
  ctx.later(sql`insert into bill_shares as r (org_id, owner_id, device_id, grain, config_id,
      provider, pay_type, day, share, ordered_share)
    select party, owner_id, device_id, grain, config_id, provider, pay_type, day, sum(share),
      sum(ordered)
    from ${rows(ofOrgs)} group by 1, 2, 3, 4, 5, 6, 7, 8 order by 3, 4, 8, 5, 6, 7, 2, 1
    on conflict (device_id, grain, day, config_id, provider, pay_type, owner_id, org_id) do update
    set share = r.share + excluded.share, ordered_share = r.ordered_share + excluded.ordered_share`)
}
