import { z } from 'zod'
import { read, write } from '../../shared/contract.ts'
import * as f from '../../shared/fields.ts'
import { listQuery, page, rangeFields, wholeRange } from '../../shared/listQuery.ts'
import { bi } from '../../shared/text.ts'
import { invoiceErrors, invoiceStates, taxNoForm } from './rules.ts'

const State = z.enum(invoiceStates).meta({
  tones: {
    PENDING: 'warn',
    ISSUING: 'paid',
    ISSUED: 'success',
    SENT: 'success',
    REJECTED: 'closed',
    CANCELLED: 'closed',
    RED_PENDING: 'fault',
    RED: 'refunded',
  },
})
const Kind = z.enum(['NORMAL', 'SPECIAL'])
/** Fees, rent and recharges join with the chapters that collect them. */
const Source = z.enum(['ORDERS'])
const wrongTax = bi('税号格式不正确', 'Not a tax number')
const wrongMail = bi('邮箱格式不正确', 'Not a mail address')
const email = z.union([z.email(wrongMail).max(100), z.literal('')], wrongMail).default('')

const fields = {
  title: f.text(100, bi('抬头不能为空', 'The title is required')),
  taxNo: z.string({ error: wrongTax }).trim().regex(taxNoForm, wrongTax),
  address: f.optionalText(100),
  phone: f.optionalText(20),
  bank: f.optionalText(60),
  bankAccount: z
    .string()
    .trim()
    .regex(/^(\d{8,30})?$/, bi('账号格式不正确', 'Not an account number'))
    .default(''),
  email,
  isDefault: z.boolean().default(false),
}
export const TitleRow = z.strictObject({
  id: f.id,
  ...f.shown(fields),
  orgId: f.id,
  orgName: z.string(),
  version: f.version,
  createTime: f.instant,
  can: z.strictObject({ update: z.boolean(), delete: z.boolean() }),
})
export type TitleRow = z.infer<typeof TitleRow>

export const InvoiceRow = z.strictObject({
  id: f.id,
  requestNo: z.string(),
  title: z.string(),
  taxNo: z.string(),
  kind: Kind,
  amount: f.fen,
  taxRateBp: z.number().int(),
  taxAmount: f.fen,
  source: Source,
  state: State,
  issuedNo: z.string(),
  issueTime: f.instant.nullable(),
  redNo: z.string(),
  reason: z.string(),
  email: z.string(),
  /** Of what the caller sees: machines of others are not his. */
  itemCount: f.count,
  requester: z.string(),
  orgId: f.id,
  orgName: z.string(),
  issuerOrgId: f.id,
  version: f.version,
  createTime: f.instant,
  can: z.strictObject({
    decide: z.boolean(),
    issue: z.boolean(),
    red: z.boolean(),
    cancel: z.boolean(),
  }),
})
export type InvoiceRow = z.infer<typeof InvoiceRow>

const one = { id: f.id, version: f.version }
const orderNums = z
  .array(z.string().regex(/^\d{20}$/, bi('订单号格式不正确', 'Not an order number')), {
    error: bi('请选择订单', 'Choose orders'),
  })
  .min(1, bi('请选择订单', 'Choose orders'))
  .max(100)
  .refine((all) => new Set(all).size === all.length, bi('不能重复', 'Each only once'))
const number = (text: string) =>
  z
    .string({ error: text })
    .trim()
    .regex(/^[0-9A-Z]{8,30}$/, text)
const titleError = [invoiceErrors.titleTaken]

