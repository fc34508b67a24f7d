import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { createInflateRaw } from 'node:zlib'
import type { App } from '../../../server/context.ts'
import { Blocked, callOut, reasonOf } from '../../../server/outbound.ts'
import { fenOf } from '../rules.ts'
import { type BadLine, type BillLine, type Fault, failed, retry } from './channels.ts'

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

export async function* noRows(): AsyncGenerator<never> {}

/** What a bill says as a whole and cannot be: then nothing of it counts. */
export class BadBill extends Error {}
/** Of somebody else: it is not asked for again. */
export class OtherMerchant extends Error {}
/** One line says nothing; the others count. */
export class NoLine extends Error {}

/** A bill counts only if all of it is there, and is this merchant's: it is read once before. */
export async function readBill<L>(
  rows: () => AsyncIterable<L>,
): Promise<{ state: 'READY'; rows: AsyncIterable<L> } | Fault> {
  try {
    for await (const _ of rows());
    return { state: 'READY', rows: rows() }
  } catch (error) {
    if (error instanceof OtherMerchant) return failed(otherMerchant)
    if (error instanceof BadBill) return retry(`bill cannot be read (${error.message})`)
    // a zip that cannot be unpacked
    if (error instanceof Error && 'code' in error && String(error.code).startsWith('Z_'))
      return retry('bill cannot be read (zip)')
    throw error
  }
}
export const otherMerchant = 'bill of another merchant'

/** What cannot be a letter stands as U+FFFD; of a line that does not end, its beginning. */
export async function* linesOf(
  source: AsyncIterable<Buffer>,
  encoding: 'utf-8' | 'gb18030',
): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding)
  let rest = ''
  for await (const part of source) {
    const pieces = (rest + decoder.decode(part, { stream: true })).split('\n')
    rest = (pieces.pop() ?? '').slice(0, mostLine)
    yield* pieces.map((line) => line.replace(/\r$/, ''))
  }
  rest += decoder.decode()
  if (rest) yield rest
}

export const columnsOf = (heading: string, names: Readonly<Record<string, string>>) => {
  const titles = heading.split(',').map((title) => title.trim())
  return Object.fromEntries(
    Object.entries(names).map(([key, title]) => {
      const at = titles.indexOf(title)
      if (at < 0) throw new BadBill(`column ${title}`)
      return [key, at]
    }),
  )
}
const fen = (text: string): number => {
  const found = fenOf(text)
  if (!found) throw new NoLine('amount')
  return Math.abs(found)
}
/** Fees are said to a thousandth of a fen. */
const feeFen = (text: string): number => {
  if (!/^-?\d{1,9}(\.\d{1,8})?$/.test(text)) throw new NoLine('fee')
  return Math.abs(Math.round(Number(text) * 100))
}
const number = (text: string, what: string): string => {
  if (!/^[\x21-\x7e]{1,64}$/.test(text)) throw new NoLine(what)
  return text
}
/** `2026-11-20 14:00:00` in Shanghai */
export const moment = (text: string): Date => {
  const at = new Date(`${text.replace(' ', 'T')}+08:00`)
  if (!/^\d{4}(-\d\d){2} \d\d(:\d\d){2}$/.test(text) || Number.isNaN(at.getTime()))
    throw new NoLine('time')
  return at
}
/** Null: of somebody else of the same merchant. */
export function rowOf<L>(line: number, read: () => L): L | BadLine {
  try {
    return read()
  } catch (error) {
    if (error instanceof NoLine) return { kind: 'BAD', line, why: error.message }
    throw error
  }
}

const wechatColumns = {
  at: '交易时间',
  app: '公众账号ID',
  merchant: '商户号',
  tradeNo: '微信订单号',
  outTradeNo: '商户订单号',
  state: '交易状态',
  refundId: '微信退款单号',
  refundNo: '商户退款单号',
  refundState: '退款状态',
  refund: '申请退款金额',
  fee: '手续费',
  amount: '订单金额',
}
const refundStates: Readonly<Record<string, BillLine['state']>> = {
  SUCCESS: 'SUCCESS',
  PROCESSING: 'PROCESSING',
  FAIL: 'FAILED',
  CHANGE: 'FAILED',
}
/**
 * Values follow a backtick each, so that commas in names are no borders; two lines of sums end the
 * bill. A merchant's bill has the rows of all its apps.
 */
