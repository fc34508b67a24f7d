import { z } from 'zod'
import * as f from '../../shared/fields.ts'

/** What browser and phone are told, so that they ask the guard themselves (`rules.ts`). */

const celsius = z.number().nullable()
/** Of a product; null: no drug. */
export const DrugFacts = z
  .strictObject({
    approvalNo: z.string().nullable(),
    dosageForm: z.string().nullable(),
    manufacturer: z.string(),
    tempMin: celsius,
    tempMax: celsius,
    special: z.boolean(),
  })
  .nullable()
/** Of a lane; null: its goods need no trace codes. */
export const QueueFacts = z
  .strictObject({ codes: z.number().int(), pieces: z.number().int() })
  .nullable()
/** Of a machine; null: it sells no drugs. */
export const SiteFacts = z
  .strictObject({
    today: f.day,
    licenceNo: z.string(),
    licenceUntil: f.day.nullable(),
    licenceFits: z.boolean(),
    tempMin: celsius,
    tempMax: celsius,
    pharmacist: z.boolean(),
  })
  .nullable()
