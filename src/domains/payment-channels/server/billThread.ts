import { readFile, writeFile } from 'node:fs/promises'
import { serveThread } from '../../../server/threadMain.ts'
import { alipayRows, otherMerchant, readBill, wechatRows } from './bills.ts'
import type { BadLine, BillLine } from './channels.ts'

/** A bill that somebody uploaded is read in a process of its own, within bounds. */
type Given = {
  readonly file: string
  readonly provider: 'WECHAT' | 'ALIPAY'
  readonly mchId: string
  readonly appId: string
  readonly most: number
}
export type ReadBill =
  | { readonly rows: (BillLine | BadLine)[] }
  | { readonly fault: string; readonly other?: true }

async function read({ file, provider, mchId, appId, most }: Given): Promise<ReadBill> {
  if (provider === 'WECHAT') await asUtf8(file)
  const bill = await readBill(() =>
    provider === 'WECHAT' ? wechatRows(file, { mchId, appId }) : alipayRows(file, mchId),
  )
  if (bill.state !== 'READY')
    return bill.reason === otherMerchant
      ? { fault: bill.reason, other: true }
      : { fault: bill.reason }
  const rows: (BillLine | BadLine)[] = []
  for await (const row of bill.rows) {
    if (rows.push(row) > most) return { fault: `more than ${most} lines` }
  }
  return { rows }
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
