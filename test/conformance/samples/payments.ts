import { randomUUID } from 'node:crypto'
import { orders } from '../../../src/domains/orders/contract.ts'
import { place, rowId } from '../../support/world.ts'
import { byRow, type DomainSamples } from './kit.ts'

export const payments: DomainSamples = {
  rows: (where) => ({
    payment_configs: {
      id: rowId(where, 1),
      org_id: place[where],
      provider: 'ALIPAY',
      merchant_name: `商户${where}`,
      mch_id: `2088${rowId(where, 1)}`,
      app_id: `2014${rowId(where, 1)}`,
      secrets: Buffer.from('x'),
      system_id: `SYS${where}`,
      user_name: `户${where}`,
      settle_holder: `户名${where}`,
      // one that was stopped would stop the machines
      state: 'UNTESTED',
    },
    payment_bill_days: {
      org_id: place[where],
      provider: 'ALIPAY',
      config_id: rowId(where, 1),
      day: '2026-11-20',
      state: 'DONE',
    },
  }),
  pathIds: {
    'wechat configId': byRow,
    'alipay configId': byRow,
  },
  samples: {
    'payments.prepay': async (world) => {
      const clientId = randomUUID()
      const { body } = await world.call(orders.mobileOrder, {
        rtuNumber: 'CHILD0001',
        items: [{ roadIndex: 1, count: 1, price: 250 }],
        payType: 'ALIPAY',
        clientId,
      })
      return { orderNum: body.orderNum, clientId }
    },
  },
}
