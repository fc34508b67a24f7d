import type { Db } from '../../server/database.ts'
import { addDays, shanghaiDay } from '../../shared/instants.ts'

/** Product, code, class, pay price in fen, share of the patient, first and last day from today. */
// biome-ignore format: a table
const rows = [
  ['ibuprofen', 'XM01AEB173E001010201236', 'B', 1720, 10, -320, 45],
  ['ibuprofen', 'XM01AEB173E001010201236', 'B', 1650, 10, 46, 410],
  ['paracetamol', 'XN02BED168A001010100874', 'A', 880, 0, -320, 410],
  ['isatis', 'ZA01BAB0034030301101152', 'A', 1520, 0, -200, 165],
  ['vitamin-c', 'XA11GAW022A001010102098', 'A', null, null, -200, 165],
  ['digestion', 'ZA06CAJ0295010103500417', 'SELF', null, 100, -200, 165],
  ['mupirocin', 'XD06AXM148F001010100561', 'B', 1480, 15, -90, 275],
  ['calamine', 'XD02ABL210P001010100332', 'A', 1190, 0, -700, -30],
  ['cold-granules', 'ZA01AAG0069030300803725', 'B', 1360, 12.5, -90, 275],
  ['amoxicillin', 'XJ01CAA040E001010402611', 'A', 1350, 0, -320, 410],
] as const

/** Entries of the platform's drugs: valid ones, one over, one to come, and drugs without any. */
export async function seedMedicalInsurance(
  db: Db,
  { org, product }: { org: ReadonlyMap<string, number>; product: ReadonlyMap<string, number> },
  now: Date,
): Promise<void> {
  const today = shanghaiDay(now)
  await db
    .insertInto('medical_insurance_items')
    .values(
      rows.map(([key, insuranceCode, insuranceClass, payPrice, selfRatio, from, until], i) => ({
        org_id: org.get('platform') as number,
        product_id: product.get(key) as number,
        insurance_code: insuranceCode,
        insurance_class: insuranceClass,
        pay_price: payPrice,
        self_ratio: selfRatio,
        valid_from: addDays(today, from),
        valid_until: addDays(today, until),
        created_at: new Date(now.getTime() - (rows.length - i) * 3_600_000),
      })),
    )
    .execute()
}
