import { call } from '../../../web/call.ts'
import type { Finder } from '../../../web/product.ts'

/** Ctrl K finds goods; the contract loads with the first search. */
export const finder: Finder = {
  permission: 'product:update',
  async find(query) {
    const { products } = await import('../contract.ts')
    const { list } = await call(products.list, { keyword: query, pageSize: 3 })
    return list.map((row) => ({
      key: `product ${row.id}`,
      title: row.name,
      hint: row.model,
      to: `/product/product-manage/edit/${row.id}`,
      icon: 'goods',
    }))
  },
}
