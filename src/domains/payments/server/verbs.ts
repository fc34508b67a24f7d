import { createHmac, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import { type Handlers, prepared } from '../../../server/bind.ts'
import { type App, type Ctx, found } from '../../../server/context.ts'
import { systemScope } from '../../../server/database.ts'
import { signedBody } from '../../../server/input.ts'
import { perApp } from '../../../server/perApp.ts'
import { exists, rowsOf } from '../../../server/rows.ts'
import { clock } from '../../../server/work.ts'
import { platformOrg } from '../../../shared/access.ts'
import type { Input } from '../../../shared/contract.ts'
import { common, Refusal } from '../../../shared/errors.ts'
import { refundsName } from '../../orders/server/refunds.ts'
import { Forged, type Heard, type Prepaid } from '../../payment-channels/server/channels.ts'
import { type Connected, connectedTo } from '../../payment-channels/server/configs.ts'
import { raiseApart } from '../../security/server/raise.ts'
import { transferHeard } from '../../withdrawals/server/pay.ts'
import { paymentErrors, type payments } from '../contract.ts'
import { openOtherWay } from './otherWay.ts'
import { receive, simulator, sourceOf } from './receive.ts'

export const simulatorSign = (
  key: string,
  n: Omit<Input<(typeof payments)['simulatorNotify']>, 'sign'>,
): string =>
  createHmac('sha256', key)
    .update(
      [
        n.eventId,
        n.outTradeNo,
        n.tradeNo,
        n.amount,
        n.paidAt,
        ...(n.currency || n.merchant ? [n.currency ?? '', n.merchant ?? ''] : []),
      ].join('|'),
    )
    .digest('hex')

/**
 * A signature is checked before anything is opened: a forged notice costs no transaction, and at
 * most one row a second.
 */
const simulatorNotify = prepared<(typeof payments)['simulatorNotify'], void>({
  async prepare(app, input, request) {
    const right = Buffer.from(simulatorSign(app.config.simPayKey, input), 'hex')
    if (timingSafeEqual(right, Buffer.from(input.sign, 'hex'))) return
    const detail = {
      provider: 'SIMULATOR',
      outTradeNo: input.outTradeNo,
      amount: input.amount,
      address: request.ip,
    }
    await raiseApart(app, {
      orgId: platformOrg,
      kind: 'PAYMENT_FORGED',
      subject: 'SIMULATOR',
      detail,
    })
    throw new Refusal(paymentErrors.badSignature)
  },
  run: async (ctx, input) => ({ result: await receive(ctx, simulator, input) }),
})

type Told = { connected: Connected; heard: Heard }

/** What the channel signed for this merchant; whatever else came is refused and seen. */
async function toldBy(
  app: App,
  provider: 'WECHAT' | 'ALIPAY',
  configId: number,
  request: FastifyRequest,
): Promise<Told> {
  const connected = await connectedTo(app, configId)
  if (connected?.merchant.provider !== provider) {
    // keys that nobody has verified say nothing: the channel tells it again
    const waits = await app.database.aside(
      (db) => exists(db)`select from payment_configs where id = ${configId}
        and provider = ${provider} and verified_at is null`,
    )
    throw new Refusal(waits ? paymentErrors.channelDown : common.notFound)
  }
  try {
    return {
      connected,
      heard: await connected.channel.heard(request.headers, signedBody(request)),
    }
  } catch (error) {
    if (!(error instanceof Forged)) throw error
    await raiseApart(app, {
      orgId: connected.merchant.orgId,
      kind: 'PAYMENT_FORGED',
      subject: `${provider} ${connected.merchant.mchId}`,
      detail: { provider, merchant: connected.merchant.mchId, address: request.ip },
    })
    throw new Refusal(paymentErrors.badSignature)
  }
}

async function hear(ctx: Ctx, { connected: { merchant }, heard }: Told): Promise<void> {
  if (heard.kind === 'PAID') await receive(ctx, sourceOf(merchant), heard.notice)
  // the notice only wakes who asks the channel
  if (heard.kind === 'REFUND') {
    await sql`update refunds r set next_at = ${clock(ctx.app)} from payments p
      where r.refund_no = ${heard.refundNo} and r.state = 'PROCESSING'
        and p.id = r.payment_id and p.config_id = ${merchant.id}`.execute(ctx.db)
    ctx.afterCommit(() => ctx.app.jobs.poke(refundsName))
  }
  if (heard.kind === 'TRANSFER') await transferHeard(ctx, heard.transferNo, merchant.id)
}

const wechatNotify = prepared<(typeof payments)['wechatNotify'], Told>({
  prepare: (app, { configId }, request) => toldBy(app, 'WECHAT', configId, request),
  async run(ctx, _input, told) {
    await hear(ctx, told)
    return {}
  },
})
const alipayNotify = prepared<(typeof payments)['alipayNotify'], Told>({
  prepare: (app, { configId }, request) => toldBy(app, 'ALIPAY', configId, request),
  async run(ctx, _input, told) {
    await hear(ctx, told)
    return 'success'
  },
})

type Payable = {
  id: number
  orgId: number
  deviceId: number
  orderId: number
  orderAt: Date
  orderNum: string
  payType: string
  outTradeNo: string
  provider: 'SIMULATOR' | 'WECHAT' | 'ALIPAY'
  configId: number | null
  amount: number
  state: string
  prepaid: Prepaid | null
  detail: string
  expireAt: Date
  /** Something of it was sold under a strategy whose shares this merchant pays out. */
  splits: boolean
}
type Ready = { payable: Payable; prepaid: Prepaid | null; connected: Connected | null }

const asking = perApp(() => new Map<string, Promise<Prepaid>>())
/** So long whoever asks again hears the same; until then the row says it, or that it was refused. */
const pauseMs = 2000
/** Channels take no end that is nearer. */
const shortestMs = 61_000

/** The channel is asked outside the transaction, once for all who ask for it now. */
const prepay = prepared<(typeof payments)['prepay'], Ready>({
  async prepare(app, { orderNum, clientId, openid, payType }) {
    const ask = () =>
      app.database.read(
        systemScope,
        (db) =>
          rowsOf<Payable>(db)`
        select p.id, p.org_id as "orgId", p.device_id as "deviceId", p.order_id as "orderId",
          p.order_at as "orderAt", p.order_num as "orderNum",
          coalesce(p.pay_type, o.pay_type) as "payType",
          p.out_trade_no as "outTradeNo", p.provider, p.config_id as "configId", p.amount, p.state,
          p.prepaid, o.detail, o.expire_at as "expireAt",
          exists (select from order_units u join split_strategy_versions v
            on v.id = u.split_version_id and v.mode = 'CHANNEL' and v.config_id = p.config_id
            where u.org_id = o.org_id and u.created_at = o.created_at and u.order_id = o.id
          ) as splits
        from order_keys k
        join orders o on o.org_id = k.org_id and o.created_at = k.created_at and o.id = k.order_id
        join payments p on p.order_id = o.id
        where k.client_id = ${clientId} and k.order_num = ${orderNum} order by p.id`,
      )
    const wanted = (of: Payable) => payType === undefined || of.payType === payType
    const before = await ask()
    const [first] = before
    if (!first) throw new Refusal(common.notFound)
    if (payType && !before.some(wanted)) await openOtherWay(app, first, payType)
    const payable = before.find(wanted) ?? found((await ask()).find(wanted))
    if (payable.state !== 'PENDING' || payable.expireAt <= app.now())
      throw new Refusal(paymentErrors.notPayable)
    if (payable.configId === null) return { payable, prepaid: null, connected: null }
    const connected = await connectedTo(app, payable.configId)
    if (!connected) throw new Refusal(paymentErrors.channelDown)
    const page = payable.provider === 'WECHAT' ? openid : undefined
    const { prepaid } = payable
    if (prepaid && prepaid.openid === page) return { payable, prepaid, connected }
    const key = `${payable.id} ${page ?? ''}`
    const running = asking(app)
    const asked = running.get(key) ?? prepaidFor(app, connected, payable, page)
    if (!running.has(key)) {
      running.set(key, asked)
      const ends = () => setTimeout(() => running.delete(key), pauseMs).unref()
      asked.then(ends, ends)
    }
    return { payable, prepaid: await asked, connected }
  },
  async run(ctx, _input, { payable, prepaid, connected }) {
    const { provider, outTradeNo } = payable
    if (!connected || !prepaid) return { provider, outTradeNo, codeUrl: null, params: null }
    ctx.later(sql`update payments set prepaid = ${JSON.stringify(prepaid)}::jsonb
      where id = ${payable.id} and state = 'PENDING'
        and prepaid is distinct from ${JSON.stringify(prepaid)}::jsonb`)
    const pay = connected.channel.payWith(prepaid)
    return {
      ...{ provider, outTradeNo },
      codeUrl: pay.kind === 'CODE' ? pay.code : null,
      params: pay.kind === 'PAGE' ? pay.params : null,
    }
  },
})

async function prepaidFor(
  app: App,
  { merchant, channel }: Connected,
  payable: Payable,
  openid: string | undefined,
): Promise<Prepaid> {
  const shortest = new Date(app.now().getTime() + shortestMs)
  const answer = await channel.prepay({
    outTradeNo: payable.outTradeNo,
    amount: payable.amount,
    subject: payable.detail,
    expireAt: payable.expireAt > shortest ? payable.expireAt : shortest,
    openid,
    splits: payable.splits,
  })
  if (answer.state === 'READY') return answer.prepaid
  app.log.warn({ provider: merchant.provider, reason: answer.reason }, 'prepay')
  // the merchant's settings are wrong: no buyer can pay until a person has looked
  if (answer.state === 'FAILED')
    await raiseApart(app, {
      orgId: merchant.orgId,
      kind: 'PAYMENT_CHANNEL',
      subject: `${merchant.provider} ${merchant.mchId}`,
      detail: {
        why: 'PREPAY',
        provider: merchant.provider,
        merchant: merchant.mchId,
        reason: answer.reason,
      },
    })
  throw new Refusal(paymentErrors.channelDown)
}

export const handlers: Handlers<typeof payments> = {
  simulatorNotify,
  prepay,
  wechatNotify,
  alipayNotify,
}
