import { type BillLine, type FlowLine, flowLines, type ShareLine, yuan } from './kit.ts'

export function wechatBill(
  rows: readonly BillLine[],
  { mchId, appId }: { mchId: string; appId: string },
) {
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

export function wechatShareBill(rows: readonly ShareLine[], day: string, mchId: string): string {
  const heading =
    '分账时间,分账发起方,分账方,微信订单号,微信分账/回退单号,分账明细单号,商户分账/回退单号,订单金额(元),分账接收方,金额(元),业务类型,处理状态,分账描述,备注'
  const lines = rows.map((row, n) =>
    [
      ...[row.at ?? `${day} 14:00:00`, mchId, mchId, row.tradeNo, `30${n}`, `36${n}`, row.no],
      ...['10.00', row.receiver, yuan(row.amount)],
      ...[row.type ?? (row.back ? '分账回退' : '分账'), row.state ?? '成功', '分账,一号', ''],
    ]
      .map((value) => `\`${value}`)
      .join(','),
  )
  const sums = [false, true].flatMap((back) => {
    const some = rows.filter((row) => (row.back ?? false) === back)
    return [`${some.length}`, yuan(some.reduce((sum, { amount }) => sum + amount, 0))]
  })
  const end = sums.map((value) => `\`${value}`).join(',')
  const names = '分账总笔数,分账总金额(元),回退总笔数,回退总金额(元)'
  return `\ufeff${[heading, ...lines, names, end].join('\r\n')}\r\n`
}
