import { sql } from 'kysely'
import { z } from 'zod'
import { type Ctx, personName, visible } from '../../../server/context.ts'
import { onlyRow, rowOf } from '../../../server/rows.ts'
import { shape } from '../../../server/shapes.ts'
import type { Input } from '../../../shared/contract.ts'
import { addDays, shanghaiDay, startOfDay } from '../../../shared/instants.ts'
import { partyOf } from '../../ledger/rules.ts'
import { notYetOf } from '../../ledger/server/owed.ts'
import type { Method } from '../../payout-accounts/rules.ts'
import { calledSql } from '../../referrers/server/people.ts'
import { settingsOf } from '../../settings/server/values.ts'
import { WithdrawalRow, type withdrawals } from '../contract.ts'
import type { Funds, WithdrawalState } from '../rules.ts'

const withdrawal = (ctx: Ctx) =>
  shape(
    WithdrawalRow.extend({
      stuck: z.boolean(),
      requestedBy: z.number(),
      approvedBy: z.number().nullable(),
    }),
    ['withdrawals', 'w'],
    {
      orgName: sql`o.name`,
      referrerName: calledSql(ctx),
      received: sql`case when w.state = 'PAID' then w.amount - w.fee end`,
      method: sql<Method>`w.method`,
      state: sql<WithdrawalState>`w.state`,
      reason: sql`coalesce(nullif(w.reason, ''), w.last_error, '')`,
      requester: sql`coalesce(${personName('q')}, '')`,
      requestTime: sql`w.requested_at`,
      approver: personName('a'),
      approveTime: sql`w.approved_at`,
      secondApprover: personName('s'),
      payer: personName('p'),
      payTime: sql`w.paid_at`,
      stuck: sql`w.state in ('PAYING','CONFIRMING') and w.next_at is null`,
      requestedBy: sql`w.requested_by`,
      approvedBy: sql`w.approved_by`,
    },
    ['secondNeeded', 'can'],
  )
/** Names of people are for whoever sees them: those who decide sit in the platform. */
const person = (ctx: Ctx, alias: string, column: string) => sql`left join users ${sql.ref(alias)}
  on ${sql.ref(`${alias}.id`)} = ${sql.ref(`w.${column}`)} and ${visible(ctx, `${alias}.org_id`)}`
const from = (ctx: Ctx) => sql`withdrawals w join organisations o on o.id = w.org_id
  left join referrers r on r.id = w.referrer_id
  ${person(ctx, 'q', 'requested_by')} ${person(ctx, 'a', 'approved_by')}
  ${person(ctx, 's', 'second_by')} ${person(ctx, 'p', 'paid_by')}`
const readable = (ctx: Ctx) => visible(ctx, 'w.org_id')

export const list = (ctx: Ctx, input: Input<typeof withdrawals.list>) =>
  withdrawal(ctx).page(ctx.db, {
    from: from(ctx),
    countFrom: sql`withdrawals w`,
    input,
    last: sql`w.id`,
    sort: { requestTime: sql`w.requested_at`, amount: sql`w.amount` },
    filled: ['requestTime', 'amount'],
    where: [
      readable(ctx),
      input.orgId && sql`w.org_id = ${input.orgId}`,
      input.referrerId && sql`w.referrer_id = ${input.referrerId}`,
      input.state && sql`w.state = ${input.state}`,
      input.method && sql`w.method = ${input.method}`,
      input.withdrawalNo && sql`w.withdrawal_no = ${input.withdrawalNo.toUpperCase()}`,
      input.minAmount !== undefined && sql`w.amount >= ${input.minAmount}`,
      input.maxAmount !== undefined && sql`w.amount <= ${input.maxAmount}`,
      input.from && sql`w.requested_at >= ${startOfDay(input.from)}`,
      input.to && sql`w.requested_at < ${startOfDay(addDays(input.to, 1))}`,
    ],
  })
export const one = (ctx: Ctx, id: number) =>
  withdrawal(ctx).one(ctx.db, sql`from ${from(ctx)} where w.id = ${id} and ${readable(ctx)}`)

