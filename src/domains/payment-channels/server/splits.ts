import { constants, publicEncrypt } from 'node:crypto'
import { fenOf, type Relation, yuanOf } from '../rules.ts'
import {
  type ChannelKeys,
  type Merchant,
  type ReturnAnswer,
  type ReturnRequest,
  retry,
  type SplitAnswer,
  type SplitPart,
  type SplitRequest,
  type Splits,
  textOf,
} from './channels.ts'
import { type AlipayCall, denied, inDoubt, refused, type WechatCall } from './transfers.ts'

/**
 * Money of a payment that goes on to receivers of its merchant, and comes back from them. Like
 * transfers: a refusal proves nothing before the channel says that it knows nothing of the number.
 */
type Json = Record<string, unknown>
type Absent = { state: 'ABSENT' }
const absent: Absent = { state: 'ABSENT' }
const listOf = (value: unknown): Json[] =>
  Array.isArray(value) ? value.filter((one): one is Json => typeof one === 'object' && !!one) : []

/** Each part of the request, by what the channel says of its account; null: it is not whole. */
function partsOf(
  { parts }: SplitRequest,
  said: readonly { account: string; amount: number | null; state: string; reason: string }[],
  [paid, failed]: readonly [string, string],
): SplitPart[] | 'PROCESSING' | null {
  const found: SplitPart[] = []
  for (const { account, amount } of parts) {
    const one = said.find((line) => line.account === account)
    if (!one || one.amount !== amount) return null
    if (one.state !== paid && one.state !== failed) return 'PROCESSING'
    found.push(
      one.state === paid
        ? { account, state: 'PAID' }
        : { account, state: 'FAILED', reason: one.reason || failed },
    )
  }
  return found
}

/** Relations as WeChat names them; what it has no name for is written out. */
const relations: Record<Relation, { relation_type: string; custom_relation?: string }> = {
  SERVICE_PROVIDER: { relation_type: 'SERVICE_PROVIDER' },
  DISTRIBUTOR: { relation_type: 'DISTRIBUTOR' },
  SUPPLIER: { relation_type: 'SUPPLIER' },
  PARTNER: { relation_type: 'PARTNER' },
  HEADQUARTER: { relation_type: 'HEADQUARTER' },
  PLATFORM: { relation_type: 'CUSTOM', custom_relation: '平台' },
  OTHER: { relation_type: 'CUSTOM', custom_relation: '合作方' },
}

