import { sql } from 'kysely'
import type { Config } from '../../server/config.ts'
import type { Db } from '../../server/database.ts'
import { rowOf, rowsOf } from '../../server/rows.ts'
import { platformOrg } from '../../shared/access.ts'
import { dayMs, shanghaiDay } from '../../shared/instants.ts'
import { isReferrer, partyOf, referrersAccount, type Voucher } from '../ledger/rules.ts'
import { type Method, masked } from '../payout-accounts/rules.ts'
import { sealAccount, sealPayee } from '../payout-accounts/server/accounts.ts'
import { sealPhone } from '../referrers/server/people.ts'
import { shownName } from '../split-receivers/rules.ts'
import { givenBack, paidOut, setAside, type WithdrawalState } from './rules.ts'

type Person = { userId: number; orgId: number; orgName: string; referrerId?: number }
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
  n = await payReferrers({ db, config, now }, people, admin.id, n)
  await sql`select count(nextval('withdrawal_numbers')) from generate_series(1, ${n}::int)`.execute(
    db,
  )
}

type Referrer = Person & { name: string; bound: boolean }
// biome-ignore format: a table
const ofReferrers: Readonly<Record<string, readonly Case[]>> = {
  周建国: [
    { state: 'PAID', amount: 3_000, method: 'WECHAT', daysAgo: 3 },
    { state: 'PENDING', amount: 1_500, method: 'WECHAT', daysAgo: 0 },
  ],
  刘洋: [{ state: 'PAID', amount: 2_000, method: 'BANK', daysAgo: 2 }],
}
/**
 * Referrers whom their organisation had paid, of what they had before the sales that are split here
 * (those are shared out when the product starts). A phone that was bound is an account.
 */
async function payReferrers(
  { db, config, now }: { db: Db; config: Config; now: Date },
  people: readonly Person[],
  admin: number,
  from: number,
): Promise<number> {
  let n = from
  const found = await rowsOf<Omit<Referrer, 'userId'>>(db)`select r.id as "referrerId",
      r.org_id as "orgId", o.name as "orgName", r.referrer_name as name,
      r.openid is not null as bound
    from referrers r join organisations o on o.id = r.org_id order by r.id`
  for (const one of found) {
    const cases = ofReferrers[one.name] ?? []
    if (one.bound || cases.length)
      await accountOf(db, config, one, one.bound ? 'WECHAT' : 'BANK', now)
    const by = people.find(({ orgId }) => orgId === one.orgId)
    if (!by || !cases.length) continue
    const { orgId, referrerId } = one
    const amount = cases.reduce((sum, { amount }) => sum + amount, 0)
    const before = { orgId, orderId: null, orderNum: null, configId: null }
    await book(db, now, [
      {
        ...{ ...before, key: `adj:demo:${orgId}:${referrerId}`, type: 'V12' },
        entries: [
          { account: '2001', amount },
          { account: '2002', amount: -amount, orgId: partyOf({ orgId, referrerId }) },
        ],
      },
    ])
    for (const two of cases) {
      n += 1
      const person = { ...by, orgName: shownName(one.name), referrerId: referrerId ?? 0 }
      await withdraw(db, person, admin, two, n, now)
    }
  }
  return n
}
async function accountOf(
  db: Db,
  config: Config,
  { orgId, referrerId, name }: Omit<Referrer, 'userId'>,
  method: Method,
  now: Date,
): Promise<void> {
  const at = new Date(now.getTime() - 30 * dayMs)
  const place = { orgId, method, referrerId: referrerId ?? null }
  const account = numbers[method]
  const payee = { account, holder: name }
  const sealed =
    method === 'WECHAT'
      ? sealPhone({ config }, { id: referrerId ?? 0, orgId }, payee)
      : sealPayee({ config }, place, payee)
  await sql`insert into payout_accounts (org_id, referrer_id, method, holder, bank_name, account,
      account_no, changed_at, created_at)
    values (${orgId}, ${referrerId ?? null}, ${method}, ${shownName(name)},
      ${method === 'BANK' ? '中国建设银行' : ''},
      ${sealed}, ${masked(account)}, ${at},
      ${at})`.execute(db)
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
  { orgId, orgName, userId, referrerId = 0 }: Person,
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
  await sql`insert into withdrawals (org_id, referrer_id, withdrawal_no, amount, account_id, method, holder,
      bank_name, account, account_no, state, reason, requested_by, requested_at, approved_by,
      approved_at, provider, paid_by, paid_at, returned_at, confirm_until, next_at, created_at)
    select ${orgId}, nullif(${referrerId}::bigint, 0), ${no}, ${amount}, a.id, ${method}, ${orgName},
      a.bank_name, a.account,
      a.account_no, ${state}, ${reason}, ${userId}, ${hours(0)}, ${decided ? admin : null}::bigint,
      ${decided ? hours(1) : null}::timestamptz, ${provider},
      ${state === 'PAID' && !provider ? admin : null}::bigint,
      ${state === 'PAID' ? hours(2) : null}::timestamptz,
      ${back ? hours(2) : null}::timestamptz,
      ${state === 'CONFIRMING' ? new Date(now.getTime() + 20 * 3_600_000) : null}::timestamptz,
      ${state === 'CONFIRMING' ? now : null}::timestamptz, ${hours(0)}
    from payout_accounts a where a.org_id = ${orgId} and a.method = ${method}
      and coalesce(a.referrer_id, 0) = ${referrerId} limit 1`.execute(db)
  // what the simulated channel remembers of it
  if (provider)
    await sql`insert into simulated_transfers (withdrawal_no, org_id, amount, account_no, state,
        created_at) values (${no}, ${platformOrg}, ${amount}, ${masked(numbers[method])},
        ${{ PAID: 'SUCCESS', CONFIRMING: 'CONFIRM' }[state as string] ?? 'FAILED'},
        ${hours(1)})`.execute(db)
  const of = { no, round: 1, orgId, referrerId, amount }
  await book(db, hours(0), [setAside(of)])
  const account = provider ? '1001' : '1003'
  if (state === 'PAID')
    await book(db, hours(2), [paidOut(of, { account, payer: platformOrg, configId: null })])
  if (back) await book(db, hours(2), [givenBack(of)])
}

/** As `post` writes them, at a time that is over. */
async function book(db: Db, at: Date, vouchers: readonly Voucher[]): Promise<void> {
  for (const { key, type, orgId, entries } of vouchers) {
    const lines = JSON.stringify(
      entries.map(({ amount, account, orgId: party = orgId }) => ({
        ...{ amount, party },
        account: isReferrer(party) ? referrersAccount(account) : account,
      })),
    )
    const rows = sql`jsonb_to_recordset(${lines}::jsonb) as e(party bigint, account text,
      amount bigint)`
    await sql`insert into ledger_accounts (org_id, referrer_id, code)
      select distinct coalesce(r.org_id, e.party), r.id, e.account
      from ${rows} left join referrers r on r.id = -e.party
      on conflict (party, code, config_id) do nothing`.execute(db)
    await sql`with made as (insert into ledger_voucher_keys (key, voucher_id, org_id, created_at)
        values (${key}, nextval('ledger_vouchers_id_seq'), ${orgId}, ${at}) returning voucher_id)
      insert into ledger_entries (org_id, created_at, voucher_id, voucher_type, account_id, amount)
      select a.org_id, ${at}, made.voucher_id, ${type}, a.id, e.amount from made cross join ${rows}
      join ledger_accounts a on a.party = e.party and a.code = e.account and a.config_id is null`.execute(
      db,
    )
  }
}
