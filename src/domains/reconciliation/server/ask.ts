import { sql } from 'kysely'
import { prepared } from '../../../server/bind.ts'
import { type App, type Ctx, found } from '../../../server/context.ts'
import { systemScope } from '../../../server/database.ts'
import { rowOf } from '../../../server/rows.ts'
import { bySystem } from '../../../server/run.ts'
import { updateVersion } from '../../../server/shapes.ts'
import { clock } from '../../../server/work.ts'
import { Refusal } from '../../../shared/errors.ts'
import { type Providers, refundsName } from '../../orders/server/refunds.ts'
import type { RefundAnswer, RefundRequest } from '../../payment-channels/server/channels.ts'
import { connectedTo } from '../../payment-channels/server/configs.ts'
import { type Account, ofAccount } from '../../payments/server/bills.ts'
import { providers } from '../../payments/server/providers.ts'
import { receive, simulator, sourceOf } from '../../payments/server/receive.ts'
import { isMade } from '../../payments/server/takeIn.ts'
import { type reconciliation, reconciliationErrors } from '../contract.ts'
import { type Answer, mayAsk } from '../rules.ts'
import * as q from './queries.ts'
import { askShares } from './shares.ts'
import { compareAgain, type Treated } from './treat.ts'

/**
 * What a channel says of a difference, asked outside every transaction. What it says of money counts
 * as if it had told us; a refund is asked for under its number, so it is done once if it was not.
 */
export async function askChannel(app: App, difference: Treated): Promise<Answer> {
  if (difference.part === 'SPLIT') return askShares(app, difference)
  const { provider, configId, orgId, subject } = difference
  const account = { provider, configId, orgId } as Account
  const refund = await app.database.read(
    systemScope,
    (db) => rowOf<Refund>(db)`
      select r.id, r.state, r.refund_no as "refundNo", r.amount, p.provider,
        p.config_id as "configId", p.out_trade_no as "outTradeNo",
        coalesce(p.provider_trade_no, '') as "tradeNo", p.amount as total
      from refunds r join payments p on p.id = r.payment_id
      where r.refund_no = ${subject} and ${ofAccount('p', account)}`,
  )
  if (refund) return askRefund(app, refund)
  if (isMade(app, account)) return 'ABSENT'
  const named = await app.database.read(
    systemScope,
    (db) => rowOf<{ outTradeNo: string; amount: number }>(db)`
      select l.out_trade_no as "outTradeNo", l.amount from payment_bills l
      where ${ofAccount('l', account)} and l.kind = 'PAY' and l.trade_no = ${subject}
        and l.state = 'SUCCESS'
      union all select split_part(p.out_trade_no, '~', 1), p.amount from payments p
      where ${ofAccount('p', account)} and p.provider_trade_no = ${subject} and ${configId !== null}
      limit 1`,
  )
  if (!named) return 'ABSENT'
  const { outTradeNo, amount } = named
  if (configId === null) {
    const notice = { tradeNo: subject, outTradeNo, amount, eventId: `bill:${subject}`.slice(0, 64) }
    await bySystem(app, (ctx) => receive(ctx, simulator, notice))
    return 'PAID'
  }
  const connected = await connectedTo(app, configId)
  if (!connected) return 'SILENT'
  const fact = await connected.channel.query(outTradeNo)
  if ('reason' in fact) return 'SILENT'
  if (fact.state !== 'PAID') return fact.state
  await bySystem(app, (ctx) => receive(ctx, sourceOf(connected.merchant), fact.notice))
  return fact.notice.tradeNo === subject ? 'PAID' : 'ABSENT'
}

type Refund = RefundRequest & { id: number; state: string; provider: keyof Providers }
async function askRefund(app: App, refund: Refund): Promise<Answer> {
  const { id, state } = refund
  if (state === 'SUCCESS') return askDone(app, refund)
  if (state === 'CANCELLED') return 'REFUND_FAILED'
  return bySystem(app, async (ctx) => {
    // one that failed rests when its piece left after all: the buyer has it
    const { numAffectedRows } = await sql`update refunds r set next_at = ${clock(app)},
        attempts = 0, waited = 0,
        state = case state when 'FAILED' then 'PROCESSING' else state end
      where id = ${id} and (state in ('PENDING','PROCESSING') or state = 'FAILED'
        and not exists (select from order_units u where u.org_id = r.org_id
          and u.created_at = r.order_at and u.id = r.unit_id
          and u.vend_state = 'SUCCESS'))`.execute(ctx.db)
    if (!numAffectedRows) return 'REFUND_FAILED'
    ctx.afterCommit(() => app.jobs.poke(refundsName))
    return 'REFUNDING'
  })
}

const answerOf = {
  ...{ SUCCESS: 'REFUNDED', PROCESSING: 'REFUNDING' },
  ...{ FAILED: 'REFUND_FAILED', RETRY: 'SILENT' },
} as const satisfies Record<RefundAnswer['state'], Answer>
/**
 * Our books have it done, and what they say is not repeated: the channel is asked. Under its number
 * it is done once, now if it never was, and booked already.
 */
async function askDone(app: App, { id, state: _state, provider, ...request }: Refund) {
  const { configId } = request
  if (configId !== null && !(await connectedTo(app, configId))) return 'SILENT'
  const said = await providers(app)[provider].refund(request)
  if (said.state === 'SUCCESS')
    await bySystem(app, (ctx) =>
      sql`update refunds set provider_refund_no = ${said.providerRefundNo}
        where id = ${id} and state = 'SUCCESS'
          and provider_refund_no is distinct from ${said.providerRefundNo}`.execute(ctx.db),
    )
  return answerOf[said.state]
}

const isOpen = ({ state }: Pick<q.Held, 'state'>) => state === 'OPEN' || state === 'HANDLING'
type Asked = { difference: q.Held; answer: Answer }
export const ask = prepared<(typeof reconciliation)['ask'], Asked>({
  async prepare(app, { id }, _request, actor) {
    const difference = found(
      await app.database.read(actor.scope, (db) => q.seen({ actor, db } as Ctx, id)),
    )
    if (!isOpen(difference)) throw new Refusal(reconciliationErrors.wrongState)
    if (!mayAsk(difference.part, difference.kind)) throw new Refusal(reconciliationErrors.notAsked)
    return { difference, answer: await askChannel(app, difference) }
  },
  async run(ctx, { id, version }, { difference, answer }) {
    if (!isOpen(found(await q.held(ctx, id)))) throw new Refusal(reconciliationErrors.wrongState)
    const set = { answer, asked_at: ctx.now }
    await updateVersion(ctx, 'reconciliation_differences', { id, version }, set)
    await compareAgain(ctx, difference)
    const after = found(await q.one(ctx, id))
    ctx.audit({ id, name: after.subject, orgId: difference.orgId, after: { answer } })
    ctx.touch('reconciliation', difference.orgId)
    return after
  },
})
