import { lazy, Suspense } from 'react'
import type { Series } from './chartCore.tsx'

const Core = lazy(() => import('./chartCore.tsx').then((module) => ({ default: module.ChartCore })))

export type ChartProps = {
  /** What the chart shows, for people who do not see it. */
  readonly label: string
  readonly categories: readonly string[]
  readonly series: readonly Series[]
  readonly height?: number
  /** The last category is not over yet: drawn pale with a dashed edge. */
  readonly unfinished?: boolean
  /** Measurements, not amounts: the axis begins near them, not at zero. */
  readonly measured?: boolean
  /** Categories are names: each is shown, cut to its room. */
  readonly named?: boolean
}

/** Lines and bars by the rules of the look; ECharts itself loads when the first chart is shown. */
export function Chart(props: ChartProps) {
  const height = props.height ?? 260
  return (
    <Suspense fallback={<div style={{ height }} aria-busy="true" />}>
      <Core {...props} height={height} />
    </Suspense>
  )
}

/** 104 × 28, only where the numbers have a shape. */
export function Sparkline({ values, label }: { values: readonly number[]; label: string }) {
  const [low, high] = [Math.min(...values), Math.max(...values)]
  if (values.length < 2 || low === high) return null
  const points = values.map(
    (value, index) =>
      [2 + (index * 98) / (values.length - 1), 25 - ((value - low) / (high - low)) * 22] as const,
  )
  const line = points
    .map(([x, y], index) => `${index === 0 ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`)
    .join('')
  const last = points.at(-1) ?? [100, 14]
  return (
    <svg width="104" height="28" viewBox="0 0 104 28" role="img" aria-label={label}>
      <path d={`${line}L${last[0]} 28L2 28z`} fill="var(--hd-chart-area)" />
      <path
        d={line}
        fill="none"
        stroke="var(--hd-chart-line)"
        strokeWidth="1.5"
        strokeLinejoin="round"
      />
      <circle cx={last[0]} cy={last[1]} r="2" fill="var(--hd-chart-line)" />
    </svg>
  )
}
