import { createReadStream } from 'node:fs'
import { fenOf } from '../rules.ts'
import { BadBill, columnsOf, linesOf, moment, NoLine, OtherMerchant, rowOf } from './bills.ts'
import type { BadLine, SplitLine } from './channels.ts'

/**
 * WeChat's bill of shares (GET /v3/profitsharing/bills). Its documentation says: values follow a
 * backtick each, amounts are in yuan, a part with details and one with sums have a heading each, what
 * did not succeed is not in it. It names no column. Those below are what programs read that use it
 * (in this order, with 备注 at the end); they are looked for by name, one of several where programs
 * differ, so that order and further columns do not matter. What its sums are called is not known
 * either: `fits` takes what can be meant.
 */
const columns = {
  at: ['分账时间'],
  initiator: ['分账发起方'],
  payer: ['分账方'],
  tradeNo: ['微信订单号', '微信支付订单号'],
  channelNo: ['微信分账/回退单号', '微信分账单号/回退单号'],
  detailNo: ['分账明细单号'],
  requestNo: ['商户分账/回退单号', '商户分账单号/回退单号'],
  receiver: ['分账接收方'],
  amount: ['分账金额', '金额'],
  type: ['业务类型'],
  state: ['处理状态'],
} as const
type Key = keyof typeof columns

/** Units behind a name (金额(元)) are no part of it. */
const bare = (title: string) =>
  title
    .replaceAll('`', '')
    .replace(/[（(].*[)）]/, '')
    .trim()
function placesOf(heading: string): Record<string, number> {
  const titles = heading
    .replace(/^\ufeff/, '')
    .split(',')
    .map(bare)
  const names = Object.entries(columns).map(
    ([key, some]) => [key, some.find((name) => titles.includes(name)) ?? some[0]] as const,
  )
  return columnsOf(titles.join(','), Object.fromEntries(names))
}

const number = (text: string): string => {
  if (!/^[\x21-\x7e]{1,64}$/.test(text)) throw new NoLine('number')
  return text
}
const optional = (text: string): string => (/^[\x21-\x7e]{1,64}$/.test(text) ? text : '')
function stateOf(text: string): SplitLine['state'] {
  if (/失败|关闭|FAIL|CLOSED/i.test(text)) return 'FAILED'
  if (/处理中|待|PROCESSING|PENDING/i.test(text)) return 'PROCESSING'
  if (/成功|完成|SUCCESS|FINISHED/i.test(text)) return 'SUCCESS'
  throw new NoLine('state')
}
/** What is left of a payment and stays with its merchant is no share. */
function kindOf(type: string): SplitLine['kind'] | null {
  if (/解冻|完结/.test(type)) return null
  if (/回退|退回/.test(type)) return 'RETURN'
  if (!type.includes('分账')) throw new NoLine('state')
  return 'SPLIT'
}

type Sum = { count: number; fen: number }
/** Whether the sums say what was read: a name may mean shares, what came back, or both. */
function fits(
  titles: readonly string[],
  values: readonly string[],
  split: Sum,
  back: Sum,
): boolean {
  return titles.every((title, at) => {
    const counts = /笔数|单数|条数/.test(title)
    if (!counts && !title.includes('金额')) return true
    const of = (sum: Sum) => (counts ? sum.count : sum.fen)
    const said = counts ? Number(values[at]) : fenOf(values[at] ?? '')
    const [out, came] = [of(split), of(back)]
    const meant = /回退|退回/.test(title)
      ? [came]
      : [out, out + came, ...(counts ? [] : [out - came])]
    return said !== null && meant.includes(Math.abs(said))
  })
}

export async function* wechatShares(
  file: string,
  mchId: string,
): AsyncGenerator<SplitLine | BadLine> {
  let places: Record<string, number> | null = null
  let titles: string[] | null = null
  let sums: string[] | null = null
  let [line, odd] = [0, 0]
  const [split, back] = [
    { count: 0, fen: 0 },
    { count: 0, fen: 0 },
  ]
  for await (const text of linesOf(createReadStream(file), 'utf-8')) {
    line += 1
    if (!text.trim()) continue
    if (!places) {
      places = placesOf(text)
      continue
    }
    if (!text.startsWith('`')) {
      if (/笔数|单数|条数/.test(text)) titles ??= text.split(',').map(bare)
      if (!titles) {
        odd += 1
        yield { kind: 'BAD', line, why: 'form' }
      }
      continue
    }
    const values = text.slice(1).split(',`')
    if (titles) {
      sums = values
      continue
    }
    const of = (key: Key) => values[places?.[key] ?? -1]?.trim() ?? ''
    const row = rowOf<SplitLine | null>(line, () => {
      const [initiator, payer] = [of('initiator'), of('payer')]
      if (!/^\d{4,32}$/.test(payer)) throw new NoLine('merchant')
      if (initiator !== mchId && payer !== mchId) throw new OtherMerchant()
      const amount = fenOf(of('amount'))
      if (amount === null || amount === 0) throw new NoLine('amount')
      const kind = kindOf(of('type'))
      const sum = kind === 'RETURN' ? back : split
      sum.count += 1
      sum.fen += Math.abs(amount)
      // the rest of a payment, which stays with whom it was paid to
      if (kind === null || (kind === 'SPLIT' && of('receiver') === mchId)) return null
      return {
        kind,
        tradeNo: number(of('tradeNo')),
        requestNo: number(of('requestNo')),
        channelNo: optional(of('channelNo')),
        detailNo: optional(of('detailNo')),
        receiver: number(of('receiver')),
        amount: Math.abs(amount),
        at: moment(of('at')),
        state: stateOf(of('state')),
      }
    })
    if (row?.kind === 'BAD') odd += 1
    if (row) yield row
  }
  // a line that says nothing may be counted there or not
  if (!titles || !sums) throw new BadBill('number of rows')
  if (!odd && !fits(titles, sums, split, back)) throw new BadBill('sums')
}
