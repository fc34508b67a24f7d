import { type RawBuilder, sql } from 'kysely'
import type { App, Ctx } from '../../../server/context.ts'
import { type Db, systemScope } from '../../../server/database.ts'
import { onlyRow, rowsOf } from '../../../server/rows.ts'
import { bySystem } from '../../../server/run.ts'
import { platformOrg } from '../../../shared/access.ts'
import { addDays, shanghaiDay } from '../../../shared/instants.ts'
import { bi } from '../../../shared/text.ts'
import { notify } from '../../notices/server/notify.ts'
import { type Account, simulated } from '../../payments/server/bills.ts'
import { fixFee } from '../../payments/server/fees.ts'
import { raiseSecurity } from '../../security/server/raise.ts'
import {
  type DifferenceKind,
  inner,
  type Outer,
  type Part,
  smallFees,
  type Window,
  windowOf,
} from '../rules.ts'
import { billDifferences, billTotals } from './billCheck.ts'
import { checksOf, present, type Span, totals } from './checks.ts'
import { fundDifferences, fundTotals } from './fundCheck.ts'
import { splitDifferences, splitTotals } from './splitCheck.ts'

/**
 * The daily comparison of orders, payments, refunds, stock, ledger and bills. A part is read in one
 * snapshot, which holds up nobody, and what it found is written in one short act; that act is the
 * mark that the part is done, so a run that was broken off goes on with the next part.
 */

export type Found = {
  orgId: number
  deviceId: number | null
  kind: DifferenceKind
  subject: string
  orderNum: string | null
  localAmount: number
  otherAmount: number
}
type Total = {
  orgId: number
  localCount: number
  localAmount: number
  otherCount: number
  otherAmount: number
}
type Compared = { found: Found[]; totals: Total[] }

/** Of one kind and day; where there is more, something is wrong that one row says as well. */
const most = 1000
const nobody: Account = { ...simulated, provider: '' as never }

/** Where the oldest order lies that the day's money is about. */
async function spanOf(db: Db, window: Window): Promise<Span> {
  const { since } = await onlyRow<{ since: Date | null }>(db)`
    select min(order_at) as since from (
      select order_at from payments where paid_at >= ${window.from} and paid_at < ${window.until}
      union all select order_at from refunds
      where succeeded_at >= ${window.from} and succeeded_at < ${window.until}) x`
  return { ...window, since: since && since < window.from ? since : window.from }
}

const limited = (db: Db, query: RawBuilder<unknown>) =>
  rowsOf<Found>(db)`select * from (${query}) found limit ${most}`

type Books = Pick<App, 'database' | 'now'>
/** What does not fit on that day, without writing anything. */
export const compare = (app: Books, part: Part, day: string, account = nobody): Promise<Compared> =>
  app.database.snapshot(systemScope, async (db) => {
    const window = windowOf(day)
    if (part === 'BILL')
      return {
        found: await limited(db, billDifferences(account, window, app.now())),
        totals: await rowsOf<Total>(db)`${billTotals(account, window)}`,
      }
    if (part === 'FUND')
      return {
        found: await limited(db, fundDifferences(account, window)),
        totals: await rowsOf<Total>(db)`${fundTotals(account, window)}`,
      }
    if (part === 'SPLIT')
      return {
        found: await limited(db, splitDifferences(account, window, app.now())),
        totals: await rowsOf<Total>(db)`${splitTotals(account, window)}`,
      }
    const span = await spanOf(db, window)
    const found: Found[] = []
    for (const { kind, sql: query } of checksOf(part))
      for (const row of await limited(db, query(span))) found.push({ ...row, kind })
    return { found, totals: await rowsOf<Total>(db)`${totals[part](span)}` }
  })

type Place = { part: Part; day: string; account: Account }

/**
 * Keeps what was found: once, however often it is found. What is open and was not found this time
 * has been mended.
 */