export const invoices = {
  titles: read('invoice:read', {
    path: '/finance/invoice-titles',
    summary: 'Titles that invoices are made out to',
    input: listQuery({ orgId: f.id.optional() }, ['createTime', 'title'], '-createTime'),
    output: page(TitleRow),
  }),
  createTitle: write('invoice:create', {
    path: '/finance/invoice-titles',
    summary: 'Add a title; the usual one is one of an organisation',
    audit: 'invoices.createTitle',
    errors: titleError,
    input: z.strictObject({ orgId: f.id.optional(), ...fields }),
    output: TitleRow,
  }),
  updateTitle: write('invoice:create', {
    method: 'PUT',
    path: '/finance/invoice-titles/{id}',
    summary: 'Change a title; invoices keep the one they were asked with',
    audit: 'invoices.updateTitle',
    errors: titleError,
    input: z.strictObject({ ...one, ...fields }),
    output: TitleRow,
  }),
  removeTitle: write('invoice:create', {
    method: 'DELETE',
    path: '/finance/invoice-titles/{id}',
    summary: 'Delete a title',
    audit: 'invoices.removeTitle',
    input: z.strictObject(one),
    output: f.done,
  }),
  list: read('invoice:read', {
    path: '/finance/invoices',
    summary: 'Requests and what became of them',
    input: listQuery(
      {
        requestNo: z.string().trim().max(22).optional(),
        title: z.string().trim().max(100).optional(),
        taxNo: z.string().trim().max(20).optional(),
        kind: Kind.optional(),
        source: Source.optional(),
        state: State.optional(),
        amountFrom: f.fen.optional(),
        amountTo: f.fen.optional(),
        ...rangeFields,
      },
      ['createTime', 'amount', 'issueTime'],
      '-createTime',
    ).refine(...wholeRange),
    output: page(InvoiceRow),
    export: 'invoice:export',
  }),
  create: write('invoice:create', {
    path: '/finance/invoices',
    summary: 'Ask for an invoice of what is left of these orders',
    audit: 'invoices.create',
    idempotent: true,
    errors: [invoiceErrors.overAmount, invoiceErrors.notPaid, invoiceErrors.manyIssuers],
    input: z.strictObject({
      titleId: z
        .number(bi('抬头不能为空', 'Choose the title'))
        .int()
        .positive()
        .max(Number.MAX_SAFE_INTEGER),
      kind: Kind.default('NORMAL'),
      taxRateBp: z.number().int().min(0).max(1300).default(1300),
      orderNums,
      email,
    }),
    output: InvoiceRow,
  }),
  approve: write('invoice:approve', {
    path: '/finance/invoices/{id}/approve',
    summary: 'Agree to a request',
    audit: 'invoices.approve',
    errors: [invoiceErrors.wrongState, invoiceErrors.notIssuer],
    input: z.strictObject(one),
    output: InvoiceRow,
  }),
  reject: write('invoice:approve', {
    path: '/finance/invoices/{id}/reject',
    summary: 'Refuse a request; its amounts may be invoiced again',
    audit: 'invoices.reject',
    errors: [invoiceErrors.wrongState, invoiceErrors.notIssuer],
    input: z.strictObject({ ...one, reason: f.text(200, bi('请填写驳回原因', 'Say why')) }),
    output: InvoiceRow,
  }),
  cancel: write('invoice:create', {
    path: '/finance/invoices/{id}/cancel',
    summary: 'Take back a request that nobody has decided on',
    audit: 'invoices.cancel',
    errors: [invoiceErrors.wrongState],
    input: z.strictObject(one),
    output: InvoiceRow,
  }),
  issue: write('invoice:issue', {
    path: '/finance/invoices/{id}/issue',
    summary: 'Register the invoice that was issued',
    audit: 'invoices.issue',
    errors: [
      invoiceErrors.wrongState,
      invoiceErrors.notIssuer,
      invoiceErrors.overAmount,
      invoiceErrors.issuedTaken,
    ],
    input: z.strictObject({
      ...one,
      issuedNo: number(bi('发票号码格式不正确', 'Not the number of an invoice')),
    }),
    output: InvoiceRow,
  }),
  red: write('invoice:issue', {
    path: '/finance/invoices/{id}/red',
    summary: 'Register the red invoice; the amounts may be invoiced again',
    audit: 'invoices.red',
    errors: [invoiceErrors.wrongState, invoiceErrors.notIssuer],
    input: z.strictObject({
      ...one,
      redNo: number(bi('红字发票号码格式不正确', 'Not the number of an invoice')),
    }),
    output: InvoiceRow,
  }),
}
