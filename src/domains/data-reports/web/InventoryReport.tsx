import { useTranslation } from 'react-i18next'
import { useLocation } from 'react-router'
import { shanghaiDay } from '../../../shared/instants.ts'
import { yuan } from '../../../shared/money.ts'
import { useRead } from '../../../web/api.ts'
import { useCols } from '../../../web/columns.tsx'
import { ListPage } from '../../../web/ListPage.tsx'
import { useListQuery } from '../../../web/list/useListQuery.ts'
import { Count, formatCount, Money } from '../../../web/Money.tsx'
import { StatusTag } from '../../../web/StatusTag.tsx'
import { useMay } from '../../../web/session.ts'
import { CategorySelect, ProductSelect } from '../../products/web/pickers.tsx'
import { dataReports } from '../contract.ts'
import { within } from '../rules.ts'
import { StockRow, type StockSums } from '../stockContract.ts'
import { askedOf, figuresOf, periodOf, placeFilters } from './pieces.tsx'
import styles from './Report.module.css'
import { ReportHead } from './ReportHead.tsx'

const nothing = {}

/** What lies in machines, and how it came to that. */
export function InventoryReport() {
  const { t } = useTranslation('dataReports')
  const col = useCols(StockRow, 'dataReports')
  const may = useMay()
  const { search } = useLocation()
  const { query } = useListQuery(dataReports.inventory.input, nothing)
  const read = useRead(dataReports.inventorySummary, askedOf(query), { inline: true, keep: true })
  const group = String(query.groupBy)
  const batch = group === 'BATCH'
  const cost = may('product:cost')
  // who delivers goods sees them wherever they lie, but no lanes
  const priced = read.data?.sums.retailAmount !== null
  const today = shanghaiDay(new Date())
  const now = !read.data || read.data.to >= today
  return (
    <ListPage
      ns="dataReports"
      endpoint={dataReports.inventory}
      live="stock"
      filters={[
        'groupBy',
        ...(may('device:read') ? placeFilters : ['range', 'compare']),
        ...(may('product-category:read')
          ? [
              {
                key: 'categoryId',
                picker: (props: object) => <CategorySelect {...props} />,
                more: true,
              },
            ]
          : []),
        ...(may('product:read')
          ? [
              {
                key: 'productId',
                picker: (props: object) => <ProductSelect {...props} />,
                more: true,
              },
            ]
          : []),
      ]}
      notice={
        <>
          <ReportHead
            read={read}
            figures={({ sums, before }) =>
              figuresOf(
                t,
                [
                  ['stock', 'count'],
                  ...(priced ? ([['retailAmount', 'fen']] as const) : []),
                  ...(cost ? ([['costAmount', 'fen']] as const) : []),
                  ['replenished', 'count'],
                  ['taken', 'count'],
                  ['withdrawn', 'count'],
                ],
                sums,
                before,
              )
            }
            note={({ from, to, before }) => periodOf(t, { from, to }, before)}
            chart={({ points, from, to }) => ({
              label: t('inventory.chart', { from, to }),
              left: t('inventory.axis'),
              right: t('inventory.stockAxis'),
              unfinished: to >= today,
              categories: points.map(({ day }) => day.slice(5)),
              series: [
                {
                  name: t('fields.replenished'),
                  kind: 'bar',
                  apart: true,
                  values: points.map(({ replenished }) => replenished),
                  format: formatCount,
                },
                {
                  name: t('inventory.left'),
                  kind: 'bar',
                  apart: true,
                  values: points.map(({ left }) => left),
                  format: formatCount,
                },
                {
                  name: t('fields.stock'),
                  kind: 'line',
                  right: true,
                  values: points.map(({ stock }) => stock),
                  format: formatCount,
                },
              ],
            })}
          />
          {read.data ? <Equation sums={read.data.sums} /> : null}
        </>
      }
      columns={[
        col('name', { title: t(`by.${group}`), width: 144 }),
        group === 'DEVICE' && col('rtuNumber'),
        batch && col('batchNo'),
        (group === 'PRODUCT' || batch) && col('model'),
        col('stock', { title: t(now ? 'inventory.now' : 'inventory.end') }),
        !batch && priced && col('fullRate'),
        !batch && now && priced && col('sellable', { defaultHidden: true }),
        !batch && col('opening'),
        !batch && col('replenished'),
        !batch && col('taken'),
        !batch && col('withdrawn'),
        !batch && col('daysLeft'),
        priced && col('retailAmount', { fit: (fen) => yuan(Number(fen)), defaultHidden: !batch }),
        cost && col('costAmount', { fit: (fen) => yuan(Number(fen)), defaultHidden: true }),
        col('expiring'),
        !batch && col('outHours', { defaultHidden: true }),
        col('laneCount', { defaultHidden: !batch }),
        !batch && priced && col('capacity', { defaultHidden: true }),
        !batch && now && priced && col('reserved', { defaultHidden: true }),
        !batch && now && priced && col('failedHold', { defaultHidden: true }),
        !batch && col('dailySales', { defaultHidden: true }),
      ]}
      sums={({ sums }) => [
        { label: t('fields.stock'), value: <Count value={sums.stock} /> },
        ...(sums.retailAmount === null
          ? []
          : [{ label: t('fields.retailAmount'), value: <Money fen={sums.retailAmount} /> }]),
      ]}
      actions={(row) => [
        {
          key: 'flows',
          label: t('inventory.flows'),
          can: may('stock-flow:read') && group !== 'CATEGORY' && !batch,
          to: `/stock/waste?${flowsOf(row, search)}`,
        },
        {
          key: 'lanes',
          label: t('inventory.lanes'),
          can: may('lane:read') && group === 'DEVICE',
          to: `/device/device-list/cargo-road/${row.deviceId}`,
        },
      ]}
      empty={{ title: t('empty') }}
      card={['stock', 'opening', 'replenished', 'taken', 'withdrawn', 'daysLeft', 'expiring']}
    />
  )
}

/** The flows behind a row, with the same filter. */
function flowsOf(row: StockRow, search: string): string {
  const filter = new URLSearchParams(search)
  const given = { from: filter.get('from') ?? undefined, to: filter.get('to') ?? undefined }
  const of = new URLSearchParams(within(given, null, shanghaiDay(new Date())))
  for (const key of ['deviceId', 'productId'] as const) {
    const value = row[key] ?? filter.get(key)
    if (value !== null) of.set(key, String(value))
  }
  return of.toString()
}

/** How the stock of the one end of the period became that of the other. */
function Equation({ sums }: { sums: StockSums }) {
  const { t } = useTranslation('dataReports')
  const { opening, replenished, taken, withdrawn, stock } = sums
  if (opening === null) return <p className={styles.check}>{t('inventory.batches')}</p>
  const said = { opening, replenished, taken, withdrawn, stock }
  return (
    <p className={styles.check} data-check>
      <StatusTag tone={opening < 0 ? 'fault' : 'success'}>
        {t(opening < 0 ? 'inventory.wrong' : 'inventory.right')}
      </StatusTag>
      <span>
        {t(
          'inventory.equation',
          Object.fromEntries(
            Object.entries(said).map(([key, value]) => [key, formatCount(value ?? 0)]),
          ),
        )}
      </span>
      {opening < 0 ? <span>{t('inventory.unexplained')}</span> : null}
    </p>
  )
}
