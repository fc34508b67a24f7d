import { type RawBuilder, sql } from 'kysely'
import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, found, may, nameFor, visible } from '../../../server/context.ts'
import { saysOnly } from '../../../server/counted.ts'
import { all, answerOf, selectPage } from '../../../server/lists.ts'
import { onlyRow, rowOf, rowsOf } from '../../../server/rows.ts'
import type { Input } from '../../../shared/contract.ts'
import { addDays, shanghaiDay, startOfDay } from '../../../shared/instants.ts'
import type { billing } from '../contract.ts'
import type { EntryRow, Voucher } from '../ledgerContract.ts'
import { keysOf, mayReverse, sideOf, voucherIdOf, voucherNo, whatOf } from '../rules.ts'
import { balancesAt, type Place } from './marks.ts'

type Contract = typeof billing
type Query = Input<Contract['entries']>

/** Without a range or a number the last days. */
const usualDays = 7

/** To the microsecond: the place of an entry among those of its account. */
const moment = sql`to_char(e.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`

const below = (column: string, orgId: number) =>
  sql`${sql.ref(column)} = any(array(select b.id from organisations a
    join organisations b on b.path <@ a.path where a.id = ${orgId}))`

const joins = sql`join ledger_accounts a on a.id = e.account_id
  join organisations o on o.id = e.org_id
  left join ledger_voucher_keys k on k.voucher_id = e.voucher_id
  left join payment_configs c on c.id = a.config_id
  left join ledger_adjustments j on j.voucher_id = e.voucher_id
  left join users u on u.id = j.asked_by`

type Read = Place &
  Omit<EntryRow, 'id' | 'voucherNo' | 'debit' | 'credit' | 'balance' | 'summary' | 'createTime'> & {
    amount: number
    key: string | null
  }
const split = (amount: number) => ({
  debit: amount > 0 ? amount : null,
  credit: amount < 0 ? -amount : null,
})
const numberOf = (key: string | null) => (key ?? '').split(':')[1] ?? ''

export async function listEntries(ctx: Ctx, input: Query) {
  const number = input.keyword ?? null
  const voucher = number ? voucherIdOf(number) : null
  const today = shanghaiDay(ctx.now)
  const { to = number ? undefined : today } = input
  const from = input.from ?? (number || !to ? undefined : addDays(to, 1 - usualDays))
  const where = [
    visible(ctx, 'e.org_id'),
    from && sql`e.created_at >= ${startOfDay(from)}`,
    to && sql`e.created_at < ${startOfDay(addDays(to, 1))}`,
    input.account &&
      sql`e.account_id = any(array(select a.id from ledger_accounts a
          where a.code = ${input.account} and ${visible(ctx, 'a.org_id')}))`,
    input.orgId && below('e.org_id', input.orgId),
    input.type && sql`e.voucher_type = ${input.type}`,
    input.amountMin !== undefined && sql`abs(e.amount) >= ${input.amountMin}`,
    input.amountMax !== undefined && sql`abs(e.amount) <= ${input.amountMax}`,
    input.reversals &&
      sql`e.voucher_id in (select j.voucher_id from ledger_adjustments j
          where j.kind = 'REVERSE' and j.voucher_id is not null)`,
    number &&
      (voucher
        ? sql`e.voucher_id = ${voucher}`
        : sql`(e.order_id = any(array(select k.order_id from order_keys k
                where k.order_num = ${number}))
              or e.voucher_id = any(array(select k.voucher_id from ledger_voucher_keys k
                where k.key = any(${keysOf(number)}::text[]))))`),
  ]
  // each organisation's newest by its own index, as flows are found
  const direction = input.sort === 'createTime' ? sql`asc` : sql`desc`
  const newest = (bounds: RawBuilder<unknown>, depth: number) => sql`organisations g
    cross join lateral (select e.* from ledger_entries e where e.org_id = g.id
      and ${all([...where, bounds])}
      order by e.created_at ${direction}, e.id ${direction} limit ${depth}) e`
  const counted = saysOnly(input, ['from', 'to', 'type', 'orgId']) && {
    ...{ list: 'ledger_entries' as const, ctx, from: from ?? null, to: to ?? null },
    below: input.orgId && below('c.org_id', input.orgId),
    kinds: input.type && sql`c.kind = ${input.type}`,
    by: 'createTime' as const,
  }
  const { rows, ...found } = await selectPage<Read>(ctx.db, {
    grows: true,
    counted,
    columns: sql`e.id as "entryId", e.account_id as "accountId", ${moment} as at,
      e.voucher_id as "voucherId",
      e.voucher_type as type, e.org_id as "orgId", o.name as "orgName", a.code as account,
      c.merchant_name as "merchantName", e.amount, k.key,
      e.order_num as "orderNum", coalesce(u.username, '') as operator`,
    from: sql`ledger_entries e ${joins}`,
    countFrom: sql`ledger_entries e`,
    late: { name: 'e', joins, ...(!number && { from: newest }) },
    input,
    filled: ['createTime'],
    sort: { createTime: sql`e.created_at` },
    last: sql`e.id`,
    where,
  })
  const balances = await balancesAt(ctx.db, rows)
  const list = rows.map(({ entryId, accountId: _, amount, key, at, ...row }) => ({
    ...row,
    id: `${row.voucherId}.${entryId}`,
    voucherNo: voucherNo(row.voucherId),
    createTime: new Date(at).toISOString(),
    summary: whatOf(key),
    ...split(amount),
    balance: (balances.get(entryId) ?? 0) * sideOf(row.account) || 0,
    related: row.orderNum ?? numberOf(key),
  }))
  return answerOf(found, list)
}

