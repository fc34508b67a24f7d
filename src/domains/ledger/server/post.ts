import { sql } from 'kysely'
import type { Ctx } from '../../../server/context.ts'
import { perApp } from '../../../server/perApp.ts'
import { isReferrer, ofMerchant, referrersAccount, type Voucher } from '../rules.ts'

/** Accounts seen committed by this process; none is ever deleted. */
const knownAccounts = perApp(() => new Set<string>())

/**
 * Books vouchers, set-based and once: a voucher whose key exists is skipped. The statement that
 * writes its entries checks that each voucher balances and that no party's money falls below
 * nothing (`ledger_balances`). Entries of amount 0 are left out. Who books for several organisations
 * sees them: an act of the system, or of the platform.
 */
export function post(ctx: Ctx, vouchers: readonly Voucher[]): void {
  const real = vouchers.filter((voucher) => voucher.entries.some((entry) => entry.amount !== 0))
  if (!real.length) return
  const entries = real.flatMap((voucher) =>
    voucher.entries
      .filter((entry) => entry.amount !== 0)
      .map((entry) => ({ ...entry, party: entry.orgId ?? voucher.orgId }))
      .map(({ party, ...entry }) => ({
        key: voucher.key,
        voucher_type: voucher.type,
        party,
        account: isReferrer(party) ? referrersAccount(entry.account) : entry.account,
        config_id: ofMerchant.includes(entry.account) ? voucher.configId : null,
        amount: entry.amount,
        order_id: voucher.orderId,
        order_num: voucher.orderNum,
      })),
  )
  const json = JSON.stringify(entries)
  const accounts = [...new Set(entries.map((e) => `${e.party} ${e.account} ${e.config_id}`))]
  const known = knownAccounts(ctx.app)
  if (!accounts.every((account) => known.has(account)))
    ctx.later(sql`insert into ledger_accounts (org_id, code, config_id, referrer_id, created_at)
    select coalesce(r.org_id, e.party), e.account, e.config_id, r.id, ${ctx.now}::timestamptz
    from (select distinct party, account, config_id from jsonb_to_recordset(${json}::jsonb)
      as e(party bigint, account text, config_id bigint)) e
    left join referrers r on r.id = -e.party
    where not exists (select 1 from ledger_accounts a where a.party = e.party
      and a.code = e.account and a.config_id is not distinct from e.config_id)
    order by e.party, e.account, e.config_id on conflict (party, code, config_id) do nothing`)
  ctx.afterCommit(() => {
    for (const account of accounts) known.add(account)
  })
  const keys = JSON.stringify(
    real.map(({ key, orgId: org_id, factDay: fact_day }) => ({ key, org_id, fact_day })),
  )
  ctx.later(sql`with fresh as (
      insert into ledger_voucher_keys (key, voucher_id, org_id, created_at, fact_day)
      select v.key, nextval('ledger_vouchers_id_seq'), v.org_id, ${ctx.now}, v.fact_day
      from jsonb_to_recordset(${keys}::jsonb) as v(key text, org_id bigint, fact_day date)
      order by v.key on conflict (key) do nothing returning key, voucher_id
    )
    insert into ledger_entries (org_id, created_at, voucher_id, voucher_type, account_id, amount,
      order_id, order_num)
    select a.org_id, ${ctx.now}::timestamptz, f.voucher_id, e.voucher_type, a.id, e.amount,
      e.order_id, e.order_num
    from jsonb_to_recordset(${json}::jsonb) as e(key text, voucher_type text, party bigint,
      account text, config_id bigint, amount bigint, order_id bigint, order_num text)
    join fresh f on f.key = e.key
    join ledger_accounts a on a.party = e.party and a.code = e.account
      and a.config_id is not distinct from e.config_id`)
}