async function keep(ctx: Ctx, { part, day, account }: Place, compared: Compared): Promise<void> {
  const { found } = compared
  const { provider, configId } = account
  const same = sql`d.provider = ${provider} and d.config_id is not distinct from ${configId}
    and d.part = ${part}`
  const here = sql`jsonb_to_recordset(${JSON.stringify(found)}::jsonb) as n("orgId" bigint,
    "deviceId" bigint, kind text, subject text, "orderNum" text, "localAmount" bigint,
    "otherAmount" bigint)`
  await sql`update reconciliation_differences d
    set state = 'RESOLVED', settled = true, wanted = null, version = version + 1
    where ${same} and d.state in ('OPEN','HANDLING','REVIEW')
      and (d.day = ${day} or d.kind = any(${[...present]}::text[]))
      and not exists (select from ${here} where n.kind = d.kind and n.subject = d.subject)`.execute(
    ctx.db,
  )
  // what says how things are stays one difference, until it says something else
  const news = await rowsOf<{
    orgId: number
    kind: DifferenceKind
    amount: number
    theirs: number
  }>(ctx.db)`
    insert into reconciliation_differences as d (org_id, device_id, day, part, provider, config_id,
      kind, subject, order_num, local_amount, other_amount, created_at)
    select n."orgId", n."deviceId", ${day}::date, ${part}, ${provider}, ${configId}::bigint,
      n.kind, n.subject, n."orderNum", n."localAmount", n."otherAmount", ${ctx.now}::timestamptz
    from ${here}
    where not (n.kind = any(${[...present]}::text[])) or not exists (
      select from reconciliation_differences d where ${same} and d.kind = n.kind
        and d.subject = n.subject and d.day <> ${day} and not d.settled
        and (d.state in ('OPEN','HANDLING','REVIEW')
          or (d.local_amount, d.other_amount) = (n."localAmount", n."otherAmount")))
    order by n.kind, n.subject
    on conflict (day, kind, provider, config_id, subject) do update
      set state = 'OPEN', settled = false, local_amount = excluded.local_amount,
        other_amount = excluded.other_amount, version = d.version + 1
      where d.settled or ((d.local_amount, d.other_amount)
        is distinct from (excluded.local_amount, excluded.other_amount))
    returning d.org_id as "orgId", d.kind, d.local_amount as amount,
      d.other_amount as theirs`
  // the platform's row is the mark that the part is done
  const empty = { localCount: 0, localAmount: 0, otherCount: 0, otherAmount: 0 }
  const rows = new Map(compared.totals.map((total) => [total.orgId, total]))
  for (const orgId of [platformOrg, ...found.map((row) => row.orgId)])
    if (!rows.has(orgId)) rows.set(orgId, { orgId, ...empty })
  const count = Map.groupBy(found, (row) => row.orgId)
  const runs = [...rows.values()].map((total) => ({
    ...total,
    differences: count.get(total.orgId)?.length ?? 0,
  }))
  await sql`insert into reconciliation_runs (org_id, day, part, provider, config_id, local_count,
      local_amount, other_count, other_amount, differences, finished_at)
    select n."orgId", ${day}::date, ${part}, ${provider}, ${configId}::bigint,
      n."localCount", n."localAmount", n."otherCount", n."otherAmount", n.differences,
      ${ctx.now}::timestamptz
    from jsonb_to_recordset(${JSON.stringify(runs)}::jsonb) as n("orgId" bigint, "localCount" int,
      "localAmount" bigint, "otherCount" int, "otherAmount" bigint, differences int)
    order by n."orgId"
    on conflict (org_id, day, part, provider, config_id) do update
      set local_count = excluded.local_count, local_amount = excluded.local_amount,
        other_count = excluded.other_count, other_amount = excluded.other_amount,
        differences = excluded.differences, finished_at = excluded.finished_at`.execute(ctx.db)
  if (part === 'LEDGER') await sumAccounts(ctx, day)
  await tellOf(ctx, { part, day, account }, news)
  for (const [orgId, some] of Map.groupBy(news, (row) => row.orgId))
    await notify(ctx, {
      permission: 'recon:read',
      orgId,
      orAbove: true,
      kind: 'ORDER',
      title: bi(
        `${day} 对账发现 ${some.length} 笔差异`,
        `${some.length} differences in the books of ${day}`,
      ),
    })
}

const forged: { readonly [K in Part]?: readonly DifferenceKind[] } = {
  BILL: ['LOCAL_ONLY'],
  SPLIT: ['CHANNEL_ONLY', 'SPLIT'],
}
/**
 * Money that our books have from a merchant's channel and its bill does not: perhaps nobody paid,
 * and somebody else than the channel said so. And shares of our payments that went to somebody of whom
 * our books know nothing: perhaps somebody has the merchant's keys.
 */
async function tellOf(
  ctx: Ctx,
  { part, day, account: { configId, orgId } }: Place,
  news: readonly { kind: DifferenceKind; amount: number; theirs: number }[],
): Promise<void> {
  const odd = news.filter(({ kind }) => forged[part]?.includes(kind))
  if (configId === null || !odd.length) return
  const amount = odd.reduce((sum, row) => sum + Math.max(row.amount, row.theirs), 0)
  await raiseSecurity(ctx, {
    orgId,
    kind: 'PAYMENT_MISMATCH',
    subject: `${day} #${configId}`,
    detail: { why: part === 'BILL' ? 'BILL' : 'BILL_SHARE', day, times: odd.length, amount },
  })
}

