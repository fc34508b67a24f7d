import { Alert, Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router'
import { useRead } from '../../../web/api.ts'
import { useCols } from '../../../web/columns.tsx'
import { ListPage } from '../../../web/ListPage.tsx'
import { lazyDialog } from '../../../web/lazyDialog.tsx'
import type { Selection } from '../../../web/list/types.ts'
import { useLive } from '../../../web/live.ts'
import { AnyRegion } from '../../../web/RegionSelect.tsx'
import { StatusTag } from '../../../web/StatusTag.tsx'
import { useMay } from '../../../web/session.ts'
import { Cut } from '../../../web/ui/Text.tsx'
import { useTarget } from '../../../web/useTarget.ts'
import { DrugControlLink } from '../../drug-control/web/pickers.ts'
import { LaneState } from '../../lanes/web/pickers.tsx'
import { DeviceSelect, numberAndName } from '../../machines/web/pickers.tsx'
import { DrugMark } from '../../products/web/DrugMark.tsx'
import { ProductSelect } from '../../products/web/pickers.tsx'
import { ExpiryRow, expiry, expiryStates } from '../contract.ts'
import { urgency } from '../rules.ts'
import { useAskToFetch } from './useAskToFetch.ts'

const RulesDialog = lazyDialog(() => import('./RulesDialog.tsx').then((m) => m.RulesDialog))
const laneOf = ({ deviceId, laneId }: ExpiryRow) =>
  `/device/device-list/cargo-road/${deviceId}?lane=${laneId}`
const tones = { past: 'fault', week: 'fault', month: 'warn', later: undefined } as const

export function ExpiryList() {
  const { t } = useTranslation('expiry')
  const col = useCols(ExpiryRow, 'expiry')
  const may = useMay()
  const target = useTarget()
  const ask = useAskToFetch()
  const [setting, setSetting] = useState(false)
  const dated = useSearchParams()[0].get('state') !== 'unknown'
  const stats = useRead(expiry.stats, {}, { inline: true }).data
  useLive('lanes', [expiry.stats.path])
  useLive('expiry', [expiry.stats.path])
  const can = may('near-expiry:update')
  const open = (rows: readonly ExpiryRow[]) =>
    rows.filter((row) => row.expiresOn !== null && row.handling !== 'TAKEN')
  const left = ({ daysLeft }: ExpiryRow) =>
    daysLeft === null
      ? ''
      : daysLeft < 0
        ? t('past', { n: -daysLeft })
        : daysLeft === 0
          ? t('today')
          : t('left', { n: daysLeft })
  const settings = can ? <Button onClick={() => setSetting(true)}>{t('settings')}</Button> : null
  const near = stats?.near.pieces ?? 0
  const expired = stats?.expired.pieces ?? 0
  const banner = expired > 0 ? 'bannerExpired' : near > 0 ? 'banner' : null
  return (
    <>
      <ListPage
        ns="expiry"
        endpoint={expiry.list}
        live="lanes"
        views={expiryStates.map((state) => ({
          key: state,
          label: t(`enums.state.${state}`),
          query: { state },
          count: stats?.[state].rows,
        }))}
        header={
          <>
            {may('lane:read') ? <DrugControlLink /> : null}
            {settings}
          </>
        }
        notice={
          banner ? <Alert type="warning" showIcon title={t(banner, { n: near, expired })} /> : null
        }
        filters={[
          ...(may('device:read') ? [{ key: 'deviceId', picker: DeviceSelect }] : []),
          { key: 'productId', picker: ProductSelect },
          'within',
          'handling',
          { key: 'drugClass', more: true },
          { key: 'batchNo', more: true },
          { key: 'region', picker: AnyRegion, more: true },
        ]}
        columns={[
          col('rtuNumber', numberAndName),
          col('roadIndex', { link: (row) => (may('lane:read') ? laneOf(row) : undefined) }),
          col('productName', {
            width: 132,
            render: (name: string, row) => (
              <Cut title={name}>
                {name} <DrugMark drugClass={row.drugClass} />
              </Cut>
            ),
          }),
          dated &&
            col('batchNo', {
              card: { as: 'fact', draw: ({ batchNo }) => batchNo },
            }),
          dated && col('producedOn', { defaultHidden: true }),
          dated && col('expiresOn'),
          dated &&
            col('daysLeft', {
              fit: (_, row) => left(row),
              render: (days: number | null, row) => {
                const tone = days === null ? undefined : tones[urgency(days)]
                return tone ? <StatusTag tone={tone}>{left(row)}</StatusTag> : left(row)
              },
            }),
          col('qty'),
          may('product:cost') && col('costAmount'),
          col('laneStatus', {
            defaultHidden: dated,
            render: (_, row) => <LaneState status={row.laneStatus} reason={row.lockReason} />,
          }),
          dated && col('handling'),
          dated && col('handleTime', { defaultHidden: true }),
        ]}
        {...((can || may('lane:price') || may('replenish:update')) && {
          actions: (row: ExpiryRow) => [
            {
              key: 'notify',
              label: t('notify'),
              can: can && open([row]).length > 0,
              onClick: () => void ask([row], () => undefined),
            },
            {
              key: 'price',
              label: t('price'),
              can: may('lane:price') && row.daysLeft !== null && row.daysLeft >= 0,
              to: laneOf(row),
            },
            {
              key: 'fetch',
              label: t('fetch'),
              can: may('replenish:update') && target('/stock/replenish') !== undefined,
              to: `/stock/replenish?deviceId=${row.deviceId}`,
            },
          ],
        })}
        batch={[
          {
            key: 'notify',
            label: t('notify'),
            can,
            onClick: ({ rows, clear }: Selection<ExpiryRow>) => void ask(open(rows), clear),
          },
        ]}
        empty={dated ? { title: t('empty'), action: settings } : { title: t('emptyUnknown') }}
        card={['productName', 'rtuNumber', 'roadIndex', 'batchNo', 'expiresOn', 'daysLeft', 'qty']}
      />
      {setting ? <RulesDialog onClose={() => setSetting(false)} /> : null}
    </>
  )
}
