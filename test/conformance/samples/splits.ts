import { place, rowId } from '../../support/world.ts'
import type { DomainSamples } from './kit.ts'

const at = '2026-11-20T04:00:00Z'
export const splits: DomainSamples = {
  rows: (where) => {
    const org_id = place[where]
    const [id, split_id] = [rowId(where, 1), rowId(where, 1)]
    const of = { org_id, device_id: id, order_num: `2026112012000000${org_id}000` }
    return {
      split_orders: {
        ...{ ...of, id, order_id: 900_000 + org_id, order_at: at, split_no: `${of.order_num}-S1` },
        ...{ strategy_id: id, version_id: id, mode: 'LEDGER', paid: 300, fee: 2 },
        ...{ state: 'READY', accrued_at: at, created_at: at },
      },
      split_units: {
        ...{ org_id, split_id, unit_id: 900_000 + org_id, unit_no: 1, paid: 300, fee: 2 },
        ...{ base: 300, gives: '{300}' as never, carries: '{0}' as never },
      },
      split_shares: {
        ...{ org_id, split_id, party_no: 1, party_org_id: org_id, is_collector: true, given: 300 },
      },
      split_carries: {
        ...{ org_id, strategy_id: id, collector_org_id: org_id, party_org_id: org_id, carry: 0 },
      },
      // written off: nobody owes anything
      split_debts: {
        ...{ ...of, id, split_id, refund_no: `R${where}`, collector_org_id: org_id },
        ...{ party_org_id: org_id, amount: 30, written_off: 30, created_at: at },
      },
    }
  },
}