export async function voucherOf(ctx: Ctx, voucherId: number): Promise<Voucher> {
  type Line = {
    orgName: string
    account: Voucher['entries'][number]['account']
    merchantName: string | null
    amount: number
    at: Date
    type: Voucher['type']
    orderNum: string | null
  }
  const lines = await rowsOf<Line>(ctx.db)`select o.name as "orgName", a.code as account,
      c.merchant_name as "merchantName", e.amount, e.created_at as at, e.voucher_type as type,
      e.order_num as "orderNum"
    from ledger_entries e join ledger_accounts a on a.id = e.account_id
    join organisations o on o.id = e.org_id left join payment_configs c on c.id = a.config_id
    where e.voucher_id = ${voucherId} and ${visible(ctx, 'e.org_id')} order by e.amount < 0, e.id`
  const first = found(lines[0])
  const said = await rowOf<{
    key: string
  }>(ctx.db)`select k.key from ledger_voucher_keys k
    where k.voucher_id = ${voucherId} and ${visible(ctx, 'k.org_id')}`
  const adjusted = await rowOf<{ reason: string; images: string[]; operator: string }>(ctx.db)`
    select j.reason, j.images, ${nameFor(ctx, 1, sql`coalesce(u.username, '')`)} as operator
    from ledger_adjustments j left join users u on u.id = j.asked_by
    where j.voucher_id = ${voucherId} and ${visible(ctx, 'j.org_id')}`
  const back = await rowOf<{ id: number | null }>(ctx.db)`select j.voucher_id as id
    from ledger_adjustments j where j.reverses = ${voucherId} and j.state <> 'REJECTED'
      and ${visible(ctx, 'j.org_id')}`
  const key = said?.key ?? null
  const reversible = mayReverse(whatOf(key)) && !back
  return {
    voucherId,
    voucherNo: voucherNo(voucherId),
    createTime: first.at.toISOString(),
    type: first.type,
    summary: whatOf(key),
    related: first.orderNum ?? numberOf(key),
    orderNum: first.orderNum,
    operator: adjusted?.operator ?? '',
    reason: adjusted?.reason ?? '',
    images: adjusted?.images ?? [],
    entries: lines.map(({ orgName, account, merchantName, amount }) => ({
      ...{ orgName, account, merchantName },
      ...split(amount),
    })),
    whole: lines.reduce((sum, { amount }) => sum + amount, 0) === 0,
    reversedBy: back?.id ? voucherNo(back.id) : null,
    can: { reverse: may(ctx, 'ledger:adjust') && reversible },
  }
}

/** What the nightly comparison said, and the sums of its last month; entries themselves are guarded. */
export const ledgerState: Handlers<Contract>['ledgerState'] = async (ctx) => {
  const { day, wrong, off, waiting } = await onlyRow<{
    day: string | null
    wrong: boolean
    off: number
    waiting: number
  }>(ctx.db)`select
    (select to_char(max(l.day), 'YYYY-MM-DD') from ledger_days l
      where ${visible(ctx, 'l.org_id')}) as day,
    exists (select from reconciliation_differences d where ${visible(ctx, 'd.org_id', 'd.device_id')}
      and d.part = 'LEDGER' and d.state in ('OPEN','HANDLING','REVIEW')) as wrong,
    (select coalesce(sum(l.debit - l.credit), 0)::bigint from ledger_days l where app_all()
      and ${visible(ctx, 'l.org_id')} and l.day > ${addDays(shanghaiDay(ctx.now), -32)}) as off,
    (select count(*) from ledger_adjustments j
      where ${visible(ctx, 'j.org_id')} and j.state = 'PENDING') as waiting`
  // parts of the books need not balance by themselves: their vouchers go on in those of others
  return { balanced: !wrong && (!ctx.actor.scope.all || off === 0), day, waiting }
}
