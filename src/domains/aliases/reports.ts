import { type Alias, known, pick } from '../../server/alias.ts'
import { startOfDay } from '../../shared/instants.ts'
import { dataReports } from '../data-reports/contract.ts'
import { wholeYear } from './products.ts'

export const reportAliases: readonly Alias[] = [
  {
    method: 'GET',
    path: '/data-sales-report',
    async answer(call, given, now) {
      const input = wholeYear(known(dataReports.sales, given), now)
      const { list, total } = await call(dataReports.sales, input)
      const rows = list.map((row) => ({
        createTime: row.createTime === null ? row.name : startOfDay(row.createTime).toISOString(),
        ...pick(row, 'deviceNum', 'orderTotal', 'orderRefund', 'turnover', 'productCost'),
        ...pick(row, 'payAmount', 'refundAmount', 'profit', 'service', 'grossProfit'),
      }))
      return { list: rows, total }
    },
  },
  {
    method: 'GET',
    path: '/data-products-report',
    async answer(call, given, now) {
      const input = wholeYear(known(dataReports.products, given), now)
      const { list, total } = await call(dataReports.products, input)
      const rows = list.map((row) => ({
        createTime: startOfDay(String(input.from ?? input.to)).toISOString(),
        product: row.name,
        deviceNum: row.deviceCount,
        ...pick(row, 'salesNum', 'orderTotal', 'orderRefund', 'turnover', 'productCost'),
        ...pick(row, 'payAmount', 'refundAmount', 'profit', 'service', 'grossProfit'),
      }))
      return { list: rows, total }
    },
  },
]