export function wechatSplits(
  call: WechatCall,
  { appId }: Merchant,
  keysNow: () => Promise<ChannelKeys>,
): Splits {
  const base = '/v3/profitsharing'
  const at = (path: string, no: string) => `${base}/${path}/${encodeURIComponent(no)}`

  function answered(data: Json, request: SplitRequest): SplitAnswer {
    if (data.out_order_no !== request.requestNo || data.transaction_id !== request.tradeNo)
      return retry('answer to another question')
    const said = listOf(data.receivers).map((one) => ({
      account: textOf(one.account),
      amount: typeof one.amount === 'number' ? one.amount : null,
      state: textOf(one.result),
      reason: textOf(one.fail_reason),
    }))
    const parts = partsOf(request, said, ['SUCCESS', 'CLOSED'])
    if (parts === null) return retry('answer is not whole')
    return parts === 'PROCESSING' || data.state !== 'FINISHED'
      ? { state: 'PROCESSING' }
      : { state: 'FINISHED', splitNo: textOf(data.order_id), parts }
  }
  async function query(request: SplitRequest): Promise<SplitAnswer | Absent> {
    const { requestNo, tradeNo } = request
    const said = await call(
      `${at('orders', requestNo)}?transaction_id=${encodeURIComponent(tradeNo)}`,
      'GET',
    )
    if (said.state === 'CODE' && said.meaning === 'ABSENT') return absent
    return said.state === 'SAID' ? answered(said.data, request) : inDoubt(said)
  }

  function returned(data: Json, { returnNo, amount }: ReturnRequest): ReturnAnswer {
    if (data.out_return_no !== returnNo) return retry('answer to another question')
    if (data.amount !== amount) return retry('return of another amount')
    const result = textOf(data.result)
    if (result === 'SUCCESS') return { state: 'SUCCESS', amount }
    if (result === 'FAILED') return denied(textOf(data.fail_reason) || result)
    return result === 'PROCESSING' ? { state: result } : retry(`result ${result}`)
  }
  async function returnQuery(request: ReturnRequest): Promise<ReturnAnswer | Absent> {
    const { returnNo, requestNo } = request
    const said = await call(
      `${at('return-orders', returnNo)}?out_order_no=${encodeURIComponent(requestNo)}`,
      'GET',
    )
    if (said.state === 'CODE' && said.meaning === 'ABSENT') return absent
    return said.state === 'SAID' ? returned(said.data, request) : inDoubt(said)
  }

  /** What is left of a payment that may still be split. */
  async function isReleased(tradeNo: string): Promise<boolean> {
    const said = await call(`${base}/transactions/${encodeURIComponent(tradeNo)}/amounts`, 'GET')
    return said.state === 'SAID' && said.data.unsplit_amount === 0
  }

  return {
    async register({ kind, account, holder, relation }) {
      const [serial, key] = Object.entries(await keysNow())[0] ?? []
      if (!serial || !key) return retry('no key of the channel')
      const name = publicEncrypt(
        { key: key.pem, padding: constants.RSA_PKCS1_OAEP_PADDING },
        Buffer.from(holder, 'utf8'),
      ).toString('base64')
      const said = await call(
        `${base}/receivers/add`,
        'POST',
        { appid: appId, type: kind, account, name, ...relations[relation] },
        { 'wechatpay-serial': serial },
      )
      if (said.state === 'CODE' && said.meaning === 'FAILED') return denied(said.code)
      if (said.state !== 'SAID') return inDoubt(said)
      if (said.data.account !== account) return retry('answer to another question')
      // whether it lets money be taken back is said by the first return alone
      return { state: 'REGISTERED', returnConsent: null }
    },
    async unregister({ kind, account }) {
      const said = await call(`${base}/receivers/delete`, 'POST', {
        appid: appId,
        type: kind,
        account,
      })
      if (said.state === 'SAID') return { state: 'GONE' }
      return said.state === 'CODE' && said.meaning !== 'RETRY' ? { state: 'GONE' } : inDoubt(said)
    },
    find: query,
    findReturn: returnQuery,
    async split(request) {
      const { requestNo, tradeNo, parts, subject } = request
      const before = await query(request)
      if (before.state !== 'ABSENT') return before
      const said = await call(`${base}/orders`, 'POST', {
        appid: appId,
        transaction_id: tradeNo,
        out_order_no: requestNo,
        receivers: parts.map(({ kind, account, amount }) => ({
          ...{ type: kind, account, amount },
          description: subject.slice(0, 80),
        })),
        // other strategies of the same payment may still want their part
        unfreeze_unsplit: false,
      })
      return said.state === 'SAID'
        ? answered(said.data, request)
        : refused(said, () => query(request))
    },
    async giveBack(request) {
      const { returnNo, requestNo, account, amount } = request
      const before = await returnQuery(request)
      if (before.state !== 'ABSENT') return before
      const said = await call(`${base}/return-orders`, 'POST', {
        out_order_no: requestNo,
        out_return_no: returnNo,
        return_mchid: account,
        amount,
        description: '用户退款',
      })
      return said.state === 'SAID'
        ? returned(said.data, request)
        : refused(said, () => returnQuery(request))
    },
    async release({ requestNo, tradeNo }) {
      const said = await call(`${base}/orders/unfreeze`, 'POST', {
        transaction_id: tradeNo,
        out_order_no: requestNo,
        description: '解冻全部剩余资金',
      })
      if (said.state === 'SAID')
        return said.data.out_order_no === requestNo
          ? { state: 'RELEASED' }
          : retry('answer to another question')
      // it was done already, or nothing is left of it
      if (said.state === 'CODE' && said.meaning !== 'RETRY')
        return (await isReleased(tradeNo)) ? { state: 'RELEASED' } : denied(said.code)
      return inDoubt(said)
    },
  }
}

/** A company by its number at Alipay, a person by what he signs in with. */
const idTypes = { MERCHANT_ID: 'userId', PERSONAL_OPENID: 'loginName' } as const

