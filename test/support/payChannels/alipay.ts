import { alipayBill, alipayFlow } from './alipayFiles.ts'
import {
  fits,
  listen,
  ofAnother,
  pair,
  pem,
  type StandIn,
  shanghai,
  sign,
  store,
  type Transfer,
  yuan,
} from './kit.ts'

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
