import { constants, publicEncrypt } from 'node:crypto'
import type { Retry } from '../../../server/work.ts'
import { fenOf, type Meaning, yuanOf } from '../rules.ts'
import {
  type ChannelKeys,
  type Denied,
  type Fault,
  type Merchant,
  retry,
  type TransferAnswer,
  type TransferFact,
  type TransferRequest,
  type Transfers,
  textOf,
} from './channels.ts'

/**
 * Money that a merchant sends to somebody. A refusal proves nothing by itself, an earlier attempt
 * may have come through: what the channel says of the number afterwards does.
 */
type Json = Record<string, unknown>
type Said =
  | { state: 'SAID'; data: Json }
  | { state: 'CODE'; meaning: Meaning; code: string }
  | Fault

export const denied = (reason: string): Denied => ({
  state: 'DENIED',
  reason: reason.slice(0, 200) || 'FAIL',
})
export const inDoubt = (said: Exclude<Said, { state: 'SAID' }>): Retry =>
  retry(said.state === 'CODE' ? said.code || 'no code' : said.reason)

/** After a refusal for good: nothing is there under this number. */
export async function refused<A extends { readonly state: string }>(
  said: Exclude<Said, { state: 'SAID' }>,
  query: () => Promise<A | { state: 'ABSENT' }>,
): Promise<Exclude<A, { state: 'ABSENT' }> | Denied | Retry> {
  if (said.state !== 'CODE' || said.meaning !== 'FAILED') return inDoubt(said)
  const fact = await query()
  return fact.state === 'ABSENT' ? denied(said.code) : (fact as Exclude<A, { state: 'ABSENT' }>)
}

/** Below it WeChat takes no name, from it on it compares the payee's with it. */
const namedFrom = 30
/** What the payee is paid for: commission; both infos are asked for with it. */
const scene = {
  transfer_scene_id: '1005',
  transfer_scene_report_infos: [
    { info_type: '岗位类型', info_content: '设备运营' },
    { info_type: '报酬说明', info_content: '设备经营分成' },
  ],
}

export type WechatCall = (
  path: string,
  method: 'GET' | 'POST',
  body?: Json,
  headers?: Record<string, string>,
) => Promise<Said>

export function wechatTransfers(
  call: WechatCall,
  { appId, mchId }: Merchant,
  notifyUrl: string,
  keysNow: () => Promise<ChannelKeys>,
): Transfers {
  const bills = '/v3/fund-app/mch-transfer/transfer-bills'
  const of = (no: string) => `${bills}/out-bill-no/${encodeURIComponent(no)}`

  function answered(data: Json, { transferNo, amount }: TransferRequest): TransferAnswer {
    if (data.out_bill_no !== transferNo) return retry('answer to another question')
    if (data.transfer_amount !== undefined && data.transfer_amount !== amount)
      return retry('transfer of another amount')
    if (data.mch_id !== undefined && data.mch_id !== mchId) return retry('of another merchant')
    const state = textOf(data.state)
    if (state === 'SUCCESS') return { state, transferNo: textOf(data.transfer_bill_no) }
    if (state === 'WAIT_USER_CONFIRM')
      return { state: 'CONFIRM', package: textOf(data.package_info).slice(0, 2000) }
    if (state === 'FAIL' || state === 'CANCELLED') return denied(textOf(data.fail_reason) || state)
    // theirs is spelt so
    return ['ACCEPTED', 'PROCESSING', 'TRANSFERING', 'CANCELING'].includes(state)
      ? { state: 'PROCESSING' }
      : retry(`state ${state}`)
  }

  async function query(request: TransferRequest): Promise<TransferFact> {
    const said = await call(of(request.transferNo), 'GET')
    if (said.state === 'CODE' && said.meaning === 'ABSENT') return { state: 'ABSENT' }
    return said.state === 'SAID' ? answered(said.data, request) : inDoubt(said)
  }

  return {
    query,
    async pay(request) {
      const { transferNo, amount, account, holder, subject } = request
      const [serial, key] = Object.entries(await keysNow())[0] ?? []
      if (amount >= namedFrom && (!serial || !key)) return retry('no key of the channel')
      const named =
        serial && key && amount >= namedFrom
          ? {
              body: {
                user_name: publicEncrypt(
                  { key: key.pem, padding: constants.RSA_PKCS1_OAEP_PADDING },
                  Buffer.from(holder, 'utf8'),
                ).toString('base64'),
              },
              headers: { 'wechatpay-serial': serial },
            }
          : { body: {}, headers: {} }
      const said = await call(
        bills,
        'POST',
        {
          appid: appId,
          out_bill_no: transferNo,
          ...scene,
          openid: account,
          ...named.body,
          transfer_amount: amount,
          transfer_remark: subject.slice(0, 32),
          notify_url: notifyUrl,
        },
        named.headers,
      )
      return said.state === 'SAID'
        ? answered(said.data, request)
        : refused(said, () => query(request))
    },
    async cancel({ transferNo }) {
      await call(`${of(transferNo)}/cancel`, 'POST', {})
    },
  }
}

export type AlipayCall = (method: string, biz: Json) => Promise<Said>
/** To an account, without a password; the same with each question about it. */
const kind = { product_code: 'TRANS_ACCOUNT_NO_PWD', biz_scene: 'DIRECT_TRANSFER' }

export function alipayTransfers(call: AlipayCall): Transfers {
  function answered(data: Json, { transferNo, amount }: TransferRequest): TransferAnswer {
    if (data.out_biz_no !== transferNo) return retry('answer to another question')
    const said = textOf(data.trans_amount)
    if (said && fenOf(said) !== amount) return retry('transfer of another amount')
    const state = textOf(data.status)
    if (state === 'SUCCESS')
      return { state, transferNo: textOf(data.pay_fund_order_id) || textOf(data.order_id) }
    if (state === 'FAIL' || state === 'CLOSED' || state === 'REFUND')
      return denied(textOf(data.fail_reason) || textOf(data.error_code) || state)
    return ['DEALING', 'INIT', 'WAIT_PAY'].includes(state)
      ? { state: 'PROCESSING' }
      : retry(`state ${state}`)
  }

  async function query(request: TransferRequest): Promise<TransferFact> {
    const said = await call('alipay.fund.trans.common.query', {
      ...kind,
      out_biz_no: request.transferNo,
    })
    if (said.state === 'CODE' && said.meaning === 'ABSENT') return { state: 'ABSENT' }
    return said.state === 'SAID' ? answered(said.data, request) : inDoubt(said)
  }

  return {
    query,
    async pay(request) {
      const { transferNo, amount, account, holder, subject } = request
      const said = await call('alipay.fund.trans.uni.transfer', {
        ...kind,
        out_biz_no: transferNo,
        trans_amount: yuanOf(amount),
        order_title: subject,
        payee_info: { identity: account, identity_type: 'ALIPAY_LOGON_ID', name: holder },
      })
      return said.state === 'SAID'
        ? answered(said.data, request)
        : refused(said, () => query(request))
    },
    // nobody confirms there
    cancel: async () => undefined,
  }
}
