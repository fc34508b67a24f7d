import type { UseQueryResult } from '@tanstack/react-query'
import { type ReactNode, useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { yuan } from '../../../shared/money.ts'
import type { ApiError } from '../../../web/call.ts'
import { Chart, type ChartProps } from '../../../web/charts.tsx'
import { Figure } from '../../../web/Figure.tsx'
import { formatCount, formatPermille } from '../../../web/Money.tsx'
import { Unread } from '../../../web/Problem.tsx'
import { usePhone } from '../../../web/shell/useWidth.ts'
import { fullTime } from '../../../web/time.ts'
import { changeOf } from '../rules.ts'
import styles from './Report.module.css'

export type Unit = 'fen' | 'count' | 'permille' | 'hours'
export type ReportFigure = {
  readonly label: string
  readonly value: number | null
  /** Of the period it is compared with; left out where there is none. */
  readonly before?: number | null | undefined
  readonly unit: Unit
  readonly fewer?: boolean
}
type Drawn = Pick<ChartProps, 'categories' | 'series'> & {
  readonly label: string
  readonly left: string
  readonly right?: string
  readonly unfinished?: boolean
  readonly named?: boolean
}
const shown = (value: number | null, unit: Unit): string =>
  value === null
    ? '—'
    : unit === 'fen'
      ? yuan(value)
      : unit === 'permille'
        ? formatPermille(value)
        : formatCount(value)
export const inYuan = (fen: number): number => fen / 100
export const sayYuan = (value: number): string => yuan(Math.round(value * 100))

type Props<T extends { asOf: string }> = {
  readonly read: UseQueryResult<T, ApiError>
  readonly figures: (data: T) => readonly ReportFigure[]
  readonly chart: (data: T) => Drawn
  /** What it is compared with, in words. */
  readonly note?: (data: T) => ReactNode
}

/** Figures of a period beside those it is compared with, and how they came about. */
export function ReportHead<T extends { asOf: string }>({ read, figures, chart, note }: Props<T>) {
  const { t, i18n } = useTranslation('dataReports')
  const phone = usePhone()
  const data = read.data
  // biome-ignore lint/correctness/useExhaustiveDependencies: drawn anew when the data are
  const drawn = useMemo(() => data && fitted(chart(data), phone), [data, i18n.language, phone])
  if (!data || !drawn) return <Unread read={read} rows={6} />
  const shownFigures = figures(data)
  return (
    <div data-report>
      <div className={styles.figures} hidden={!shownFigures.length}>
        {shownFigures.map(({ label, value, before, unit, fewer = false }) => (
          <Figure
            key={label}
            label={label}
            value={shown(value, unit)}
            fewer={fewer}
            change={before === undefined ? null : changeOf(value, before)}
            note={before === undefined || before === null ? null : shown(before, unit)}
          />
        ))}
      </div>
      <div className={styles.axes}>
        <span>{drawn.left}</span>
        <span>
          {note?.(data)} {t('asOf', { time: fullTime(new Date(data.asOf)).slice(11, 16) })}
        </span>
        <span>{drawn.right}</span>
      </div>
      <Chart
        label={drawn.label}
        categories={drawn.categories}
        series={drawn.series}
        unfinished={drawn.unfinished ?? false}
        named={drawn.named ?? false}
        height={phone ? 150 : 176}
      />
    </div>
  )
}

const onPhones = 5
/** A phone has room for some names. */
const fitted = (drawn: Drawn, phone: boolean): Drawn =>
  phone && drawn.named
    ? {
        ...drawn,
        categories: drawn.categories.slice(0, onPhones),
        series: drawn.series.map((one) => ({ ...one, values: one.values.slice(0, onPhones) })),
      }
    : drawn
