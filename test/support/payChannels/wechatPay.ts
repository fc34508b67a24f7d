import { execFileSync } from 'node:child_process'
import {
  constants,
  createCipheriv,
  createHash,
  type KeyObject,
  privateDecrypt,
  randomBytes,
  X509Certificate,
} from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type Asked,
  type Change,
  fits,
  listen,
  ofAnother,
  type Part,
  pair,
  pem,
  type Refund,
  type Reply,
  type StandIn,
  sign,
  store,
  type Trade,
  type Transfer,
  whole,
} from './kit.ts'
import { wechatBill, wechatFlow, wechatShareBill } from './wechatFiles.ts'

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
    [/^GET \/v3\/profitsharing\/bills\?/, 'shareBill'],
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
    if (name === 'shareBill') {
      const day = url.searchParams.get('bill_date') ?? ''
      if (!kept.bill.shares.length || day !== (kept.bill.day || day))
        return refuse(400, 'NO_STATEMENT_EXIST')
      bill = wechatShareBill(kept.bill.shares, day, kept.bill.ofMerchant || mchId)
      const hash = createHash('sha1').update(bill).digest('hex')
      const at = `${standIn.base}/v3/billdownload/file?token=s`
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
