import { type Handlers, prepared } from '../../../server/bind.ts'
import { type App, type Ctx, visible } from '../../../server/context.ts'
import { perApp } from '../../../server/perApp.ts'
import { exists, onlyRow } from '../../../server/rows.ts'
import { Lost } from '../../../server/work.ts'
import { Refusal } from '../../../shared/errors.ts'
import { addDays, shanghaiDay } from '../../../shared/instants.ts'
import {
  type Account,
  accountsOf,
  billsName,
  fetchBill,
  ofAccount,
} from '../../payments/server/bills.ts'
import { takeIn } from '../../payments/server/takeIn.ts'
import { type orderSupplements, supplementErrors } from '../contract.ts'

/** Of one account; the worker, which compares the bill then, takes in the rest. */
const most = 50
/** Channels keep their bills so long. */
const mostDaysBack = 90
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
          and d.day = ${day} and d.fetched_at > ${new Date(app.now().getTime() - freshMs)}`,
      )

/**
 * The bills are asked for before the act, and each payment that is missing is taken in by itself, as
 * if its channel had told us: the order waits no longer than for a notice.
 */
export const syncBill: Handlers<typeof orderSupplements>['syncBill'] = prepared<
  (typeof orderSupplements)['syncBill'],
  { taken: readonly string[]; absent: number }
>({
  async prepare(app, { date }, _request, actor) {
    const today = shanghaiDay(app.now())
    if (date > today || date < addDays(today, -mostDaysBack))
      throw new Refusal(supplementErrors.noBill)
    const taken: string[] = []
    const accounts = await accountsFor(app, actor, date)
    let absent = 0
    for (const account of accounts) {
      const synced = await sync(app, account, date)
      if (!synced.had) absent += 1
      taken.push(...synced.taken)
    }
    if (absent === accounts.length) throw new Refusal(supplementErrors.noBill)
    return { taken, absent }
  },
  async run(ctx, { date }, { taken, absent }) {
    // the lines as the actor sees them: of his organisations, or of nobody's
    const seen = await onlyRow<{ lines: number; found: number }>(ctx.db)`
      select count(*)::int as lines,
        count(*) filter (where l.trade_no = any(${[...taken]}::text[]))::int as found
      from payment_bills l where l.day = ${date}::date and l.kind = 'PAY'
        and ${visible(ctx, 'l.org_id')}`
    const answer = { ...seen, absent }
    ctx.audit({ id: date, after: answer })
    if (taken.length) ctx.touch('orders')
    return answer
  },
})
