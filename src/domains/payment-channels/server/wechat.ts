import {
  createDecipheriv,
  createSign,
  createVerify,
  randomBytes,
  X509Certificate,
} from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { App } from '../../../server/context.ts'
import { perApp } from '../../../server/perApp.ts'
import { shanghaiClock } from '../../../shared/instants.ts'
import { clockWindow, type Meaning, wechatMeaning } from '../rules.ts'
import { noRows, readBill, spooled, wechatRows } from './bills.ts'
import {
  type Answered,
  ask,
  type Channel,
  type ChannelKeys,
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
import { wechatFunds } from './fundBills.ts'
import { wechatShares } from './splitBills.ts'
import { wechatSplits } from './splits.ts'
import { wechatTransfers } from './transfers.ts'

type Json = Record<string, unknown>
/** Beyond 2xx: what the code means, if its answer was signed; else nobody knows. */
type Said =
  | { state: 'SAID'; data: Json }
  | { state: 'CODE'; meaning: Meaning; code: string }
  | Fault
const nested = (data: Json, key: string): Json => {
  const value = data[key]
  return typeof value === 'object' && value !== null ? (value as Json) : {}
}

/** What is signed: each part on a line of its own, the last one too. */
export const lines = (...parts: readonly (string | number)[]): string =>
  parts.map((part) => `${part}\n`).join('')
const signed = (privateKey: string, text: string): string =>
  createSign('RSA-SHA256').update(text, 'utf8').sign(privateKey, 'base64')

/** AEAD_AES_256_GCM with the APIv3 key: the last 16 bytes are the tag. */
export function opened(apiV3Key: string, resource: Json): string {
  const sealed = Buffer.from(textOf(resource.ciphertext), 'base64')
  const nonce = Buffer.from(textOf(resource.nonce), 'utf8')
  if (
    (resource.algorithm ?? 'AEAD_AES_256_GCM') !== 'AEAD_AES_256_GCM' ||
    sealed.length < 16 ||
    nonce.length !== 12
  )
    throw new Forged('resource')
  try {
    const cipher = createDecipheriv('aes-256-gcm', Buffer.from(apiV3Key, 'utf8'), nonce)
      .setAAD(Buffer.from(textOf(resource.associated_data), 'utf8'))
      .setAuthTag(sealed.subarray(-16))
    return Buffer.concat([cipher.update(sealed.subarray(0, -16)), cipher.final()]).toString('utf8')
  } catch {
    throw new Forged('resource')
  }
}

/** `2026-11-21T14:00:00+08:00` */
const rfc3339 = (at: Date): string => `${shanghaiClock(at).slice(0, 19)}+08:00`

/** WeChat Pay, API v3, of a merchant that is no service provider. */
export function wechat(
  app: App,
  merchant: Merchant,
  notifyUrl: string,
  saveKeys: (keys: ChannelKeys) => Promise<void>,
  trial = false,
): Channel {
  const { mchId, appId, privateKey, certSerial, apiV3Key } = merchant
  const base = app.config.wechatPayBase
  let keys = merchant.keys
  const signers = new Set<string>()
  /** A key that was entered by hand: answers are signed with it when it is named. */
  const named = Object.keys(keys).find((id) => id.startsWith('PUB_KEY_ID_'))
  const seconds = () => Math.floor(app.now().getTime() / 1000)

  function authorization(method: string, path: string, body: string): string {
    const [timestamp, nonce] = [seconds(), randomBytes(16).toString('hex')]
    const signature = signed(privateKey, lines(method, path, timestamp, nonce, body))
    return `WECHATPAY2-SHA256-RSA2048 mchid="${mchId}",nonce_str="${nonce}",signature="${signature}",timestamp="${timestamp}",serial_no="${certSerial}"`
  }

  /** Throws unless the channel signed these bytes a moment ago with a key we know. */
  function verify(headers: IncomingHttpHeaders, body: Buffer, known: ChannelKeys): void {
    const [timestamp, nonce, signature, serial] = [
      'wechatpay-timestamp',
      'wechatpay-nonce',
      'wechatpay-signature',
      'wechatpay-serial',
    ].map((name) => textOf(headers[name])) as [string, string, string, string]
    if (!/^\d{1,12}$/.test(timestamp) || Math.abs(seconds() - Number(timestamp)) > clockWindow)
      throw new Forged('time')
    const key = Object.hasOwn(known, serial) ? known[serial] : undefined
    if (!key) throw new Forged('serial')
    if (key.until && Date.parse(key.until) < app.now().getTime()) throw new Forged('expired')
    const right = createVerify('RSA-SHA256')
      .update(`${timestamp}\n${nonce}\n`)
      .update(body)
      .update('\n')
      .verify(key.pem, signature, 'base64')
    if (!right) throw new Forged('signature')
  }

  async function fresh(
    path: string,
    method: 'GET' | 'POST',
    given?: Json,
    more?: Record<string, string>,
  ): Promise<Answered | Fault> {
    const body = given ? JSON.stringify(given) : ''
    return ask(app, {
      url: base + path,
      method,
      body,
      headers: {
        accept: 'application/json',
        'content-type': 'application/json',
        'user-agent': 'Huodao',
        authorization: authorization(method, path, body),
        ...more,
      },
    })
  }

  /** An answer nobody signed says nothing; a key we do not know is fetched once. */
  async function call(
    path: string,
    method: 'GET' | 'POST',
    given?: Json,
    more?: Record<string, string>,
  ): Promise<Said> {
    const answer = await fresh(path, method, given, {
      ...(named ? { 'wechatpay-serial': named } : {}),
      ...more,
    })
    if ('state' in answer) return answer
    const { status, headers, body } = answer
    try {
      await verifyOrRefresh(headers, body)
      signers.add(textOf(headers['wechatpay-serial']))
    } catch (error) {
      if (!(error instanceof Forged)) throw error
      return retry(
        status >= 200 && status < 300
          ? `answer is not signed (${error.message})`
          : `HTTP ${status} ${textOf(objectOf(body)?.code)}`,
      )
    }
    const data = body.length ? objectOf(body) : {}
    if (!data) return retry('answer is no JSON')
    if (status >= 200 && status < 300) return { state: 'SAID', data }
    const code = textOf(data.code)
    return { state: 'CODE', code, meaning: status >= 500 ? 'RETRY' : wechatMeaning(code) }
  }

  async function verifyOrRefresh(headers: IncomingHttpHeaders, body: Buffer): Promise<void> {
    try {
      verify(headers, body, keys)
    } catch (error) {
      if (!(error instanceof Forged && error.message === 'serial')) throw error
      // a key that came new; whoever makes serials up is not answered with a call of ours each time
      if (!(await refresh(textOf(headers['wechatpay-serial'])))) throw error
      verify(headers, body, keys)
    }
  }

  /**
   * The platform's certificates: what only the APIv3 key opens, signed by one of them. Whether this
   * serial is known now.
   */
  async function refresh(serial: string): Promise<boolean> {
    if (!/^[0-9A-F]{8,64}$/.test(serial)) return false
    if (!trial && !mayRefresh(app, merchant.id)) return false
    const answer = await fresh('/v3/certificates', 'GET')
    if ('state' in answer || answer.status !== 200) return false
    const list = objectOf(answer.body)?.data
    if (!Array.isArray(list)) return false
    const found: Record<string, { pem: string; until: string | null }> = {}
    try {
      for (const one of list.slice(0, 20) as Json[]) {
        const certificate = new X509Certificate(
          opened(apiV3Key, nested(one, 'encrypt_certificate')),
        )
        const until = new Date(certificate.validTo)
        if (until > app.now())
          found[certificate.serialNumber] = {
            pem: certificate.publicKey.export({ type: 'spki', format: 'pem' }) as string,
            until: until.toISOString(),
          }
      }
      verify(answer.headers, answer.body, found)
    } catch {
      return false
    }
    // keys that never end were entered by hand and stay
    const stay = Object.entries(keys).filter(([, key]) => key.until === null)
    keys = { ...Object.fromEntries(stay), ...found }
    await saveKeys(keys)
    return Object.hasOwn(keys, serial)
  }

  /** Keys that count now: what is secret is written with one of them. */
  async function keysNow(): Promise<ChannelKeys> {
    const now = app.now().getTime()
    const alive = () =>
      Object.entries(keys).filter(([, { until }]) => !until || Date.parse(until) > now)
    // any answer brings them: the signature of its serial is looked for
    if (!alive().length) await call('/v3/certificates', 'GET')
    return Object.fromEntries(alive())
  }

  /** Refused, in doubt, or what it says. */
  const otherwise = (said: Exclude<Said, { state: 'SAID' }>): Fault =>
    said.state !== 'CODE'
      ? said
      : said.meaning === 'FAILED'
        ? failed(said.code)
        : retry(said.code || 'no code')

  const merchantOf = (data: Json): string =>
    data.mchid === mchId && data.appid === appId
      ? mchId
      : `${textOf(data.mchid)}/${textOf(data.appid)}`.slice(0, 40)
  function noticeOf(data: Json, eventId: string): Notice | null {
    const amount = nested(data, 'amount')
    const [outTradeNo, tradeNo] = [textOf(data.out_trade_no), textOf(data.transaction_id)]
    if (!outTradeNo || !tradeNo || !Number.isSafeInteger(amount.total)) return null
    return {
      eventId,
      outTradeNo,
      tradeNo,
      amount: amount.total as number,
      paidAt: textOf(data.success_time) || undefined,
      currency: textOf(amount.currency) || 'CNY',
      merchant: merchantOf(data),
    }
  }

  async function query(outTradeNo: string): Promise<Fact> {
    const said = await call(
      `/v3/pay/transactions/out-trade-no/${encodeURIComponent(outTradeNo)}?mchid=${mchId}`,
      'GET',
    )
    if (said.state === 'CODE' && said.meaning === 'ABSENT') return { state: 'ABSENT' }
    if (said.state !== 'SAID') return otherwise(said)
    if (said.data.out_trade_no !== outTradeNo) return retry('answer to another question')
    const state = textOf(said.data.trade_state)
    if (state === 'SUCCESS' || state === 'REFUND') {
      const notice = noticeOf(said.data, `query:${textOf(said.data.transaction_id)}`)
      return notice ? { state: 'PAID', notice } : retry('answer is not whole')
    }
    if (state === 'CLOSED' || state === 'REVOKED') return { state: 'CLOSED' }
    return ['NOTPAY', 'USERPAYING', 'PAYERROR'].includes(state)
      ? { state: 'OPEN' }
      : retry(`state ${state}`)
  }

  const refundOf = (data: Json, refundNo: string, amount: number) => {
    if (data.out_refund_no !== refundNo) return retry('answer to another question')
    if (nested(data, 'amount').refund !== amount) return failed('refund of another amount')
    const state = textOf(data.status)
    if (state === 'SUCCESS')
      return { state: 'SUCCESS' as const, providerRefundNo: textOf(data.refund_id) }
    if (state === 'PROCESSING') return { state: 'PROCESSING' as const }
    // the buyer's account takes nothing: the merchant settles it by hand
    return state === 'ABNORMAL' || state === 'CLOSED' ? failed(state) : retry(`state ${state}`)
  }

  /** A bill whose file the channel names, signed: it counts when its hash fits. */
  async function billOf<L>(
    path: string,
    file: string,
    rows: () => AsyncIterable<L>,
  ): Promise<{ state: 'READY'; rows: AsyncIterable<L> } | Fault> {
    const said = await call(path, 'GET')
    if (said.state === 'CODE' && said.meaning === 'ABSENT')
      return { state: 'READY', rows: noRows() }
    if (said.state !== 'SAID') return otherwise(said)
    const url = textOf(said.data.download_url)
    // the answer is signed; a file that lies elsewhere is not asked for with our signature
    if (!URL.canParse(url) || new URL(url).host !== new URL(base).host)
      return failed('bill lies elsewhere')
    const { pathname, search } = new URL(url)
    const kept = await spooled(app, file, url, {
      authorization: authorization('GET', pathname + search, ''),
      'user-agent': 'Huodao',
    })
    if (kept.state !== 'KEPT') return kept
    if (
      textOf(said.data.hash_type).toUpperCase() !== 'SHA1' ||
      textOf(said.data.hash_value).toLowerCase() !== kept.sha1
    )
      return retry('bill does not fit its hash')
    return readBill(rows)
  }

  return {
    transfers: wechatTransfers(call, merchant, notifyUrl, keysNow),
    splits: wechatSplits(call, merchant, keysNow),
    async prepay({ outTradeNo, amount, subject, expireAt, openid, splits }) {
      const said = await call(`/v3/pay/transactions/${openid ? 'jsapi' : 'native'}`, 'POST', {
        appid: appId,
        mchid: mchId,
        description: subject.slice(0, 40),
        out_trade_no: outTradeNo,
        time_expire: rfc3339(expireAt),
        notify_url: notifyUrl,
        amount: { total: amount, currency: 'CNY' },
        ...(splits ? { settle_info: { profit_sharing: true } } : {}),
        ...(openid ? { payer: { openid } } : {}),
      })
      if (said.state !== 'SAID') return otherwise(said)
      const [code, prepayId] = [textOf(said.data.code_url), textOf(said.data.prepay_id)]
      if (openid)
        return prepayId
          ? { state: 'READY', prepaid: { prepayId, openid } }
          : retry('answer is not whole')
      return code ? { state: 'READY', prepaid: { code } } : retry('answer is not whole')
    },
    payWith({ code, prepayId }) {
      if (!prepayId) return { kind: 'CODE', code: code ?? '' }
      const [timeStamp, nonceStr] = [String(seconds()), randomBytes(16).toString('hex')]
      const packed = `prepay_id=${prepayId}`
      return {
        kind: 'PAGE',
        params: {
          appId,
          timeStamp,
          nonceStr,
          package: packed,
          signType: 'RSA',
          paySign: signed(privateKey, lines(appId, timeStamp, nonceStr, packed)),
        },
      }
    },
    query,
    signers: () => Object.fromEntries(Object.entries(keys).filter(([id]) => signers.has(id))),
    async close(outTradeNo) {
      const said = await call(
        `/v3/pay/transactions/out-trade-no/${encodeURIComponent(outTradeNo)}/close`,
        'POST',
        { mchid: mchId },
      )
      if (said.state === 'SAID') return { state: 'CLOSED' }
      if (said.state === 'CODE' && ['PAID', 'CLOSED', 'ABSENT'].includes(said.meaning))
        return { state: said.meaning as 'PAID' | 'CLOSED' | 'ABSENT' }
      return otherwise(said)
    },
    async refund({ refundNo, tradeNo, amount, total }) {
      const path = '/v3/refund/domestic/refunds'
      // what an earlier try has done is known first
      const known = await call(`${path}/${encodeURIComponent(refundNo)}`, 'GET')
      if (known.state === 'SAID') return refundOf(known.data, refundNo, amount)
      if (known.state !== 'CODE' || known.meaning !== 'ABSENT') return otherwise(known)
      const said = await call(path, 'POST', {
        transaction_id: tradeNo,
        out_refund_no: refundNo,
        notify_url: notifyUrl,
        amount: { refund: amount, total, currency: 'CNY' },
      })
      if (said.state === 'CODE' && said.meaning === 'ABSENT') return failed(said.code)
      return said.state === 'SAID' ? refundOf(said.data, refundNo, amount) : otherwise(said)
    },
    async heard(headers, body): Promise<Heard> {
      await verifyOrRefresh(headers, body)
      const event = objectOf(body)
      if (!event) throw new Forged('body')
      const data = objectOf(opened(apiV3Key, nested(event, 'resource')))
      if (!data) throw new Forged('resource')
      const kind = textOf(event.event_type)
      if (kind.startsWith('REFUND.'))
        return { kind: 'REFUND', refundNo: textOf(data.out_refund_no) }
      if (kind.startsWith('MCHTRANSFER.'))
        return { kind: 'TRANSFER', transferNo: textOf(data.out_bill_no) }
      if (kind !== 'TRANSACTION.SUCCESS' || data.trade_state !== 'SUCCESS') return { kind: 'OTHER' }
      const notice = noticeOf(data, textOf(event.id).slice(0, 64))
      if (!notice?.eventId) throw new Forged('resource')
      return { kind: 'PAID', notice }
    },
    bill: (day, file) =>
      billOf(`/v3/bill/tradebill?bill_date=${day}&bill_type=ALL`, file, () =>
        wechatRows(file, merchant),
      ),
    funds: (day, file) =>
      billOf(`/v3/bill/fundflowbill?bill_date=${day}&account_type=BASIC`, file, () =>
        wechatFunds(file),
      ),
    shares: (day, file) =>
      billOf(`/v3/profitsharing/bills?bill_date=${day}`, file, () => wechatShares(file, mchId)),
  }
}

const refreshedAt = perApp(() => new Map<number, number>())
/** At most once a minute for each merchant. */
function mayRefresh(app: App, merchantId: number): boolean {
  const [at, now] = [refreshedAt(app), performance.now()]
  if (now - (at.get(merchantId) ?? Number.NEGATIVE_INFINITY) < 60_000) return false
  at.set(merchantId, now)
  return true
}