export async function* wechatRows(
  file: string,
  { mchId, appId }: { mchId: string; appId: string },
): AsyncGenerator<BillLine | BadLine> {
  let at: Record<string, number> | null = null
  // a broken line may stand as two
  let [said, seen, odd] = [null as number | null, 0, 0]
  let [ended, line] = [false, 0]
  for await (const text of linesOf(createReadStream(file), 'utf-8')) {
    line += 1
    if (!text) continue
    if (!at) {
      at = columnsOf(text.replace(/^\ufeff/, ''), wechatColumns)
      continue
    }
    if (!text.startsWith('`')) {
      ended ||= text.startsWith('总交易单数')
      if (!ended) {
        odd += 1
        yield { kind: 'BAD', line, why: 'form' }
      }
      continue
    }
    const values = text.slice(1).split(',`')
    if (ended) {
      said = Number(values[0])
      continue
    }
    const of = (key: keyof typeof wechatColumns) => values[at?.[key] ?? -1]?.trim() ?? ''
    seen += 1
    const row = rowOf<BillLine | null>(line, () => {
      if (!/^\d{4,32}$/.test(of('merchant'))) throw new NoLine('merchant')
      if (of('merchant') !== mchId) throw new OtherMerchant()
      if (of('app') !== appId) return null
      const refund = of('state') === 'REFUND'
      if (!refund && of('state') !== 'SUCCESS') throw new NoLine('state')
      const state = refund ? refundStates[of('refundState')] : 'SUCCESS'
      if (!state) throw new NoLine('state')
      return {
        kind: refund ? 'REFUND' : 'PAY',
        tradeNo: number(of(refund ? 'refundId' : 'tradeNo'), 'number'),
        outTradeNo: number(of('outTradeNo'), 'number'),
        refundNo: refund ? number(of('refundNo'), 'number') : null,
        amount: fen(of(refund ? 'refund' : 'amount')),
        fee: feeFen(of('fee')),
        at: moment(of('at')),
        state,
      }
    })
    if (row) yield row
  }
  if (said === null || !(said >= seen && said <= seen + odd)) throw new BadBill('number of rows')
}

const alipayColumns = {
  tradeNo: '支付宝交易号',
  outTradeNo: '商户订单号',
  kind: '业务类型',
  at: '完成时间',
  amount: '订单金额（元）',
  refundNo: '退款批次号/请求号',
  fee: '服务费（元）',
}
/**
 * Lines of a zip of two files in GBK: of the one without 汇总 in its name those between the comments,
 * of which one names the account (the seller and four digits) and one says `end`.
 */
export async function* alipayLines<K extends string>(
  file: string,
  { seller, columns, end }: { seller: string; columns: Record<K, string>; end: string },
): AsyncGenerator<{ line: number; of: (key: K) => string }> {
  let at: Record<string, number> | null = null
  let [whole, named, line] = [false, false, 0]
  for await (const text of linesOf(await unzipped(file), 'gb18030')) {
    line += 1
    if (!text.trim()) continue
    if (text.startsWith('#')) {
      const account = /账号[：:]\s*\[?(\d+)/.exec(text)?.[1]
      if (account && !account.startsWith(seller)) throw new OtherMerchant()
      named ||= account !== undefined
      whole ||= text.includes(end)
      continue
    }
    if (!named) throw new BadBill('account')
    if (!at) {
      at = columnsOf(text.replaceAll('(', '（').replaceAll(')', '）'), columns)
      continue
    }
    const values = text.split(',').map((value) => value.trim())
    yield { line, of: (key) => values[at?.[key] ?? -1] ?? '' }
  }
  if (!whole) throw new BadBill('end')
}
export async function* alipayRows(
  file: string,
  seller: string,
): AsyncGenerator<BillLine | BadLine> {
  const lines = { seller, columns: alipayColumns, end: '业务明细列表结束' }
  for await (const { line, of } of alipayLines(file, lines)) {
    const row = rowOf<BillLine>(line, () => {
      const refund = of('kind') === '退款'
      if (!refund && of('kind') !== '交易') throw new NoLine('state')
      const tradeNo = number(of('tradeNo'), 'number')
      const refundNo = refund ? number(of('refundNo'), 'number') : null
      return {
        kind: refund ? 'REFUND' : 'PAY',
        tradeNo: refundNo === null ? tradeNo : alipayRefundNo(tradeNo, refundNo),
        outTradeNo: number(of('outTradeNo'), 'number'),
        refundNo,
        amount: fen(of('amount')),
        fee: feeFen(of('fee')),
        at: moment(of('at')),
        state: 'SUCCESS',
      }
    })
    if (row) yield row
  }
}
/** Alipay numbers no refunds: ours, of this trade. */
export const alipayRefundNo = (tradeNo: string, refundNo: string): string =>
  `${tradeNo}/${refundNo}`.slice(0, 64)

/** The bytes of the file of details in a zip, unpacked while they are read. */
export async function unzipped(file: string): Promise<AsyncIterable<Buffer>> {
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
