import { useTranslation } from 'react-i18next'
import { useRead } from '../../../web/api.ts'
import { useCols } from '../../../web/columns.tsx'
import { ListPage } from '../../../web/ListPage.tsx'
import { useListQuery } from '../../../web/list/useListQuery.ts'
import { Count, formatCount, Money } from '../../../web/Money.tsx'
import { useMay } from '../../../web/session.ts'
import { dataReports } from '../contract.ts'
import { EquipmentRow } from '../equipmentContract.ts'
import { equipmentViews } from '../rules.ts'
import { askedOf, figuresOf, periodOf, placeFilters } from './pieces.tsx'
import { ReportHead } from './ReportHead.tsx'

const nothing = {}
const idleDays = [3, 7, 14, 30]
const sayHours = (hours: number): string => String(Math.round(hours * 10) / 10)

/** What each machine sold, how it ran, and what it lacked. */
export function Equipment() {
  const { t } = useTranslation('dataReports')
  const col = useCols(EquipmentRow, 'dataReports')
  const may = useMay()
  const { query } = useListQuery(dataReports.equipment.input, nothing)
  const read = useRead(dataReports.equipmentSummary, askedOf(query), { inline: true, keep: true })
  const money = may('dashboard:money')
  const idle = query.state === 'IDLE'
  return (
    <ListPage
      ns="dataReports"
      endpoint={dataReports.equipment}
      live="devices"
      views={equipmentViews.map((state) => ({
        key: state,
        label: t(`enums.state.${state}`),
        query: { state },
      }))}
      filters={[
        ...(idle
          ? [{ key: 'idleDays', options: idleDays.map((n) => ({ value: n, label: String(n) })) }]
          : []),
        ...placeFilters,
      ]}
      notice={
        <ReportHead
          read={read}
          figures={({ sums, before }) =>
            figuresOf(
              t,
              [
                ['onlineRate', 'permille'],
                ['offlineHours', 'hours'],
                ['faults', 'count'],
                ['repairHours', 'hours'],
                ['successRate', 'permille'],
                ...(money ? ([['turnover', 'fen']] as const) : []),
              ],
              sums,
              before,
            )
          }
          note={({ from, to, before }) => periodOf(t, { from, to }, before)}
          chart={({ points, beforePoints, from, to }) => ({
            label: t('equipmentChart', { from, to }),
            left: t('fields.offlineHours'),
            right: t('fields.faults'),
            categories: points.map(({ key }) => key.slice(5)),
            series: [
              {
                name: t('fields.offlineHours'),
                kind: 'bar',
                values: points.map((point) => point.offlineHours),
                format: sayHours,
              },
              {
                name: t('fields.faults'),
                kind: 'line',
                right: true,
                values: points.map((point) => point.faults),
                format: formatCount,
              },
              ...(beforePoints
                ? [
                    {
                      name: t('offlineBefore'),
                      kind: 'line' as const,
                      compare: true,
                      values: points.map((_point, at) => beforePoints[at] ?? null),
                      format: sayHours,
                    },
                  ]
                : []),
            ],
          })}
        />
      }
      columns={[
        col('rtuNumber'),
        col('nickname'),
        col('ownedUserName'),
        col('address', { defaultHidden: true }),
        col('orderTotal'),
        money && col('turnover'),
        money && col('dailyTurnover', { defaultHidden: true }),
        col('successRate'),
        col('problemRate', { defaultHidden: true }),
        col('onlineRate'),
        col('outages', { defaultHidden: true }),
        col('offlineHours'),
        col('soldOutHours'),
        col('tempHours', { defaultHidden: true }),
        col('faults'),
        col('repairHours', { defaultHidden: true }),
        col('lastRefillTime'),
      ]}
      sums={({ sums }) => [
        { label: t('fields.orderTotal'), value: <Count value={sums.orderTotal} /> },
        ...(sums.turnover === null
          ? []
          : [{ label: t('fields.turnover'), value: <Money fen={sums.turnover} /> }]),
      ]}
      actions={(row) => [
        {
          key: 'machine',
          label: t('machine'),
          can: may('device:read') && row.rtuNumber !== '',
          to: `/device/device-list?detail=${row.id}`,
        },
      ]}
      empty={{ title: t(query.state === 'ALL' ? 'empty' : `none.${String(query.state)}`) }}
      card={['orderTotal', 'onlineRate', 'offlineHours', 'faults', 'lastRefillTime']}
    />
  )
}
