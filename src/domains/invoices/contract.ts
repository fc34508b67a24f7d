import { z } from 'zod'
import { read, write } from '../../shared/contract.ts'
import * as f from '../../shared/fields.ts'
import { keyword, listQuery, page, rangeFields } from '../../shared/listQuery.ts'
import { bi } from '../../shared/text.ts'
import { fileErrors } from '../files/contract.ts'
import {
  fileUrl,
  invoiceErrors,
  invoiceStateNames,
  kinds,
  sourceNames,
  taxNoForm,
  taxRates,
} from './rules.ts'

export const invoiceTones = {
  PENDING: 'warn',
  ISSUING: 'paid',
  ISSUED: 'success',
  SENT: 'success',
  REJECTED: 'closed',
  CANCELLED: 'closed',
  RED_PENDING: 'fault',
  RED: 'refunded',
} as const
const State = z.enum(invoiceStateNames).meta({ tones: invoiceTones })
const Kind = z.enum(kinds)
const Source = z.enum(sourceNames)
const wrongTax = bi('税号格式不正确', 'Not a tax number')
const wrongMail = bi('邮箱格式不正确', 'Not a mail address')
const email = z
  .union([z.email(wrongMail).max(100, wrongMail), z.literal('')], wrongMail)
  .default('')

const fields = {
  title: f.text(100, bi('抬头不能为空', 'The title is required')),
  taxNo: z.string({ error: wrongTax }).trim().regex(taxNoForm, wrongTax),
  address: f.optionalText(100),
  phone: z
    .string()
    .trim()
    .regex(/^[\d\s()+-]{0,20}$/, bi('电话格式不正确', 'Not a phone number'))
    .default(''),
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
  redTime: f.instant.nullable(),
  /** Why it was refused, or wants a red one. */
  reason: z.string(),
  email: z.string(),
  /** It is on its way by mail. */
  mailing: z.boolean(),
  /** Why the last try failed. */
  mailError: z.string(),
  sendTime: f.instant.nullable(),
  requester: z.string(),
  orgId: f.id,
  orgName: z.string(),
  issuerOrgId: f.id,
  issuerName: z.string(),
  version: f.version,
  createTime: f.instant,
  can: z.strictObject({
    decide: z.boolean(),
    reject: z.boolean(),
    issue: z.boolean(),
    send: z.boolean(),
    red: z.boolean(),
    cancel: z.boolean(),
    download: z.boolean(),
  }),
})
export type InvoiceRow = z.infer<typeof InvoiceRow>

const Item = z.strictObject({
  no: z.string(),
  time: f.instant,
  amount: f.fen,
})
export const InvoiceDetail = InvoiceRow.extend({
  address: z.string(),
  phone: z.string(),
  bank: z.string(),
  bankAccount: z.string(),
  /** Of machines that the reader sees. */
  items: z.array(Item),
  /** Refunds that came after it was issued. */
  refunds: z.array(z.strictObject({ refundNo: z.string(), time: f.instant })),
})
export type InvoiceDetail = z.infer<typeof InvoiceDetail>
const Offer = Item.extend({ issuerName: z.string() })

const one = { id: f.id, version: f.version }
const chosen = bi('请选择订单或账单', 'Choose orders or bills')
const number = (text: string) =>
  z
    .string({ error: text })
    .trim()
    .regex(/^[0-9A-Z]{8,30}$/, text)
const rate = z
  .number()
  .refine(
    (bp) => (taxRates as readonly number[]).includes(bp),
    bi('选项不正确', 'Not one of the choices'),
  )
const titleErrors = [invoiceErrors.titleTaken, invoiceErrors.notOwn]
const stepErrors = [invoiceErrors.wrongState, invoiceErrors.notIssuer]

