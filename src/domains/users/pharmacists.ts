import { z } from 'zod'
import { read, write } from '../../shared/contract.ts'
import { defineErrors } from '../../shared/errors.ts'
import * as f from '../../shared/fields.ts'
import { bi } from '../../shared/text.ts'

export const pharmacistErrors = defineErrors('users', {
  licenceTaken: [409004, '执业证号已存在', 'Somebody here has this licence'],
  licenceOver: [422001, '证件已过期', 'This licence has ended'],
})

const licence = {
  /** Empty: he is no pharmacist. */
  licenceNo: z
    .string()
    .trim()
    .toUpperCase()
    .regex(/^([A-Z0-9]{10,30})?$/, bi('执业证号格式不正确', 'Not the number of a licence'))
    .default(''),
  validUntil: f.day.nullable().default(null),
}
export const Pharmacist = z
  .strictObject({ id: f.id, ...licence })
  .refine(({ licenceNo, validUntil }) => (licenceNo === '') === (validUntil === null), {
    path: ['validUntil'],
    ...{ message: bi('请填写注册证编号和有效期', 'Enter both number and end') },
  })

export const pharmacistEndpoints = {
  pharmacist: read('user:read', {
    path: '/organ-users/{id}/pharmacist',
    summary: 'The pharmacist licence of somebody; empty: he is none',
    input: z.strictObject({ id: f.id }),
    output: z.strictObject({ id: f.id, ...f.shown(licence) }),
  }),
  setPharmacist: write('user:update', {
    method: 'PUT',
    path: '/organ-users/{id}/pharmacist',
    summary: 'Says that somebody is a pharmacist, or takes it back; of oneself another one says so',
    audit: 'users.setPharmacist',
    fresh: true,
    errors: [pharmacistErrors.licenceTaken, pharmacistErrors.licenceOver],
    input: Pharmacist,
    output: f.done,
  }),
}
