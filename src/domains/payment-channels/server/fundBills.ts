import { createReadStream } from 'node:fs'
import { fenOf } from '../rules.ts'
import { alipayLines, BadBill, columnsOf, linesOf, moment, NoLine, rowOf } from './bills.ts'
import type { BadLine, FundLine } from './channels.ts'

/** Fund flows of channels, read line by line like their bills of trades. */
type Kind = FundLine['kind']

const amountOf = (text: string): number => {
  const fen = fenOf(text)
  if (fen === null) throw new NoLine('amount')
  return fen
}
const numberOf = (text: string, what: string): string => {
  if (!/^[\x21-\x7e]{1,128}$/.test(text)) throw new NoLine(what)
  return text
}
/** Ours, or whatever somebody wrote there: it is only compared. */
const anyNumber = (text: string): string => (/^[\x21-\x7e]{1,128}$/.test(text) ? text : '')

const wechatColumns = {
  at: '记账时间',
  tradeNo: '微信支付业务单号',
  flowNo: '资金流水单号',
  name: '业务名称',
  type: '业务类型',
  way: '收支类型',
  amount: '收支金额(元)',
  balance: '账户结余(元)',
  outNo: '业务凭证号',
}
const wechatTypes: Readonly<Record<string, Kind>> = {
  交易: 'PAY',
  扣除交易手续费: 'FEE',
  退款: 'REFUND',
  退款关闭: 'REFUND',
  退还交易手续费: 'FEE_BACK',
}
/** The channel renames its businesses now and then: what stands nowhere is OTHER, and seen. */
function wechatKind(name: string, type: string, amount: number): Kind {
  const known = Object.hasOwn(wechatTypes, type) ? wechatTypes[type] : undefined
  if (known) return known
  if (name.includes('分账')) return amount < 0 ? 'SPLIT' : 'SPLIT_BACK'
  if (name.includes('转账') || name.includes('付款')) return 'TRANSFER'
  return name.includes('提现') && amount < 0 ? 'SETTLE' : 'OTHER'
}

/** A file does not say whose it is: two lines of sums end it, and they have to fit. */
export async function* wechatFunds(file: string): AsyncGenerator<FundLine | BadLine> {
  let at: Record<string, number> | null = null
  let sums: string[] | null = null
  let [ended, line, seen, odd, income, outgo] = [false, 0, 0, 0, 0, 0]
  for await (const text of linesOf(createReadStream(file), 'utf-8')) {
    line += 1
    if (!text) continue
    if (!at) {
      at = columnsOf(text.replace(/^\ufeff/, ''), wechatColumns)
      continue
    }
    if (!text.startsWith('`')) {
      ended ||= text.startsWith('资金流水总笔数')
      if (!ended) {
        odd += 1
        yield { kind: 'BAD', line, why: 'form' }
      }
      continue
    }
    const values = text.slice(1).split(',`')
    if (ended) {
      sums = values
      continue
    }
    const of = (key: keyof typeof wechatColumns) => values[at?.[key] ?? -1]?.trim() ?? ''
    seen += 1
    const row = rowOf(line, (): FundLine => {
      const way = of('way')
      if (way !== '收入' && way !== '支出') throw new NoLine('state')
      const fen = amountOf(of('amount'))
      if (fen <= 0) throw new NoLine('amount')
      const amount = way === '收入' ? fen : -fen
      return {
        kind: wechatKind(of('name'), of('type'), amount),
        flowNo: numberOf(of('flowNo'), 'number'),
        tradeNo: anyNumber(of('tradeNo')),
        outNo: anyNumber(of('outNo')),
        amount,
        balance: amountOf(of('balance')),
        at: moment(of('at')),
      }
    })
    if (row.kind === 'BAD') odd += 1
    else if (row.amount > 0) income += row.amount
    else outgo -= row.amount
    yield row
  }
  const said = sums?.map(Number) ?? []
  if (!(said[0] !== undefined && said[0] >= seen - odd && said[0] <= seen + odd))
    throw new BadBill('number of rows')
  if (!odd && (fenOf(sums?.[2] ?? '') !== income || fenOf(sums?.[4] ?? '') !== outgo))
    throw new BadBill('sums')
}

const alipayColumns = {
  flowNo: '账务流水号',
  tradeNo: '业务流水号',
  outNo: '商户订单号',
  at: '发生时间',
  income: '收入金额（+元）',
  outgo: '支出金额（-元）',
  balance: '账户余额（元）',
  type: '业务类型',
}
const alipayTypes: readonly (readonly [RegExp, Kind])[] = [
  [/退费|退款手续费|服务费退/, 'FEE_BACK'],
  [/收费|服务费|手续费/, 'FEE'],
  [/退款/, 'REFUND'],
  [/分账|分润/, 'SPLIT'],
  [/提现/, 'SETTLE'],
  [/转账/, 'TRANSFER'],
  [/支付|交易付款/, 'PAY'],
]

export async function* alipayFunds(
  file: string,
  seller: string,
): AsyncGenerator<FundLine | BadLine> {
  const lines = { seller, columns: alipayColumns, end: '账务明细列表结束' }
  for await (const { line, of } of alipayLines(file, lines)) {
    yield rowOf(line, (): FundLine => {
      const [income, outgo] = [amountOf(of('income') || '0'), amountOf(of('outgo') || '0')]
      const amount = income - Math.abs(outgo)
      if (amount === 0) throw new NoLine('amount')
      const [, kind = 'OTHER'] = alipayTypes.find(([like]) => like.test(of('type'))) ?? []
      return {
        kind: kind === 'SPLIT' && amount > 0 ? 'SPLIT_BACK' : kind,
        flowNo: numberOf(of('flowNo'), 'number'),
        tradeNo: anyNumber(of('tradeNo')),
        outNo: anyNumber(of('outNo')),
        amount,
        balance: amountOf(of('balance')),
        at: moment(of('at')),
      }
    })
  }
}
