import { defineErrors } from '../../shared/errors.ts'
import { bi } from '../../shared/text.ts'

export const invoiceErrors = defineErrors('invoices', {
  overAmount: [422190, '可开票金额不足', 'Not so much of it can be invoiced'],
  notPaid: [422191, '订单未支付或未完成，不能开票', 'An order is not paid or not over'],
  manyIssuers: [
    422192,
    '所选订单的收款机构不同，请分开申请',
    'The orders were paid to different organisations: ask for each by itself',
  ],
  notIssuer: [403001, '仅收款机构可以审核和开票', 'Only who collected the money decides'],
  titleTaken: [409004, '该抬头已存在', 'This title is known already'],
  issuedTaken: [409004, '发票号码已登记', 'This invoice number is known already'],
  wrongState: [409001, '当前状态不能执行该操作', 'Not possible in the present state'],
})

export const invoiceStates = [
  'PENDING',
  'ISSUING',
  'ISSUED',
  'SENT',
  'REJECTED',
  'CANCELLED',
  'RED_PENDING',
  'RED',
] as const
export type InvoiceState = (typeof invoiceStates)[number]
/** From where a state may come; the same table is asked by every act. */
export const invoiceMoves: Readonly<Record<InvoiceState, readonly InvoiceState[]>> = {
  PENDING: [],
  ISSUING: ['PENDING'],
  ISSUED: ['ISSUING'],
  SENT: ['ISSUED', 'SENT'],
  REJECTED: ['PENDING'],
  CANCELLED: ['PENDING'],
  RED_PENDING: ['ISSUED', 'SENT'],
  RED: ['RED_PENDING', 'ISSUED', 'SENT'],
}
/** In these its amounts stand on an invoice; in the others they may be invoiced again. */
export const counts = (state: InvoiceState): boolean =>
  !['REJECTED', 'CANCELLED', 'RED'].includes(state)

/** 15, 17, 18 or 20 digits and capitals. */
export const taxNoForm = /^[0-9A-Z]{15}$|^[0-9A-Z]{17,18}$|^[0-9A-Z]{20}$/

type Title = {
  readonly address: string
  readonly phone: string
  readonly bank: string
  readonly bankAccount: string
}
/** A special invoice says where its buyer is and banks. */
export const titleFindings = (kind: 'NORMAL' | 'SPECIAL', title: Title) =>
  kind === 'NORMAL'
    ? []
    : (['address', 'phone', 'bank', 'bankAccount'] as const)
        .filter((field) => !title[field])
        .map((field) => ({
          field,
          text: bi('专票信息不完整', 'A special invoice needs all of it'),
        }))

/** The tax within an amount: what was paid holds it already. */
export const taxOf = (amount: number, rateBp: number): number =>
  Math.round((amount * rateBp) / (10_000 + rateBp))

/** By its first bytes: PDF, or OFD, which is a zip. */
export const fileKind = (bytes: Uint8Array): 'pdf' | 'ofd' | null => {
  const starts = (text: string) => [...text].every((letter, i) => bytes[i] === letter.charCodeAt(0))
  return starts('%PDF-') ? 'pdf' : starts('PK\u0003\u0004') ? 'ofd' : null
}
