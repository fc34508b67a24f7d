import { z } from 'zod'
import * as f from '../../shared/fields.ts'
import { rangeFields } from '../../shared/listQuery.ts'
import { bi } from '../../shared/text.ts'
import { comparisons } from './rules.ts'

/** Where and when; every report takes them. */
export const places = {
  ...rangeFields,
  orgId: f.id.optional(),
  deviceId: f.id.optional(),
  storeId: f.id.optional(),
  region: z
    .string()
    .regex(/^\d{6}$/, bi('地区不正确', 'Not a region'))
    .optional(),
}
export const compare = z.enum(comparisons).default('BEFORE')

/** Cost and what follows from it are null without `product:cost`. */
export const figures = {
  orderTotal: f.count,
  orderRefund: f.count,
  turnover: f.signedFen,
  productCost: f.signedFen.nullable(),
  payAmount: f.signedFen,
  refundAmount: f.signedFen,
  profit: f.signedFen.nullable(),
  service: f.signedFen,
  grossProfit: f.signedFen.nullable(),
}

/** A share in tenths of a percent; less than nothing where more was given back than earned. */
export const permille = z
  .number()
  .int()
  .meta({ description: 'tenths of a percent', unit: 'permille' })
