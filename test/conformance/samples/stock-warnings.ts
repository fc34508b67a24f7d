import { randomInt } from 'node:crypto'
import { rowId } from '../../support/world.ts'
import { byRow, type DomainSamples, own } from './kit.ts'

export const stockWarnings: DomainSamples = {
  rows: (where) => ({
    device_assignments: {
      org_id: rowId(where, 0) / 1000,
      device_id: rowId(where, 1),
      user_id: rowId(where, 1),
      kind: 'REPLENISHER',
    },
  }),
  fieldIds: {
    'stock-warnings.deviceId': byRow,
    'stock-warnings.productId': { ...byRow, shared: true },
    'stock-warnings.categoryId': { ...byRow, shared: true },
    'stock-warnings.userId': byRow,
    'stock-warnings.laneIds': byRow,
    'stock-warnings.deviceIds': byRow,
  },
  samples: {
    'stockWarnings.thresholds': async () => ({ laneIds: [own], warnQty: randomInt(0, 8) }),
    // told of lately is no refusal
    'stockWarnings.notify': async () => ({ deviceIds: [own] }),
  },
}
