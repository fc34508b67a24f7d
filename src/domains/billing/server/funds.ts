import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, found, visible } from '../../../server/context.ts'
import { rowOf, rowsOf } from '../../../server/rows.ts'
import { addDays, shanghaiDay } from '../../../shared/instants.ts'
import { notYetOf } from '../../ledger/server/owed.ts'
import { banksWork } from '../../settings/rules.ts'
import { dayTypesOf } from '../../settings/server/calendar.ts'
import type { billing } from '../contract.ts'
import type { Funds } from '../fundsContract.ts'
import { sideOf } from '../rules.ts'

type Contract = typeof billing
type Code = Funds['accounts'][number]['account']
type Account = { code: Code; configId: number | null; name: string | null; balance: number }

/** Days that are over are sums; of what came since, entries. */
const standing = (ctx: Ctx, orgId: number) =>
  rowsOf<Account>(ctx.db)`
    select a.code, a.config_id as "configId", c.merchant_name as name,
      (coalesce((select sum(d.debit - d.credit) from ledger_days d where d.org_id = a.org_id
          and d.code = a.code and d.config_id is not distinct from a.config_id), 0)
        + coalesce((select sum(n.amount) from ledger_entries n where n.account_id = a.id
          and n.created_at >= coalesce((closed.day + 1)::timestamp at time zone 'Asia/Shanghai',
            '-infinity')), 0))::bigint as balance
    from ledger_accounts a left join payment_configs c on c.id = a.config_id
      and ${visible(ctx, 'c.org_id')}
    cross join lateral (select max(d.day) as day from ledger_days d where d.org_id = a.org_id
      and d.code = a.code and d.config_id is not distinct from a.config_id) closed
    where a.org_id = ${orgId} and a.referrer_id is null and ${visible(ctx, 'a.org_id')}
    union all
    select b.code, null, null, sum(case b.code when '1102' then b.balance else -b.balance end)::bigint
    from ledger_balances b where b.org_id = ${orgId} and b.referrer_id is not null
      and ${visible(ctx, 'b.org_id')} group by 1
    order by code, "configId"`

/** The last day before it on which banks work; a channel brings the money of a day on the next one. */
async function lastWorkday(ctx: Ctx, today: string): Promise<{ since: string; works: boolean }> {
  const days = await dayTypesOf(ctx.db, addDays(today, -14), today)
  let since = addDays(today, -1)
  while (!banksWork(days, since) && since > addDays(today, -14)) since = addDays(since, -1)
  return { since, works: banksWork(days, today) }
}

export const accounts: Handlers<Contract>['accounts'] = async (
  ctx,
  { orgId = ctx.actor.orgId },
) => {
  const org = found(
    await rowOf<{ name: string }>(ctx.db)`select o.name from organisations o
      where o.id = ${orgId} and ${visible(ctx, 'o.id')}`,
  )
  const today = shanghaiDay(ctx.now)
  const first = addDays(today, -29)
  const { since, works } = await lastWorkday(ctx, today)
  const [notYet, rows, closings, income] = await Promise.all([
    notYetOf(ctx, orgId),
    standing(ctx, orgId),
    rowsOf<{ code: string; day: string; change: number }>(ctx.db)`
      select l.code, to_char(greatest(l.day, ${addDays(first, -1)}::date), 'YYYY-MM-DD') as day,
        sum(l.credit - l.debit)::bigint as change
      from ledger_days l where l.org_id = ${orgId} and ${visible(ctx, 'l.org_id')}
        and l.code in ('2001','2002') group by 1, 2`,
    // on a day without banks nothing comes
    works
      ? rowsOf<{ configId: number; net: number }>(ctx.db)`select b.config_id as "configId",
          sum(b.price - b.refundment - b.fee)::bigint as net
        from bill_days b where b.org_id = ${orgId} and ${visible(ctx, 'b.org_id', 'b.device_id')}
          and b.grain = 'DAY' and b.day >= ${since} and b.day < ${today} group by 1`
      : [],
  ])
  const codes = [...new Set(rows.map(({ code }) => code))]
  const sum = (code: Code) =>
    rows.reduce((n, row) => (row.code === code ? n + row.balance * sideOf(code) : n), 0) || 0
  return {
    orgId,
    orgName: org.name,
    available: Math.max(0, sum('2002') - sum('1101') - notYet),
    accounts: codes.map((account) => ({ account, balance: sum(account) })),
    merchants: rows
      .filter(({ code }) => code === '1001')
      .map(({ configId, name, balance }) => ({
        configId,
        name,
        balance,
        expectedToday: income.find((one) => one.configId === (configId ?? 0))?.net ?? 0,
      })),
    days: closingsOf(first, today, closings, { payable: sum('2002'), pending: sum('2001') }),
  }
}

/** What stood at the end of each day; behind the last one that was summed, what stands now. */
function closingsOf(
  first: string,
  today: string,
  changes: readonly { code: string; day: string; change: number }[],
  now: { payable: number; pending: number },
): Funds['days'] {
  const until = (code: string, day: string) =>
    changes.reduce((n, one) => (one.code === code && one.day <= day ? n + one.change : n), 0)
  const last =
    changes
      .map(({ day }) => day)
      .sort()
      .at(-1) ?? ''
  return Array.from({ length: 30 }, (_, at) => addDays(first, at)).map((day) =>
    day > last || day === today
      ? { day, ...now }
      : { day, payable: until('2002', day), pending: until('2001', day) },
  )
}
