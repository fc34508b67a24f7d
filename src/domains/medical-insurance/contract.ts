import { z } from 'zod'
import { read, write } from '../../shared/contract.ts'
import * as f from '../../shared/fields.ts'
import { keyword, listQuery, page } from '../../shared/listQuery.ts'
import { bi } from '../../shared/text.ts'
import { drugClasses, productErrors } from '../products/rules.ts'
import { insuranceErrors, periodFindings } from './rules.ts'

export const insuranceClasses = ['A', 'B', 'SELF'] as const
const Status = z
  .enum(['PENDING', 'VALID', 'EXPIRED'])
  .meta({ tones: { PENDING: 'locked', VALID: 'online', EXPIRED: 'offline' } })
const startDay = bi('请选择生效日期', 'Choose the first day')
const endDay = bi('请选择失效日期', 'Choose the last day')
export const insuranceCode = z
  .string({ error: bi('请输入国家医保编码', 'Enter the national insurance code') })
  .trim()
  .min(1, bi('请输入国家医保编码', 'Enter the national insurance code'))
  .regex(/^[XZ][A-Z0-9]{22}$/, bi('国家医保编码格式不正确', 'Not a national insurance code'))

const fields = {
  insuranceCode,
  insuranceClass: z.enum(insuranceClasses, bi('请选择医保类别', 'Choose the insurance class')),
  payPrice: f.price.nullable().default(null),
  /** Percent, with two decimals. */
  selfRatio: z.number().min(0).max(100).multipleOf(0.01).nullable().default(null),
  validFrom: f.dayOf(startDay),
  validUntil: f.dayOf(endDay),
}
type Fields = z.ZodObject<typeof fields>
const wholePeriod = (c: z.core.ParsePayload<z.output<Fields>>) => {
  for (const { field, text } of periodFindings(c.value))
    c.issues.push({ code: 'custom', path: [field], message: text, input: c.value })
}
const chosen = bi('请选择商品', 'Choose a product')
export const NewItem = z
  .strictObject({
    productId: z.number({ error: chosen }).int().positive(chosen).max(Number.MAX_SAFE_INTEGER),
    ...fields,
  })
  .check(wholePeriod)
export const EditItem = z
  .strictObject({ id: f.id, version: f.version, ...fields })
  .check(wholePeriod)

export const ItemRow = z.strictObject({
  id: f.id,
  productId: f.id,
  productName: z.string(),
  model: z.string(),
  drugClass: z.enum(drugClasses),
  approvalNo: z.string().nullable(),
  traceRequired: z.boolean(),
  ...f.shown(fields),
  insuranceClass: z.enum(insuranceClasses),
  status: Status,
  source: z.enum(['OWN', 'INHERITED']),
  orgName: z.string().nullable(),
  version: f.version,
  createTime: f.instant,
  can: z.strictObject({ update: z.boolean(), delete: z.boolean() }),
})
export type ItemRow = z.infer<typeof ItemRow>

const errors = [insuranceErrors.productTaken, insuranceErrors.codeTaken, productErrors.inherited]

export const medicalInsurance = {
  list: read('medical-insurance:read', {
    path: '/medical-insurance-items',
    summary: 'What the medical insurance says about own drugs and those of organisations above',
    input: listQuery(
      {
        keyword,
        insuranceCode: z.string().trim().max(23).optional(),
        insuranceClass: z.enum(insuranceClasses).optional(),
        /** Pay price and share of the patient are known. */
        complete: z.boolean().optional(),
        status: Status.optional(),
        productId: f.id.optional(),
      },
      ['createTime', 'insuranceCode', 'payPrice', 'selfRatio', 'validFrom', 'validUntil'],
      '-createTime',
    ),
    output: page(ItemRow),
    export: 'medical-insurance:export',
  }),
  create: write('medical-insurance:create', {
    path: '/medical-insurance-items',
    summary: 'Add an entry of the medical insurance for an own drug',
    audit: 'medicalInsurance.create',
    errors: [...errors, insuranceErrors.noDrug],
    input: NewItem,
    output: ItemRow,
  }),
  update: write('medical-insurance:update', {
    method: 'PUT',
    path: '/medical-insurance-items/{id}',
    summary: 'Change an entry of the medical insurance',
    audit: 'medicalInsurance.update',
    errors,
    input: EditItem,
    output: ItemRow,
  }),
  remove: write('medical-insurance:delete', {
    method: 'DELETE',
    path: '/medical-insurance-items/{id}',
    summary: 'Delete an entry of the medical insurance',
    audit: 'medicalInsurance.remove',
    errors: [productErrors.inherited],
    input: z.strictObject({ id: f.id, version: f.version }),
    output: f.done,
  }),
}
