import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { createInflateRaw } from 'node:zlib'
import type { App } from '../../../server/context.ts'
import { Blocked, callOut, reasonOf } from '../../../server/outbound.ts'
import { fenOf } from '../rules.ts'
import { type BillRow, type Fault, failed, retry } from './channels.ts'

/**
 * Bills are kept in a file until their hash fits, and then read line by line: of a busy merchant
 * they are larger than memory should hold.
 */
const mostBytes = 256 * 1024 * 1024
const mostLine = 20_000
const timeoutMs = 120_000

export async function spooled(
  app: App,
  file: string,
  url: string,
  headers: Record<string, string>,
): Promise<{ state: 'KEPT'; sha1: string } | Fault> {
  const hash = createHash('sha1')
  try {
    const privateAllowed = !app.config.production
    const answer = await callOut({ url, method: 'GET', headers, privateAllowed, timeoutMs })
    if (answer.statusCode !== 200) {
      answer.destroy()
      return retry(`HTTP ${answer.statusCode} of the bill`)
    }
    const handle = await open(file, 'w', 0o600)
    try {
      let bytes = 0
      for await (const part of answer as AsyncIterable<Buffer>) {
        bytes += part.length
        if (bytes > mostBytes) {
          answer.destroy()
          return failed('bill is too large')
        }
        hash.update(part)
        await handle.writeFile(part)
      }
    } finally {
      await handle.close()
    }
    return { state: 'KEPT', sha1: hash.digest('hex') }
  } catch (error) {
    return error instanceof Blocked ? failed(error.message) : retry(reasonOf(error))
  }
}

export async function* noRows(): AsyncGenerator<BillRow> {}

/** What stands in a bill and is none of its rows: then nothing of it counts. */
export class BadBill extends Error {}

async function* linesOf(
  source: AsyncIterable<Buffer>,
  encoding: 'utf-8' | 'gb18030',
): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding, { fatal: true })
  let rest = ''
  for await (const part of source) {
    const pieces = (rest + decoder.decode(part, { stream: true })).split('\n')
    rest = pieces.pop() ?? ''
    if (rest.length > mostLine) throw new BadBill('line')
    yield* pieces.map((line) => line.replace(/\r$/, ''))
  }
  rest += decoder.decode()
  if (rest) yield rest
}

const columnsOf = (heading: string, names: Readonly<Record<string, string>>) => {
  const titles = heading.split(',').map((title) => title.trim())
  return Object.fromEntries(
    Object.entries(names).map(([key, title]) => {
      const at = titles.indexOf(title)
      if (at < 0) throw new BadBill(`column ${title}`)
      return [key, at]
    }),
  )
}
const fen = (text: string | undefined): number => {
  const found = fenOf(text ?? '')
  if (found === null) throw new BadBill('amount')
  return found
}
/** Fees are said to a thousandth of a fen. */
const feeFen = (text: string | undefined): number => {
  if (!/^-?\d{1,9}(\.\d{1,8})?$/.test(text ?? '')) throw new BadBill('fee')
  return Math.round(Number(text) * 100)
}

const wechatColumns = {
  app: '公众账号ID',
  merchant: '商户号',
  tradeNo: '微信订单号',
  outTradeNo: '商户订单号',
  state: '交易状态',
  refundNo: '商户退款单号',
  refund: '申请退款金额',
  fee: '手续费',
  amount: '订单金额',
}
/**
 * Values follow a backtick each, so that commas in names are no borders; two lines of sums end the
 * bill.
 */
export async function* wechatRows(
  file: string,
  merchantOf: (row: { mchid: string; appid: string }) => string,
): AsyncGenerator<BillRow> {
  let at: Record<string, number> | null = null
  let [said, seen] = [null as number | null, 0]
  let ended = false
  for await (const line of linesOf(createReadStream(file), 'utf-8')) {
    if (!line) continue
    if (!at) {
      at = columnsOf(line.replace(/^\ufeff/, ''), wechatColumns)
      continue
    }
    if (!line.startsWith('`')) {
      ended = true
      continue
    }
    const values = line.slice(1).split(',`')
    if (ended) {
      said = Number(values[0])
      continue
    }
    const of = (key: keyof typeof wechatColumns) => values[at?.[key] ?? -1]?.trim() ?? ''
    seen += 1
    if (merchantOf({ mchid: of('merchant'), appid: of('app') }).includes('/'))
      throw new BadBill('merchant')
    const refund = of('state') === 'REFUND'
    yield {
      kind: refund ? 'REFUND' : 'PAID',
      outTradeNo: of('outTradeNo'),
      tradeNo: of('tradeNo'),
      refundNo: refund ? of('refundNo') : '',
      amount: fen(refund ? of('refund') : of('amount')),
      fee: feeFen(of('fee')),
    }
  }
  if (said !== seen) throw new BadBill('number of rows')
}

