import { sql } from 'kysely'
import type { App } from '../../../server/context.ts'
import { systemScope } from '../../../server/database.ts'
import { onlyRow, rowsOf } from '../../../server/rows.ts'
import { bySystem } from '../../../server/run.ts'
import { clock } from '../../../server/work.ts'
import { shanghaiDay } from '../../../shared/instants.ts'
import { refundsName } from '../../orders/server/refunds.ts'
import { type Connected, connectedTo } from '../../payment-channels/server/configs.ts'
import { raiseSecurity } from '../../security/server/raise.ts'
import { type Account, ofAccount } from './bills.ts'
import { receive, simulator, sourceOf } from './receive.ts'

/** Trades of its bills that a channel denies before nobody asks it any more, by merchant and day. */
const mostDenied = 100

type Line = { tradeNo: string; outTradeNo: string; amount: number; orgId: number }
export type TakenIn = {
  /** Trades that came into our books now. */
  taken: string[]
  /** Why the channel did not say what became of one: it is asked again. */
  fault: string | null
}

/**
 * A bill that we make ourselves of what the simulator has signed: where money is real it knows nothing
 * more than our books, and whoever writes into it is not believed.
 */
export const isMade = (app: App, { configId }: Pick<Account, 'configId'>): boolean =>
  configId === null && app.config.production

/** Payments of a bill that are nowhere in our books. */
const missing = (app: App, account: Account, day: string, most: number): Promise<Line[]> =>
  app.database.read(
    systemScope,
    (db) => rowsOf<Line>(db)`
      select l.trade_no as "tradeNo", l.out_trade_no as "outTradeNo", l.amount, l.org_id as "orgId"
      from payment_bills l
      where ${ofAccount('l', account)} and l.day = ${day}::date
        and l.kind = 'PAY' and l.state = 'SUCCESS'
        and not exists (select from payments p
          where p.provider = l.provider and p.provider_trade_no = l.trade_no)
        and not exists (select from ledger_voucher_keys k
          where k.key = 'sus:' || l.provider || ':' || l.trade_no)
      order by l.at, l.id limit ${most}`,
  )

/**
 * What a bill says and nobody told us, each taken in by itself as if its channel had told us. A bill
 * of a channel is a hint: what it says counts when the channel says it again, signed.
 */
export async function takeIn(
  app: App,
  account: Account,
  day: string,
  most: number,
): Promise<TakenIn> {
  if (isMade(app, account)) return { taken: [], fault: null }
  const lines = await missing(app, account, day, most)
  const connected = account.configId === null ? null : await connectedTo(app, account.configId)
  if (connected) await wakeRefunds(app, account, day)
  const taken: string[] = []
  let left = mostDenied - (connected && lines.length ? await deniedToday(app, account) : 0)
  for (const line of lines) {
    if (account.configId === null) {
      const eventId = `bill:${line.tradeNo}`.slice(0, 64)
      const { tradeNo, outTradeNo, amount } = line
      await bySystem(app, (ctx) =>
        receive(ctx, simulator, { tradeNo, outTradeNo, amount, eventId }),
      )
    } else {
      if (!connected) return { taken, fault: 'merchant is not known' }
      if (left <= 0) return { taken, fault: 'the channel denied too many trades of bills today' }
      const answer = await askAfter(app, connected, day, line)
      if (answer.fault !== null) return { taken, fault: answer.fault }
      if (!answer.paid) {
        left -= 1
        await noteDenied(app, account, day)
        continue
      }
    }
    taken.push(line.tradeNo)
  }
  return { taken, fault: null }
}

const deniedToday = (app: App, account: Account): Promise<number> =>
  app.database.aside(
    async (db) =>
      (
        await onlyRow<{ n: number }>(db)`
          select coalesce(sum(d.denied), 0)::int as n from payment_bill_days d
          where ${ofAccount('d', account)} and d.denied_on = ${shanghaiDay(app.now())}::date`
      ).n,
  )
const noteDenied = (app: App, account: Account, day: string): Promise<void> =>
  bySystem(app, async (ctx) => {
    const today = sql`${shanghaiDay(ctx.now)}::date`
    await sql`update payment_bill_days d set denied_on = ${today},
        denied = case when d.denied_on = ${today} then d.denied else 0 end + 1
      where ${ofAccount('d', account)} and d.day = ${day} and d.bill_type = 'TRADE'`.execute(ctx.db)
  })

async function askAfter(
  app: App,
  { merchant, channel }: Connected,
  day: string,
  { tradeNo, outTradeNo, amount, orgId }: Line,
): Promise<{ paid: boolean; fault: string | null }> {
  const fact = await channel.query(outTradeNo)
  if ('reason' in fact) return { paid: false, fault: `payment of a bill: ${fact.reason}` }
  const paid = fact.state === 'PAID' && fact.notice.tradeNo === tradeNo
  await bySystem(app, async (ctx) => {
    if (paid) {
      await receive(ctx, sourceOf(merchant), fact.notice)
      if (fact.notice.amount === amount) return
    }
    await raiseSecurity(ctx, {
      orgId,
      kind: 'PAYMENT_MISMATCH',
      subject: tradeNo,
      detail: { why: 'BILL_ROW', day, tradeNo, outTradeNo, amount },
    })
  })
  return { paid, fault: null }
}

/** Refunds that we still ask for and the bill has: they are asked after now. */
const wakeRefunds = (app: App, account: Account, day: string): Promise<void> =>
  bySystem(app, async (ctx) => {
    const { numAffectedRows } = await sql`update refunds r set next_at = ${clock(app)}
      from payment_bills l, payments p where ${ofAccount('l', account)} and l.day = ${day}
        and l.kind = 'REFUND' and l.state = 'SUCCESS' and r.refund_no = l.refund_no
        and r.amount = l.amount and r.state = 'PROCESSING' and p.id = r.payment_id
        and ${ofAccount('p', account)}`.execute(ctx.db)
    if (numAffectedRows) ctx.afterCommit(() => app.jobs.poke(refundsName))
  })
