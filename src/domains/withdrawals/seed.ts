import { sql } from 'kysely'
import type { Config } from '../../server/config.ts'
import type { Db } from '../../server/database.ts'
import { rowOf, rowsOf } from '../../server/rows.ts'
import { platformOrg } from '../../shared/access.ts'
import { shanghaiDay } from '../../shared/instants.ts'
import type { Voucher } from '../ledger/rules.ts'
import { type Method, masked } from '../payout-accounts/rules.ts'
import { sealAccount } from '../payout-accounts/server/accounts.ts'
import { givenBack, paidOut, setAside, type WithdrawalState } from './rules.ts'

type Person = { userId: number; orgId: number; orgName: string }
type Case = {
  state: WithdrawalState
  amount: number
  method: Method
  daysAgo: number
  reason?: string
}
const numbers: Record<Method, string> = {
  BANK: '6222021208001234567',
  WECHAT: 'oUpF8uMuAJO_M2pxb1Q9zNjWeS6o',
  ALIPAY: 'finance@huodao.example',
}
// biome-ignore format: a table
const cases: readonly Case[] = [
  { state: 'PAID', amount: 268_000, method: 'BANK', daysAgo: 9 },
  { state: 'PAID', amount: 45_600, method: 'ALIPAY', daysAgo: 7 },
  { state: 'REJECTED', amount: 120_000, method: 'BANK', daysAgo: 6, reason: '银行账户信息待核实' },
  { state: 'CANCELLED', amount: 30_000, method: 'BANK', daysAgo: 5 },
  { state: 'FAILED', amount: 66_000, method: 'WECHAT', daysAgo: 4, reason: 'PAYEE_REFUSED' },
  { state: 'CONFIRMING', amount: 18_800, method: 'WECHAT', daysAgo: 0 },
  { state: 'APPROVED', amount: 352_000, method: 'BANK', daysAgo: 1 },
  { state: 'PENDING', amount: 88_000, method: 'BANK', daysAgo: 0 },
]

/** One withdrawal in each state, of whoever keeps the books of an operator and of an agent. */
export async function seedWithdrawals(db: Db, config: Config, now: Date): Promise<void> {
  const people = await rowsOf<Person & { username: string }>(db)`
    select u.username, u.id as "userId", o.id as "orgId", o.name as "orgName" from users u
    join organisations o on o.id = u.org_id where u.username in ('agent', 'operator', 'finance')
      and o.kind <> 'PLATFORM' order by u.id`
  const admin = await rowOf<{ id: number }>(db)`select id from users where username = 'admin'`
  if (!admin) return
  const seen = new Set<number>()
  let n = 0
  for (const person of people) {
    if (seen.has(person.orgId)) continue
    seen.add(person.orgId)
    await accounts(db, config, person, now)
    await book(db, now, [earned(person.orgId, 2_000_000)])
    for (const one of cases) {
      n += 1
      await withdraw(db, person, admin.id, one, n, now)
    }
  }
  await sql`select count(nextval('withdrawal_numbers')) from generate_series(1, ${n}::int)`.execute(
    db,
  )
}

const earned = (orgId: number, amount: number): Voucher => ({
  ...{ key: `al:demo:${orgId}`, type: 'V3', orgId, orderId: null, orderNum: null, configId: null },
  entries: [
    { account: '2001', amount },
    { account: '2002', amount: -amount },
  ],
})

async function accounts(db: Db, config: Config, { orgId, orgName }: Person, now: Date) {
  const at = new Date(now.getTime() - 30 * 86_400_000)
  for (const method of ['BANK', 'WECHAT', 'ALIPAY'] as const)
    await sql`insert into payout_accounts (org_id, method, holder, bank_name, account, account_no,
        changed_at, created_at)
      values (${orgId}, ${method}, ${orgName}, ${method === 'BANK' ? '招商银行' : ''},
        ${sealAccount({ config }, { orgId, method }, numbers[method])},
        ${masked(numbers[method])}, ${at}, ${at})`.execute(db)
}