export type Held = {
  id: number
  orgId: number
  referrerId: number | null
  no: string
  round: number
  amount: number
  method: Method
  holder: string
  bankName: string
  account: Buffer
  state: WithdrawalState
  stuck: boolean
  requestedBy: number
  approvedBy: number | null
  payeeHash: Buffer | null
  payeeMonth: string | null
}
/** Locked until the commit. */
export const held = (ctx: Ctx, id: number) =>
  rowOf<Held>(ctx.db)`select w.id, w.org_id as "orgId", w.referrer_id as "referrerId",
      w.withdrawal_no as no, w.round, w.amount, w.method, w.holder, w.bank_name as "bankName", w.account, w.state,
      w.state in ('PAYING','CONFIRMING') and w.next_at is null as stuck,
      w.requested_by as "requestedBy", w.approved_by as "approvedBy",
      w.payee_hash as "payeeHash", to_char(w.payee_month, 'YYYY-MM-DD') as "payeeMonth"
    from withdrawals w where w.id = ${id} and ${readable(ctx)} for no key update`

/**
 * Income of the last days, which may still go back: what was credited on days that are over (kept
 * by day) and since, without what withdrawals gave back.
 */
async function reserved(ctx: Ctx, orgId: number, days: number): Promise<number> {
  if (!days) return 0
  const since = addDays(shanghaiDay(ctx.now), 1 - days)
  const { income, back } = await onlyRow<{ income: number; back: number }>(ctx.db)`
    with summed as (select coalesce(max(day), ${since}::date - 1) as day from ledger_days
      where org_id = ${orgId} and code = '2002' and day >= ${since}::date)
    select ((select coalesce(sum(credit), 0) from ledger_days
        where org_id = ${orgId} and code = '2002' and day >= ${since}::date)
      + (select coalesce(-sum(e.amount), 0) from summed, ledger_accounts a
        join ledger_entries e on e.account_id = a.id and e.amount < 0
          and e.org_id = ${orgId}
        where a.org_id = ${orgId} and a.code = '2002'
          and e.created_at >= ((summed.day + 1)::timestamp at time zone 'Asia/Shanghai')
          and e.created_at >= ${startOfDay(since)}))::bigint as income,
      (select coalesce(sum(amount), 0)::bigint from withdrawals
        where org_id = ${orgId} and referrer_id is null and returned_at >= ${startOfDay(since)}) as back`
  return Math.max(0, income - back)
}

type Limits = { minimum: number; perDay: number; used: number }
export type Party = { readonly orgId: number; readonly referrerId: number | null }

/** A referrer's, of orders that are not done, of the last days, and what others hold. */
const heldOf = async (ctx: Ctx, referrerId: number, days: number): Promise<number> =>
  (
    await onlyRow<{ fen: number }>(ctx.db)`select referrer_not_payable(${referrerId}::bigint,
      ${addDays(shanghaiDay(ctx.now), 1 - days)}::date) as fen`
  ).fen

/** What a party has, as the ledger keeps it, and how it may be asked for. */
export async function fundsOf(
  ctx: Ctx,
  { orgId, referrerId }: Party,
): Promise<Funds & Limits & { underWay: number; ledgerMode: boolean }> {
  const settings = await settingsOf(ctx.db, orgId, [
    'funds.minWithdrawal',
    'funds.withdrawalsPerDay',
    'funds.refundReserveDays',
  ])
  const row = await onlyRow<
    Omit<Funds, 'reserve'> & { underWay: number; used: number; ledgerMode: boolean }
  >(ctx.db)`
    select coalesce(max(balance) filter (where code in ('2002','2004')), 0)::bigint as balance,
      coalesce(max(balance) filter (where code in ('1101','1102')), 0)::bigint as debts,
      coalesce(max(balance) filter (where code in ('2003','2005')), 0)::bigint as "underWay",
      (select count(*)::int from withdrawals where org_id = ${orgId}
        and referrer_id is not distinct from ${referrerId}::bigint
        and requested_at >= ${startOfDay(shanghaiDay(ctx.now))}) as used,
      exists (select from ledger_balances b where ${visible(ctx, 'b.org_id')}
        and b.code in ('2002','2003') and b.balance > 0) as "ledgerMode"
    from ledger_balances where party = ${partyOf({ orgId, referrerId })}`
  const days = settings['funds.refundReserveDays']
  return {
    ...row,
    reserve: referrerId
      ? await heldOf(ctx, referrerId, days)
      : (await notYetOf(ctx, orgId)) + (await reserved(ctx, orgId, days)),
    minimum: settings['funds.minWithdrawal'],
    perDay: settings['funds.withdrawalsPerDay'],
  }
}
