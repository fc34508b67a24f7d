import { sql } from 'kysely'
import type { Db } from '../../server/database.ts'
import { shanghaiDay, startOfDay } from '../../shared/instants.ts'

/**
 * Sums of the days that are over, as the nightly comparison keeps them, and an adjustment in each
 * state; behind everything that books vouchers.
 */
export async function seedBilling(db: Db, now: Date): Promise<void> {
  const ago = (hours: number) => new Date(now.getTime() - hours * 3_600_000)
  const adjust = (state: string, reason: string, fen: number, asked: Date, decided: Date | null) =>
    sql<{ id: number }>`insert into ledger_adjustments (org_id, kind, debit_org_id, debit_code,
        credit_org_id, credit_code, amount, reason, state, asked_by, decided_by, decided_at,
        created_at)
      select 1, 'ADJUST', 1, '1003', o.id, '2301', ${fen}, ${reason}, ${state}, a.id,
        case when ${decided}::timestamptz is not null then b.id end, ${decided}, ${asked}
      from (select min(id) as id from organisations where kind = 'OPERATOR') o, users a, users b
      where a.username = 'admin' and b.username = 'super' returning id`.execute(db)
  await adjust('PENDING', '押金线下到账，补记入账', 50_000, ago(3), null)
  await adjust('REJECTED', '重复提交的押金补记', 50_000, ago(50), ago(48))
  await sql`with v as (select nextval('ledger_vouchers_id_seq') as id, o.id as org from
        (select min(id) as id from organisations where kind = 'OPERATOR') o),
      j as (insert into ledger_adjustments (org_id, kind, debit_org_id, debit_code, credit_org_id,
          credit_code, amount, reason, state, asked_by, decided_by, decided_at, voucher_id, created_at)
        select 1, 'ADJUST', 1, '1003', v.org, '2301', 120000, '货道押金对公转账到账', 'APPROVED', a.id,
          b.id, ${ago(70)}, v.id, ${ago(74)} from v, users a, users b
        where a.username = 'admin' and b.username = 'super' returning id, voucher_id, created_at),
      k as (insert into ledger_voucher_keys (key, voucher_id, org_id, created_at)
        select 'adj:ADJ' || to_char(j.created_at at time zone 'Asia/Shanghai', 'YYYYMMDD')
          || lpad(j.id::text, 6, '0'), v.id, 1, ${ago(70)} from v, j),
      a as (insert into ledger_accounts (org_id, code)
        select 1, '1003' union all select v.org, '2301' from v
        on conflict (party, code, config_id) do update set code = excluded.code
        returning id, org_id, code)
    insert into ledger_entries (org_id, created_at, voucher_id, voucher_type, account_id, amount)
    select a.org_id, ${ago(70)}, v.id, 'V12', a.id, case a.code when '1003' then 120000 else -120000 end
    from v, a`.execute(db)
  await sumDays(db, now)
  await sumShares(db)
}

export async function sumDays(db: Db, now: Date): Promise<void> {
  await sql`insert into ledger_days (org_id, day, code, config_id, debit, credit)
    select e.org_id, (e.created_at at time zone 'Asia/Shanghai')::date, a.code, a.config_id,
      coalesce(sum(e.amount) filter (where e.amount > 0), 0),
      coalesce(-sum(e.amount) filter (where e.amount < 0), 0)
    from ledger_entries e join ledger_accounts a on a.id = e.account_id
    where e.created_at < ${startOfDay(shanghaiDay(now))} group by 1, 2, 3, 4
    on conflict (org_id, day, code, config_id) do nothing`.execute(db)
}

/** What vouchers gave to parties, for rows that no act kept figures of. */
export async function sumShares(db: Db): Promise<void> {
  const shared = (keys: string, of = 'true') =>
    sql.raw(`select ${keys}, device_id, config_id, provider, pay_type,
      grain, date_trunc(grain, (case x when 1 then order_at else at end)
        at time zone 'Asia/Shanghai')::date as day, sum(share * (1 - x)) as own,
      sum(share * x) as ordered
    from bill_share_facts cross join (values (0), (1)) o(x)
    cross join (values ('DAY'), ('MONTH')) g(grain)
    where ${of} group by ${keys}, device_id, config_id, provider, pay_type, grain, day`)
  await sql`insert into bill_days (org_id, device_id, config_id, provider, pay_type, grain, day,
      split, ordered_split) ${shared('owner_id')}
    on conflict (device_id, grain, day, config_id, provider, pay_type, org_id) do update
      set split = excluded.split, ordered_split = excluded.ordered_split`.execute(db)
  await sql`insert into bill_shares (org_id, owner_id, device_id, config_id, provider, pay_type,
      grain, day, share, ordered_share) ${shared('org_id, owner_id', 'referrer_id is null')}
    on conflict (device_id, grain, day, config_id, provider, pay_type, owner_id, org_id) do update
      set share = excluded.share, ordered_share = excluded.ordered_share`.execute(db)
}
