import { call } from '../../../web/call.ts'
import type { Finder } from '../../../web/product.ts'

/** Ctrl K finds an order by its number; the contract loads with the first search. */
export const finder: Finder = {
  permission: 'order:read',
  async find(query) {
    if (!/^\d{6,20}$/.test(query)) return []
    const { orders } = await import('../contract.ts')
    const { list } = await call(orders.list, { keyword: query, pageSize: 3 })
    return list.map((row) => ({
      key: `order ${row.orderNum}`,
      title: row.orderNum,
      hint: row.detail,
      to: `/order/order-details/${row.orderNum}`,
      icon: 'list',
    }))
  },
}
