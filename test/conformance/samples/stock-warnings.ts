import { randomInt } from 'node:crypto'
import { byRow, type DomainSamples, own } from './kit.ts'

export const stockWarnings: DomainSamples = {
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
