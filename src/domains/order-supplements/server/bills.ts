import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { type Handlers, prepared } from '../../../server/bind.ts'
import { type App, type Ctx, visible } from '../../../server/context.ts'
import { perApp } from '../../../server/perApp.ts'
import { exists, onlyRow } from '../../../server/rows.ts'
import { bySystem } from '../../../server/run.ts'
import { clock, Lost } from '../../../server/work.ts'
import { Refusal } from '../../../shared/errors.ts'
import { addDays, shanghaiDay } from '../../../shared/instants.ts'
import { type Account, accountsOf, billsName, ofAccount } from '../../payments/server/bills.ts'
import { fetchBill } from '../../payments/server/fetchBill.ts'
import { takeIn } from '../../payments/server/takeIn.ts'
import { type orderSupplements, supplementErrors } from '../contract.ts'

/** Of one account; the worker, which compares the bill then, takes in the rest. */
const most = 50
/** Channels keep their bills so long. */
const mostDaysBack = 90
/**
 * So long a person waits for what is known then (the answer itself has its seconds besides), and
 * how many merchants are asked beside each other.
 */
export const patience = { ms: 50_000, sideBySide: 4 }
/** After the answer this server goes on with what it began, no longer: it may have died. */
const takeOverSeconds = 120
/** A bill that is so fresh is not asked for again. */
const freshMs = 60_000

/**
 * The merchants whom the machines of this person are paid through: of his organisations, or of one
 * above them.
 */
const accountsFor = (app: App, { scope }: Ctx['actor'], day: string): Promise<Account[]> =>
  accountsOf(app, day, scope.all ? undefined : [...scope.orgs, ...scope.ancestors])

type Synced = { had: boolean; taken: readonly string[] }
const running = perApp(() => new Map<string, Promise<Synced>>())
/** Once for all who ask for it now. */
function sync(app: App, account: Account, day: string): Promise<Synced> {
  const asked = running(app)
  const key = `${account.configId} ${day}`
  const same = asked.get(key)
  if (same) return same
  const made = syncOne(app, account, day).finally(() => asked.delete(key))
  asked.set(key, made)
  return made
}

async function syncOne(app: App, account: Account, day: string): Promise<Synced> {
  if (!(await isFresh(app, account, day))) {
    const kept = await fetchBill(app, account, day).catch((error: unknown) => {
      // the worker is at it, or another server
      if (error instanceof Lost) return null
      throw error
    })
    if (kept?.state !== 'KEPT') {
      if (kept) app.log.warn({ provider: account.provider, day, reason: kept.reason }, 'bill')
      return { had: false, taken: [] }
    }
  }
  const { taken } = await takeIn(app, account, day, most)
  app.jobs.poke(billsName)
  return { had: true, taken }
}

/** Of a simulator everything is there at once. */
const isFresh = (app: App, account: Account, day: string): Promise<boolean> =>
  account.configId === null
    ? Promise.resolve(false)
    : app.database.aside(
        (db) => exists(db)`select from payment_bill_days d where ${ofAccount('d', account)}
          and d.day = ${day} and d.bill_type = 'TRADE' and d.fetched_at > ${new Date(app.now().getTime() - freshMs)}`,
      )

type Known = { taken: readonly string[]; absent: number; pending: number }

/**
 * All of them, some beside each other, as long as a person waits. What is not known by then is work
 * of the worker: it begins with those nobody has asked, and takes over from this server what is
 * still not here when its time is up.
 */
async function syncAll(
  app: App,
  accounts: readonly Account[],
  day: string,
  until: number,
): Promise<Known> {
  const left = [...accounts]
  const begun = new Set<Account>()
  const known: { taken: string[]; absent: number } = { taken: [], absent: 0 }
  let isOver = false
  const ask = async () => {
    for (let next = left.shift(); next && !isOver; next = left.shift()) {
      begun.add(next)
      const synced = await sync(app, next, day)
      begun.delete(next)
      if (isOver) return
      if (!synced.had) known.absent += 1
      known.taken.push(...synced.taken)
    }
  }
  const all = Promise.all(Array.from({ length: patience.sideBySide }, ask))
  // what goes on after the answer is nobody's to hear
  all.catch((error: unknown) => isOver && app.log.warn({ err: error, day }, 'bill'))
  const timer = new AbortController()
  const over = sleep(Math.max(0, until - performance.now()), 'over', { signal: timer.signal })
  const first = await Promise.race([all, over]).finally(() => timer.abort())
  if (first !== 'over') return { ...known, pending: 0 }
  isOver = true
  const later = [
    ...left.splice(0).map((account) => ({ ...account, after: 0 })),
    ...[...begun].map((account) => ({ ...account, after: takeOverSeconds })),
  ]
  await leaveToWorker(app, later, day)
  return { ...known, pending: later.length }
}

/**
 * Asked for by the worker, again where it is known already. What a worker has it keeps; what this
 * server began is due when its time is up.
 */
const leaveToWorker = (
  app: App,
  accounts: readonly (Account & { after: number })[],
  day: string,
): Promise<void> =>
  bySystem(app, async (ctx) => {
    await sql`insert into payment_bill_days as d (org_id, provider, config_id, day, next_at)
      select n."orgId", n.provider, n."configId", ${day}::date,
        ${clock(app)} + make_interval(secs => n.after)
      from jsonb_to_recordset(${JSON.stringify(accounts)}::jsonb)
        as n("orgId" bigint, provider text, "configId" bigint, after int)
      order by n."configId" nulls first
      on conflict (provider, config_id, day, bill_type) do update set state = 'WAITING', attempts = 0,
        next_at = excluded.next_at where d.state in ('DONE','FAILED')
          or (d.state = 'WAITING' and d.next_at > excluded.next_at
            and excluded.next_at > ${clock(app)})`.execute(ctx.db)
    ctx.afterCommit(() => app.jobs.poke(billsName))
  })

/**
 * The bills are asked for before the act, and each payment that is missing is taken in by itself, as
 * if its channel had told us: the order waits no longer than for a notice.
 */
export const syncBill: Handlers<typeof orderSupplements>['syncBill'] = prepared<
  (typeof orderSupplements)['syncBill'],
  Known
>({
  async prepare(app, { date }, _request, actor) {
    const until = performance.now() + patience.ms
    const today = shanghaiDay(app.now())
    if (date > today || date < addDays(today, -mostDaysBack))
      throw new Refusal(supplementErrors.noBill)
    const accounts = await accountsFor(app, actor, date)
    const known = await syncAll(app, accounts, date, until)
    if (known.absent === accounts.length) throw new Refusal(supplementErrors.noBill)
    return known
  },
  async run(ctx, { date }, { taken, absent, pending }) {
    // the lines as the actor sees them: of his organisations, or of nobody's
    const seen = await onlyRow<{ lines: number; found: number }>(ctx.db)`
      select count(*)::int as lines,
        count(*) filter (where l.trade_no = any(${[...taken]}::text[]))::int as found
      from payment_bills l where l.day = ${date}::date and l.kind = 'PAY'
        and ${visible(ctx, 'l.org_id')}`
    const answer = { ...seen, absent, pending }
    ctx.audit({ id: date, after: answer })
    if (taken.length) ctx.touch('orders')
    return answer
  },
})
