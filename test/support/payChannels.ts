import { execFileSync } from 'node:child_process'
import {
  constants,
  createCipheriv,
  createHash,
  createSign,
  createVerify,
  generateKeyPairSync,
  type KeyObject,
  privateDecrypt,
  randomBytes,
  X509Certificate,
} from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { crc32, deflateRawSync } from 'node:zlib'

/**
 * WeChat Pay and Alipay as far as we speak to them, on 127.0.0.1: they check what we sign, sign and
 * seal what they say, and misbehave when told to.
 */
export type Trade = {
  outTradeNo: string
  tradeNo: string
  amount: number
  state: 'OPEN' | 'PAID' | 'CLOSED'
}
/** Money that a merchant sent to somebody. */
export type Transfer = { no: string; amount: number; payee: string; holder: string; state: string }
/** A share of a payment, as it was asked for and what became of it. */
export type Part = { account: string; amount: number; state: 'PENDING' | 'PAID' | 'FAILED' }
/** What stands at the channel about shares, by our numbers. */
export type Shares = {
  receivers: Map<string, { name: string; relation: string }>
  splits: Map<string, { tradeNo: string; parts: Part[] }>
  returns: Map<string, { splitNo: string; account: string; amount: number; state: string }>
  released: Map<string, string>
  /** Payments that were marked at their order. */
  frozen: Set<string>
  /** Who refuses what he is sent, who has nothing to give back, and who does not let anybody. */
  refusing: Set<string>
  broke: Set<string>
  unwilling: Set<string>
  /** New shares and returns wait until they are asked about once more. */
  late: boolean
}
export type Refund = { refundNo: string; tradeNo: string; amount: number; state: string }
export type Fault =
  | { how: 'DIES' } // before it does anything
  | { how: 'DONE_AND_DIES' } // after it did it
  | { how: 'HALF' } // an answer that breaks off
  | { how: 'HTTP'; status: number }
  | { how: 'UNSIGNED' | 'WRONG_KEY' | 'OLD' }
  | { how: 'OTHER' } // what it said of another one
  | { how: 'CODE'; code: string } // a refusal, signed
  | { how: 'HUGE' }
  | { how: 'SLOW'; ms: number }
export type Told = { url: string; headers: Record<string, string>; body: string }
export type StandIn = {
  provider: 'WECHAT' | 'ALIPAY'
  base: string
  /** What `enterMerchant` takes. */
  merchant: Record<string, unknown>
  trades: Map<string, Trade>
  refunds: Map<string, Refund>
  transfers: Map<string, Transfer>
  shares: Shares
  /** Names of the calls that were rightly signed; a wrong one is `BAD …`. */
  calls: string[]
  /** The next calls of this name do this. */
  misbehave(call: string, ...faults: Fault[]): void
  /** What a new refund becomes, and a new transfer. */
  refundsAre(state: string): void
  transfersAre(state: string): void
  pay(outTradeNo: string): Trade
  /** Word of a transfer; of WeChat alone. */
  transferNotice?(configId: number, no: string): Told
  /** Word of a payment; `change` says something else than what is. */
  notice(configId: number, trade: Trade, change?: Change): Told
  /** The bill of a day (of any, where none is said), row by row as given. */
  bill: {
    rows: BillLine[]
    /** Its fund flow, and what lay there before; none: nothing moved. */
    flow: FlowLine[]
    opening: number
    day: string
    /** Somebody else's bill. */
    ofMerchant: string
    broken: boolean
    absent: boolean
    elsewhere: string
  }
  close(): void
}
export type Change = {
  amount?: number
  merchant?: string
  app?: string
  eventId?: string
  state?: string
  wrongKey?: boolean
  otherBody?: boolean
  secondsAgo?: number
  serial?: string
  /** Signed by somebody else, who may say that he is `serial`. */
  by?: KeyObject
}
/** What moved on the account, in the order of the file; ways and balances come of it. */
export type FlowLine = {
  name: string
  type: string
  amount: number
  tradeNo?: string
  outNo?: string
  at?: string
}
/** `raw`: stands there as it is. */
export type BillLine = { trade: Trade; refundNo?: string; amount?: number; raw?: string }

type Reply = { status?: number; body: string | Buffer; headers?: Record<string, string> }
type Asked = {
  mchid?: string
  appid?: string
  out_trade_no?: string
  out_refund_no?: string
  transaction_id?: string
  notify_url?: string
  out_bill_no?: string
  openid?: string
  user_name?: string
  transfer_amount?: number
  transfer_scene_id?: string
  amount?: { total?: number; refund?: number } | number
  settle_info?: { profit_sharing?: boolean }
  type?: string
  account?: string
  name?: string
  relation_type?: string
  custom_relation?: string
  out_order_no?: string
  out_return_no?: string
  return_mchid?: string
  unfreeze_unsplit?: boolean
  receivers?: { type: string; account: string; amount: number; description: string }[]
}
const whole = (amount: Asked['amount']) => (typeof amount === 'object' ? amount : {})
type Handle = (
  request: { name: string; request: IncomingMessage; body: string },
  fault: Fault | undefined,
) => Reply

const pair = () => generateKeyPairSync('rsa', { modulusLength: 2048 })
const pem = (key: KeyObject) =>
  key.export({ type: key.type === 'private' ? 'pkcs8' : 'spki', format: 'pem' }) as string
const sign = (key: KeyObject, text: string) =>
  createSign('RSA-SHA256').update(text, 'utf8').sign(key, 'base64')
const fits = (key: KeyObject, text: string, signature: string) =>
  createVerify('RSA-SHA256').update(text, 'utf8').verify(key, signature, 'base64')

