import type { Ctx } from '../../../server/context.ts'
import { rowOf } from '../../../server/rows.ts'
import { suspenseIn } from '../../ledger/rules.ts'
import { post } from '../../ledger/server/post.ts'
import { openCase } from '../../orders/server/verbs.ts'
import type { Source } from './receive.ts'

/**
 * Money for an order that nobody knows: a payment of its own without order and machine, in suspense,
 * until a person finds out what it was for. A trade is kept once.
 */
export async function openLost(
  ctx: Ctx,
  { provider, configId, orgId }: Pick<Source, 'provider' | 'configId' | 'orgId'>,
  { outTradeNo, tradeNo, amount }: { outTradeNo: string; tradeNo: string; amount: number },
): Promise<boolean> {
  if (amount === 0) return false
  const made = await rowOf<{ id: number }>(ctx.db)`
    insert into payments (org_id, out_trade_no, provider, config_id, provider_trade_no, amount, state,
      paid_at, created_at)
    values (${orgId}, ${`${outTradeNo}~${tradeNo}`}, ${provider}, ${configId}, ${tradeNo}, ${amount},
      'SUCCESS', ${ctx.now}, ${ctx.now})
    on conflict do nothing returning id`
  if (!made) return false
  const of = { orgId, orderId: null, orderNum: null, configId }
  post(ctx, [suspenseIn(made.id, amount, of)])
  const nothing = { device_id: null, order_id: null, order_at: null, order_num: null }
  await openCase(ctx, { id: made.id, org_id: orgId, ...nothing, amount }, 'UNMATCHED_PAYMENT')
  return true
}
