import { useTranslation } from 'react-i18next'
import { useLocation } from 'react-router'
import { shanghaiDay } from '../../../shared/instants.ts'
import { yuan } from '../../../shared/money.ts'
import { useRead } from '../../../web/api.ts'
import { useCols } from '../../../web/columns.tsx'
import { ListPage } from '../../../web/ListPage.tsx'
import { useListQuery } from '../../../web/list/useListQuery.ts'
import { formatCount, Money } from '../../../web/Money.tsx'
import { StatusTag } from '../../../web/StatusTag.tsx'
import { useMay } from '../../../web/session.ts'
import { OwnerSelect } from '../../accounts/web/pickers.tsx'
import { dataReports } from '../contract.ts'
import { MoneyRow } from '../moneyContract.ts'
import { daysOf, monthEnd, timeGroupOf, within } from '../rules.ts'
import { askedOf, figuresOf, periodOf } from './pieces.tsx'
import styles from './Report.module.css'
import { inYuan, ReportHead, sayYuan } from './ReportHead.tsx'

const nothing = {}

/** What came in, beside what the bills of channels say of it. */
export function FinancialData() {
  const { t } = useTranslation('dataReports')
  const col = useCols(MoneyRow, 'dataReports')
  const may = useMay()
  const { search } = useLocation()
  const { query } = useListQuery(dataReports.financial.input, nothing)
  const read = useRead(dataReports.financialSummary, askedOf(query), { inline: true, keep: true })
  const today = shanghaiDay(new Date())
  const group = timeGroupOf(query.groupBy as string | undefined, daysOf(query, today))
  const inTime = group === 'DAY' || group === 'MONTH'
  const signed = { fit: (fen: unknown) => yuan(Number(fen)) }
  return (
    <ListPage
      ns="dataReports"
      endpoint={dataReports.financial}
      live="orders"
      filters={[
        { key: 'groupBy', unset: t(`enums.groupBy.${group}`) },
        'range',
        'provider',
        'compare',
        { key: 'orgId', picker: OwnerSelect, more: true },
        { key: 'payType', more: true },
      ]}
      notice={
        <>
          <ReportHead
            read={read}
            figures={({ sums, before }) =>
              figuresOf(
                t,
                [
                  ['payAmount', 'fen'],
                  ['refundAmount', 'fen'],
                  ['service', 'fen'],
                  ['splitAmount', 'fen'],
                  ['netIncome', 'fen'],
                  ['payCount', 'count'],
                ],
                sums,
                before,
              )
            }
            note={({ from, to, before }) => periodOf(t, { from, to }, before)}
            chart={({ points, beforePoints, from, to }) => ({
              label: t('money.chart', { from, to }),
              left: t('money.axis'),
              named: !inTime,
              unfinished: inTime && to >= today,
              categories: points.map(({ key, name }) => (group === 'DAY' ? key.slice(5) : name)),
              series: [
                {
                  name: t('fields.payAmount'),
                  kind: 'bar',
                  apart: !inTime,
                  values: points.map((point) => inYuan(point.payAmount)),
                  format: sayYuan,
                },
                {
                  name: t('fields.netIncome'),
                  kind: inTime ? 'line' : 'bar',
                  apart: !inTime,
                  // a day that has begun would always look like a slump
                  values: points.map((point, at) =>
                    group === 'DAY' && to >= today && at === points.length - 1
                      ? null
                      : inYuan(point.netIncome),
                  ),
                  format: sayYuan,
                },
                ...(beforePoints
                  ? [
                      {
                        name: t('money.before'),
                        kind: 'line' as const,
                        compare: true,
                        values: points.map((_point, at) =>
                          beforePoints[at] === undefined ? null : inYuan(beforePoints[at]),
                        ),
                        format: sayYuan,
                      },
                    ]
                  : []),
              ],
            })}
          />
          {read.data ? <Check {...read.data} ofPay={query.payType !== undefined} /> : null}
        </>
      }
      columns={[
        col('name', { title: t(`by.${group}`), width: inTime ? 116 : 168 }),
        col('billState'),
        col('payCount'),
        col('payAmount'),
        col('refundAmount'),
        col('service', signed),
        col('splitAmount', signed),
        col('netIncome', signed),
        col('billAmount', signed),
        col('gap', {
          ...signed,
          render: (fen: number | null) =>
            fen === null ? '—' : fen === 0 ? <Money fen={0} /> : <b data-gap>{yuan(fen)}</b>,
        }),
        col('systemAmount', { ...signed, defaultHidden: true }),
        col('openDifferences', { defaultHidden: true }),
        col('cardAmount', { defaultHidden: true }),
        col('ownShare', { ...signed, defaultHidden: true }),
      ]}
      sums={({ sums }) =>
        (['payAmount', 'refundAmount', 'service', 'netIncome'] as const).map((key) => ({
          label: t(`fields.${key}`),
          value: <Money fen={sums[key]} />,
        }))
      }
      actions={(row) => [
        {
          key: 'differences',
          label: t('money.differences'),
          can: row.billState === 'DIFFERENT' || row.billState === 'HANDLED',
          to: `/data/financial-data/differences?${behind(row, search, group)}`,
        },
        {
          key: 'orders',
          label: t('orders'),
          can: may('order:read') && group !== 'MERCHANT',
          to: `/order/order-list?${behind(row, search, group)}`,
        },
      ]}
      empty={{ title: t('empty') }}
      card={['billState', 'payAmount', 'refundAmount', 'service', 'netIncome', 'gap']}
    />
  )
}

/** The days and the organisation of a row, within those of the filter. */
function behind(row: MoneyRow, search: string, group: string): string {
  const filter = new URLSearchParams(search)
  const { from, to } = within(
    { from: filter.get('from') ?? undefined, to: filter.get('to') ?? undefined },
    row.createTime === null
      ? null
      : {
          from: row.createTime,
          to: group === 'MONTH' ? monthEnd(row.createTime) : row.createTime,
        },
    shanghaiDay(new Date()),
  )
  const of = new URLSearchParams({ from, to })
  const orgId = row.orgId ?? filter.get('orgId')
  if (orgId !== null) of.set('orgId', String(orgId))
  return of.toString()
}

type Data = {
  sums: { systemAmount: number | null; billAmount: number | null; gap: number | null }
  days: { money: number; compared: number; different: number }
  ofPay: boolean
}
/** Whether the books and the bills of channels say the same. */
function Check({ sums: { systemAmount, billAmount, gap }, days, ofPay }: Data) {
  const { t } = useTranslation('dataReports')
  const said =
    systemAmount === null || billAmount === null || days.compared === 0
      ? null
      : { ours: yuan(systemAmount), theirs: yuan(billAmount), gap: yuan(gap ?? 0) }
  return (
    <p className={styles.check} data-check>
      <StatusTag tone={!said ? 'locked' : gap || days.different ? 'fault' : 'success'}>
        {t(
          `enums.billState.${!said ? 'UNCOMPARED' : gap || days.different ? 'DIFFERENT' : 'BALANCED'}`,
        )}
      </StatusTag>
      <span>
        {said
          ? t(gap ? 'money.unequal' : 'money.equal', said)
          : t(ofPay ? 'money.ofPay' : 'money.none')}
      </span>
      {said ? (
        <span>
          {t('money.days', {
            money: formatCount(days.money),
            compared: formatCount(days.compared),
            different: formatCount(days.different),
          })}
        </span>
      ) : null}
    </p>
  )
}
