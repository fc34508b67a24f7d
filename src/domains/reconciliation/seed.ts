import { sql } from 'kysely'
import type { Db } from '../../server/database.ts'
import { rowOf } from '../../server/rows.ts'
import { platformOrg } from '../../shared/access.ts'
import { addDays, shanghaiDay } from '../../shared/instants.ts'
import type { DifferenceKind, DifferenceState, Outer } from './rules.ts'

type Case = readonly [DifferenceKind, ours: number, theirs: number, DifferenceState?]
// biome-ignore format: a table
const cases: readonly Case[] = [
  ['LOCAL_ONLY', 350, 0], ['CHANNEL_ONLY', 0, 1250], ['AMOUNT', 600, 500, 'HANDLING'],
  ['STATUS', 450, 0], ['FEE', 3, 2], ['DUPLICATE', 800, 1600],
  ['CHANNEL_ONLY', 0, 12_000, 'REVIEW'], ['LOCAL_ONLY', 420, 0, 'RESOLVED'],
  ['BILL_LINE', 0, 0], ['BALANCE', 1_254_300, 1_254_200], ['SPLIT', 0, 35],
]

/** Nobody knows whose they are. */
const unknown = (kind: DifferenceKind) => ['CHANNEL_ONLY', 'BILL_LINE', 'BALANCE'].includes(kind)
const partOf = (kind: DifferenceKind): Outer =>
  kind === 'BALANCE' ? 'FUND' : kind === 'SPLIT' ? 'SPLIT' : 'BILL'
/** What the list calls the number at the channel. */
const subjectOf = (kind: DifferenceKind, turn: number): string => {
  if (kind === 'BILL_LINE') return '17 amount'
  if (kind === 'BALANCE') return '1001'
  const no = `4200002${String(turn).padStart(3, '0')}DEMO`
  return kind === 'SPLIT' ? `${no}-S1/x5c1d09e` : no
}
/** What cases make of the sums of a bill; fees, and lines that say nothing, stand beside them. */
const gapOf = (alien: boolean) =>
  cases
    .filter(([kind]) => partOf(kind) === 'BILL' && unknown(kind) === alien)
    .filter(([kind]) => kind !== 'FEE' && kind !== 'BILL_LINE')
    .reduce((sum, [, ours, theirs]) => sum + ours - theirs, 0)
/** Days whose bills agreed, until the server compares the last ones itself. */
const agreed = { first: 60, last: 1 }

/**
 * One difference of each kind between the books and the bills of a day that nobody asks for any more:
 * told as a channel's bill would tell them, nothing of the books is changed.
 */
export async function seedReconciliation(db: Db, now: Date): Promise<void> {
  const day = addDays(shanghaiDay(now), -5)
  const finance = await rowOf<{ orgId: number }>(db)`
    select org_id as "orgId" from users where username = 'finance'`
  const own = finance?.orgId ?? platformOrg
  const count = (part: Outer, theirs: boolean) =>
    cases.filter(([kind]) => partOf(kind) === part && unknown(kind) === theirs).length
  for (const [kind, ours, theirs] of cases)
    if (partOf(kind) !== 'BILL')
      await sql`insert into reconciliation_runs (org_id, day, part, provider, local_amount,
          other_count, other_amount, differences, finished_at)
        values (${unknown(kind) ? platformOrg : own}, ${day}::date, ${partOf(kind)}, 'SIMULATOR',
          ${ours}, 1, ${theirs}, 1, ${now}) on conflict do nothing`.execute(db)
  await sql`insert into reconciliation_runs (org_id, day, part, provider, local_count, local_amount,
      other_count, other_amount, differences, finished_at)
    select o.id, ${day}::date, 'BILL', 'SIMULATOR', count(p.id), coalesce(sum(p.amount), 0),
      count(p.id), coalesce(sum(p.amount), 0) - case o.id when ${platformOrg}
        then ${gapOf(true)}::bigint else ${gapOf(false)}::bigint end, case o.id when ${platformOrg}
        then ${count('BILL', true)}::int else ${count('BILL', false)}::int end, ${now}
    from (values (${platformOrg}::bigint), (${own}::bigint)) o (id)
    left join payments p on p.org_id = o.id and p.state = 'SUCCESS' and p.provider = 'SIMULATOR'
      and p.paid_at >= (${day}::date::timestamp at time zone 'Asia/Shanghai')
      and p.paid_at < ((${day}::date + 1)::timestamp at time zone 'Asia/Shanghai')
    group by o.id on conflict do nothing`.execute(db)
  await sql`insert into reconciliation_runs (org_id, day, part, provider, config_id, local_count,
      local_amount, other_count, other_amount, finished_at)
    select org_id, day, 'BILL', provider, config_id, count(*), sum(amount), count(*), sum(amount),
      least((day + 1)::timestamp at time zone 'Asia/Shanghai' + interval '10 hours 32 minutes', ${now})
    from (select org_id, provider, config_id, amount,
        (paid_at at time zone 'Asia/Shanghai')::date as day from payments where state = 'SUCCESS'
      union all select r.org_id, p.provider, p.config_id, -r.amount,
        (r.succeeded_at at time zone 'Asia/Shanghai')::date
      from refunds r join payments p on p.id = r.payment_id
      where r.state = 'SUCCESS' and r.amount > 0) x
    where day between ${addDays(shanghaiDay(now), -agreed.first)}::date
      and ${addDays(shanghaiDay(now), -agreed.last)}::date
    group by org_id, day, provider, config_id on conflict do nothing`.execute(db)
  for (const [i, [kind, ours, theirs, state = 'OPEN']] of cases.entries())
    await sql`insert into reconciliation_differences (org_id, day, part, provider, kind, subject,
        local_amount, other_amount, state, wanted, reason, treatment, handled_by, handled_at,
        created_at)
      select ${unknown(kind) ? platformOrg : own}, ${day}::date,
        ${partOf(kind)}, 'SIMULATOR', ${kind}, ${subjectOf(kind, i)},
        ${ours}, ${theirs}, ${state}, ${state === 'REVIEW' ? 'RESOLVED' : null},
        ${state === 'OPEN' || state === 'HANDLING' ? '' : '已与渠道核实'},
        ${state === 'REVIEW' || state === 'RESOLVED' ? 'CHECKED' : null},
        ${state === 'OPEN' ? null : sql`u.id`}, ${state === 'OPEN' ? null : now}::timestamptz,
        ${new Date(now.getTime() - (4 - (i % 3)) * 86_400_000)}
      from users u where u.username = 'admin'`.execute(db)
}
