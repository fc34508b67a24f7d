import { useTranslation } from 'react-i18next'
import { useLocation } from 'react-router'
import { shanghaiDay } from '../../../shared/instants.ts'
import { yuan } from '../../../shared/money.ts'
import { useRead } from '../../../web/api.ts'
import { useCols } from '../../../web/columns.tsx'
import { ListPage } from '../../../web/ListPage.tsx'
import { useListQuery } from '../../../web/list/useListQuery.ts'
import { formatCount, Money } from '../../../web/Money.tsx'
import { useMay } from '../../../web/session.ts'
import { ProductSelect } from '../../products/web/pickers.tsx'
import { dataReports, SalesRow } from '../contract.ts'
import { daysOf, maxDay, minDay } from '../rules.ts'
import { askedOf, figuresOf, periodOf, placeFilters } from './pieces.tsx'
import { inYuan, ReportHead, sayYuan } from './ReportHead.tsx'

const nothing = {}

/** What was sold, by whatever one wants to know. */
export function SalesReport() {
  const { t } = useTranslation('dataReports')
  const col = useCols(SalesRow, 'dataReports')
  const may = useMay()
  const { search } = useLocation()
  const { query } = useListQuery(dataReports.sales.input, nothing)
  const read = useRead(dataReports.salesSummary, askedOf(query), { inline: true, keep: true })
  const group = String(query.groupBy)
  const cost = may('product:cost')
  const inTime = ['DAY', 'WEEK', 'MONTH', 'HOUR'].includes(group)
  const today = shanghaiDay(new Date())
  return (
    <ListPage
      ns="dataReports"
      endpoint={dataReports.sales}
      live="orders"
      filters={[
        'groupBy',
        ...placeFilters,
        { key: 'productId', picker: ProductSelect, more: true },
      ]}
      notice={
        <ReportHead
          read={read}
          figures={({ sums, before }) =>
            figuresOf(
              t,
              [
                ['turnover', 'fen'],
                ['payAmount', 'fen'],
                ['refundAmount', 'fen'],
                ...(cost
                  ? ([
                      ['grossProfit', 'fen'],
                      ['profit', 'fen'],
                    ] as const)
                  : []),
                ['orderTotal', 'count'],
              ],
              sums,
              before,
            )
          }
          note={({ from, to, before }) => periodOf(t, { from, to }, before)}
          chart={({ points, beforePoints, from, to }) => ({
            label: t('salesChart', { from, to }),
            left: inTime ? t('ordersAxis') : t('turnoverAxis'),
            ...(inTime ? { right: t('turnoverAxis') } : {}),
            unfinished: to === today && beforePoints !== null,
            named: !inTime,
            categories: points.map(({ key, name }) =>
              group === 'DAY' && name === key ? key.slice(5) : name,
            ),
            series: [
              ...(inTime
                ? [
                    {
                      name: t('fields.orderTotal'),
                      kind: 'bar' as const,
                      values: points.map((point) => point.orderTotal),
                      format: formatCount,
                    },
                  ]
                : []),
              {
                name: t('fields.turnover'),
                kind: inTime ? ('line' as const) : ('bar' as const),
                right: inTime,
                // a day that has begun would always look like a slump
                values: points.map((point, at) =>
                  beforePoints && to === today && at === points.length - 1
                    ? null
                    : inYuan(point.turnover),
                ),
                format: sayYuan,
              },
              ...(beforePoints
                ? [
                    {
                      name: t('turnoverBefore'),
                      kind: 'line' as const,
                      right: true,
                      compare: true,
                      values: points.map((_point, at) =>
                        beforePoints[at] ? inYuan(beforePoints[at].turnover) : null,
                      ),
                      format: sayYuan,
                    },
                  ]
                : []),
            ],
          })}
        />
      }
      columns={[
        col('name', { title: t(`by.${group}`), width: inTime ? 116 : 168 }),
        group === 'DEVICE' && col('rtuNumber'),
        group !== 'DEVICE' && col('deviceNum'),
        col('orderTotal'),
        col('orderRefund'),
        col('turnover'),
        cost && col('productCost'),
        col('payAmount'),
        col('refundAmount'),
        cost && col('profit', { fit: (fen) => yuan(Number(fen)) }),
        col('service'),
        cost && col('grossProfit', { fit: (fen) => yuan(Number(fen)) }),
      ]}
      sums={({ sums }) =>
        (['turnover', 'payAmount', 'refundAmount', 'service'] as const).map((key) => ({
          label: t(`fields.${key}`),
          value: <Money fen={sums[key]} />,
        }))
      }
      actions={(row) => [
        {
          key: 'orders',
          label: t('orders'),
          can: may('order:read') && hasOrders(row, new URLSearchParams(search), group),
          to: `/order/order-list?${ordersOf(row, new URLSearchParams(search), group)}`,
        },
      ]}
      empty={{ title: t('empty') }}
      card={['orderTotal', 'turnover', 'payAmount', 'refundAmount', 'service']}
    />
  )
}

/** Whether the list of orders can say what the row counts: it knows no hours and no regions. */
const hasOrders = (row: SalesRow, filter: URLSearchParams, group: string): boolean =>
  row.orderTotal > 0 && group !== 'HOUR' && !filter.has('region') && row.id !== '0'

/** The orders behind a row, just those that it counts. */
function ordersOf(row: SalesRow, filter: URLSearchParams, group: string): string {
  const of = new URLSearchParams()
  const given = { from: filter.get('from') ?? undefined, to: filter.get('to') ?? undefined }
  const days = daysOf(given, shanghaiDay(new Date()))
  const last = (day: string) => {
    const end = new Date(`${day}T00:00:00Z`)
    if (group === 'WEEK') end.setUTCDate(end.getUTCDate() + 6)
    if (group === 'MONTH') end.setUTCMonth(end.getUTCMonth() + 1, 0)
    return end.toISOString().slice(0, 10)
  }
  const from = row.createTime ?? days.from
  const to = row.createTime ? last(row.createTime) : days.to
  of.set('from', maxDay(from, days.from))
  of.set('to', minDay(to, days.to))
  of.set('byPayment', 'true')
  for (const key of ['orgId', 'deviceId', 'storeId', 'productId'] as const) {
    const value = filter.get(key)
    if (value !== null) of.set(key, value)
  }
  // an organisation's row is of its own machines, the filter of those below it too
  const own = { ORG: 'ownerId', DEVICE: 'deviceId', STORE: 'storeId', PAY: 'payType' }[group]
  if (own) of.set(own, row.id)
  return of.toString()
}
