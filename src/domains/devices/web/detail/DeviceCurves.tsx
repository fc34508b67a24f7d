import { Segmented, Skeleton } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../../web/api.ts'
import { Chart } from '../../../web/charts.tsx'
import { Empty, Problem } from '../../../web/Problem.tsx'
import { fullTime } from '../../../web/time.ts'
import { deviceSettings } from '../../device-settings/contract.ts'
import { devices } from '../contract.ts'
import { type Point, telemetrySpans } from '../historyContract.ts'
import styles from './devices.module.css'

type Span = (typeof telemetrySpans)[number]

/** Temperature and humidity with the limits that are set, and the signal. */
export function DeviceCurves({ deviceId }: { deviceId: number }) {
  const { t } = useTranslation('devices')
  const [span, setSpan] = useState<Span>('24h')
  const read = useRead(
    devices.telemetry,
    { id: deviceId, span },
    { inline: true, keep: true, every: 60_000 },
  )
  const settings = useRead(deviceSettings.get, { id: deviceId }, { inline: true })
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
      {list ? (
        list.length === 0 ? (
          <Empty title={t('curves.empty')} />
        ) : (
          <Curves list={list} span={span} config={settings.data?.config} />
        )
      ) : (
        <Skeleton active />
      )}
    </>
  )
}

type Limits = { tempMin: number | null; tempMax: number | null; humMin: number; humMax: number }

function Curves({
  list,
  span,
  config,
}: {
  list: readonly Point[]
  span: Span
  config: Limits | undefined
}) {
  const { t } = useTranslation('devices')
  const categories = list.map((point) =>
    span === '24h'
      ? fullTime(new Date(point.at)).slice(11, 16)
      : fullTime(new Date(point.at)).slice(5, 16),
  )
  const line = (name: string, values: readonly (number | null)[], unit: string) => ({
    name,
    kind: 'line' as const,
    values,
    format: (value: number) => `${value} ${unit}`,
  })
  const limit = (key: 'low' | 'high', value: number | null | undefined, unit: string) =>
    value === null || value === undefined
      ? []
      : [
          {
            ...line(
              t(`curves.${key}`, { n: `${value} ${unit}` }),
              list.map(() => value),
              unit,
            ),
            compare: true,
          },
        ]
  const some = (key: keyof Point) => list.some((point) => point[key] !== null)
  return (
    <>
      {some('temperature') ? (
        <section className={styles.curve}>
          <h3>{t('fields.temperature')}</h3>
          <Chart
            label={t('fields.temperature')}
            height={200}
            categories={categories}
            series={[
              line(
                t('curves.temperature'),
                list.map((point) => point.temperature),
                '°C',
              ),
              ...limit('low', config?.tempMin, '°C'),
              ...limit('high', config?.tempMax, '°C'),
            ]}
          />
        </section>
      ) : null}
      {some('humidity') ? (
        <section className={styles.curve}>
          <h3>{t('fields.humidity')}</h3>
          <Chart
            label={t('fields.humidity')}
            height={160}
            categories={categories}
            series={[
              line(
                t('curves.humidity'),
                list.map((point) => point.humidity),
                '%',
              ),
              ...limit('low', config?.humMin, '%'),
              ...limit('high', config?.humMax, '%'),
            ]}
          />
        </section>
      ) : null}
      {some('rsrp') ? (
        <section className={styles.curve}>
          <h3>{t('curves.rsrp')}</h3>
          <Chart
            label={t('curves.rsrp')}
            height={140}
            categories={categories}
            series={[
              line(
                t('curves.rsrp'),
                list.map((point) => point.rsrp),
                'dBm',
              ),
            ]}
          />
        </section>
      ) : null}
    </>
  )
}
