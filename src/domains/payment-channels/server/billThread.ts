import { readFile, writeFile } from 'node:fs/promises'
import { serveThread } from '../../../server/threadMain.ts'
import { alipayRows, otherMerchant, readBill, wechatRows } from './bills.ts'
import type { BadLine, BillLine, BillType, FundLine, SplitLine } from './channels.ts'
import { alipayFunds, wechatFunds } from './fundBills.ts'
import { wechatShares } from './splitBills.ts'

/** A bill that somebody uploaded is read in a process of its own, within bounds. */
type Given = {
  readonly file: string
  readonly provider: 'WECHAT' | 'ALIPAY'
  readonly mchId: string
  readonly appId: string
  readonly most: number
  readonly type: BillType
}
export type ReadBill =
  | { readonly type: 'TRADE'; readonly rows: (BillLine | BadLine)[] }
  | { readonly type: 'FUND'; readonly rows: (FundLine | BadLine)[] }
  | { readonly type: 'SPLIT'; readonly rows: (SplitLine | BadLine)[] }
  | { readonly fault: string; readonly other?: true }

async function read({ file, provider, mchId, appId, most, type }: Given): Promise<ReadBill> {
  if (provider === 'WECHAT') await asUtf8(file)
  if (type === 'SPLIT') {
    if (provider !== 'WECHAT') return { fault: 'no such bill' }
    const rows = await linesOf(most, () => wechatShares(file, mchId))
    return Array.isArray(rows) ? { type, rows } : rows
  }
  if (type === 'FUND') {
    const rows = await linesOf(most, () =>
      provider === 'WECHAT' ? wechatFunds(file) : alipayFunds(file, mchId),
    )
    return Array.isArray(rows) ? { type, rows } : rows
  }
  const rows = await linesOf(most, () =>
    provider === 'WECHAT' ? wechatRows(file, { mchId, appId }) : alipayRows(file, mchId),
  )
  return Array.isArray(rows) ? { type, rows } : rows
}

async function linesOf<L>(
  most: number,
  read: () => AsyncIterable<L>,
): Promise<L[] | { fault: string; other?: true }> {
  const bill = await readBill(read)
  if (bill.state !== 'READY')
    return bill.reason === otherMerchant
      ? { fault: bill.reason, other: true }
      : { fault: bill.reason }
  const rows: L[] = []
  for await (const row of bill.rows) {
    if (rows.push(row) > most) return { fault: `more than ${most} lines` }
  }
  return rows
}

/** Who opened the file in Excel and saved it left GBK. */
async function asUtf8(file: string): Promise<void> {
  const bytes = await readFile(file)
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    await writeFile(file, new TextDecoder('gb18030').decode(bytes))
  }
}

const work = { read }
export type BillWork = typeof work
serveThread(work)
