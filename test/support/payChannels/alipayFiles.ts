import { crc32, deflateRawSync } from 'node:zlib'
import { type BillLine, type FlowLine, flowLines, yuan } from './kit.ts'

export function alipayFlow(
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
