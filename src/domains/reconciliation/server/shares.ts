import { sql } from 'kysely'
import type { App } from '../../../server/context.ts'
import { systemScope } from '../../../server/database.ts'
import { rowsOf } from '../../../server/rows.ts'
import { bySystem } from '../../../server/run.ts'
import { clock } from '../../../server/work.ts'
import type { ReturnAnswer, SplitAnswer } from '../../payment-channels/server/channels.ts'
import { openReceiver } from '../../payment-channels/server/sealedReceivers.ts'
import { paced, splitsOf } from '../../payment-channels/server/splitChannel.ts'
import { returnsName, splitsName } from '../../splits/rules.ts'
import { type Answer, shareOf } from '../rules.ts'
import type { Treated } from './treat.ts'

/**
 * What a channel says of a share or of its return, by our number. It is asked and never told: what it
 * would pay now, our books may have settled otherwise. One that is on its way is asked after by its
 * own work.
 */
export async function askShares(app: App, { configId, subject }: Treated): Promise<Answer> {
  const { requestNo, partyNo, isReturn } = shareOf(subject)
  if (await woken(app, requestNo, isReturn)) return isReturn ? 'REFUNDING' : 'OPEN'
  if (!isReturn && partyNo === null) return 'ABSENT'
  const splits = await splitsOf(app, configId)
  if (!splits) return 'SILENT'
  const parts = await sealed(app, requestNo, isReturn)
  const first = parts[0]
  if (!first?.tradeNo) return 'ABSENT'
  const open = parts.map(({ account, kind, amount, ...rest }) => ({
    ...{ kind, amount, partyNo: rest.partyNo },
    account: openReceiver(app, rest, account),
  }))
  await paced(app, configId)
  if (isReturn)
    return returned(
      await splits.findReturn({
        ...{ returnNo: requestNo, requestNo: first.sentNo, refundNo: first.refundNo },
        ...{ tradeNo: first.tradeNo, amount: first.amount, account: open[0]?.account ?? '' },
      }),
    )
  const wanted = open.find((part) => part.partyNo === partyNo)
  if (!wanted) return 'ABSENT'
  const said = await splits.find({ requestNo, tradeNo: first.tradeNo, subject: '', parts: open })
  return paid(said, wanted.account)
}

const woken = (app: App, no: string, isReturn: boolean): Promise<boolean> =>
  bySystem(app, async (ctx) => {
    const { numAffectedRows } = isReturn
      ? await sql`update split_returns set next_at = ${clock(app)}, attempts = 0
          where return_no = ${no} and state = 'SENDING'`.execute(ctx.db)
      : await sql`update split_requests set next_at = ${clock(app)}, attempts = 0
          where request_no = ${no} and state = 'SENDING'`.execute(ctx.db)
    if (!numAffectedRows) return false
    ctx.afterCommit(() => app.jobs.poke(isReturn ? returnsName : splitsName))
    return true
  })

type Sealed = {
  partyNo: number
  kind: 'MERCHANT_ID' | 'PERSONAL_OPENID'
  account: Buffer
  configId: number | null
  orgId: number
  partyId: number
  amount: number
  sentNo: string
  refundNo: string
  tradeNo: string | null
}
/** What was asked for under this number, as our books still have it. */
const sealed = (app: App, no: string, isReturn: boolean): Promise<Sealed[]> => {
  const place = sql`h.party_no as "partyNo", r.kind, r.account, r.config_id as "configId",
    r.org_id as "orgId", r.party_org_id as "partyId", h.sent_no as "sentNo", (select
      p.provider_trade_no from payments p where p.order_id = s.order_id and p.applied) as "tradeNo"`
  return app.database.read(systemScope, (db) =>
    isReturn
      ? rowsOf<Sealed>(db)`select ${place}, b.amount, b.refund_no as "refundNo"
          from split_returns b join split_orders s on s.id = b.split_id
          join split_shares h on h.split_id = b.split_id and h.party_no = b.party_no
          join split_receivers r on r.id = h.receiver_id where b.return_no = ${no}`
      : rowsOf<Sealed>(db)`select ${place}, h.sent as amount, '' as "refundNo"
          from split_requests q join split_orders s on s.id = q.split_id
          join split_shares h on h.split_id = q.split_id and h.sent_no = q.request_no and h.sent > 0
          join split_receivers r on r.id = h.receiver_id where q.request_no = ${no}
          order by h.party_no`,
  )
}

type Found<A> = A | { state: 'ABSENT' }
function paid(said: Found<SplitAnswer>, account: string): Answer {
  if (said.state === 'FINISHED')
    return said.parts.find((part) => part.account === account)?.state === 'PAID' ? 'PAID' : 'CLOSED'
  if (said.state === 'PROCESSING') return 'OPEN'
  return said.state === 'ABSENT' ? 'ABSENT' : 'SILENT'
}
function returned({ state }: Found<ReturnAnswer>): Answer {
  if (state === 'SUCCESS') return 'REFUNDED'
  if (state === 'PROCESSING') return 'REFUNDING'
  if (state === 'ABSENT') return 'ABSENT'
  return state === 'DENIED' ? 'REFUND_FAILED' : 'SILENT'
}
