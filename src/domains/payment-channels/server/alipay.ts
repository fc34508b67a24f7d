import { createSign, createVerify } from 'node:crypto'
import type { App } from '../../../server/context.ts'
import { shanghaiClock } from '../../../shared/instants.ts'
import { alipayMeaning, fenOf, type Meaning, yuanOf } from '../rules.ts'
import { alipayRefundNo, alipayRows, noRows, readBill, spooled } from './bills.ts'
import {
  ask,
  type Channel,
  type Fact,
  type Fault,
  Forged,
  failed,
  type Heard,
  type Merchant,
  type Notice,
  objectOf,
  retry,
  textOf,
} from './channels.ts'
import { alipayFunds } from './fundBills.ts'
import { alipaySplits, royaltyBacks } from './splits.ts'
import { alipayTransfers } from './transfers.ts'

type Json = Record<string, unknown>
type Said =
  | { state: 'SAID'; data: Json }
  | { state: 'CODE'; meaning: Meaning; code: string }
  | Fault

/** What is signed: names in order, those without a value left out, nothing encoded. */
export const sorted = (params: Readonly<Record<string, string>>): string =>
  Object.entries(params)
    .filter(([name, value]) => name !== 'sign' && value !== '')
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join('&')

/**
 * The members of an answer as they were written, because the signature counts over the text: null
 * when it is no object, or a name stands twice.
 */
export function rawMembers(text: string): ReadonlyMap<string, string> | null {
  const found = new Map<string, string>()
  const member = /\s*"(\w+)"\s*:\s*/y
  member.lastIndex = text.indexOf('{') + 1
  if (member.lastIndex === 0 || text.slice(0, member.lastIndex).trim() !== '{') return null
  for (;;) {
    const name = member.exec(text)?.[1]
    if (!name || found.has(name) || found.size > 9) return null
    const from = member.lastIndex
    const to = endOf(text, from)
    if (to < 0) return null
    found.set(name, text.slice(from, to))
    const rest = text.slice(to).trimStart()
    if (rest.trim() === '}') return found
    if (!rest.startsWith(',')) return null
    member.lastIndex = text.indexOf(',', to) + 1
  }
}

/** Where the value that begins here ends. */
function endOf(text: string, from: number): number {
  const token = /"(?:[^"\\]|\\.)*"|[{}[\],]/g
  token.lastIndex = from
  let deep = 0
  for (let found = token.exec(text); found; found = token.exec(text)) {
    const [it] = found
    if (deep === 0 && (it === ',' || it === '}')) return found.index
    if (it === '{' || it === '[') deep += 1
    if (it === '}' || it === ']') deep -= 1
    if (deep === 0 && it !== ',') return token.lastIndex
  }
  return -1
}

const signed = (privateKey: string, text: string): string =>
  createSign('RSA-SHA256').update(text, 'utf8').sign(privateKey, 'base64')
/** Where the only key of the channel is kept. */
export const alipayKey = 'ALIPAY'

