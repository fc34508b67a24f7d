import { Segmented } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../../../web/api.ts'
import { Chart } from '../../../../web/charts.tsx'
import { Empty, Problem, Skeleton } from '../../../../web/Problem.tsx'
import { fullTime } from '../../../../web/time.ts'
import { Part } from '../../../../web/ui/Sheet.tsx'
import { deviceSettings } from '../../../device-settings/contract.ts'
import { devices } from '../../contract.ts'
import { type Point, telemetrySpans } from '../../historyContract.ts'
import type { TabProps } from './DeviceDrawer.tsx'

type Span = (typeof telemetrySpans)[number]
type Limits = { tempMin: number | null; tempMax: number | null; humMin: number; humMax: number }
const curves = [
  { key: 'temperature', unit: '°C', height: 200, limits: ['tempMin', 'tempMax'] },
  { key: 'humidity', unit: '%', height: 160, limits: ['humMin', 'humMax'] },
  { key: 'rsrp', unit: 'dBm', height: 140, limits: null },
] as const

/** Temperature and humidity with the limits that are set, and the signal. */
export function DeviceCurves({ device: { id } }: TabProps) {
  const { t } = useTranslation('devices')
  const [span, setSpan] = useState<Span>('24h')
  const own = { inline: true, keep: true }
  const read = useRead(devices.telemetry, { id, span }, { ...own, every: 60_000 })
  const limits = useRead(deviceSettings.get, { id }, own).data?.config
  if (read.error && !read.data)
    return <Problem error={read.error} onRetry={() => void read.refetch()} />
  const list = read.data?.list
  return (
    <>
      <Segmented
        value={span}
        onChange={setSpan}
        options={telemetrySpans.map((value) => ({ value, label: t(`curves.${value}`) }))}
      />
      {!list ? <Skeleton rows={6} /> : null}
      {list?.length === 0 ? <Empty title={t('curves.empty')} /> : null}
      {curves.map((curve) =>
        list?.some((point) => point[curve.key] !== null) ? (
          <Curve key={curve.key} curve={curve} list={list} day={span === '24h'} set={limits} />
        ) : null,
      )}
    </>
  )
}

type CurveProps = {
  curve: (typeof curves)[number]
  list: readonly Point[]
  day: boolean
  set: Limits | undefined
}
/** One measurement, and its limits as dashes. */
function Curve({ curve: { key, unit, height, limits }, list, day, set }: CurveProps) {
  const { t } = useTranslation('devices')
  const name = t(`curves.${key}`)
  const format = (value: number) => `${value} ${unit}`
  const dashes = (limits ?? []).flatMap((limit, end) => {
    const value = set?.[limit]
    if (value === null || value === undefined) return []
    const label = t(`curves.${end === 0 ? 'low' : 'high'}`, { n: format(value) })
    const values = list.map(() => value)
    return [{ name: label, kind: 'line' as const, values, format, compare: true }]
  })
  const values = list.map((point) => point[key])
  return (
    <Part title={name}>
      <Chart
        label={name}
        height={height}
        measured
        categories={list.map(({ at }) => fullTime(new Date(at)).slice(day ? 11 : 5, 16))}
        series={[{ name, kind: 'line', values, format }, ...dashes]}
      />
    </Part>
  )
}
