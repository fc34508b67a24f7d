import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../../web/api.ts'
import { Chart } from '../../../web/charts.tsx'
import { Detail, Rows } from '../../../web/Detail.tsx'
import type { DetailProps } from '../../../web/list/types.ts'
import { useMay } from '../../../web/session.ts'
import { Time } from '../../../web/Time.tsx'
import { fullTime } from '../../../web/time.ts'
import { Part } from '../../../web/ui/Sheet.tsx'
import { drugControl, type Excursion } from '../contract.ts'
import { DecideExcursion } from './DecideDialog.tsx'

/** What the goods of a machine went through, and what was decided about them. */
export function ExcursionDrawer({ id, ...beside }: DetailProps) {
  const { t } = useTranslation('drugControl')
  const may = useMay()
  const read = useRead(drugControl.excursion, { id: Number(id) }, { inline: true })
  const [deciding, setDeciding] = useState(false)
  const row = read.data
  const open = row && (row.state === 'UNDECIDED' || (row.state === 'OPEN' && row.laneCount > 0))
  return (
    <>
      <Detail
        open
        {...beside}
        title={row ? `${row.rtuNumber} ${row.nickname}` : ''}
        loading={read.isPending}
        error={read.error}
        onRetry={() => void read.refetch()}
        actions={
          open && may('lane:lock') ? (
            <Button type="primary" onClick={() => setDeciding(true)}>
              {t('decide')}
            </Button>
          ) : null
        }
      >
        {row ? <Body row={row} /> : null}
      </Detail>
      {deciding && row ? <DecideExcursion row={row} onClose={() => setDeciding(false)} /> : null}
    </>
  )
}

function Body({ row }: { row: Excursion }) {
  const { t } = useTranslation('drugControl')
  const f = (key: string) => t(`fields.${key}`)
  const degrees = (value: number | null) => (value === null ? null : `${value} °C`)
  const values = row.curve.map(([, value]) => value)
  return (
    <>
      <Rows
        title={t(`enums.kind.${row.kind}`)}
        items={[
          [f('state'), t(`enums.state.${row.state}`)],
          [f('fromAt'), <Time key="f" at={row.fromAt} style="full" />],
          [f('toAt'), row.toAt && <Time key="t" at={row.toAt} style="full" />],
          [f('minutes'), String(row.minutes)],
          [f('tempMin'), degrees(row.tempMin)],
          [f('tempMax'), degrees(row.tempMax)],
          [f('limits'), row.limitLow === null ? null : `${row.limitLow} – ${row.limitHigh} °C`],
          [f('decidedBy'), row.decidedBy],
          [f('decidedAt'), row.decidedAt && <Time key="d" at={row.decidedAt} style="full" />],
          [f('reason'), row.reason],
        ]}
      />
      {values.length > 1 ? (
        <Part title={f('curve')}>
          <Chart
            label={f('curve')}
            height={180}
            measured
            categories={row.curve.map(([at]) => fullTime(new Date(at)).slice(5, 16))}
            series={[{ name: f('curve'), kind: 'line', values, format: (value) => `${value} °C` }]}
          />
        </Part>
      ) : null}
      {row.lanes.length ? (
        <Rows
          title={f('laneCount')}
          items={row.lanes.map(({ road, product, qty }) => [
            `${f('roadIndex')} ${road}`,
            t('lane', { product, qty }),
          ])}
        />
      ) : null}
    </>
  )
}