const alipayColumns = {
  tradeNo: '支付宝交易号',
  outTradeNo: '商户订单号',
  kind: '业务类型',
  amount: '订单金额（元）',
  refundNo: '退款批次号/请求号',
  fee: '服务费（元）',
}
/** A zip of two files in GBK: of the one without 汇总 in its name the lines between the comments. */
export async function* alipayRows(file: string): AsyncGenerator<BillRow> {
  let at: Record<string, number> | null = null
  let whole = false
  for await (const line of linesOf(await unzipped(file), 'gb18030')) {
    if (!line.trim()) continue
    if (line.startsWith('#')) {
      if (line.includes('业务明细列表结束')) whole = true
      continue
    }
    if (!at) {
      at = columnsOf(line.replaceAll('(', '（').replaceAll(')', '）'), alipayColumns)
      continue
    }
    const values = line.split(',').map((value) => value.trim())
    const of = (key: keyof typeof alipayColumns) => values[at?.[key] ?? -1] ?? ''
    const refund = of('kind') === '退款'
    yield {
      kind: refund ? 'REFUND' : 'PAID',
      outTradeNo: of('outTradeNo'),
      tradeNo: of('tradeNo'),
      refundNo: refund ? of('refundNo') : '',
      amount: Math.abs(fen(of('amount'))),
      fee: Math.abs(feeFen(of('fee'))),
    }
  }
  if (!whole) throw new BadBill('end')
}

/** The bytes of the file of details in a zip, unpacked while they are read. */
async function unzipped(file: string): Promise<AsyncIterable<Buffer>> {
  const handle = await open(file, 'r')
  try {
    const { size } = await handle.stat()
    const part = async (from: number, length: number): Promise<Buffer> => {
      if (from < 0 || length > 1_048_576 || from + length > size) throw new BadBill('zip')
      const bytes = Buffer.alloc(length)
      await handle.read(bytes, 0, length, from)
      return bytes
    }
    const tail = await part(Math.max(0, size - 66_000), Math.min(size, 66_000))
    const end = tail.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'))
    if (end < 0 || end + 22 > tail.length) throw new BadBill('zip')
    const list = await part(tail.readUInt32LE(end + 16), tail.readUInt32LE(end + 12))
    for (let at = 0; at + 46 <= list.length && list.readUInt32LE(at) === 0x02014b50; ) {
      const [method, bytes, nameLength, more, note, start] = [
        list.readUInt16LE(at + 10),
        list.readUInt32LE(at + 20),
        list.readUInt16LE(at + 28),
        list.readUInt16LE(at + 30),
        list.readUInt16LE(at + 32),
        list.readUInt32LE(at + 42),
      ]
      const name = list.subarray(at + 46, at + 46 + nameLength)
      at += 46 + nameLength + more + note
      const isUtf8 = list.readUInt16LE(at - 46 - nameLength - more - note + 8) & 0x800
      if (new TextDecoder(isUtf8 ? 'utf-8' : 'gb18030').decode(name).includes('汇总')) continue
      const head = await part(start, 30)
      const from = start + 30 + head.readUInt16LE(26) + head.readUInt16LE(28)
      if ((method !== 0 && method !== 8) || bytes === 0 || from + bytes > size)
        throw new BadBill('zip')
      const packed = createReadStream(file, { start: from, end: from + bytes - 1 })
      return method === 0 ? packed : bounded(packed.pipe(createInflateRaw()))
    }
    throw new BadBill('zip')
  } finally {
    await handle.close()
  }
}

async function* bounded(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let bytes = 0
  for await (const part of source) {
    bytes += part.length
    if (bytes > 4 * mostBytes) throw new BadBill('size')
    yield part
  }
}
