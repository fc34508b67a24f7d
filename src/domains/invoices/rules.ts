import { defineErrors, type ErrorDef } from '../../shared/errors.ts'
import { allowedFrom, defineStates } from '../../shared/moves.ts'
import { bi } from '../../shared/text.ts'

export const invoiceErrors = defineErrors('invoices', {
  overAmount: [422460, '可开票金额不足', 'Not so much of it can be invoiced'],
  notPaid: [422461, '订单未支付或未完成，不能开票', 'An order is not paid or not over'],
  manyIssuers: [
    422462,
    '所选订单的收款机构不同，请分开申请',
    'They were paid to different organisations: ask for each by itself',
  ],
  wholeTitle: [422463, '专票信息不完整', 'A special invoice needs all of its title'],
  noFile: [422464, '请先上传发票文件', 'The file of the invoice is missing'],
  noMail: [422465, '邮箱不能为空', 'There is no mail address'],
  tooManyMails: [422466, '今日发送邮件已达上限', 'No more mails today'],
  notOwn: [403101, '只能为本机构申请', 'Only for the own organisation'],
  notIssuer: [403102, '仅收款机构可以审核和开票', 'Only who collected the money decides'],
  notYours: [403103, '仅申请机构和收款机构可以下载', 'Only for who asked and who issued'],
  titleTaken: [409104, '该抬头已存在', 'This title is known already'],
  issuedTaken: [409105, '发票号码已登记', 'This invoice number is known already'],
  fileTaken: [409106, '该文件已用于其他发票', 'This file belongs to another invoice'],
  wrongState: [409107, '当前状态不能执行该操作', 'Not possible in the present state'],
  fileType: [415101, '只支持pdf或ofd格式', 'Only pdf or ofd is supported'],
  fileTooLarge: [413101, '文件不能超过8M', 'The file must not exceed 8M'],
  fileBroken: [400101, '文件已损坏，无法读取', 'The file is damaged and cannot be read'],
  oneFile: [400102, '请选择一个文件', 'Choose one file'],
})

export const invoiceStateNames = [
  'PENDING',
  'ISSUING',
  'ISSUED',
  'SENT',
  'REJECTED',
  'CANCELLED',
  'RED_PENDING',
  'RED',
] as const
export type InvoiceState = (typeof invoiceStateNames)[number]
export const invoiceStates = defineStates<InvoiceState>({
  name: 'invoices.invoice',
  column: 'invoices.state',
  start: ['PENDING'],
  moves: {
    PENDING: ['ISSUING', 'REJECTED', 'CANCELLED'],
    // what the tax office does not take, or a refund made impossible
    ISSUING: ['ISSUED', 'REJECTED'],
    ISSUED: ['SENT', 'RED_PENDING', 'RED'],
    SENT: ['RED_PENDING', 'RED'],
    RED_PENDING: ['RED'],
    REJECTED: [],
    CANCELLED: [],
    RED: [],
  },
})
export const invoiceFrom = (next: InvoiceState): InvoiceState[] => allowedFrom(invoiceStates, next)
/** It may be sent, and again; not while it is on its way for the first time. */
export const sendable = (row: { state: InvoiceState; mailing: boolean; mailError: string }) =>
  (row.state === 'ISSUED' || row.state === 'SENT') && (!row.mailing || row.mailError !== '')
/** In these its amounts stand on an invoice; in the others they may be invoiced again. */
export const counts = (state: InvoiceState): boolean =>
  !['REJECTED', 'CANCELLED', 'RED'].includes(state)

export const kinds = ['NORMAL', 'SPECIAL'] as const
export type InvoiceKind = (typeof kinds)[number]
/** What is invoiced; rent and recharges join with the chapters that collect them. */
export const sourceNames = ['ORDERS', 'SERVICE_FEE'] as const
export type Source = (typeof sourceNames)[number]
/** The rates there are, and the usual one of what is sold. */
export const taxRates = [0, 100, 300, 600, 900, 1300] as const
export const usualRate: Readonly<Record<Source, number>> = { ORDERS: 1300, SERVICE_FEE: 600 }

/** 15, 17, 18 or 20 digits and capitals. */
export const taxNoForm = /^[0-9A-Z]{15}$|^[0-9A-Z]{17,18}$|^[0-9A-Z]{20}$/

const whole = ['address', 'phone', 'bank', 'bankAccount'] as const
type Title = Readonly<Record<(typeof whole)[number], string>>
/** A special invoice says where its buyer is and banks. */
export const titleFinding = (kind: InvoiceKind, title: Title): ErrorDef | null =>
  kind === 'SPECIAL' && whole.some((field) => !title[field]) ? invoiceErrors.wholeTitle : null

/** The tax within an amount, to the nearest fen: what was paid holds it already. */
export function taxOf(amount: number, rateBp: number): number {
  const parts = BigInt(10_000 + rateBp)
  return Number((2n * BigInt(amount) * BigInt(rateBp) + parts) / (2n * parts))
}

/** Its file is for the two organisations whose it is. */
export const concerns = (
  { orgId, issuerOrgId }: { orgId: number; issuerOrgId: number },
  reader: number,
): boolean => reader === orgId || reader === issuerOrgId

export const fileLimit = 8 * 1024 * 1024
export const fileUrl = /^files\/[a-z0-9-]+\.(pdf|ofd)$/
export type FileKind = 'pdf' | 'ofd'
/** So many entries of a zip are looked through for what makes it an OFD. */
const mostEntries = 5000

/** By content, never by name: PDF, or OFD, which is a zip with one certain file; `broken`: a part. */
export function fileKind(bytes: Uint8Array): FileKind | 'broken' | null {
  const text = (from: number, to: number) =>
    String.fromCharCode(...bytes.subarray(Math.max(0, from), to))
  if (text(0, 5) === '%PDF-')
    return text(bytes.length - 1024, bytes.length).includes('%%EOF') ? 'pdf' : 'broken'
  if (text(0, 4) !== 'PK\u0003\u0004') return null
  const names = zipNames(bytes)
  return names === null ? 'broken' : names.includes('OFD.xml') ? 'ofd' : null
}

/** Names as the directory at the end of a zip has them; null: there is no whole one. */
function zipNames(bytes: Uint8Array): string[] | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const is = (at: number, mark: number) =>
    at >= 0 && at + 4 <= bytes.length && view.getUint32(at, true) === mark
  let end = bytes.length - 22
  // a comment of up to 64 KiB may follow
  for (const last = Math.max(0, end - 65_535); end > last && !is(end, 0x06054b50); ) end -= 1
  if (!is(end, 0x06054b50)) return null
  const names: string[] = []
  let at = view.getUint32(end + 16, true)
  for (let left = view.getUint16(end + 10, true); left > 0; left -= 1) {
    if (names.length > mostEntries || at + 46 > end || !is(at, 0x02014b50)) return null
    const length = view.getUint16(at + 28, true)
    names.push(String.fromCharCode(...bytes.subarray(at + 46, at + 46 + Math.min(length, 200))))
    at += 46 + length + view.getUint16(at + 30, true) + view.getUint16(at + 32, true)
  }
  return names
}

/** So far back are fees of months invoiced. */
export const feeMonths = 24

export const redReason = bi('开票后发生退款', 'Some of it was given back after it was issued')
