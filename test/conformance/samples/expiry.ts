import { randomInt } from 'node:crypto'
import { place, rowId } from '../../support/world.ts'
import { byRow, type DomainSamples, own } from './kit.ts'

export const expiry: DomainSamples = {
  rows: (where) => ({
    expiry_days: {
      org_id: place[where],
      product_id: rowId(where, 1),
      days: 20,
    },
  }),
  fieldIds: {
    'expiry-items laneIds': byRow,
    'expiry-settings productId': { ...byRow, shared: true },
    'expiry-settings categoryId': { ...byRow, shared: true },
  },
  samples: {
    'expiry.notify': async () => ({ laneIds: [own] }),
    'expiry.saveRule': async () => ({ productId: own, days: randomInt(1, 700) }),
  },
}
