import { place, rowId } from '../../support/world.ts'
import { byRow, type DomainSamples, fresh, own, versionOf } from './kit.ts'

const drug = (where: keyof typeof place) => rowId(where, 9)
/** Each entry its own year: a product has one at a time. */
let year = 2030
const entry = () => {
  year += 1
  const period = { validFrom: `${year}-01-01`, validUntil: `${year}-12-31` }
  return { insuranceCode: `XA01ABD075A0020101${year}0`, insuranceClass: 'A', ...period }
}

export const medicalInsurance: DomainSamples = {
  rows: (where) => ({
    products: {
      id: drug(where),
      org_id: place[where],
      category_id: rowId(where, 1),
      name: `药${where}`,
      drug_class: 'OTC_B',
    },
    medical_insurance_items: {
      id: rowId(where, 1),
      org_id: place[where],
      product_id: drug(where),
      insurance_code: 'XA01ABD075A002010100483',
      insurance_class: 'A',
      valid_from: '2026-01-01',
      valid_until: '2026-12-31',
    },
  }),
  pathIds: { 'medical-insurance-items id': { ...byRow, shared: true } },
  fieldIds: {
    'medical-insurance-items.productId': { ...byRow, own: drug, shared: true },
  },
  samples: {
    'medicalInsurance.create': async () => ({ productId: drug('OWN'), ...entry() }),
    'medicalInsurance.update': async (world) => ({
      id: own,
      version: await versionOf(world, 'medical_insurance_items', own),
      ...entry(),
    }),
    'medicalInsurance.remove': async (world) => {
      const { insuranceCode, validFrom, validUntil } = entry()
      return {
        id: await fresh(
          world,
          `insert into medical_insurance_items
            (org_id, product_id, insurance_code, insurance_class, valid_from, valid_until)
            values (3, ${drug('OWN')}, '${insuranceCode}', 'A', '${validFrom}', '${validUntil}')`,
        ),
        version: 1,
      }
    },
  },
}
