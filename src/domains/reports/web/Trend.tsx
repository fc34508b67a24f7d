import { type ReactNode, useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { yuan } from '../../../shared/money.ts'
import { useRead } from '../../../web/api.ts'
import { Chart, type ChartProps } from '../../../web/charts.tsx'
import { formatCount } from '../../../web/Money.tsx'
import { usePhone } from '../../../web/shell/useWidth.ts'
import { fullTime } from '../../../web/time.ts'
import { reports, type TrendDay } from '../contract.ts'
import { Card } from './Card.tsx'
import styles from './Home.module.css'

type Props = { days: 7 | 30; every: number | false; money: boolean; period: ReactNode }

export function Trend({ days, every, money, period }: Props) {
  const { t } = useTranslation('reports')
  const read = useRead(reports.trend, { days }, { inline: true, keep: true, every })
  const sum = (key: 'paid' | 'refunded') =>
    yuan((read.data?.list ?? []).reduce((total, row) => total + (row[key] ?? 0), 0))
  const note =
    money && read.data
      ? `${t('kpi.paid', { value: sum('paid') })} · ${t('kpi.refunded', { value: sum('refunded') })}`
      : null
  return (
    <Card
      title={t('trend.title')}
      note={note}
      extra={period}
      read={read}
      failed={t('trend.failed')}
      rows={7}
    >
      {(data) => <Days list={data.list} asOf={data.asOf} money={money} />}
    </Card>
  )
}

function Days({ list, asOf, money }: { list: readonly TrendDay[]; asOf: string; money: boolean }) {
  const { t, i18n } = useTranslation('reports')
  const phone = usePhone()
  const time = fullTime(new Date(asOf)).slice(11, 16)
  // biome-ignore lint/correctness/useExhaustiveDependencies: texts follow the language
  const chart = useMemo<Pick<ChartProps, 'categories' | 'series'>>(
    () => ({
      categories: list.map((row, at) =>
        at === list.length - 1 ? t('trend.today', { time }) : row.day.slice(5),
      ),
      series: [
        {
          name: t('trend.orders'),
          kind: 'bar',
          values: list.map((row) => row.orders),
          format: formatCount,
        },
        ...(money
          ? [
              {
                name: t('trend.turnover'),
                kind: 'line' as const,
                right: true,
                values: list.map((row) => (row.turnover ?? 0) / 100),
                format: (value: number) => yuan(Math.round(value * 100)),
              },
            ]
          : []),
      ],
    }),
    [list, time, money, i18n.language],
  )
  return (
    <div className={styles.trend} data-plain={!money}>
      <div className={styles.axes}>
        <span>{t('trend.ordersAxis')}</span>
        {money ? <span>{t('trend.turnoverAxis')}</span> : null}
      </div>
      <Chart
        label={t('trend.chart', { from: list[0]?.day ?? '', to: list.at(-1)?.day ?? '' })}
        {...chart}
        unfinished
        height={phone ? 180 : 182}
      />
    </div>
  )
}
