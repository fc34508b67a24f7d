import { type Place, place, restock, rowId, type World } from '../../support/world.ts'
import { type DomainSamples, fresh, missingId } from './kit.ts'

const child = rowId('CHILD', 1)

export const orderSupplements: DomainSamples = {
  rows: (where: Place) => ({
    order_cases: {
      id: rowId(where, 1),
      org_id: place[where],
      device_id: rowId(where, 1),
      unit_id: rowId(where, 1),
      kind: 'DOUBLE_SHIPPED',
      remark: `案${where}`,
    },
    payments: {
      id: rowId(where, 900),
      org_id: place[where],
      device_id: rowId(where, 1),
      out_trade_no: `案${where}`,
      provider: 'SIMULATOR',
      provider_trade_no: `流水${where}`,
      amount: 1,
    },
  }),
  pathIds: {
    'order-supplements id': { own: (where) => rowId(where, 1), none: missingId },
  },
  fieldIds: {
    'order-supplements paymentIds': { own: (where) => rowId(where, 900), none: missingId },
    'order-supplements lines.laneId': { own: (where) => rowId(where, 4), none: missingId },
  },
  samples: {
    'orderSupplements.supplement': async (world: World) => {
      await restock(world, child, 50)
      await world.sql('update devices set auto_refund = false where id = $1', [child])
      const orderNum = await world.sell('CHILD', ['NO_DROP'])
      const [payment] = await world.sql<{ id: number }>(
        'select id from payments where order_num = $1 and applied',
        [orderNum],
      )
      return { paymentIds: [Number(payment?.id)], action: 'REFUND' }
    },
    'orderSupplements.syncBill': async () => ({ date: '2026-11-21' }),
    'orderSupplements.close': async (world) => ({
      id: await fresh(
        world,
        `insert into order_cases (org_id, device_id, unit_id, kind)
          values (${place.CHILD}, ${child}, (random() * 1e9)::bigint, 'DOUBLE_SHIPPED')`,
      ),
      remark: '已盘点',
    }),
  },
}
