import { useTranslation } from 'react-i18next'
import { useLocation } from 'react-router'
import { shanghaiDay } from '../../../shared/instants.ts'
import { useRead } from '../../../web/api.ts'
import { useCols } from '../../../web/columns.tsx'
import { ListPage } from '../../../web/ListPage.tsx'
import { useListQuery } from '../../../web/list/useListQuery.ts'
import { formatCount } from '../../../web/Money.tsx'
import { useMay } from '../../../web/session.ts'
import { OwnerSelect } from '../../accounts/web/pickers.tsx'
import { BuyerRow } from '../buyersContract.ts'
import { dataReports } from '../contract.ts'
import { within } from '../rules.ts'
import { askedOf, figuresOf, periodOf } from './pieces.tsx'
import styles from './Report.module.css'
import { ReportHead } from './ReportHead.tsx'

const nothing = {}

/** Who buys, and whether they come again; nobody is named. */
export function UserData() {
  const { t } = useTranslation('dataReports')
  const col = useCols(BuyerRow, 'dataReports')
  const may = useMay()
  const { search } = useLocation()
  const { query } = useListQuery(dataReports.buyers.input, nothing)
  const read = useRead(dataReports.buyersTrend, askedOf(query), { inline: true, keep: true })
  return (
    <ListPage
      ns="dataReports"
      endpoint={dataReports.buyers}
      filters={['range', { key: 'orgId', picker: OwnerSelect }]}
      notice={
        <>
          <ReportHead
            read={read}
            figures={({ sums, before }) =>
              figuresOf(
                t,
                [
                  ['buyers', 'count'],
                  ['newBuyers', 'count'],
                  ['returnRate', 'permille'],
                  ['orderTotal', 'count'],
                  ['payAmount', 'fen'],
                  ['average', 'fen'],
                ],
                sums,
                before,
              )
            }
            note={({ from, to, before }) => periodOf(t, { from, to }, before)}
            chart={({ points, from, to }) => ({
              label: t('buyers.chart', { from, to }),
              left: t('buyers.axis'),
              categories: points.map(({ day }) => day.slice(5)),
              series: (['newBuyers', 'returning'] as const).map((key) => ({
                name: t(`fields.${key}`),
                kind: 'bar',
                stacked: true,
                values: points.map((point) => point[key]),
                format: formatCount,
              })),
            })}
          />
          <p className={styles.check}>{t('buyers.hint')}</p>
        </>
      }
      columns={[
        col('userName', { width: 112 }),
        col('payType', { tones: {} }),
        col('firstOrderTime'),
        col('lastOrderTime', { title: t('buyers.last') }),
        col('orderTotal'),
        col('payAmount'),
        col('orderRefund'),
        col('refundAmount', { defaultHidden: true }),
        col('machine'),
        col('rtuNumber', { defaultHidden: true }),
        col('orgName', { defaultHidden: true }),
      ]}
      actions={(row) => [
        {
          key: 'orders',
          label: t('orders'),
          can: may('order:read'),
          to: `/order/order-list?${ordersOf(row, search)}`,
        },
      ]}
      empty={{ title: t('buyers.none') }}
      card={['payType', 'orderTotal', 'payAmount', 'lastOrderTime', 'machine']}
    />
  )
}

/** Orders of whom ends with the same characters, in the days of the report. */
function ordersOf(row: BuyerRow, search: string): string {
  const filter = new URLSearchParams(search)
  const given = { from: filter.get('from') ?? undefined, to: filter.get('to') ?? undefined }
  const of = new URLSearchParams(within(given, null, shanghaiDay(new Date())))
  of.set('consumer', row.userName.replace(/^\*+/, ''))
  return of.toString()
}
