import { place, rowId } from '../../support/world.ts'
import { byRow, type DomainSamples, own } from './kit.ts'

export const stockWarnings: DomainSamples = {
  rows: (where) => ({
    stock_warnings: {
      org_id: place[where],
      device_id: rowId(where, 1),
      lane_id: rowId(where, 2),
      kind: 'LOW',
    },
  }),
  fieldIds: {
    'stock-warnings categoryId': { ...byRow, shared: true },
    'stock-warnings userId': byRow,
    'stock-warnings laneIds': byRow,
  },
  samples: {
    'stockWarnings.thresholds': async ({ sql }) => {
      const [lane] = await sql<{ n: number }>(`select warn_qty as n from lanes where id = ${own}`)
      return { laneIds: [own], warnQty: ((lane?.n ?? 0) + 1) % 8 }
    },
    // told of lately is no refusal
    'stockWarnings.notify': async () => ({ deviceIds: [own] }),
  },
}
