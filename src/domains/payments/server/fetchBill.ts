import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { App } from '../../../server/context.ts'
import { type BillType, type Fault, failed, retry } from '../../payment-channels/server/channels.ts'
import { connectedTo } from '../../payment-channels/server/configs.ts'
import { type Account, beginFetch, type Kept, keepBill, simulatedBill } from './bills.ts'
import { keepFunds, simulatedFunds } from './funds.ts'
import { keepShares, simulatedShares } from './splitBills.ts'

/**
 * Asks an account for its bill of a day and keeps it: what it says now counts, what it said before
 * and says no more is gone. Of two at once the later one counts, the other is `Lost`. The row of the
 * day then waits for whoever compares (`KEPT`).
 */
export async function fetchBill(
  app: App,
  account: Account,
  day: string,
  held = false,
  type: BillType = 'TRADE',
): Promise<Kept | Fault> {
  const fetch = await beginFetch(app, account, day, held, type)
  if (account.configId === null && type === 'SPLIT')
    return keepShares(app, account, day, simulatedShares(app, day), fetch)
  if (account.configId === null)
    return type === 'FUND'
      ? keepFunds(app, account, day, simulatedFunds(app, account, day), fetch)
      : keepBill(app, account, day, simulatedBill(app, day), fetch)
  const connected = await connectedTo(app, account.configId)
  if (!connected) return retry('merchant is not known')
  const fileOf = (no: number) => join(app.config.dataDir, `bill-${fetch.id}-${no}.tmp`)
  try {
    const file = fileOf(fetch.fetchNo)
    if (type === 'FUND') {
      const flow = await connected.channel.funds(day, file)
      return flow.state === 'READY' ? await keepFunds(app, account, day, flow.rows, fetch) : flow
    }
    if (type === 'SPLIT') {
      const { shares } = connected.channel
      if (!shares) return failed('this channel has no such bill')
      const said = await shares(day, file)
      return said.state === 'READY' ? await keepShares(app, account, day, said.rows, fetch) : said
    }
    const bill = await connected.channel.bill(day, file)
    return bill.state === 'READY' ? await keepBill(app, account, day, bill.rows, fetch) : bill
  } finally {
    // and what somebody left who died at it
    for (const no of [fetch.fetchNo, fetch.fetchNo - 1]) await rm(fileOf(no), { force: true })
  }
}
