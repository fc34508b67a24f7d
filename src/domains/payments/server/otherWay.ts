import { sql } from 'kysely'
import type { App } from '../../../server/context.ts'
import { rowOf } from '../../../server/rows.ts'
import { bySystem } from '../../../server/run.ts'
import { within } from '../../../server/within.ts'
import { Refusal } from '../../../shared/errors.ts'
import { deviceSplitErrors } from '../../device-splits/rules.ts'
import { hasStrategy, isBound } from '../../device-splits/server/counting.ts'
import { checkAfter } from '../../payment-channels/rules.ts'
import { payeeOf } from '../../payment-channels/server/configs.ts'
import { cachedSetting } from '../../settings/server/values.ts'
import { paymentErrors } from '../contract.ts'

export type PayType = 'WECHAT' | 'ALIPAY'
type OfOrder = {
  readonly orgId: number
  readonly orderId: number
  readonly orderAt: Date
  readonly orderNum: string
  readonly deviceId: number
}

/**
 * The buyer pays with the other channel than he ordered with: a payment beside the first, at the
 * merchant who takes money that way. Both can be paid until one is; what the other takes all the
 * same goes back. One for each channel, however often somebody changes his mind.
 */
export async function openOtherWay(app: App, order: OfOrder, payType: PayType): Promise<void> {
  const { orgId, orderId, orderAt, orderNum, deviceId } = order
  const [machine, requireSplit] = await Promise.all([
    app.database.aside(
      (db) =>
        rowOf<{ storeId: number | null; bound: boolean }>(db)`select store_id as "storeId",
        ${isBound} as bound
        from devices d where d.id = ${deviceId}`,
    ),
    cachedSetting(app, orgId, 'order.requireSplit'),
  ])
  const payee = await payeeOf(app, { orgId, storeId: machine?.storeId ?? null }, payType)
  if (!payee) throw new Refusal(paymentErrors.channelDown)
  await bySystem(app, async (ctx) => {
    if (requireSplit && !machine?.bound)
      if (!(await hasStrategy(ctx.db, orgId, payee.configId, ctx.now)))
        throw new Refusal(deviceSplitErrors.tradePaused)
    // whoever pays, closes or asks for another way takes turns
    const open = await rowOf<{ payable: number }>(
      ctx.db,
    )`select payable_amount as payable from orders
      where org_id = ${orgId} and ${within('created_at', [orderAt])} and id = ${orderId}
        and pay_state = 'UNPAID' and expire_at > ${ctx.now} for no key update`
    if (!open) throw new Refusal(paymentErrors.notPayable)
    const asked =
      payee.configId === null ? null : new Date(ctx.now.getTime() + checkAfter(0) * 1000)
    await sql`insert into payments (org_id, device_id, order_id, order_at, order_num, out_trade_no,
        provider, config_id, pay_type, amount, next_at, created_at)
      values (${orgId}, ${deviceId}, ${orderId}, ${orderAt}, ${orderNum},
        ${`HD${orderNum}_${payType}`}, ${payee.provider}, ${payee.configId}, ${payType},
        ${open.payable}, ${asked}, ${ctx.now})
      on conflict (out_trade_no) do nothing`.execute(ctx.db)
  })
}
