import { call } from '../web/call.ts'
import type { PaletteItem } from '../web/shell/paletteItem.ts'

/** What Ctrl K finds besides pages, one entry per domain; contracts load with the first search. */
type Finder = { readonly permission: string; find(query: string): Promise<readonly PaletteItem[]> }

export const finders: readonly Finder[] = [
  {
    permission: 'device:read',
    async find(query) {
      const { devices } = await import('./devices/contract.ts')
      const { list } = await call(devices.list, { keyword: query, pageSize: 3 })
      return list.map((row) => ({
        key: `device ${row.id}`,
        title: row.rtuNumber,
        hint: row.nickname,
        to: `/device/device-list?detail=${row.id}`,
        icon: 'device',
      }))
    },
  },
  {
    permission: 'order:read',
    async find(query) {
      if (!/^\d{6,20}$/.test(query)) return []
      const { orders } = await import('./orders/contract.ts')
      const { list } = await call(orders.list, { keyword: query, pageSize: 3 })
      return list.map((row) => ({
        key: `order ${row.orderNum}`,
        title: row.orderNum,
        hint: row.detail,
        to: `/order/order-details/${row.orderNum}`,
        icon: 'list',
      }))
    },
  },
  {
    permission: 'product:update',
    async find(query) {
      const { products } = await import('./products/contract.ts')
      const { list } = await call(products.list, { keyword: query, pageSize: 3 })
      return list.map((row) => ({ key: `product ${row.id}`, title: row.name, hint: row.model, to: `/product/product-manage/edit/${row.id}`, icon: 'goods' }))
    },
  },
]
