import SettingOutlined from '@ant-design/icons/es/icons/SettingOutlined'
import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { useRead } from '../../../web/api.ts'
import { useCols } from '../../../web/columns.tsx'
import { useConfirm } from '../../../web/confirm.tsx'
import { ListPage } from '../../../web/ListPage.tsx'
import { lazyDialog } from '../../../web/lazyDialog.tsx'
import type { Selection } from '../../../web/list/types.ts'
import { useLive } from '../../../web/live.ts'
import { StatusTag } from '../../../web/StatusTag.tsx'
import { useMay } from '../../../web/session.ts'
import { Time } from '../../../web/Time.tsx'
import { CardHead } from '../../../web/ui/Card.tsx'
import { useDetail } from '../../../web/useDetail.ts'

import { DeviceSelect } from '../../machines/web/pickers.tsx'
import { AlertRow, alerts, levelTones, stateTones } from '../contract.ts'

import type { Verb } from './HandleDialog.tsx'

const AlertDrawer = lazyDialog(() => import('./AlertDrawer.tsx').then((m) => m.AlertDrawer))
const HandleDialog = lazyDialog(() => import('./HandleDialog.tsx').then((m) => m.HandleDialog))
const verbs = ['acknowledge', 'close'] as const

export function AlertList() {
  const { t } = useTranslation('alerts')
  const col = useCols(AlertRow, 'alerts')
  const may = useMay()
  const navigate = useNavigate()
  const confirm = useConfirm()
  const detail = useDetail()
  const counts = useRead(alerts.stats, {}, { inline: true }).data
  useLive('alerts', [alerts.stats.path])
  const [open, setOpen] = useState<{ verb: Verb; ids: number[]; onSaved: () => void } | null>(null)
  const handle = (verb: Verb, rows: readonly AlertRow[], onSaved = () => {}) => {
    const ids = rows.filter((row) => row.can[verb]).map((row) => row.id)
    if (ids.length === 0) return void confirm({ title: t('none'), ok: t('understood') })
    setOpen({ verb, ids, onSaved })
  }
  const machine = (row: AlertRow) =>
    row.deviceId === null
      ? t('machines', { n: row.deviceCount })
      : [row.rtuNumber, row.nickname].filter(Boolean).join(' ')
  const view = (key: string, state: string | null, count?: number) => ({
    key,
    label: t(`enums.state.${state ?? 'active'}`),
    query: state ? { state } : {},
    count,
  })
  return (
    <>
      <ListPage
        ns="alerts"
        endpoint={alerts.list}
        live="alerts"
        detail={AlertDrawer}
        header={
          may('alarm-rule:read') ? (
            <Button icon={<SettingOutlined />} onClick={() => navigate('/device/alert-rules')}>
              {t('toRules')}
            </Button>
          ) : null
        }
        empty={{ title: t('empty') }}
        views={[
          view('active', null),
          view('open', 'OPEN', counts?.open),
          view('acknowledged', 'ACKNOWLEDGED', counts?.acknowledged),
          view('all', 'all'),
        ]}
        filters={[
          'keyword',
          'kind',
          'level',
          'range',
          ...(may('device:read') ? [{ key: 'deviceId', more: true, picker: DeviceSelect }] : []),
        ]}
        columns={[
          col('level'),
          col('content', { link: (row) => detail.to(row.id) }),
          col('rtuNumber', {
            title: t('fields.deviceId'),
            fit: (_, row) => machine(row),
            render: (_, row) => machine(row),
          }),
          col('state'),
          col('openTime'),
          col('times'),
          col('handler'),
          col('closeTime', { defaultHidden: true }),
          col('kind', { tones: {}, defaultHidden: true }),
          col('orgName'),
          col('since', { defaultHidden: true }),
          col('awayCount', { defaultHidden: true }),
          col('closeReason', { defaultHidden: true, tones: {} }),
        ]}
        actions={(row) => [
          ...verbs.map((verb) => ({
            key: verb,
            label: t(verb),
            can: row.can[verb],
            onClick: () => handle(verb, [row]),
          })),
          { key: 'open', label: t('action.open'), to: detail.to(row.id) },
        ]}
        batch={verbs.map((verb) => ({
          key: verb,
          label: t(verb),
          can: may('alarm:handle'),
          onClick: ({ rows, clear }: Selection<AlertRow>) => handle(verb, rows, clear),
        }))}
        card={(row, actions) => (
          <>
            <CardHead
              title={
                <StatusTag tone={levelTones[row.level]}>{t(`enums.kind.${row.kind}`)}</StatusTag>
              }
              lines={[machine(row), <Time key="at" at={row.openTime} />]}
              end={
                <StatusTag tone={stateTones[row.state]} chip>
                  {t(`enums.state.${row.state}`)}
                </StatusTag>
              }
            />
            <div>{row.content}</div>
            {actions}
          </>
        )}
      />
      {open ? <HandleDialog {...open} onClose={() => setOpen(null)} /> : null}
    </>
  )
}