export const invoices = {
  titles: read('invoice:read', {
    path: '/finance/invoice-titles',
    summary: 'Titles that invoices are made out to',
    input: listQuery({ orgId: f.id.optional(), keyword }, ['createTime', 'title'], '-createTime'),
    output: page(TitleRow),
  }),
  createTitle: write('invoice:create', {
    path: '/finance/invoice-titles',
    summary: 'Add a title; the usual one is one of an organisation',
    audit: 'invoices.createTitle',
    errors: titleErrors,
    input: z.strictObject({ orgId: f.id.optional(), ...fields }),
    output: TitleRow,
  }),
  updateTitle: write('invoice:create', {
    method: 'PUT',
    path: '/finance/invoice-titles/{id}',
    summary: 'Change a title; invoices keep the one they were asked with',
    audit: 'invoices.updateTitle',
    errors: titleErrors,
    input: z.strictObject({ ...one, ...fields }),
    output: TitleRow,
  }),
  removeTitle: write('invoice:create', {
    method: 'DELETE',
    path: '/finance/invoice-titles/{id}',
    summary: 'Delete a title',
    audit: 'invoices.removeTitle',
    errors: [invoiceErrors.notOwn],
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
    ),
    output: page(InvoiceRow),
    export: 'invoice:export',
  }),
  get: read('invoice:read', {
    path: '/finance/invoices/{id}',
    summary: 'One request with what it is made out for',
    input: z.strictObject({ id: f.id }),
    output: InvoiceDetail,
  }),
  offers: read('invoice:create', {
    path: '/finance/invoice-offers',
    summary:
      'What an organisation may ask an invoice for, the newest first: orders of the last 90 days, fees of months that are over',
    input: z.strictObject({ source: Source, orgId: f.id.optional(), keyword }),
    output: z.strictObject({ list: z.array(Offer) }),
    heavy: true,
  }),
  create: write('invoice:create', {
    path: '/finance/invoices',
    summary: 'Ask for an invoice of what is left of these orders or bills',
    audit: 'invoices.create',
    idempotent: true,
    errors: [
      invoiceErrors.overAmount,
      invoiceErrors.notPaid,
      invoiceErrors.manyIssuers,
      invoiceErrors.wholeTitle,
      invoiceErrors.notOwn,
    ],
    input: z.strictObject({
      titleId: z
        .number(bi('抬头不能为空', 'Choose the title'))
        .int()
        .positive()
        .max(Number.MAX_SAFE_INTEGER),
      kind: Kind.default('NORMAL'),
      source: Source.default('ORDERS'),
      sourceNos: z
        .array(z.string().regex(/^[0-9-]{6,40}$/, bi('编号格式不正确', 'Not such a number')), {
          error: chosen,
        })
        .min(1, chosen)
        .max(100)
        .refine((all) => new Set(all).size === all.length, bi('不能重复', 'Each only once')),
      email,
    }),
    output: InvoiceDetail,
  }),
  approve: write('invoice:approve', {
    path: '/finance/invoices/{id}/approve',
    summary: 'Agree to a request',
    audit: 'invoices.approve',
    errors: [...stepErrors, invoiceErrors.overAmount],
    input: z.strictObject(one),
    output: InvoiceDetail,
  }),
  reject: write('invoice:approve', {
    path: '/finance/invoices/{id}/reject',
    summary: 'Refuse a request that was not issued; its amounts may be invoiced again',
    audit: 'invoices.reject',
    errors: stepErrors,
    input: z.strictObject({ ...one, reason: f.text(200, bi('请填写驳回原因', 'Say why')) }),
    output: InvoiceDetail,
  }),
  cancel: write('invoice:create', {
    path: '/finance/invoices/{id}/cancel',
    summary: 'Take back a request that nobody has decided on',
    audit: 'invoices.cancel',
    errors: [invoiceErrors.wrongState, invoiceErrors.notOwn],
    input: z.strictObject(one),
    output: InvoiceDetail,
  }),
  upload: write('invoice:issue', {
    path: '/finance/invoice-files',
    summary:
      'The file of an invoice, field `file`, pdf or ofd up to 8 MiB; unused ones go after a day',
    audit: { none: 'the uploads row keeps who and when; the invoice that takes it is logged' },
    upload: true,
    errors: [
      invoiceErrors.fileType,
      invoiceErrors.fileTooLarge,
      invoiceErrors.fileBroken,
      invoiceErrors.oneFile,
      fileErrors.tooManyToday,
    ],
    output: z.strictObject({ file: z.string() }),
  }),
  issue: write('invoice:issue', {
    path: '/finance/invoices/{id}/issue',
    summary: 'Register the invoice that was issued, with its file',
    audit: 'invoices.issue',
    errors: [
      ...stepErrors,
      invoiceErrors.overAmount,
      invoiceErrors.issuedTaken,
      invoiceErrors.fileTaken,
    ],
    input: z.strictObject({
      ...one,
      issuedNo: number(bi('发票号码格式不正确', 'Not the number of an invoice')),
      file: z
        .string({ error: invoiceErrors.noFile.text })
        .max(200)
        .regex(fileUrl, invoiceErrors.noFile.text),
      taxRateBp: rate.optional(),
    }),
    output: InvoiceDetail,
  }),
  send: write('invoice:issue', {
    path: '/finance/invoices/{id}/send',
    summary: 'Send the file by mail, again if need be',
    audit: 'invoices.send',
    errors: [...stepErrors, invoiceErrors.noMail, invoiceErrors.tooManyMails],
    input: z.strictObject({ ...one, email }),
    output: InvoiceDetail,
  }),
  red: write('invoice:issue', {
    path: '/finance/invoices/{id}/red',
    summary: 'Register the red invoice; the amounts may be invoiced again',
    audit: 'invoices.red',
    errors: [...stepErrors, invoiceErrors.issuedTaken],
    input: z.strictObject({
      ...one,
      redNo: number(bi('红字发票号码格式不正确', 'Not the number of an invoice')),
    }),
    output: InvoiceDetail,
  }),
}
