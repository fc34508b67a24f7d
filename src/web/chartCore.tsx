import { BarChart, LineChart } from 'echarts/charts'
import { GridComponent, TooltipComponent } from 'echarts/components'
import { init, use as register } from 'echarts/core'
import { CanvasRenderer } from 'echarts/renderers'
import { useEffect, useRef } from 'react'
import styles from './chart.module.css'
import type { ChartProps } from './charts.tsx'
import { usePrefs } from './prefs.ts'
import { chartColors, tokens } from './theme.ts'

register([BarChart, LineChart, GridComponent, TooltipComponent, CanvasRenderer])

export type Series = {
  readonly name: string
  readonly kind: 'bar' | 'line'
  readonly values: readonly (number | null)[]
  /** The second value axis, on the right. */
  readonly right?: boolean
  /** Another period: grey dashes. */
  readonly compare?: boolean
  /** Bars of a chart that has several kinds of them: each in its own colour. */
  readonly apart?: boolean
  /** Bars that are parts of one: upon those before them. */
  readonly stacked?: boolean
  readonly format?: (value: number) => string
}

type Hovered = { seriesIndex: number; dataIndex: number; axisValueLabel?: string }

export function ChartCore({
  label,
  categories,
  series,
  height = 260,
  unfinished = false,
  measured = false,
  named = false,
}: ChartProps) {
  const box = useRef<HTMLDivElement>(null)
  const { theme, lang } = usePrefs()
  useEffect(() => {
    if (!box.current) return
    const [colors, token] = [chartColors(theme), tokens(theme)]
    const chart = init(box.current)
    const axisText = {
      color: colors.axis,
      fontSize: 12,
      fontFamily: token.fontFamily ?? 'sans-serif',
    }
    const short = (value: number) => axisNumber(value, lang)
    const valueAxis = {
      type: 'value' as const,
      splitNumber: 4,
      scale: measured,
      // there is no fifth of an order
      minInterval: series.every(
        (one) =>
          one.right || one.values.every((value) => value === null || Number.isInteger(value)),
      )
        ? 1
        : 0,
      axisLabel: { ...axisText, formatter: short },
      splitLine: { lineStyle: { color: colors.grid } },
      axisLine: { show: false },
      axisTick: { show: false },
    }
    chart.setOption({
      animationDuration: matchMedia('(prefers-reduced-motion: reduce)').matches ? 0 : 220,
      grid: {
        left: 4,
        right: 4,
        top: 12,
        bottom: 4,
        outerBoundsMode: 'same',
        outerBoundsContain: 'axisLabel',
      },
      xAxis: {
        type: 'category',
        data: [...categories],
        axisLine: { show: false },
        axisTick: { show: false },
        axisLabel: named
          ? {
              ...axisText,
              interval: 0,
              overflow: 'truncate',
              width: Math.max(
                24,
                Math.floor(box.current.clientWidth / (categories.length + 1)) - 8,
              ),
            }
          : axisText,
        boundaryGap: series.some((one) => one.kind === 'bar'),
      },
      yAxis: series.some((one) => one.right)
        ? [valueAxis, { ...valueAxis, minInterval: 0, splitLine: { show: false } }]
        : [valueAxis],
      tooltip: {
        trigger: 'axis',
        confine: true,
        transitionDuration: 0,
        backgroundColor: token.colorBgElevated ?? '',
        borderColor: token.colorBorderSecondary ?? '',
        borderWidth: 1,
        padding: [8, 12],
        textStyle: { color: token.colorText ?? '', fontSize: 12 },
        axisPointer: { lineStyle: { color: colors.grid } },
        formatter: (found: unknown) =>
          tooltip(Array.isArray(found) ? (found as Hovered[]) : [found as Hovered], series),
      },
      series: series.map((one, index) => {
        const color = one.compare
          ? colors.compare
          : owned(one)
            ? (colors.series[(index + 1) % colors.series.length] ?? colors.bar)
            : one.kind === 'bar' && series.length > 1
              ? colors.bar
              : (colors.series[index % colors.series.length] ?? colors.line)
        const line = one.kind === 'line'
        return {
          name: one.name,
          type: one.kind,
          yAxisIndex: one.right ? 1 : 0,
          symbol: 'circle',
          symbolSize: 5,
          showSymbol: categories.length <= 31,
          barMaxWidth: 28,
          ...(one.stacked ? { stack: 'sum' } : {}),
          color: index === firstLine(series) ? colors.line : color,
          ...(line
            ? {
                lineStyle: {
                  width: 2,
                  ...(one.compare ? { type: 'dashed' as const, width: 1.5 } : {}),
                },
              }
            : {}),
          itemStyle: line ? {} : { borderRadius: [3, 3, 0, 0] },
          data: one.values.map((value, at) =>
            unfinished && at === one.values.length - 1 && !line
              ? {
                  value,
                  itemStyle: {
                    color: colors.barToday,
                    borderColor: color,
                    borderType: 'dashed' as const,
                    borderWidth: 1,
                  },
                }
              : value,
          ),
        }
      }),
    })
    const observer = new ResizeObserver(() => chart.resize())
    observer.observe(box.current)
    return () => {
      observer.disconnect()
      chart.dispose()
    }
  }, [categories, series, theme, lang, unfinished, measured, named])
  return (
    <figure className={styles.figure}>
      {series.length > 1 ? (
        <div className={styles.legend}>
          {series.map((one, index) => (
            <span key={one.name}>
              <i
                style={{
                  background: one.compare
                    ? 'var(--hd-chart-compare)'
                    : owned(one)
                      ? `var(--hd-chart-${index + 2})`
                      : one.kind === 'bar'
                        ? 'var(--hd-chart-bar)'
                        : index > 0 && index === firstLine(series)
                          ? 'var(--hd-chart-line)'
                          : `var(--hd-chart-${index + 1})`,
                }}
              />
              {one.name}
            </span>
          ))}
        </div>
      ) : null}
      <div ref={box} style={{ height }} role="img" aria-label={label} />
    </figure>
  )
}

/** Bars that are told apart begin with the second colour: the first is that of lines. */
const owned = (one: Series): boolean => one.apart === true || one.stacked === true

/** It has the colour of lines; others beside it have one each. */
const firstLine = (series: readonly Series[]): number =>
  series.findIndex((one) => one.kind === 'line' && !one.compare)

/** Shortened from ten thousand on: 15k, or the Chinese unit of ten thousand. */
export const axisNumber = (value: number, lang: string): string =>
  Math.abs(value) < 10_000
    ? value.toLocaleString('en-US')
    : lang === 'en'
      ? `${Number((value / 1000).toFixed(1))}k`
      : `${Number((value / 10_000).toFixed(1))}\u4e07`

/** Built of elements: a product's name is never read as markup. */
function tooltip(hovered: readonly Hovered[], series: readonly Series[]): HTMLElement {
  const root = document.createElement('div')
  const title = root.appendChild(document.createElement('div'))
  title.textContent = hovered[0]?.axisValueLabel ?? ''
  title.style.marginBottom = '4px'
  for (const { seriesIndex, dataIndex } of hovered) {
    const one = series[seriesIndex]
    const value = one?.values[dataIndex]
    if (!one || value === null || value === undefined) continue
    const row = root.appendChild(document.createElement('div'))
    row.style.cssText = 'display:flex;justify-content:space-between;gap:24px'
    row.appendChild(document.createElement('span')).textContent = one.name
    row.appendChild(document.createElement('b')).textContent = one.format
      ? one.format(value)
      : value.toLocaleString('en-US')
  }
  return root
}
