import { sql } from 'kysely'
import type { Db } from '../../server/database.ts'

/**
 * Money that no order takes: of every two one of another amount than its order, at the machines whose
 * orders were closed last, and one for an order that nobody knows. Somebody finds out what was bought.
 */
export async function seedOrderSupplements(db: Db, now: Date): Promise<void> {
  await sql`with last as (
      select distinct on (o.device_id) o.* from orders o
      where o.order_status = 'CLOSED' and o.created_at > ${new Date(now.getTime() - 7 * 86_400_000)}
      order by o.device_id, o.created_at desc),
    chosen as (select l.*, n % 2 = 1 as known,
        case when n % 2 = 1 then l.order_num else left(l.order_num, 8) || '9' || right(l.order_num, 11)
        end as told_num
      from (select l.*, row_number() over (order by l.created_at desc, l.id) as n from last l) l
      order by n limit 6),
    paid as (insert into payments (org_id, device_id, order_id, order_at, order_num, out_trade_no,
        provider, provider_trade_no, amount, state, paid_at, created_at)
      select org_id, case when known then device_id end, case when known then id end,
        case when known then created_at end, case when known then order_num end,
        'HD' || told_num || '~DEMO', 'SIMULATOR', '42000027' || right(order_num, 12),
        total_amount + 50, 'SUCCESS', created_at + interval '20 seconds',
        created_at + interval '20 seconds' from chosen
      returning *),
    listed as (insert into order_cases (org_id, device_id, order_id, order_num, payment_id, kind,
        amount, created_at)
      select org_id, device_id, order_id, order_num, id, 'UNMATCHED_PAYMENT', amount, paid_at
      from paid),
    -- as its channel told it, and says again in its bill
    told as (insert into payment_events (org_id, payment_id, provider, event_id, kind, raw, outcome,
        created_at)
      select case when order_id is not null then org_id end,
        case when order_id is not null then id end, provider, 'demo-stray-' || provider_trade_no,
        'PAID', jsonb_build_object('eventId', 'demo-stray-' || provider_trade_no, 'outTradeNo',
          left(out_trade_no, 22), 'tradeNo', provider_trade_no, 'amount', amount, 'paidAt', paid_at),
        case when order_id is null then 'UNKNOWN' else 'MISMATCH' end, paid_at
      from paid),
    v as (select nextval('ledger_vouchers_id_seq') as voucher_id, p.* from paid p),
    keys as (insert into ledger_voucher_keys (key, voucher_id, org_id, created_at)
      select 'sus:' || id, voucher_id, org_id, paid_at from v),
    accounts as (insert into ledger_accounts (org_id, code)
      select distinct v.org_id, c.code from v cross join (values ('1001'), ('2901')) c (code)
      on conflict (party, code, config_id) do update set code = excluded.code returning id, org_id, code)
    insert into ledger_entries (org_id, created_at, voucher_id, voucher_type, account_id, amount,
      order_id, order_num)
    select v.org_id, v.paid_at, v.voucher_id, 'V11', a.id,
      case when a.code = '1001' then v.amount else -v.amount end, v.order_id, v.order_num
    from v join accounts a on a.org_id = v.org_id`.execute(db)
}