async function listen(
  nameOf: (request: IncomingMessage, body: string) => string,
  handle: Handle,
): Promise<Pick<StandIn, 'base' | 'misbehave' | 'close'>> {
  const faults = new Map<string, Fault[]>()
  const server = createServer(async (request, answer) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const body = Buffer.concat(parts).toString('utf8')
    const name = nameOf(request, body)
    const fault = faults.get(name)?.shift()
    if (fault?.how === 'SLOW') await sleep(fault.ms)
    const dies = () => void request.socket.destroy()
    if (fault?.how === 'DIES') return dies()
    if (fault?.how === 'HTTP') return void answer.writeHead(fault.status).end('<html>no</html>')
    if (fault?.how === 'HUGE') return void answer.writeHead(200).end(Buffer.alloc(400_000, 32))
    const reply = handle({ name, request, body }, fault)
    if (fault?.how === 'DONE_AND_DIES') return dies()
    const bytes = Buffer.from(reply.body)
    answer.writeHead(reply.status ?? 200, { ...reply.headers, 'content-length': bytes.length })
    if (fault?.how !== 'HALF') return void answer.end(bytes)
    answer.write(bytes.subarray(0, bytes.length / 2))
    setTimeout(dies, 20)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    misbehave: (call, ...more) => faults.set(call, [...(faults.get(call) ?? []), ...more]),
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

const ofAnother = (text: string): string =>
  text.replace(/"(out_(?:trade|refund|request|bill|biz)_no)":"/g, '"$1":"x')

let numbers = 0
const store = () => {
  const trades = new Map<string, Trade>()
  const refunds = new Map<string, Refund>()
  const byTrade = (tradeNo: string) => [...trades.values()].find((t) => t.tradeNo === tradeNo)
  const transfers = new Map<string, Transfer>()
  const made = { state: 'SUCCESS', transfer: 'SUCCESS' }
  const open = (outTradeNo: string, amount: number): Trade => {
    const known = trades.get(outTradeNo)
    if (known) return known
    numbers += 1
    const tradeNo = `42000${String(numbers).padStart(10, '0')}${Date.now()}`
    const trade: Trade = { outTradeNo, tradeNo, amount, state: 'OPEN' }
    trades.set(outTradeNo, trade)
    return trade
  }
  const shares: Shares = {
    ...{ receivers: new Map(), splits: new Map(), returns: new Map(), released: new Map() },
    ...{ frozen: new Set(), refusing: new Set(), broke: new Set(), unwilling: new Set() },
    late: false,
  }
  const splitFen = (tradeNo: string) =>
    [...shares.splits.values()]
      .filter((one) => one.tradeNo === tradeNo)
      .flatMap(({ parts }) => parts)
      .reduce((sum, { amount, state }) => sum + (state === 'FAILED' ? 0 : amount), 0)
  return {
    trades,
    refunds,
    open,
    shares,
    /** What of a payment is not split yet, the fee taken off. */
    unsplit: (tradeNo: string): number =>
      shares.released.has(tradeNo)
        ? 0
        : Math.ceil((byTrade(tradeNo)?.amount ?? 0) * 0.994) - splitFen(tradeNo),
    /** The shares of this number, now made or known; a code: why not. */
    split(no: string, tradeNo: string, asked: { account: string; amount: number }[]) {
      const known = shares.splits.get(no)
      if (known)
        return known.tradeNo === tradeNo &&
          JSON.stringify(known.parts.map(({ account, amount }) => ({ account, amount }))) ===
            JSON.stringify(asked)
          ? known
          : 'INVALID_REQUEST'
      const trade = byTrade(tradeNo)
      if (trade?.state !== 'PAID' || !shares.frozen.has(trade.outTradeNo)) return 'INVALID_REQUEST'
      if (asked.some(({ account }) => !shares.receivers.has(account))) return 'NO_AUTH'
      if (asked.reduce((sum, { amount }) => sum + amount, 0) > Math.floor(trade.amount * 0.3))
        return 'RULE_LIMIT'
      if (shares.released.has(tradeNo)) return 'INVALID_REQUEST'
      const made = {
        tradeNo,
        parts: asked.map(
          (part): Part => ({
            ...part,
            state: shares.late ? 'PENDING' : shares.refusing.has(part.account) ? 'FAILED' : 'PAID',
          }),
        ),
      }
      shares.splits.set(no, made)
      return made
    },
    /** Whoever asks a second time hears the end. */
    ended(no: string) {
      const known = shares.splits.get(no)
      for (const part of known?.parts ?? [])
        if (part.state === 'PENDING')
          part.state = shares.refusing.has(part.account) ? 'FAILED' : 'PAID'
      return known
    },
    giveBack(no: string, splitNo: string, account: string, amount: number) {
      const known = shares.returns.get(no)
      if (known) return known.amount === amount && known.account === account ? known : 'PARAM_ERROR'
      const part = shares.splits.get(splitNo)?.parts.find((one) => one.account === account)
      const given = [...shares.returns.values()]
        .filter((one) => one.splitNo === splitNo && one.account === account)
        .reduce((sum, one) => sum + one.amount, 0)
      if (part?.state !== 'PAID' || given + amount > part.amount) return 'INVALID_REQUEST'
      if (shares.unwilling.has(account)) return 'NO_AUTH'
      if (shares.broke.has(account)) return 'NOT_ENOUGH'
      const made = { splitNo, account, amount, state: shares.late ? 'PROCESSING' : 'SUCCESS' }
      shares.returns.set(no, made)
      return made
    },
    bill: {
      ...{ rows: [] as BillLine[], day: '', ofMerchant: '' },
      ...{ flow: [] as FlowLine[], opening: 0 },
      ...{ broken: false, absent: false, elsewhere: '' },
    },
    refundsAre: (state: string) => {
      made.state = state
    },
    transfers,
    transfersAre: (state: string) => {
      made.transfer = state
    },
    /** The transfer of this number, now made or known; null: known as another. */
    transfer(no: string, amount: number, payee: string, holder: string): Transfer | null {
      const known = transfers.get(no)
      if (known) return known.amount === amount && known.payee === payee ? known : null
      const transfer = { no, amount, payee, holder, state: made.transfer }
      transfers.set(no, transfer)
      return transfer
    },
    pay(outTradeNo: string): Trade {
      const trade = trades.get(outTradeNo)
      if (trade?.state !== 'OPEN') throw new Error(`nobody can pay ${outTradeNo}`)
      trade.state = 'PAID'
      return trade
    },
    /** The refund of this number, now made or known; null: more than was paid. */
    refund(refundNo: string, tradeNo: string, amount: number): Refund | null {
      const known = refunds.get(refundNo)
      if (known) return known
      const paid = byTrade(tradeNo)
      const given = [...refunds.values()]
        .filter((refund) => refund.tradeNo === tradeNo)
        .reduce((sum, refund) => sum + refund.amount, 0)
      if (paid?.state !== 'PAID' || given + amount > paid.amount) return null
      const refund = { refundNo, tradeNo, amount, state: made.state }
      refunds.set(refundNo, refund)
      return refund
    },
  }
}
const shanghai = (at: Date) =>
  new Date(at.getTime() + 8 * 3_600_000).toISOString().slice(0, 19).replace('T', ' ')
const yuan = (fen: number) => (fen / 100).toFixed(2)

/** A certificate of the platform, as WeChat gives them out. */
function certificate(): { key: KeyObject; pem: string; serial: string } {
  const folder = mkdtempSync(join(tmpdir(), 'huodao-pay-'))
  try {
    const { privateKey } = pair()
    writeFileSync(join(folder, 'key.pem'), pem(privateKey))
    execFileSync('openssl', [
      ...['req', '-x509', '-key', join(folder, 'key.pem'), '-days', '3650'],
      ...['-subj', '/CN=Tenpay.com sign', '-out', join(folder, 'cert.pem')],
    ])
    const text = readFileSync(join(folder, 'cert.pem'), 'utf8')
    return { key: privateKey, pem: text, serial: new X509Certificate(text).serialNumber }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

export async function openWechatPay(now: () => Date): Promise<
  StandIn & {
    newCertificate(): void
    /** The key it signs answers with when its id is named. */
    publicKey: { id: string; pem: string }
  }
> {
  const ours = pair()
  const other = pair()
  let platform = certificate()
  const named = { id: 'PUB_KEY_ID_0119000001092026', ...pair() }
  const apiV3Key = randomBytes(16).toString('hex')
  const [mchId, appId, certSerial] = ['1900000109', 'wxd678efh567hg6787', '5157F09EFDC096DE']
  const kept = store()
  const calls: string[] = []
  const nonces = new Set<string>()
  let bill = ''

  const seal = (text: string, aad: string) => {
    const nonce = randomBytes(6).toString('hex')
    const cipher = createCipheriv('aes-256-gcm', apiV3Key, nonce).setAAD(Buffer.from(aad))
    const ciphertext = Buffer.concat([
      cipher.update(text, 'utf8'),
      cipher.final(),
      cipher.getAuthTag(),
    ]).toString('base64')
    return { algorithm: 'AEAD_AES_256_GCM', nonce, associated_data: aad, ciphertext }
  }
  const signedHeaders = (body: string, change: Change & { unsigned?: boolean } = {}) => {
    const at = String(Math.floor(now().getTime() / 1000) - (change.secondsAgo ?? 0))
    const nonce = randomBytes(16).toString('hex')
    const key = change.by ?? (change.wrongKey ? other.privateKey : platform.key)
    if (change.unsigned) return {}
    return {
      'wechatpay-timestamp': at,
      'wechatpay-nonce': nonce,
      'wechatpay-serial': change.serial ?? platform.serial,
      'wechatpay-signature': sign(key, `${at}\n${nonce}\n${body}\n`),
    }
  }
  const resultOf = (trade: Trade, change: Change = {}) => ({
    mchid: change.merchant ?? mchId,
    appid: change.app ?? appId,
    out_trade_no: trade.outTradeNo,
    ...(trade.state === 'PAID' || change.state ? { transaction_id: trade.tradeNo } : {}),
    trade_type: 'NATIVE',
    trade_state: change.state ?? { OPEN: 'NOTPAY', PAID: 'SUCCESS', CLOSED: 'CLOSED' }[trade.state],
    success_time: '2026-11-21T14:00:00+08:00',
    amount: { total: change.amount ?? trade.amount, currency: 'CNY', payer_total: trade.amount },
  })
  const refundOf = (refund: Refund) => ({
    refund_id: `50${refund.refundNo.replace(/\D/g, '')}`,
    out_refund_no: refund.refundNo,
    transaction_id: refund.tradeNo,
    status: refund.state,
    amount: { refund: refund.amount, currency: 'CNY' },
  })

  const transferOf = ({ no, amount, state }: Transfer, whole = false) => ({
    out_bill_no: no,
    transfer_bill_no: `1330${no.slice(2)}`,
    create_time: '2026-11-21T14:00:00+08:00',
    state,
    ...(state === 'FAIL' ? { fail_reason: 'ACCOUNT_NOT_EXIST' } : {}),
    // said to who asks for the transfer, not to who asks after it
    ...(state === 'WAIT_USER_CONFIRM' && !whole ? { package_info: `pkg-${no}` } : {}),
    ...(whole ? { mch_id: mchId, appid: appId, transfer_amount: amount } : {}),
  })
  const unsealed = (text: string): string =>
    privateDecrypt(
      { key: platform.key, padding: constants.RSA_PKCS1_OAEP_PADDING },
      Buffer.from(text, 'base64'),
    ).toString('utf8')

  /** Whether the call is ours, signed over exactly what came. */
  function isOurs(request: IncomingMessage, body: string): boolean {
    const given = /^WECHATPAY2-SHA256-RSA2048 (.*)$/.exec(request.headers.authorization ?? '')?.[1]
    const fields = Object.fromEntries(
      [...(given ?? '').matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name, value]),
    )
    const { mchid, nonce_str: nonce, signature, timestamp, serial_no: serial } = fields
    if (mchid !== mchId || serial !== certSerial || !nonce || nonces.has(nonce)) return false
    nonces.add(nonce)
    if (Math.abs(Number(timestamp) - now().getTime() / 1000) > 300) return false
    return fits(
      ours.publicKey,
      `${request.method}\n${request.url}\n${timestamp}\n${nonce}\n${body}\n`,
      signature ?? '',
    )
  }

  const names: [RegExp, string][] = [
    [/^GET \/v3\/certificates$/, 'certificates'],
    [/^POST \/v3\/pay\/transactions\/(native|jsapi)$/, 'prepay'],
    [/^GET \/v3\/pay\/transactions\/out-trade-no\//, 'query'],
    [/^POST \/v3\/pay\/transactions\/out-trade-no\/\w+\/close$/, 'close'],
    [/^POST \/v3\/refund\/domestic\/refunds$/, 'refund'],
    [/^GET \/v3\/refund\/domestic\/refunds\//, 'refundQuery'],
    [/^POST \/v3\/fund-app\/mch-transfer\/transfer-bills$/, 'transfer'],
    [/^GET \/v3\/fund-app\/mch-transfer\/transfer-bills\/out-bill-no\/\w+$/, 'transferQuery'],
    [
      /^POST \/v3\/fund-app\/mch-transfer\/transfer-bills\/out-bill-no\/\w+\/cancel$/,
      'transferCancel',
    ],
    [/^POST \/v3\/profitsharing\/receivers\/add$/, 'receiver'],
    [/^POST \/v3\/profitsharing\/receivers\/delete$/, 'receiverGone'],
    [/^POST \/v3\/profitsharing\/orders$/, 'split'],
    [/^POST \/v3\/profitsharing\/orders\/unfreeze$/, 'release'],
    [/^GET \/v3\/profitsharing\/orders\/[\w-]+\?transaction_id=\w+$/, 'splitQuery'],
    [/^POST \/v3\/profitsharing\/return-orders$/, 'return'],
    [/^GET \/v3\/profitsharing\/return-orders\/[\w-]+\?out_order_no=[\w-]+$/, 'returnQuery'],
    [/^GET \/v3\/profitsharing\/transactions\/\w+\/amounts$/, 'unsplit'],
    [/^GET \/v3\/bill\/tradebill\?/, 'bill'],
    [/^GET \/v3\/bill\/fundflowbill\?/, 'funds'],
    [/^GET \/v3\/billdownload\/file\?/, 'download'],
  ]
  const nameOf = (request: IncomingMessage) =>
    names.find(([like]) => like.test(`${request.method} ${request.url}`))?.[1] ?? 'unknown'
  const say = (status: number, data: object | null): Omit<Reply, 'headers'> => ({
    status,
    body: data ? JSON.stringify(data) : '',
  })
  const refuse = (status: number, code: string) => say(status, { code, message: code })

  const splitOf = (no: string, { tradeNo, parts }: { tradeNo: string; parts: Part[] }) => ({
    transaction_id: tradeNo,
    out_order_no: no,
    order_id: `3008450740${no.replace(/\D/g, '')}`,
    state: parts.some(({ state }) => state === 'PENDING') ? 'PROCESSING' : 'FINISHED',
    receivers: parts.map(({ account, amount, state }) => ({
      ...{ type: 'MERCHANT_ID', account, amount, description: '分账' },
      ...{ detail_id: `36011111${account}`, create_time: '2026-11-21T14:00:00+08:00' },
      result: { PENDING: 'PENDING', PAID: 'SUCCESS', FAILED: 'CLOSED' }[state],
      ...(state === 'FAILED' ? { fail_reason: 'ACCOUNT_ABNORMAL' } : {}),
    })),
  })
  /** What is about shares; null: something else. */
  function sharing(
    name: string,
    url: URL,
    data: Asked,
    last: string,
  ): Omit<Reply, 'headers'> | null {
    const { shares } = kept
    const { type = '', account = '', transaction_id: tradeNo = '', out_order_no: no = '' } = data
    if (name === 'receiver') {
      if (data.appid !== appId || !data.name || !data.relation_type || !type || !account)
        return refuse(400, 'PARAM_ERROR')
      if ((data.relation_type === 'CUSTOM') !== (data.custom_relation !== undefined))
        return refuse(400, 'PARAM_ERROR')
      if (shares.refusing.has(account)) return refuse(400, 'INVALID_REQUEST')
      shares.receivers.set(account, { name: unsealed(data.name), relation: data.relation_type })
      return say(200, { type, account, name: data.name, relation_type: data.relation_type })
    }
    if (name === 'receiverGone') {
      shares.receivers.delete(account)
      return say(200, { type, account })
    }
    if (name === 'split') {
      const { receivers = [] } = data
      if (data.appid !== appId || data.unfreeze_unsplit !== false || !receivers.length)
        return refuse(400, 'PARAM_ERROR')
      if (receivers.some((one) => !one.type || !one.description || !(one.amount > 0)))
        return refuse(400, 'PARAM_ERROR')
      const parts = receivers.map(({ account, amount }) => ({ account, amount }))
      const made = kept.split(no, tradeNo, parts)
      return typeof made === 'string' ? refuse(403, made) : say(200, splitOf(no, made))
    }
    if (name === 'splitQuery') {
      const known = kept.ended(last)
      return known && known.tradeNo === url.searchParams.get('transaction_id')
        ? say(200, splitOf(last, known))
        : refuse(404, 'RESOURCE_NOT_EXISTS')
    }
    if (name === 'return') {
      const { out_return_no: returnNo = '', return_mchid: from = '', amount } = data
      const made = kept.giveBack(returnNo, no, from, typeof amount === 'number' ? amount : 0)
      return typeof made === 'string' ? refuse(403, made) : say(200, returnOf(returnNo, made))
    }
    if (name === 'returnQuery') {
      const known = shares.returns.get(last)
      if (!known || known.splitNo !== url.searchParams.get('out_order_no'))
        return refuse(404, 'RESOURCE_NOT_EXISTS')
      known.state = 'SUCCESS'
      return say(200, returnOf(last, known))
    }
    if (name === 'release') {
      if (shares.released.has(tradeNo) && shares.released.get(tradeNo) !== no)
        return refuse(403, 'INVALID_REQUEST')
      shares.released.set(tradeNo, no)
      return say(200, { transaction_id: tradeNo, out_order_no: no, order_id: `3009${no}` })
    }
    if (name === 'unsplit')
      return say(200, {
        transaction_id: url.pathname.split('/').at(-2),
        unsplit_amount: kept.unsplit(url.pathname.split('/').at(-2) ?? ''),
      })
    return null
  }
  const returnOf = (
    no: string,
    {
      splitNo,
      account,
      amount,
      state,
    }: { splitNo: string; account: string; amount: number; state: string },
  ) => ({
    ...{ out_order_no: splitNo, out_return_no: no, return_id: `3008${no}`, return_mchid: account },
    ...{ amount, description: '用户退款', result: state },
  })

  function answer(name: string, url: URL, data: Asked): Omit<Reply, 'headers'> {
    const last = decodeURIComponent(url.pathname.split('/').at(-1) ?? '')
    if (name === 'certificates')
      return say(200, {
        data: [
          {
            serial_no: platform.serial,
            encrypt_certificate: seal(platform.pem, 'certificate'),
          },
        ],
      })
    if (name === 'prepay') {
      const { out_trade_no: no, amount, mchid, appid, notify_url: told } = data
      if (mchid !== mchId || appid !== appId || !told) return refuse(400, 'PARAM_ERROR')
      const trade = kept.open(no ?? '', whole(amount).total ?? 0)
      if (trade.state !== 'OPEN') return refuse(400, 'ORDERPAID')
      if (data.settle_info?.profit_sharing) kept.shares.frozen.add(trade.outTradeNo)
      return url.pathname.endsWith('jsapi')
        ? say(200, { prepay_id: `wx${trade.tradeNo}` })
        : say(200, { code_url: `weixin://wxpay/bizpayurl?pr=${no}` })
    }
    if (name === 'query') {
      const trade = kept.trades.get(last)
      return trade ? say(200, resultOf(trade)) : refuse(404, 'ORDER_NOT_EXIST')
    }
    if (name === 'close') {
      const trade = kept.trades.get(url.pathname.split('/').at(-2) ?? '')
      if (!trade) return refuse(404, 'ORDER_NOT_EXIST')
      if (trade.state === 'PAID') return refuse(400, 'ORDERPAID')
      trade.state = 'CLOSED'
      return say(204, null)
    }
    if (name === 'refund') {
      const { out_refund_no: no, transaction_id: paid, amount } = data
      const refund = kept.refund(no ?? '', paid ?? '', whole(amount).refund ?? 0)
      return refund ? say(200, refundOf(refund)) : refuse(400, 'INVALID_REQUEST')
    }
    if (name === 'refundQuery') {
      const refund = kept.refunds.get(last)
      return refund ? say(200, refundOf(refund)) : refuse(404, 'RESOURCE_NOT_EXISTS')
    }
    if (name === 'transfer') {
      const { appid, out_bill_no: no, openid, user_name: sealed, transfer_amount: amount } = data
      if (appid !== appId || !no || !openid || !amount || !data.transfer_scene_id)
        return refuse(400, 'PARAM_ERROR')
      const transfer = kept.transfer(no, amount, openid, sealed ? unsealed(sealed) : '')
      return transfer ? say(200, transferOf(transfer)) : refuse(400, 'ALREADY_EXISTS')
    }
    if (name === 'transferQuery') {
      const transfer = kept.transfers.get(last)
      return transfer ? say(200, transferOf(transfer, true)) : refuse(404, 'NOT_FOUND')
    }
    if (name === 'transferCancel') {
      const transfer = kept.transfers.get(url.pathname.split('/').at(-2) ?? '')
      if (transfer?.state !== 'WAIT_USER_CONFIRM') return refuse(400, 'INVALID_REQUEST')
      transfer.state = 'CANCELLED'
      return say(200, { out_bill_no: transfer.no, state: 'CANCELING' })
    }
    const shared = sharing(name, url, data, last)
    if (shared) return shared
    if (name === 'funds') {
      const day = url.searchParams.get('bill_date') ?? ''
      if (!kept.bill.flow.length || day !== (kept.bill.day || day))
        return refuse(400, 'NO_STATEMENT_EXIST')
      bill = wechatFlow(kept.bill.flow, day, kept.bill.opening)
      const hash = createHash('sha1').update(bill).digest('hex')
      const at = `${standIn.base}/v3/billdownload/file?token=x`
      return say(200, { hash_type: 'SHA1', hash_value: hash, download_url: at })
    }
    if (name === 'bill') {
      if (kept.bill.absent) return refuse(400, 'STATEMENT_CREATING')
      const asked = url.searchParams.get('bill_date')
      if (!kept.bill.rows.length || asked !== (kept.bill.day || asked))
        return refuse(400, 'NO_STATEMENT_EXIST')
      bill = wechatBill(kept.bill.rows, { mchId: kept.bill.ofMerchant || mchId, appId })
      const hash = createHash('sha1').update(bill).digest('hex')
      if (kept.bill.broken) bill = bill.replace('0.00', '9.00')
      const at = kept.bill.elsewhere || standIn.base
      return say(200, {
        hash_type: 'SHA1',
        hash_value: hash,
        download_url: `${at}/v3/billdownload/file?token=t`,
      })
    }
    return name === 'download' ? { status: 200, body: bill } : refuse(404, 'RESOURCE_NOT_EXISTS')
  }

  const standIn = await listen(nameOf, ({ name, request, body }, fault) => {
    const right = isOurs(request, body)
    calls.push(right ? name : `BAD ${name}`)
    const url = new URL(request.url ?? '/', 'http://a')
    const reply = !right
      ? refuse(401, 'SIGN_ERROR')
      : fault?.how === 'CODE'
        ? refuse(fault.code === 'SYSTEM_ERROR' ? 500 : 403, fault.code)
        : answer(name, url, body ? JSON.parse(body) : {})
    const text = reply.body.toString()
    const said = fault?.how === 'OTHER' ? ofAnother(text) : text
    return {
      ...reply,
      body: said,
      headers: signedHeaders(said, {
        unsigned: fault?.how === 'UNSIGNED',
        wrongKey: fault?.how === 'WRONG_KEY',
        secondsAgo: fault?.how === 'OLD' ? 3600 : 0,
        ...(request.headers['wechatpay-serial'] === named.id
          ? { by: named.privateKey, serial: named.id }
          : {}),
      }),
    }
  })
  return {
    ...standIn,
    ...kept,
    provider: 'WECHAT',
    publicKey: { id: named.id, pem: pem(named.publicKey) },
    calls,
    merchant: {
      provider: 'WECHAT',
      merchantName: '货道测试商户',
      mchId,
      appId,
      certSerial,
      apiV3Key,
      privateKey: pem(ours.privateKey),
    },
    notice(configId, trade, change = {}) {
      const body = JSON.stringify({
        id: change.eventId ?? `EV-${trade.outTradeNo}`,
        create_time: '2026-11-21T14:00:00+08:00',
        event_type: 'TRANSACTION.SUCCESS',
        resource_type: 'encrypt-resource',
        resource: {
          ...seal(JSON.stringify(resultOf(trade, change)), 'transaction'),
          original_type: 'transaction',
        },
      })
      return {
        url: `/pay/wechat/notify/${configId}`,
        headers: { 'content-type': 'application/json', ...signedHeaders(body, change) },
        body: change.otherBody ? body.replace('TRANSACTION.SUCCESS', 'TRANSACTION.SUCCESS ') : body,
      }
    },
    transferNotice(configId, no) {
      const body = JSON.stringify({
        id: `EV-${no}`,
        event_type: 'MCHTRANSFER.BILL.FINISHED',
        resource_type: 'encrypt-resource',
        resource: seal(
          JSON.stringify({ out_bill_no: no, state: kept.transfers.get(no)?.state ?? 'SUCCESS' }),
          'mch_payment',
        ),
      })
      return {
        url: `/pay/wechat/notify/${configId}`,
        headers: { 'content-type': 'application/json', ...signedHeaders(body) },
        body,
      }
    },
    newCertificate() {
      platform = certificate()
    },
  }
}

function wechatBill(rows: readonly BillLine[], { mchId, appId }: { mchId: string; appId: string }) {
  const heading =
    '交易时间,公众账号ID,商户号,特约商户号,设备号,微信订单号,商户订单号,用户标识,交易类型,交易状态,付款银行,货币种类,应结订单金额,代金券金额,微信退款单号,商户退款单号,退款金额,充值券退款金额,退款类型,退款状态,商品名称,商户数据包,手续费,费率,订单金额,申请退款金额,费率备注'
  const lines = rows.map(({ trade, refundNo, amount = trade.amount, raw }) => {
    if (raw !== undefined) return raw
    const back = refundNo ? yuan(amount) : '0.00'
    const paid = refundNo ? '0.00' : yuan(amount)
    return [
      ...['2026-11-20 14:00:00', appId, mchId, '0', '', trade.tradeNo, trade.outTradeNo, 'oUpF'],
      ...['NATIVE', refundNo ? 'REFUND' : 'SUCCESS', 'OTHERS', 'CNY', paid, '0.00'],
      ...[
        refundNo ? `5030${refundNo}` : '0',
        refundNo ?? '0',
        back,
        '0.00',
        '',
        refundNo ? 'SUCCESS' : '',
      ],
      ...['可乐,330ml', '', refundNo ? '-0.01000' : '0.01500', '0.60%', paid, back, ''],
    ]
      .map((value) => `\`${value}`)
      .join(',')
  })
  return `\ufeff${[heading, ...lines, '总交易单数,应结订单总金额', `\`${rows.length},\`1.00`].join('\r\n')}\r\n`
}

const flowLines = (rows: readonly FlowLine[], day: string, opening: number) => {
  let balance = opening
  return rows.map(({ at = `${day} 14:00:00`, tradeNo = '', outNo = '', ...row }, n) => {
    balance += row.amount
    return { ...row, at, tradeNo, outNo, flowNo: `${day.replaceAll('-', '')}${n}`, balance }
  })
}
export function wechatFlow(rows: readonly FlowLine[], day: string, opening: number): string {
  const heading =
    '记账时间,微信支付业务单号,资金流水单号,业务名称,业务类型,收支类型,收支金额(元),账户结余(元),资金变更提交申请人,备注,业务凭证号'
  const sums = [rows.filter((row) => row.amount > 0), rows.filter((row) => row.amount < 0)].flatMap(
    (some) => [
      `${some.length}.0`,
      yuan(some.reduce((sum, { amount }) => sum + Math.abs(amount), 0)),
    ],
  )
  const lines = flowLines(rows, day, opening).map(({ amount, ...row }) =>
    [
      ...[row.at, row.tradeNo, row.flowNo, row.name, row.type, amount > 0 ? '收入' : '支出'],
      ...[yuan(Math.abs(amount)), yuan(row.balance), 'system', '', row.outNo],
    ]
      .map((value) => `\`${value}`)
      .join(','),
  )
  const end = [`${rows.length}.0`, ...sums].map((value) => `\`${value}`).join(',')
  const names = '资金流水总笔数,收入笔数,收入金额,支出笔数,支出金额'
  return `\ufeff${[heading, ...lines, names, end].join('\r\n')}\r\n`
}

export async function openAlipay(now: () => Date): Promise<StandIn> {
  const ours = pair()
  const theirs = pair()
  const other = pair()
  const [mchId, appId] = ['2088102146225135', '2014072300007148']
  const kept = store()
  const calls: string[] = []
  let bill: Buffer = Buffer.alloc(0)
  const names: Record<string, string> = {
    'alipay.trade.precreate': 'prepay',
    'alipay.trade.query': 'query',
    'alipay.trade.close': 'close',
    'alipay.trade.refund': 'refund',
    'alipay.trade.fastpay.refund.query': 'refundQuery',
    'alipay.data.dataservice.bill.downloadurl.query': 'bill',
    'alipay.trade.royalty.relation.bind': 'receiver',
    'alipay.trade.royalty.relation.unbind': 'receiverGone',
    'alipay.trade.order.settle': 'split',
    'alipay.trade.order.settle.query': 'splitQuery',
    'alipay.fund.trans.uni.transfer': 'transfer',
    'alipay.fund.trans.common.query': 'transferQuery',
  }
  const paramsOf = (text: string) => Object.fromEntries(new URLSearchParams(text))
  const ordered = (params: Record<string, string>, ...without: string[]) =>
    Object.keys(params)
      .filter((name) => !without.includes(name) && params[name] !== '')
      .sort()
      .map((name) => `${name}=${params[name]}`)
      .join('&')
  const ok = (data: object) => ({ code: '10000', msg: 'Success', ...data })
  const no = (code: string) => ({ code: '40004', msg: 'Business Failed', sub_code: code })

  const transferOf = ({ no, state, amount }: Transfer, whole = false) => ({
    out_biz_no: no,
    order_id: `2011${no.slice(2)}`,
    status: state,
    ...(whole
      ? { trans_amount: yuan(amount), fail_reason: state === 'FAIL' ? '账号不存在' : '' }
      : {}),
  })

  type Royalty = { trans_in: string; trans_out: string; amount: string; royalty_type: string }
  const fenIn = (text: unknown) => Math.round(Number(text) * 100)
  /** What is about shares; null: something else. */
  function sharing(name: string, biz: Record<string, unknown>): object | null {
    const { shares } = kept
    const [no_, tradeNo] = [String(biz.out_request_no ?? ''), String(biz.trade_no ?? '')]
    if (name === 'receiver' || name === 'receiverGone') {
      const list = biz.receiver_list as { type: string; account: string; name: string }[]
      const [one] = list
      if (!one || !['userId', 'loginName'].includes(one.type) || !no_)
        return no('INVALID_PARAMETER')
      if (shares.refusing.has(one.account)) return no('USER_NOT_EXIST')
      if (name === 'receiver') shares.receivers.set(one.account, { name: one.name, relation: '' })
      else shares.receivers.delete(one.account)
      return ok({ result_code: 'SUCCESS' })
    }
    if (name === 'split') {
      const list = (biz.royalty_parameters ?? []) as Royalty[]
      const { royalty_finish: finish } = biz.extend_params as { royalty_finish: string }
      if (finish === 'true') {
        if (shares.released.has(tradeNo)) return no('ACQ.TRADE_SETTLE_FINISHED')
        shares.released.set(tradeNo, no_)
        return ok({ trade_no: tradeNo, settle_no: `2021${no_}` })
      }
      if (list.some((one) => one.trans_out !== mchId || one.royalty_type !== 'transfer'))
        return no('ACQ.INVALID_PARAMETER')
      const parts = list.map((one) => ({ account: one.trans_in, amount: fenIn(one.amount) }))
      const made = kept.split(no_, tradeNo, parts)
      if (typeof made === 'string')
        return no(made === 'NO_AUTH' ? 'ACQ.ROYALTY_RECEIVER_INVALID' : 'ACQ.INVALID_PARAMETER')
      return ok({ trade_no: tradeNo, settle_no: `2021${no_}` })
    }
    if (name === 'splitQuery') {
      const known = shares.splits.get(no_)
      if (known?.tradeNo !== tradeNo) return no('ACQ.SETTLE_NOT_EXIST')
      const states = { PENDING: 'PROCESSING', PAID: 'SUCCESS', FAILED: 'FAIL' }
      const said = known.parts.map(({ account, amount, state }) => ({
        ...{ operation_type: 'transfer', trans_out: mchId, trans_in: account },
        ...{ amount: yuan(amount), state: states[state], detail_id: `2023${no_}` },
        ...(state === 'FAILED' ? { error_code: 'TXN_RESULT_ACCOUNT_ABNORMAL' } : {}),
      }))
      kept.ended(no_)
      return ok({ out_request_no: no_, operation_dt: shanghai(now()), royalty_detail_list: said })
    }
    return null
  }

  function answer(name: string, biz: Record<string, string>): object {
    const shared = sharing(name, biz)
    if (shared) return shared
    if (name === 'transfer') {
      const to = biz.payee_info as unknown as Record<string, string>
      if (biz.product_code !== 'TRANS_ACCOUNT_NO_PWD' || to.identity_type !== 'ALIPAY_LOGON_ID')
        return no('INVALID_PARAMETER')
      const amount = Math.round(Number(biz.trans_amount) * 100)
      const made = kept.transfer(biz.out_biz_no ?? '', amount, to.identity ?? '', to.name ?? '')
      return made ? ok(transferOf(made)) : no('INVALID_PARAMETER')
    }
    if (name === 'transferQuery') {
      const transfer = kept.transfers.get(biz.out_biz_no ?? '')
      return transfer ? ok(transferOf(transfer, true)) : no('ORDER_NOT_EXIST')
    }
    const trade = kept.trades.get(biz.out_trade_no ?? '')
    if (name === 'prepay') {
      if (biz.seller_id !== mchId) return no('ACQ.INVALID_PARAMETER')
      const made = kept.open(biz.out_trade_no ?? '', Math.round(Number(biz.total_amount) * 100))
      if (made.state !== 'OPEN') return no('ACQ.TRADE_HAS_SUCCESS')
      const more = biz.extend_params as unknown as { royalty_freeze?: string } | undefined
      if (more?.royalty_freeze === 'true') kept.shares.frozen.add(made.outTradeNo)
      return ok({ out_trade_no: made.outTradeNo, qr_code: `https://qr.alipay.com/${made.tradeNo}` })
    }
    if (name === 'query')
      return trade
        ? ok({
            out_trade_no: trade.outTradeNo,
            trade_no: trade.tradeNo,
            trade_status: { OPEN: 'WAIT_BUYER_PAY', PAID: 'TRADE_SUCCESS', CLOSED: 'TRADE_CLOSED' }[
              trade.state
            ],
            total_amount: yuan(trade.amount),
          })
        : no('ACQ.TRADE_NOT_EXIST')
    if (name === 'close') {
      if (!trade) return no('ACQ.TRADE_NOT_EXIST')
      if (trade.state !== 'OPEN') return no('ACQ.TRADE_STATUS_ERROR')
      trade.state = 'CLOSED'
      return ok({ out_trade_no: trade.outTradeNo, trade_no: trade.tradeNo })
    }
    if (name === 'refund') {
      const amount = Math.round(Number(biz.refund_amount) * 100)
      const before = kept.refunds.has(biz.out_request_no ?? '')
      const backs = (biz.refund_royalty_parameters ?? []) as unknown as Royalty[]
      if (!before && backs.some((one) => kept.shares.unwilling.has(one.trans_out)))
        return no('ACQ.ALLOC_AMOUNT_VALIDATE_ERROR')
      for (const one of backs) {
        const [split] =
          [...kept.shares.splits].find(([, { tradeNo }]) => tradeNo === biz.trade_no) ?? []
        kept.giveBack(
          `${biz.out_request_no}/${one.trans_out}`,
          ...([split ?? '', one.trans_out, fenIn(one.amount)] as const),
        )
      }
      const refund = kept.refund(biz.out_request_no ?? '', biz.trade_no ?? '', amount)
      return refund
        ? ok({
            trade_no: refund.tradeNo,
            fund_change: before ? 'N' : 'Y',
            refund_fee: biz.refund_amount,
          })
        : no('ACQ.REASON_TRADE_REFUND_FEE_ERR')
    }
    if (name === 'refundQuery') {
      const refund = kept.refunds.get(biz.out_request_no ?? '')
      return ok(
        refund
          ? {
              out_request_no: refund.refundNo,
              trade_no: refund.tradeNo,
              refund_amount: yuan(refund.amount),
              refund_status: refund.state === 'SUCCESS' ? 'REFUND_SUCCESS' : refund.state,
              refund_royaltys: [...kept.shares.returns]
                .filter(([key]) => key.startsWith(`${refund.refundNo}/`))
                .map(([, one]) => ({
                  ...{ refund_amount: yuan(one.amount), royalty_type: 'transfer' },
                  ...{ result_code: one.state, trans_out: one.account, trans_in: mchId },
                })),
            }
          : {},
      )
    }
    if (name === 'funds') {
      const day = biz.bill_date ?? ''
      if (!kept.bill.flow.length || day !== (kept.bill.day || day)) return no('isp.bill_not_exist')
      bill = alipayFlow(kept.bill.flow, day, kept.bill.opening, mchId)
      return ok({ bill_download_url: `${standIn.base}/bill.zip` })
    }
    if (kept.bill.absent) return { code: '20000', msg: 'Service Unavailable', sub_code: 'isp.x' }
    if (!kept.bill.rows.length || biz.bill_date !== (kept.bill.day || biz.bill_date))
      return no('isp.bill_not_exist')
    bill = alipayBill(kept.bill.rows, kept.bill.ofMerchant || mchId)
    if (kept.bill.broken) bill = bill.subarray(0, bill.length - 40)
    return ok({ bill_download_url: `${kept.bill.elsewhere || standIn.base}/bill.zip` })
  }

  const standIn = await listen(
    (request, body) =>
      request.url === '/bill.zip'
        ? 'download'
        : paramsOf(body).biz_content?.includes('"signcustomer"')
          ? 'funds'
          : (names[paramsOf(body).method ?? ''] ?? 'unknown'),
    ({ name, body }, fault) => {
      if (name === 'download') return { body: bill }
      const params = paramsOf(body)
      const right =
        params.app_id === appId &&
        params.sign_type === 'RSA2' &&
        params.charset === 'utf-8' &&
        Math.abs(Date.parse(`${params.timestamp?.replace(' ', 'T')}+08:00`) - now().getTime()) <
          600_000 &&
        fits(ours.publicKey, ordered(params, 'sign'), params.sign ?? '')
      calls.push(right ? name : `BAD ${name}`)
      const node = `${params.method?.replaceAll('.', '_')}_response`
      const data = !right
        ? { code: '40002', msg: 'Invalid Arguments', sub_code: 'isv.invalid-signature' }
        : fault?.how === 'CODE'
          ? fault.code.startsWith('isp.')
            ? { code: '20000', sub_code: fault.code }
            : no(fault.code)
          : answer(name, JSON.parse(params.biz_content ?? '{}'))
      // as the gateway does: slashes are escaped, so the text counts, not what it parses to
      const text = JSON.stringify(data).replaceAll('/', '\\/')
      const raw = fault?.how === 'OTHER' ? ofAnother(text) : text
      const key = fault?.how === 'WRONG_KEY' ? other.privateKey : theirs.privateKey
      const signature = fault?.how === 'UNSIGNED' ? '' : sign(key, raw)
      return { body: `{"${node}":${raw},"sign":"${signature}"}` }
    },
  )
  return {
    ...standIn,
    ...kept,
    provider: 'ALIPAY',
    calls,
    merchant: {
      provider: 'ALIPAY',
      merchantName: '货道测试商户',
      mchId,
      appId,
      privateKey: pem(ours.privateKey),
      channelKeys: { ALIPAY: pem(theirs.publicKey) },
    },
    notice(configId, trade, change = {}) {
      const params: Record<string, string> = {
        notify_time: shanghai(now()),
        notify_type: 'trade_status_sync',
        notify_id: change.eventId ?? `ac05${trade.outTradeNo}`,
        app_id: change.app ?? appId,
        charset: 'utf-8',
        version: '1.0',
        trade_no: trade.tradeNo,
        out_trade_no: trade.outTradeNo,
        buyer_logon_id: '159****5620',
        seller_id: change.merchant ?? mchId,
        subject: '可乐 330ml ×1 & 更多 = 好',
        trade_status: change.state ?? 'TRADE_SUCCESS',
        total_amount: yuan(change.amount ?? trade.amount),
        fund_bill_list: '[{"amount":"2.50","fundChannel":"ALIPAYACCOUNT"}]',
      }
      const key = change.wrongKey ? other.privateKey : theirs.privateKey
      params.sign = sign(key, ordered(params))
      params.sign_type = 'RSA2'
      if (change.otherBody) params.total_amount = yuan(trade.amount + 100)
      return {
        url: `/pay/alipay/notify/${configId}`,
        headers: { 'content-type': 'application/x-www-form-urlencoded; charset=UTF-8' },
        body: new URLSearchParams(params).toString(),
      }
    },
  }
}

function alipayFlow(
  rows: readonly FlowLine[],
  day: string,
  opening: number,
  mchId: string,
): Buffer {
  const head = `#支付宝账务明细查询\r\n#账号：[${mchId}0156]\r\n#-----账务明细列表----\r\n`
  const heading =
    '账务流水号,业务流水号,商户订单号,商品名称,发生时间,对方账号,收入金额（+元）,支出金额（-元）,账户余额（元）,交易渠道,业务类型,备注'
  const lines = flowLines(rows, day, opening).map(({ amount, ...row }) =>
    [
      ...[`${row.flowNo}\t`, `${row.tradeNo}\t`, `${row.outNo}\t`, '可乐', row.at, ''],
      ...[amount > 0 ? yuan(amount) : '0.00', amount < 0 ? yuan(amount) : '0.00'],
      ...[yuan(row.balance), '支付宝', row.type, ''],
    ].join(','),
  )
  const foot = '#-----账务明细列表结束----\r\n'
  const name = (text: string) => gbk(`${mchId}_${text}.csv`)
  return zip([
    [name('账务明细(汇总)'), gbk('#汇总\r\n')],
    [name('账务明细'), gbk(`${head}${[heading, ...lines].join('\r\n')}\r\n${foot}`)],
  ])
}

export function alipayBill(rows: readonly BillLine[], mchId: string): Buffer {
  const head = `#支付宝业务明细查询\r\n#账号：[${mchId}0156]\r\n#-----业务明细列表----\r\n`
  const heading =
    '支付宝交易号,商户订单号,业务类型,商品名称,创建时间,完成时间,门店编号,门店名称,操作员,终端号,对方账户,订单金额（元）,商家实收（元）,支付宝红包（元）,集分宝（元）,支付宝优惠（元）,商家优惠（元）,券核销金额（元）,券名称,商家红包消费金额（元）,卡消费金额（元）,退款批次号/请求号,服务费（元）,分润（元）,备注'
  const lines = rows.map(({ trade, refundNo, amount = trade.amount, raw }) => {
    if (raw !== undefined) return raw
    const sum = yuan(refundNo ? -amount : amount)
    return [
      ...[`${trade.tradeNo}\t`, `${trade.outTradeNo}\t`, refundNo ? '退款' : '交易', '可乐'],
      ...['2026-11-20 14:00:00', '2026-11-20 14:00:03', '', '', '', '', '某(**三)', sum, sum],
      ...['0.00', '0.00', '0.00', '0.00', '0.00', '', '0.00', '0.00', `${refundNo ?? ''}\t`],
      ...['-0.02', '0.00', ''],
    ].join(',')
  })
  const foot = '#-----业务明细列表结束----\r\n'
  const name = (text: string) => gbk(`${mchId}_${text}.csv`)
  return zip([
    [name('业务明细(汇总)'), gbk('#汇总\r\n')],
    [name('业务明细'), gbk(`${head}${[heading, ...lines].join('\r\n')}\r\n${foot}`)],
  ])
}

/** Node reads GBK and does not write it. */
function gbk(text: string): Buffer {
  gbkTable ??= tableOfGbk()
  const table = gbkTable
  const latin = (part: string) => Buffer.from(part, 'latin1')
  return Buffer.concat(
    text
      .split(/([\u0080-\uffff])/)
      .map((part) => (part > '\u007f' ? (table.get(part) ?? latin(part)) : latin(part))),
  )
}
let gbkTable: Map<string, Buffer> | undefined
function tableOfGbk(): Map<string, Buffer> {
  const decoder = new TextDecoder('gb18030')
  const table = new Map<string, Buffer>()
  for (let high = 0x81; high <= 0xfe; high += 1)
    for (let low = 0x40; low <= 0xfe; low += 1) {
      if (low === 0x7f) continue
      const bytes = Buffer.from([high, low])
      const sign = decoder.decode(bytes)
      if ([...sign].length === 1 && !table.has(sign)) table.set(sign, bytes)
    }
  return table
}

function zip(files: readonly (readonly [Buffer, Buffer])[]): Buffer {
  const [parts, list] = [[] as Buffer[], [] as Buffer[]]
  let at = 0
  for (const [name, data] of files) {
    const packed = deflateRawSync(data)
    const head = Buffer.alloc(30)
    head.writeUInt32LE(0x04034b50, 0)
    head.writeUInt16LE(8, 8)
    head.writeUInt32LE(crc32(data), 14)
    head.writeUInt32LE(packed.length, 18)
    head.writeUInt32LE(data.length, 22)
    head.writeUInt16LE(name.length, 26)
    const entry = Buffer.alloc(46)
    entry.writeUInt32LE(0x02014b50, 0)
    entry.writeUInt16LE(8, 10)
    entry.writeUInt32LE(packed.length, 20)
    entry.writeUInt32LE(data.length, 24)
    entry.writeUInt16LE(name.length, 28)
    entry.writeUInt32LE(at, 42)
    parts.push(head, name, packed)
    list.push(entry, name)
    at += head.length + name.length + packed.length
  }
  const directory = Buffer.concat(list)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(files.length, 8)
  end.writeUInt16LE(files.length, 10)
  end.writeUInt32LE(directory.length, 12)
  end.writeUInt32LE(at, 16)
  return Buffer.concat([...parts, directory, end])
}