export function alipaySplits(call: AlipayCall, { mchId }: Merchant): Splits {
  async function query(request: SplitRequest): Promise<SplitAnswer | Absent> {
    const said = await call('alipay.trade.order.settle.query', {
      out_request_no: request.requestNo,
      trade_no: request.tradeNo,
    })
    if (said.state === 'CODE' && said.meaning === 'ABSENT') return absent
    if (said.state !== 'SAID') return inDoubt(said)
    const lines = listOf(said.data.royalty_detail_list)
    if (!lines.length) return absent
    if (said.data.out_request_no !== request.requestNo) return retry('answer to another question')
    const parts = partsOf(
      request,
      lines
        .filter((one) => one.operation_type === 'transfer')
        .map((one) => ({
          account: textOf(one.trans_in),
          amount: fenOf(String(one.amount ?? '')),
          state: textOf(one.state),
          reason: textOf(one.error_code),
        })),
      ['SUCCESS', 'FAIL'],
    )
    if (parts === null) return retry('answer is not whole')
    return parts === 'PROCESSING'
      ? { state: 'PROCESSING' }
      : { state: 'FINISHED', splitNo: textOf(lines[0]?.detail_id), parts }
  }
  const relation = (what: 'bind' | 'unbind') => `alipay.trade.royalty.relation.${what}`

  /** Alipay takes the shares back with the refund: what came is asked. */
  async function came({
    refundNo,
    tradeNo,
    account,
    amount,
  }: ReturnRequest): Promise<ReturnAnswer> {
    const said = await call('alipay.trade.fastpay.refund.query', {
      trade_no: tradeNo,
      out_request_no: refundNo,
      query_options: ['refund_royaltys'],
    })
    if (said.state !== 'SAID') return inDoubt(said)
    if (said.data.out_request_no !== refundNo) return retry('answer to another question')
    const lines = listOf(said.data.refund_royaltys).filter(
      ({ trans_out: out, trans_out_email: email }) => out === account || email === account,
    )
    if (lines.some(({ result_code: code }) => code === 'PROCESSING')) return { state: 'PROCESSING' }
    const sum = lines
      .filter(({ result_code: code }) => code === 'SUCCESS')
      .reduce((sum, { refund_amount: fen }) => sum + (fenOf(String(fen ?? '')) ?? 0), 0)
    return sum > 0
      ? { state: 'SUCCESS', amount: Math.min(sum, amount) }
      : denied(textOf(lines[0]?.result_code) || 'NO_ROYALTY_REFUND')
  }

  return {
    find: query,
    findReturn: came,
    giveBack: came,
    async register({ registerNo, kind, account, holder }) {
      const said = await call(relation('bind'), {
        out_request_no: registerNo,
        receiver_list: [{ type: idTypes[kind], account, name: holder, memo: '分账接收方' }],
      })
      if (said.state === 'CODE' && said.meaning === 'FAILED') return denied(said.code)
      if (said.state !== 'SAID') return inDoubt(said)
      return said.data.result_code === 'SUCCESS'
        ? { state: 'REGISTERED', returnConsent: null }
        : denied(textOf(said.data.result_code) || 'FAIL')
    },
    async unregister({ registerNo, kind, account }) {
      const said = await call(relation('unbind'), {
        out_request_no: registerNo,
        receiver_list: [{ type: idTypes[kind], account }],
      })
      if (said.state === 'SAID') return { state: 'GONE' }
      return said.state === 'CODE' && said.meaning !== 'RETRY' ? { state: 'GONE' } : inDoubt(said)
    },
    // the same request again is answered with what was done, so it is sent at every try
    async split(request) {
      const { requestNo, tradeNo, parts, subject } = request
      const said = await call('alipay.trade.order.settle', {
        out_request_no: requestNo,
        trade_no: tradeNo,
        royalty_mode: 'async',
        royalty_parameters: parts.map(({ kind, account, amount }) => ({
          ...{ royalty_type: 'transfer', trans_out: mchId, trans_out_type: 'userId' },
          ...{ trans_in: account, trans_in_type: idTypes[kind], amount: yuanOf(amount) },
          desc: subject.slice(0, 80),
        })),
        extend_params: { royalty_finish: 'false' },
      })
      if (said.state !== 'SAID') return refused(said, () => query(request))
      const after = await query(request)
      return after.state === 'ABSENT' ? { state: 'PROCESSING' } : after
    },
    async release({ requestNo, tradeNo }) {
      const said = await call('alipay.trade.order.settle', {
        out_request_no: requestNo,
        trade_no: tradeNo,
        royalty_mode: 'async',
        royalty_parameters: [],
        extend_params: { royalty_finish: 'true' },
      })
      if (said.state === 'SAID') return { state: 'RELEASED' }
      if (said.state !== 'CODE' || said.meaning === 'RETRY') return inDoubt(said)
      return said.meaning === 'CLOSED' ? { state: 'RELEASED' } : denied(said.code)
    },
  }
}

/** Shares that a refund takes back from their receivers, as Alipay wants them. */
export const royaltyBacks = (
  backs: readonly SplitRequest['parts'][number][],
  mchId: string,
): Json[] =>
  backs.map(({ kind, account, amount }) => ({
    ...{ royalty_type: 'transfer', trans_out: account, trans_out_type: idTypes[kind] },
    ...{ trans_in: mchId, trans_in_type: 'userId', amount: yuanOf(amount) },
    desc: '用户退款',
  }))
