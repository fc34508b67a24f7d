import { sql } from 'kysely'
import type { App, Ctx } from '../../../server/context.ts'
import { rowsOf } from '../../../server/rows.ts'
import { bySystem } from '../../../server/run.ts'
import { clock, type Kind, type Piece } from '../../../server/work.ts'
import { addDays, shanghaiDay } from '../../../shared/instants.ts'
import { otherMerchant } from '../../payment-channels/server/bills.ts'
import { type BillType, billTypes, retry } from '../../payment-channels/server/channels.ts'
import {
  type Account,
  accountsOf,
  billLease,
  billsName,
  ofAccount,
} from '../../payments/server/bills.ts'
import { fetchBill } from '../../payments/server/fetchBill.ts'
import { importSettlements } from '../../payments/server/funds.ts'
import { mayHaveShares, wakeShares } from '../../payments/server/splitBills.ts'
import { takeIn } from '../../payments/server/takeIn.ts'
import { raiseSecurity } from '../../security/server/raise.ts'
import type { Outer } from '../rules.ts'
import { openRun } from './openRun.ts'
import { reconcilePart } from './run.ts'

/**
 * The bill of a day, of whatever provider: asked for until it is there, kept, what it says and we
 * never heard taken in, and compared with our books.
 */

type Due = Piece & {
  id: number
  org_id: number
  provider: Account['provider']
  config_id: number | null
  day: string
  bill_type: BillType
  state: 'WAITING' | 'KEPT'
}
/** Payments we do not know; of more of them the list of differences tells. */
const mostMissing = 500
/** Days a bill may be late, or wrong at first. */
const billDays = 3

export const billKind = (app: App): Kind<Due, { state: 'DONE' }> => ({
  name: billsName,
  table: 'payment_bill_days',
  atOnce: 1,
  leaseSeconds: billLease,
  waits: [1800, 1800, 3600, 3600, 7200, 21_600, 43_200],
  reads: sql`to_char(t.day, 'YYYY-MM-DD') as day`,
  async do({ day, state, bill_type: type, org_id: orgId, provider, config_id: configId }) {
    const account = { provider, configId, orgId }
    if (state === 'WAITING') {
      const kept = await fetchBill(app, account, day, true, type)
      if (kept.state !== 'KEPT') return kept
    }
    const part = type === 'TRADE' ? 'BILL' : type
    if (type === 'FUND') await importSettlements(app, account, day)
    if (type === 'SPLIT') await wakeShares(app, account, day)
    const { fault } =
      type === 'TRADE' ? await takeIn(app, account, day, mostMissing) : { fault: null }
    // the other half of a difference may lie in the bill beside it
    for (const near of await keptDays(app, account, day, type))
      await reconcilePart(app, { part, day: near, account })
    // what was taken in moved channel money
    if (type === 'TRADE') await flowAgain(app, account, day)
    return fault ? retry(fault) : { state: 'DONE' }
  },
  async mark(ctx, due, to) {
    const reason = 'reason' in to ? to.reason : null
    // what was fetched is compared, whatever else the channel does not say
    const { rows } = await sql<{ state: string }>`update payment_bill_days set
        state = case when ${to.state} = 'RETRY' then state
          when ${to.state} = 'FAILED' and state = 'WAITING' then 'FAILED' else 'DONE' end,
        next_at = ${to.nextAt}, last_error = ${reason}
      where ${due.ours} returning state`.execute(ctx.db)
    if (rows[0]?.state === 'FAILED') await tellAbsent(ctx, due, reason ?? '')
  },
})

const keptDays = async (
  app: App,
  account: Account,
  day: string,
  type: BillType,
): Promise<string[]> =>
  (
    await app.database.aside(
      (db) => rowsOf<{ day: string }>(db)`
        select to_char(d.day, 'YYYY-MM-DD') as day from payment_bill_days d
        where ${ofAccount('d', account)} and d.bill_type = ${type} and d.fetched_at is not null
          and d.day between ${addDays(day, -1)}::date and ${addDays(day, 1)}::date order by d.day`,
    )
  ).map((row) => row.day)

const flowAgain = (app: App, account: Account, day: string): Promise<void> =>
  bySystem(app, async (ctx) => {
    await sql`update payment_bill_days d set state = 'KEPT', next_at = ${clock(app)}, attempts = 0
      where ${ofAccount('d', account)} and d.day = ${day} and d.bill_type = 'FUND'
        and d.state = 'DONE' and d.fetched_at is not null`.execute(ctx.db)
  })

/** Settlements to the banks of collectors that they were not owed yet; so far back. */
const settleDays = 30
export async function settleImport(app: App): Promise<void> {
  const today = shanghaiDay(app.now())
  for (const account of await accountsOf(app, today))
    await importSettlements(app, account, addDays(today, -settleDays))
}

/** Nobody has it, or it is somebody else's: the channel, or how it was set up, is wrong. */
const tellAbsent = (ctx: Ctx, { org_id: orgId, config_id, day }: Due, reason: string) =>
  raiseSecurity(ctx, {
    orgId,
    kind: reason === otherMerchant ? 'PAYMENT_MISMATCH' : 'PAYMENT_CHANNEL',
    subject: `${day} #${config_id ?? 0}`,
    detail: { why: reason === otherMerchant ? 'BILL_MERCHANT' : 'BILL_ABSENT', day, reason },
  })

/**
 * Channels have the bill of a day by ten of the next. One that could not be had, or that does not
 * agree, is asked for again on the two mornings after: it may have been late, or corrected.
 */
export async function askForBills(app: App): Promise<void> {
  for (let back = billDays; back >= 1; back -= 1) {
    const day = addDays(shanghaiDay(app.now()), -back)
    const accounts = await accountsOf(app, day)
    await bySystem(app, async (ctx) => {
      await sql`insert into payment_bill_days as d (org_id, provider, config_id, day, bill_type, next_at)
        select n."orgId", n.provider, n."configId", ${day}::date, t.type, ${clock(app)}
        from jsonb_to_recordset(${JSON.stringify(accounts)}::jsonb)
          as n("orgId" bigint, provider text, "configId" bigint)
        cross join unnest(${[...billTypes]}::text[]) with ordinality as t(type, turn)
        where t.type <> 'SPLIT' or ${mayHaveShares(sql`n.provider`, sql`n."configId"`)}
        order by n."configId" nulls first, t.turn
        on conflict (provider, config_id, day, bill_type) do update
          set state = 'WAITING', next_at = excluded.next_at, attempts = 0
          where d.state in ('DONE','FAILED') and (${back === 1} or d.state = 'FAILED'
            or exists (select from reconciliation_differences f where f.day = d.day
              and f.part = case d.bill_type when 'TRADE' then 'BILL' else d.bill_type end
              and f.provider = d.provider
              and f.config_id is not distinct from d.config_id
              and f.state in ('OPEN','HANDLING','REVIEW')))`.execute(ctx.db)
      const asked = await rowsOf<Account & { part: Outer }>(ctx.db)`select d.provider,
          d.config_id as "configId", d.org_id as "orgId",
          case d.bill_type when 'TRADE' then 'BILL' else d.bill_type end as part
        from payment_bill_days d where d.day = ${day} order by d.id`
      for (const { part, ...account } of asked) await openRun(ctx, account, day, part)
      ctx.afterCommit(() => app.jobs.poke(billsName))
    })
  }
}
