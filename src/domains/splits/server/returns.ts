import { sql } from 'kysely'
import type { App, Ctx } from '../../../server/context.ts'
import { onlyRow, rowOf } from '../../../server/rows.ts'
import { bySystem } from '../../../server/run.ts'
import type { Ending, Kind, Piece } from '../../../server/work.ts'
import { returnCame } from '../../ledger/rules.ts'
import { post } from '../../ledger/server/post.ts'
import { type ReturnAnswer, retry } from '../../payment-channels/server/channels.ts'
import { openReceiver } from '../../payment-channels/server/sealedReceivers.ts'
import { paced, splitsOf } from '../../payment-channels/server/splitChannel.ts'
import { isShort, returnsName, returnWaits } from '../rules.ts'
import { addDebts } from './accrue.ts'
import { tellOf } from './send.ts'

/**
 * After a refund the channel brings shares back, each under one number. What does not come is its
 * party's debt: when the channel says so, or when it had no money for a day. The buyer has his money
 * already; what is unclear stays on its way until it is clear.
 */
type Due = Piece & {
  id: number
  orgId: number
  splitId: number
  partyNo: number
  party: number
  refundNo: string
  returnNo: string
  configId: number | null
  amount: number
}

export const returnKind = (app: App): Kind<Due, ReturnAnswer> => ({
  name: returnsName,
  table: 'split_returns',
  reads: sql`t.id, t.org_id as "orgId", t.split_id as "splitId", t.party_no as "partyNo",
    t.party_org_id as party, t.refund_no as "refundNo", t.return_no as "returnNo",
    t.config_id as "configId", t.amount`,
  atOnce: 4,
  leaseSeconds: 120,
  waits: returnWaits,
  async do(due) {
    const answer = await attempt(app, due)
    return answer.state === 'PROCESSING' ? retry(answer.state) : answer
  },
  mark,
})

async function attempt(app: App, due: Due): Promise<ReturnAnswer> {
  const splits = await splitsOf(app, due.configId)
  const paid = await bySystem(
    app,
    (ctx) =>
      rowOf<{
        account: Buffer
        configId: number | null
        orgId: number
        partyId: number
        requestNo: string
        tradeNo: string | null
      }>(ctx.db)`
      select r.account, r.config_id as "configId", r.org_id as "orgId",
        r.party_org_id as "partyId", h.sent_no as "requestNo", (select p.provider_trade_no
          from payments p where p.order_id = s.order_id and p.applied) as "tradeNo"
      from split_shares h join split_receivers r on r.id = h.receiver_id
      join split_orders s on s.id = h.split_id
      where h.split_id = ${due.splitId} and h.party_no = ${due.partyNo}`,
  )
  if (!splits || !paid || paid.tradeNo === null) return retry('merchant is not known')
  const { account, requestNo, tradeNo, ...place } = paid
  const { returnNo, refundNo, amount, configId } = due
  await paced(app, configId)
  return splits.giveBack({
    ...{ returnNo, requestNo, refundNo, tradeNo, amount },
    account: openReceiver(app, place, account),
  })
}

async function mark(ctx: Ctx, due: Due, to: Ending<ReturnAnswer>): Promise<void> {
  const order = await onlyRow<{
    orgId: number
    orderId: number
    orderNum: string
    deviceId: number
    configId: number | null
    collector: number
  }>(ctx.db)`select s.org_id as "orgId", s.order_id as "orderId", s.order_num as "orderNum",
      s.device_id as "deviceId", s.config_id as "configId", (select party_org_id
        from split_parties p where p.version_id = s.version_id and p.is_collector) as collector
    from split_orders s where s.id = ${due.splitId} for no key update`
  const reason = 'reason' in to ? to.reason.slice(0, 200) : ''
  const isOver = to.state === 'SUCCESS' || to.state === 'DENIED'
  const gaveUp = to.state === 'FAILED' && isShort(reason)
  if (!isOver && !gaveUp) {
    const { rows } = await sql`update split_returns set next_at = ${to.nextAt},
        last_error = ${reason}
      where ${due.ours} and state = 'SENDING' returning 1`.execute(ctx.db)
    if (to.state === 'FAILED' && rows.length) await tellOf(ctx, due.returnNo, 'RETURN', reason)
    ctx.touch('splits', due.orgId)
    return
  }
  // more than was asked for is nothing of this share
  const came = to.state === 'SUCCESS' ? Math.max(0, Math.min(to.amount, due.amount)) : 0
  const { rows } = await sql`update split_returns set state = ${came ? 'DONE' : 'DEBT'},
      came = ${came}, fail_reason = ${came ? null : reason}, last_error = null,
      done_at = ${ctx.now}, next_at = null
    where ${due.ours} and state = 'SENDING' returning 1`.execute(ctx.db)
  if (!rows.length) return
  // a receiver that does not let money be taken back is not asked again
  if (to.state === 'DENIED' && reason === 'NO_AUTH')
    ctx.later(sql`update split_receivers r set return_consent = false, version = version + 1
      from split_shares h where h.split_id = ${due.splitId} and h.party_no = ${due.partyNo}
        and r.id = h.receiver_id`)
  ctx.later(sql`update split_orders s set version = version + 1,
      state = case when exists (select from split_units u
        where u.split_id = s.id and u.back_at is null) then 'DONE' else 'RETURNED' end
    where s.id = ${due.splitId} and s.state = 'RETURNING' and not exists (
      select from split_returns r where r.split_id = s.id and r.state = 'SENDING')`)
  const { party, splitId, refundNo } = due
  const rest = due.amount - came
  if (rest > 0)
    addDebts(ctx, [
      {
        ...{ id: null, facts: order, splitId, refundNo, collector: order.collector },
        ...{ party, amount: rest, rest },
      },
    ])
  const { orgId, orderId, orderNum, configId } = order
  if (came > 0)
    post(ctx, [returnCame(due.returnNo, party, came, { orgId, orderId, orderNum, configId })])
  ctx.touch('splits', due.orgId)
}

/** Shares that the refund of a piece takes back with it, at a channel that does so. */
export const backsOf = (app: App, refundNo: string) =>
  bySystem(app, async (ctx) => {
    const { rows } = await sql<{
      kind: 'MERCHANT_ID' | 'PERSONAL_OPENID'
      account: Buffer
      configId: number | null
      orgId: number
      partyId: number
      amount: number
    }>`select r.kind, r.account, r.config_id as "configId", r.org_id as "orgId",
        r.party_org_id as "partyId", least(u.gives[h.party_no], h.sent - h.wanted_back) as amount
      from refunds f join split_units u on u.unit_id = f.unit_id
      join split_shares h on h.split_id = u.split_id and h.state = 'PAID'
      join split_receivers r on r.id = h.receiver_id and r.kind = 'MERCHANT_ID'
        and r.return_consent is distinct from false
      where f.refund_no = ${refundNo}`.execute(ctx.db)
    return rows
      .filter(({ amount }) => amount > 0)
      .map(({ kind, amount, account, ...place }) => ({
        ...{ kind, amount: Number(amount), account: openReceiver(app, place, account) },
      }))
  })
