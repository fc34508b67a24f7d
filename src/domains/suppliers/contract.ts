import { z } from 'zod'
import { read, write } from '../../shared/contract.ts'
import * as f from '../../shared/fields.ts'
import { keyword, listQuery, page } from '../../shared/listQuery.ts'
import { bi } from '../../shared/text.ts'
import { creditCode } from '../organisations/contract.ts'
import { type Licensed, licenceFindings, licenceStates, supplierErrors } from './rules.ts'

const Status = z
  .enum(['ENABLED', 'DISABLED'])
  .meta({ tones: { ENABLED: 'online', DISABLED: 'locked' } })

const LicenceState = z
  .enum(licenceStates)
  .meta({ tones: { NONE: 'closed', VALID: 'online', SOON: 'warn', EXPIRED: 'fault' } })

const fields = {
  name: f.text(40, bi('请输入供应商名称', 'Enter the name of the supplier')),
  creditCode,
  contact: f.optionalText(20),
  phone: f.mobile,
  suppliesDrugs: z.boolean().default(false),
  licence: z
    .union([f.imageUrl, z.literal('')])
    .default('')
    .meta({ unit: 'image' }),
  licenceUntil: f.day.nullable().default(null),
  supplierOrgId: f.id.nullable().default(null),
  status: Status.default('ENABLED'),
}
function licensed(supplier: Licensed, check: z.core.ParsePayload<unknown>): void {
  for (const { field, text } of licenceFindings(supplier))
    check.issues.push({ code: 'custom', path: [field], message: text, input: supplier })
}
export const NewSupplier = z
  .strictObject({ orgId: f.id.optional(), ...fields })
  .check((c) => licensed(c.value, c))
export const EditSupplier = z
  .strictObject({ id: f.id, version: f.version, ...fields })
  .check((c) => licensed(c.value, c))

export const SupplierRow = z.strictObject({
  id: f.id,
  ...f.shown(fields),
  status: Status,
  /** `SOON`: within 30 days; it holds on its last day. */
  licenceState: LicenceState,
  orgId: f.id,
  orgName: z.string(),
  supplierOrgName: z.string(),
  version: f.version,
  createTime: f.instant,
  can: z.strictObject({ update: z.boolean(), delete: z.boolean() }),
})
export type SupplierRow = z.infer<typeof SupplierRow>

const errors = [supplierErrors.nameTaken, supplierErrors.wrongOrganisation]

export const suppliers = {
  list: read('supplier:read', {
    path: '/suppliers',
    summary: 'Suppliers; people of a supplier see the entry of their own organisation',
    input: listQuery(
      {
        keyword,
        orgId: f.id.optional(),
        suppliesDrugs: z.boolean().optional(),
        status: Status.optional(),
        licenceState: LicenceState.optional(),
      },
      ['name', 'licenceUntil', 'createTime'],
      '-createTime',
    ),
    output: page(SupplierRow),
    export: 'supplier:export',
  }),
  options: read('supplier:read', {
    path: '/suppliers/options',
    summary:
      'Enabled suppliers for a picker: the first 50; `id` adds the chosen one whatever its status',
    input: z.strictObject({ keyword, id: f.id.optional() }),
    output: z.strictObject({ list: z.array(SupplierRow.pick({ id: true, name: true })) }),
  }),
  create: write('supplier:create', {
    path: '/suppliers',
    summary: 'Add a supplier',
    audit: 'suppliers.create',
    errors: [...errors, supplierErrors.ownerKind],
    input: NewSupplier,
    output: SupplierRow,
  }),
  update: write('supplier:update', {
    method: 'PUT',
    path: '/suppliers/{id}',
    summary: 'Change a supplier',
    audit: 'suppliers.update',
    errors,
    input: EditSupplier,
    output: SupplierRow,
  }),
  remove: write('supplier:delete', {
    method: 'DELETE',
    path: '/suppliers/{id}',
    summary: 'Delete a supplier',
    audit: 'suppliers.remove',
    input: z.strictObject({ id: f.id, version: f.version }),
    output: f.done,
  }),
}