/** Alipay's open platform, RSA2 with public keys. */
export function alipay(app: App, merchant: Merchant, notifyUrl: string): Channel {
  const { mchId, appId, privateKey, keys } = merchant
  const gateway = app.config.alipayGateway
  const fits = (text: string, signature: string): boolean => {
    const pem = keys[alipayKey]?.pem
    return (
      pem !== undefined &&
      createVerify('RSA-SHA256').update(text, 'utf8').verify(pem, signature, 'base64')
    )
  }
  let answered = false

  async function call(method: string, biz: Json, more: Record<string, string> = {}): Promise<Said> {
    const params: Record<string, string> = {
      app_id: appId,
      method,
      format: 'JSON',
      charset: 'utf-8',
      sign_type: 'RSA2',
      timestamp: clockOf(app.now()),
      version: '1.0',
      biz_content: JSON.stringify(biz),
      ...more,
    }
    params.sign = signed(privateKey, sorted(params))
    const answer = await ask(app, {
      // the charset is said where the gateway reads it before the body
      url: `${gateway}?charset=utf-8`,
      method: 'POST',
      body: new URLSearchParams(params).toString(),
      headers: {
        'content-type': 'application/x-www-form-urlencoded;charset=utf-8',
        'user-agent': 'Huodao',
      },
    })
    if ('state' in answer) return answer
    if (answer.status !== 200) return retry(`HTTP ${answer.status}`)
    const members = rawMembers(answer.body.toString('utf8'))
    const raw = members?.get(`${method.replaceAll('.', '_')}_response`)
    // what it cannot read at all the gateway does not always sign
    if (!members || raw === undefined)
      return retry(textOf(objectOf(members?.get('error_response') ?? '')?.sub_code) || 'no answer')
    const data = objectOf(raw)
    const signature = objectOf(`{"sign":${members.get('sign') ?? '""'}}`)?.sign
    if (!data || !fits(raw, textOf(signature))) return retry('answer is not signed')
    answered = true
    if (data.code === '10000') return { state: 'SAID', data }
    const code = textOf(data.sub_code)
    return {
      state: 'CODE',
      code: code || textOf(data.code),
      meaning: data.code === '40004' || data.code === '40006' ? alipayMeaning(code) : 'RETRY',
    }
  }

  const otherwise = (said: Exclude<Said, { state: 'SAID' }>): Fault =>
    said.state !== 'CODE'
      ? said
      : said.meaning === 'FAILED'
        ? failed(said.code)
        : retry(said.code || 'no code')

  /** A notice names app and seller; an answer is signed for the app that asked. */
  const sellerOf = (data: Json): string =>
    data.app_id === appId && data.seller_id === mchId
      ? mchId
      : `${textOf(data.seller_id)}/${textOf(data.app_id)}`.slice(0, 40)
  function noticeOf(data: Json, eventId: string, merchantName: string): Notice | null {
    const [outTradeNo, tradeNo] = [textOf(data.out_trade_no), textOf(data.trade_no)]
    const amount = fenOf(textOf(data.total_amount))
    if (!outTradeNo || !tradeNo || amount === null || amount < 0) return null
    const told = textOf(data.gmt_payment) || textOf(data.send_pay_date)
    const paidAt = /^\d{4}(-\d\d){2} \d\d(:\d\d){2}$/.test(told)
      ? `${told.replace(' ', 'T')}+08:00`
      : undefined
    return { eventId, outTradeNo, tradeNo, amount, paidAt, currency: 'CNY', merchant: merchantName }
  }
  const paid = (state: unknown) => state === 'TRADE_SUCCESS' || state === 'TRADE_FINISHED'

  async function query(outTradeNo: string): Promise<Fact> {
    const said = await call('alipay.trade.query', { out_trade_no: outTradeNo })
    if (said.state === 'CODE' && said.meaning === 'ABSENT') return { state: 'ABSENT' }
    if (said.state !== 'SAID') return otherwise(said)
    if (said.data.out_trade_no !== outTradeNo) return retry('answer to another question')
    const state = textOf(said.data.trade_status)
    if (paid(state)) {
      const notice = noticeOf(said.data, `query:${textOf(said.data.trade_no)}`, mchId)
      return notice ? { state: 'PAID', notice } : retry('answer is not whole')
    }
    if (state === 'TRADE_CLOSED') return { state: 'CLOSED' }
    return state === 'WAIT_BUYER_PAY' ? { state: 'OPEN' } : retry(`state ${state}`)
  }

  /** What became of a refund; null: there is none of this number. */
  async function refunded(tradeNo: string, refundNo: string, amount: number) {
    const said = await call('alipay.trade.fastpay.refund.query', {
      trade_no: tradeNo,
      out_request_no: refundNo,
    })
    if (said.state === 'CODE' && said.meaning === 'ABSENT') return null
    if (said.state !== 'SAID') return otherwise(said)
    const { data } = said
    // an old installation of the gateway says no state, only the sum
    if (!textOf(data.refund_status) && !textOf(data.refund_amount)) return null
    if (data.out_request_no !== refundNo) return retry('answer to another question')
    if (fenOf(textOf(data.refund_amount)) !== amount) return failed('refund of another amount')
    return (data.refund_status ?? 'REFUND_SUCCESS') === 'REFUND_SUCCESS'
      ? givenBack(tradeNo, refundNo)
      : { state: 'PROCESSING' as const }
  }

  async function billOf<L>(
    type: 'trade' | 'signcustomer',
    day: string,
    file: string,
    rows: () => AsyncIterable<L>,
  ): Promise<{ state: 'READY'; rows: AsyncIterable<L> } | Fault> {
    const said = await call('alipay.data.dataservice.bill.downloadurl.query', {
      bill_type: type,
      bill_date: day,
    })
    if (said.state === 'CODE' && said.meaning === 'ABSENT')
      return { state: 'READY', rows: noRows() }
    if (said.state !== 'SAID') return otherwise(said)
    const url = textOf(said.data.bill_download_url)
    if (!URL.canParse(url) || !mayHoldBills(new URL(url), new URL(gateway)))
      return failed('bill lies elsewhere')
    const kept = await spooled(app, file, url, { 'user-agent': 'Huodao' })
    return kept.state === 'KEPT' ? readBill(rows) : kept
  }

  return {
    transfers: alipayTransfers((method, biz) => call(method, biz)),
    splits: alipaySplits((method, biz) => call(method, biz), merchant),
    async prepay({ outTradeNo, amount, subject, expireAt, splits }) {
      const said = await call(
        'alipay.trade.precreate',
        {
          out_trade_no: outTradeNo,
          total_amount: yuanOf(amount),
          // the gateway refuses these signs
          subject: subject.replace(/[/=&]/g, ' ').slice(0, 80),
          seller_id: mchId,
          time_expire: clockOf(expireAt),
          ...(splits ? { extend_params: { royalty_freeze: 'true' } } : {}),
        },
        { notify_url: notifyUrl },
      )
      if (said.state !== 'SAID') return otherwise(said)
      const code = textOf(said.data.qr_code)
      if (said.data.out_trade_no !== outTradeNo || !code) return retry('answer is not whole')
      return { state: 'READY', prepaid: { code } }
    },
    payWith: ({ code }) => ({ kind: 'CODE', code: code ?? '' }),
    query,
    async close(outTradeNo) {
      const said = await call('alipay.trade.close', { out_trade_no: outTradeNo })
      if (said.state === 'SAID') return { state: 'CLOSED' }
      if (said.state !== 'CODE') return said
      if (said.meaning === 'ABSENT' || said.meaning === 'CLOSED') return { state: said.meaning }
      // paid meanwhile, or closed already: that is asked, not guessed
      if (said.meaning === 'PAID' || said.code === 'ACQ.TRADE_STATUS_ERROR') {
        const fact = await query(outTradeNo)
        if (fact.state === 'PAID' || fact.state === 'CLOSED') return { state: fact.state }
        return 'reason' in fact ? fact : retry(said.code)
      }
      return otherwise(said)
    },
    async refund({ refundNo, tradeNo, amount, backs = [] }) {
      // what an earlier try has done is known first
      const before = await refunded(tradeNo, refundNo, amount)
      if (before) return before
      const refund = {
        trade_no: tradeNo,
        out_request_no: refundNo,
        refund_amount: yuanOf(amount),
      }
      const with_ = { ...refund, refund_royalty_parameters: royaltyBacks(backs, mchId) }
      const first = await call('alipay.trade.refund', backs.length ? with_ : refund)
      // the buyer gets his money, whether or not the shares come back with it
      const said =
        backs.length && first.state === 'CODE' && first.meaning !== 'RETRY'
          ? await call('alipay.trade.refund', refund)
          : first
      if (said.state === 'CODE' && said.meaning !== 'RETRY') return failed(said.code)
      if (said.state !== 'SAID') return otherwise(said)
      if (said.data.fund_change === 'Y') return givenBack(tradeNo, refundNo)
      // nothing moved by this call: what did is asked
      return (await refunded(tradeNo, refundNo, amount)) ?? retry('no refund of this number yet')
    },
    signers: () => (answered ? keys : {}),
    async heard(_headers, body): Promise<Heard> {
      const params = formOf(body)
      const { sign = '', sign_type: _type, ...said } = params
      if (params.sign_type !== 'RSA2' || !fits(sorted(said), sign)) throw new Forged('signature')
      if (!paid(said.trade_status)) return { kind: 'OTHER' }
      const notice = noticeOf(said, textOf(said.notify_id).slice(0, 64), sellerOf(said))
      if (!notice?.eventId) throw new Forged('body')
      return { kind: 'PAID', notice }
    },
    bill: (day, file) => billOf('trade', day, file, () => alipayRows(file, mchId)),
    funds: (day, file) => billOf('signcustomer', day, file, () => alipayFunds(file, mchId)),
    // shares stand in its fund flow
    shares: null,
  }
}

const givenBack = (tradeNo: string, refundNo: string) => ({
  state: 'SUCCESS' as const,
  providerRefundNo: alipayRefundNo(tradeNo, refundNo),
})

/** Alipay's own hosts; of another gateway its own. */
const mayHoldBills = ({ hostname }: URL, gateway: URL): boolean =>
  hostname === gateway.hostname || /(^|\.)(alipay|alipayobjects|alipaydev)\.com$/.test(hostname)

/** `2026-11-21 14:00:00` in Shanghai */
const clockOf = (at: Date): string => shanghaiClock(at).slice(0, 19).replace('T', ' ')

/** The fields of a form; a name that stands twice is no notice of Alipay. */
function formOf(body: Buffer): Record<string, string> {
  const fields = [...new URLSearchParams(body.toString('utf8'))]
  const params = Object.fromEntries(fields)
  if (Object.keys(params).length !== fields.length) throw new Forged('body')
  return params
}