async function withdraw(
  db: Db,
  { orgId, orgName, userId }: Person,
  admin: number,
  { state, amount, method, daysAgo, reason = '' }: Case,
  n: number,
  now: Date,
): Promise<void> {
  const hours = (more: number) =>
    new Date(now.getTime() - daysAgo * 86_400_000 - (3 - more) * 3_600_000)
  const no = `TX${shanghaiDay(hours(0)).replaceAll('-', '')}${String(n).padStart(8, '0')}`
  const decided = !['PENDING', 'CANCELLED'].includes(state)
  const back = ['FAILED', 'REJECTED', 'CANCELLED'].includes(state)
  const provider = method === 'BANK' || !decided ? null : 'SIMULATOR'
  await sql`insert into withdrawals (org_id, withdrawal_no, amount, account_id, method, holder,
      bank_name, account, account_no, state, reason, requested_by, requested_at, approved_by,
      approved_at, provider, paid_by, paid_at, returned_at, confirm_until, next_at, created_at)
    select ${orgId}, ${no}, ${amount}, a.id, ${method}, ${orgName}, a.bank_name, a.account,
      a.account_no, ${state}, ${reason}, ${userId}, ${hours(0)}, ${decided ? admin : null}::bigint,
      ${decided ? hours(1) : null}::timestamptz, ${provider},
      ${state === 'PAID' && !provider ? admin : null}::bigint,
      ${state === 'PAID' ? hours(2) : null}::timestamptz,
      ${back ? hours(2) : null}::timestamptz,
      ${state === 'CONFIRMING' ? new Date(now.getTime() + 20 * 3_600_000) : null}::timestamptz,
      ${state === 'CONFIRMING' ? now : null}::timestamptz, ${hours(0)}
    from payout_accounts a where a.org_id = ${orgId} and a.method = ${method} limit 1`.execute(db)
  // what the simulated channel remembers of it
  if (provider)
    await sql`insert into simulated_transfers (withdrawal_no, org_id, amount, account_no, state,
        created_at) values (${no}, ${platformOrg}, ${amount}, ${masked(numbers[method])},
        ${{ PAID: 'SUCCESS', CONFIRMING: 'CONFIRM' }[state as string] ?? 'FAILED'},
        ${hours(1)})`.execute(db)
  const of = { no, round: 1, orgId, amount }
  await book(db, hours(0), [setAside(of)])
  const account = provider ? '1001' : '1003'
  if (state === 'PAID')
    await book(db, hours(2), [paidOut(of, { account, payer: platformOrg, configId: null })])
  if (back) await book(db, hours(2), [givenBack(of)])
}

/** As `post` writes them, at a time that is over. */
async function book(db: Db, at: Date, vouchers: readonly Voucher[]): Promise<void> {
  for (const { key, type, orgId, entries } of vouchers) {
    const lines = JSON.stringify(entries.map((one) => ({ org: one.orgId ?? orgId, ...one })))
    const rows = sql`jsonb_to_recordset(${lines}::jsonb) as e(org bigint, account text,
      amount bigint)`
    await sql`insert into ledger_accounts (org_id, code) select distinct e.org, e.account
      from ${rows} on conflict (party, code, config_id) do nothing`.execute(db)
    await sql`with made as (insert into ledger_voucher_keys (key, voucher_id, org_id, created_at)
        values (${key}, nextval('ledger_vouchers_id_seq'), ${orgId}, ${at}) returning voucher_id)
      insert into ledger_entries (org_id, created_at, voucher_id, voucher_type, account_id, amount)
      select e.org, ${at}, made.voucher_id, ${type}, a.id, e.amount from made cross join ${rows}
      join ledger_accounts a on a.org_id = e.org and a.code = e.account and a.config_id is null`.execute(
      db,
    )
  }
}
