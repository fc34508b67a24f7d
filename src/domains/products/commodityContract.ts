import { z } from 'zod'
import { read } from '../../shared/contract.ts'
import * as f from '../../shared/fields.ts'
import { bi } from '../../shared/text.ts'
import { buyerErrors, drugClasses } from './buyerRules.ts'

/**
 * What a buyer may know of a product that stands in a machine. By itself: his phone loads this and
 * nothing of the lists and forms of people who are signed in.
 */
export const CommodityContent = z.strictObject({
  name: z.string(),
  model: z.string(),
  drugClass: z.enum(drugClasses),
  images: z.array(z.string()),
  detailImages: z.array(z.string()),
  barcode: z.string().nullable(),
  genericName: z.string(),
  manufacturer: z.string(),
  approvalNo: z.string().nullable(),
  dosageForm: z.string().nullable(),
  status: z.enum(['ON', 'OFF']),
  /** In fen; what is off the shelf has none. */
  price: f.fen.nullable(),
  /** The usual price, where the machine sells for less. */
  usualPrice: f.fen.nullable(),
  /** Pieces of one order; 0 is no limit. */
  restriction: z.number().int().min(0),
  insuranceClass: z.string().nullable(),
  /** The lane that was asked for holds pieces of a batch that is being called back. */
  recalled: z.boolean(),
  /** Of the machine, when it is known. */
  licenceNo: z.string(),
  servicePhone: z.string(),
})
export type CommodityContent = z.infer<typeof CommodityContent>

export const commodityContent = read('open', {
  path: '/mobile/commodityContent',
  summary: 'What a buyer may know of a product that stands in a machine',
  scope: 'system',
  sharedMs: 1000,
  keptSeconds: 60,
  perMinute: 60,
  errors: [buyerErrors.gone],
  input: z.strictObject({
    id: f.id,
    rtu: z
      .string()
      .regex(/^[A-Z0-9]{4,20}$/, bi('请输入机器编号', 'Enter the machine number'))
      .optional(),
    road: z.number().int().min(1).max(400).optional(),
  }),
  output: CommodityContent,
})
