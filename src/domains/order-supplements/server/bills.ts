import { type Handlers, prepared } from '../../../server/bind.ts'
import { type App, visible } from '../../../server/context.ts'
import { systemScope } from '../../../server/database.ts'
import { onlyRow, rowsOf } from '../../../server/rows.ts'
import { bySystem } from '../../../server/run.ts'
import { Refusal } from '../../../shared/errors.ts'
import { shanghaiDay } from '../../../shared/instants.ts'
import { type Account, billSources, fetchBill } from '../../payments/server/bills.ts'
import { receive, simulator } from '../../payments/server/receive.ts'
import { type orderSupplements, supplementErrors } from '../contract.ts'

type Line = { tradeNo: string; outTradeNo: string; amount: number }
/** Of one account; what is left comes with the next call. */
const most = 1000

/** Payments of a bill that are nowhere in our books. */
const missing = (app: App, { provider, config }: Account, day: string): Promise<Line[]> =>
  app.database.read(
    systemScope,
    (db) => rowsOf<Line>(db)`
      select l.trade_no as "tradeNo", l.out_trade_no as "outTradeNo", l.amount
      from payment_bills l
      where l.provider = ${provider} and l.config = ${config} and l.day = ${day}::date
        and l.kind = 'PAY' and l.state = 'SUCCESS'
        and not exists (select from payments p
          where p.provider = l.provider and p.provider_trade_no = l.trade_no)
        and not exists (select from ledger_voucher_keys k
          where k.key = 'sus:' || l.provider || ':' || l.trade_no)
      order by l.at, l.id limit ${most}`,
  )

/**
 * The bills are asked for before the act, and each payment that is missing is taken in by itself, as
 * if its channel had told us: the order waits no longer than for a notice.
 */
export const syncBill: Handlers<typeof orderSupplements>['syncBill'] = prepared<
  (typeof orderSupplements)['syncBill'],
  readonly string[]
>({
  async prepare(app, { date }) {
    if (date > shanghaiDay(app.now())) throw new Refusal(supplementErrors.noBill)
    const sources = await billSources(app)
    const fetched = await Promise.all(sources.map((source) => fetchBill(app, source, date)))
    if (fetched.every((lines) => lines === null)) throw new Refusal(supplementErrors.noBill)
    const taken: string[] = []
    for (const source of sources)
      for (const line of await missing(app, source, date)) {
        await bySystem(app, (ctx) =>
          receive(ctx, simulator, {
            ...line,
            eventId: `bill:${line.tradeNo}`.slice(0, 64),
          }),
        )
        taken.push(line.tradeNo)
      }
    return taken
  },
  async run(ctx, { date }, taken) {
    // the lines as the actor sees them: of his organisations, or of nobody's
    const answer = await onlyRow<{ lines: number; found: number }>(ctx.db)`
      select count(*)::int as lines,
        count(*) filter (where l.trade_no = any(${[...taken]}::text[]))::int as found
      from payment_bills l where l.day = ${date}::date and l.kind = 'PAY'
        and ${visible(ctx, 'l.org_id')}`
    ctx.audit({ id: date, after: answer })
    if (taken.length) ctx.touch('orders')
    return answer
  },
})
