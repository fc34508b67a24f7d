import { type Alias, known, pick } from '../../server/alias.ts'
import { type OrderRow, orders } from '../orders/contract.ts'
import { wholeYear } from './products.ts'

const listed = (row: OrderRow) =>
  pick(
    row,
    'orderNum',
    'img',
    'detail',
    'costPrice',
    'actuallyAmount',
    'name',
    'orderStatus',
    'orderType',
    'createTime',
  )

export const orderAliases: readonly Alias[] = [
  {
    method: 'GET',
    path: '/order-list',
    async answer(call, given, now) {
      const { list, total } = await call(orders.list, wholeYear(known(orders.list, given), now))
      return { list: list.map(listed), total }
    },
  },
  {
    method: 'GET',
    path: '/order-list-statistics',
    async answer(call, given, now) {
      const sums = await call(orders.statistics, wholeYear(known(orders.statistics, given), now))
      return pick(
        sums,
        'orderAmount',
        'orderCount',
        'orderIncome',
        'orderCost',
        'orderRefund',
        'orderProfit',
      )
    },
  },
  {
    method: 'GET',
    path: '/order-list-item/:id',
    async answer(call, given) {
      const order = await call(orders.get, { orderNum: String(given.id) })
      const list = order.list.map((line) =>
        pick(line, 'count', 'road', 'refund', 'orderStatus', 'orderType'),
      )
      return {
        ...listed(order),
        ...pick(order, 'deviceNum', 'payType', 'userName', 'userId'),
        list,
      }
    },
  },
]