/** Debit and credit of each account on a day that is over: the trial balance adds these up. */
const sumAccounts = (ctx: Ctx, day: string): Promise<unknown> => {
  const { from, until } = windowOf(day)
  return sql`insert into ledger_days (org_id, day, code, config_id, debit, credit)
    select e.org_id, ${day}::date, a.code, a.config_id,
      coalesce(sum(e.amount) filter (where e.amount > 0), 0),
      coalesce(-sum(e.amount) filter (where e.amount < 0), 0)
    from ledger_entries e join ledger_accounts a on a.id = e.account_id
    where e.created_at >= ${from} and e.created_at < ${until} group by 1, 3, 4
    order by 1, 3, 4 on conflict (org_id, day, code, config_id) do update
      set debit = excluded.debit, credit = excluded.credit`.execute(ctx.db)
}

export async function reconcilePart(app: App, place: Place): Promise<Found[]> {
  const compared = await compare(app, place.part, place.day, place.account)
  const fixed = await fixSmallFees(app, place, compared.found)
  compared.found = compared.found.filter((one) => !fixed.has(one))
  await bySystem(app, (ctx) => keep(ctx, place, compared))
  return compared.found
}

/** Rounding of a channel is no work for anybody: each in an act of its own, and a row that says so. */
async function fixSmallFees(app: App, { part, day, account }: Place, found: readonly Found[]) {
  const fixed = new Set<Found>()
  if (part === 'BILL')
    for (const one of smallFees(found)) {
      const { subject: tradeNo, otherAmount: fee } = one
      const done = await bySystem(app, async (ctx) => {
        if (!(await fixFee(ctx, account, day, { tradeNo, fee }))) return false
        ctx.later(sql`insert into reconciliation_differences as d (org_id, device_id, day, part,
            provider, config_id, kind, subject, order_num, local_amount, other_amount, state, settled,
            treatment, reason, handled_at, created_at)
          values (${one.orgId}, ${one.deviceId}, ${day}::date, ${part}, ${account.provider},
            ${account.configId}, 'FEE', ${tradeNo}, ${one.orderNum}, ${one.localAmount}, ${fee},
            'RESOLVED', true, 'CORRECTED', ${bySystemReason}, ${ctx.now}, ${ctx.now})
          on conflict (day, kind, provider, config_id, subject) do update set state = 'RESOLVED',
            settled = true, treatment = 'CORRECTED', wanted = null, reason = excluded.reason,
            local_amount = excluded.local_amount, other_amount = excluded.other_amount,
            handled_at = excluded.handled_at, version = d.version + 1`)
        return true
      })
      if (done) fixed.add(one)
    }
  return fixed
}
const bySystemReason = '系统按渠道账单自动更正'

/** Every part of a day that is not done; `again`: also what is. */
export async function reconcileDay(app: App, day: string, again = false): Promise<Found[]> {
  const done = await app.database.aside(
    (db) =>
      rowsOf<{ part: Part }>(db)`select part from reconciliation_runs
      where org_id = ${platformOrg} and day = ${day} and part = any(${[...inner]}::text[])`,
  )
  const found: Found[] = []
  for (const part of inner)
    if (again || !done.some((row) => row.part === part))
      found.push(...(await reconcilePart(app, { part, day, account: nobody })))
  return found
}

/** Days nobody compared, oldest first, and those of which something is open. */
export async function reconcile(app: App): Promise<void> {
  const last = addDays(shanghaiDay(app.now()), -1)
  const { first } = await app.database.aside(
    (db) =>
      onlyRow<{ first: string | null }>(db)`
      select coalesce((select max(day) + 1 from reconciliation_runs
          where org_id = ${platformOrg} and part = 'LEDGER'),
        (select (min(created_at) at time zone 'Asia/Shanghai')::date from ledger_entries),
        ${last}::date) as first`,
  )
  for (let day = first ?? last; day <= last; day = addDays(day, 1)) await reconcileDay(app, day)
  const open = await app.database.aside(
    (db) =>
      rowsOf<{ day: string; part: Part }>(db)`
      select distinct day, part from reconciliation_differences
      where state in ('OPEN','HANDLING','REVIEW') and part = any(${[...inner]}::text[])
        and day >= ${addDays(last, -30)}::date and day < ${last}::date order by 1, 2`,
  )
  for (const { day, part } of open) await reconcilePart(app, { part, day, account: nobody })
}

/** Everything of a day, compared and not written: for whoever asks by hand. */
export async function verifyDay(app: Books, day: string): Promise<Found[]> {
  const found: Found[] = []
  for (const part of inner) found.push(...(await compare(app, part, day)).found)
  const bills = await app.database.aside(
    (db) => rowsOf<Account & { part: Outer }>(db)`select provider, config_id as "configId",
        org_id as "orgId", case bill_type when 'TRADE' then 'BILL' else bill_type end as part
      from payment_bill_days where day = ${day} and fetched_at is not null order by id`,
  )
  for (const { part, ...account } of bills)
    found.push(...(await compare(app, part, day, account)).found)
  return found
}
