import { type Ctx, visible } from '../../../server/context.ts'
import { rowsOf } from '../../../server/rows.ts'
import type { Share } from '../contract.ts'
import type { SplitState } from '../rules.ts'

/** Why the share of an order stands still; null: it does not. */
export type Standing = 'VEND' | 'DUE' | 'MANUAL' | 'CHANNEL' | 'PENDING_MISMATCH'
export type Settlement = {
  id: number
  splitNo: string
  state: SplitState
  paidAt: Date
  /** The last piece was final. */
  finalAt: Date | null
  accruedAt: Date | null
  dueAt: Date | null
  doneAt: Date | null
  standing: Standing | null
  shares: (Omit<Share, 'name'> & { name: string; debt: number })[]
}

/** The way of an order's money to its parties, for its timeline: those of its splits that are seen. */
export const settlementOf = (ctx: Ctx, orderNum: string): Promise<Settlement[]> =>
  rowsOf<Settlement>(ctx.db)`
    select s.id, s.split_no as "splitNo", s.state, s.created_at as "paidAt",
      o.final_at as "finalAt", s.accrued_at as "accruedAt", s.due_at as "dueAt",
      s.done_at as "doneAt",
      case when s.fail_reason is not null then s.fail_reason
        when s.state = 'WAIT' then 'VEND'
        when s.state = 'READY' and s.due_at is null then 'MANUAL'
        when s.state = 'READY' and s.due_at > ${ctx.now} then 'DUE'
        when s.state in ('READY','SPLITTING','PARTIAL','RETURNING') and s.mode <> 'LEDGER'
          then 'CHANNEL' end as standing,
      (select coalesce(jsonb_agg(jsonb_build_object('orgId', h.party_org_id, 'name', p.name,
        'isCollector', h.is_collector, 'given', h.given, 'returned', h.returned,
        'netted', h.netted, 'debt', coalesce((select sum(b.rest) from split_debts b
          where b.split_id = s.id and b.party_org_id = h.party_org_id), 0)) order by h.party_no), '[]')
        from split_shares h join split_parties p on p.version_id = s.version_id
          and p.party_no = h.party_no where h.split_id = s.id) as shares
    from split_orders s left join orders o on o.org_id = s.org_id and o.created_at = s.order_at
      and o.id = s.order_id
    where s.order_num = ${orderNum} and ${visible(ctx, 's.org_id', 's.device_id')}
    order by s.id`
