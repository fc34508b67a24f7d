import SettingOutlined from '@ant-design/icons/es/icons/SettingOutlined'
import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useLocation, useNavigate } from 'react-router'
import { useRead } from '../../../web/api.ts'
import { useCols } from '../../../web/columns.tsx'
import { useConfirm } from '../../../web/confirm.tsx'
import { ListPage } from '../../../web/ListPage.tsx'
import { lazyDialog } from '../../../web/lazyDialog.tsx'
import type { PickerProps, Selection } from '../../../web/list/types.ts'
import { useLive } from '../../../web/live.ts'
import { usePrefs } from '../../../web/prefs.ts'
import { StatusTag } from '../../../web/StatusTag.tsx'
import { useMay } from '../../../web/session.ts'
import { Time } from '../../../web/Time.tsx'
import { DeviceSelect } from '../../devices/web/pickers.tsx'
import { AlertRow, alerts } from '../contract.ts'
import styles from './alerts.module.css'
import { levelTones, stateTones } from './tones.ts'

const AlertDrawer = lazyDialog(() => import('./AlertDrawer.tsx').then((m) => m.AlertDrawer))
const HandleDialog = lazyDialog(() => import('./HandleDialog.tsx').then((m) => m.HandleDialog))

type Verb = 'acknowledge' | 'close'

export function AlertList() {
  const { t } = useTranslation(['alerts', 'web'])
  const col = useCols(AlertRow, 'alerts')
  const may = useMay()
  const navigate = useNavigate()
  const confirm = useConfirm()
  const { pathname, search } = useLocation()
  const english = usePrefs().lang === 'en'
  const counts = useRead(alerts.stats, {}, { inline: true })
  useLive('alerts', [alerts.stats.path])
  const [handling, setHandling] = useState<{
    verb: Verb
    ids: number[]
    onSaved: () => void
  } | null>(null)
  const detail = (id: number) => {
    const params = new URLSearchParams(search)
    params.set('detail', String(id))
    return `${pathname}?${params}`
  }
  const handle = (verb: Verb, rows: readonly AlertRow[], onSaved = () => {}) => {
    const ids = rows.filter((row) => row.can[verb]).map((row) => row.id)
    if (ids.length === 0) return void confirm({ title: t('none'), ok: t('understood') })
    setHandling({ verb, ids, onSaved })
  }
  const machine = (row: AlertRow) =>
    row.deviceId === null
      ? t('machines', { n: row.deviceCount })
      : [row.rtuNumber, row.nickname].filter(Boolean).join(' ')
  const n = counts.data
  return (
    <>
      <ListPage
        title={t('title')}
        ns="alerts"
        endpoint={alerts.list}
        rowKey="id"
        live="alerts"
        header={
          may('alarm-rule:read') ? (
            <Button icon={<SettingOutlined />} onClick={() => navigate('/device/alert-rules')}>
              {t('toRules')}
            </Button>
          ) : null
        }
        onRow={(row) => navigate(detail(row.id))}
        empty={{ title: t('empty') }}
        views={[
          { key: 'active', label: t('views.active'), query: {} },
          { key: 'open', label: t('views.open'), query: { state: 'OPEN' }, count: n?.open },
          {
            key: 'acknowledged',
            label: t('views.acknowledged'),
            query: { state: 'ACKNOWLEDGED' },
            count: n?.acknowledged,
          },
          { key: 'all', label: t('views.all'), query: { state: 'all' } },
        ]}
        filters={[
          { key: 'keyword', label: t('fields.keyword'), width: 168 },
          { key: 'kind', width: 152 },
          { key: 'level', width: 120 },
          { key: 'range', width: 232 },
          ...(may('device:read')
            ? [
                {
                  key: 'deviceId',
                  more: true,
                  picker: ({ onChange, ...rest }: PickerProps) => (
                    <DeviceSelect {...rest} onChange={onChange} />
                  ),
                },
              ]
            : []),
        ]}
        columns={[
          col('level', { width: english ? 112 : 88 }),
          col('content', { width: 300, link: (row) => detail(row.id) }),
          col('rtuNumber', {
            width: 216,
            title: t('fields.deviceId'),
            render: (_, row) => machine(row),
          }),
          col('state', { width: english ? 112 : 104 }),
          col('openTime'),
          col('times', { width: 80 }),
          col('handler', { width: english ? 128 : 104 }),
          col('closeTime'),
          col('kind', { width: english ? 144 : 120, tones: {} }),
          col('orgName', { width: 152 }),
          col('since', { defaultHidden: true }),
          col('awayCount', { defaultHidden: true }),
          col('closeReason', { defaultHidden: true, tones: {} }),
        ]}
        actions={(row) => [
          {
            key: 'acknowledge',
            label: t('acknowledge'),
            can: row.can.acknowledge,
            onClick: () => handle('acknowledge', [row]),
          },
          {
            key: 'close',
            label: t('close'),
            can: row.can.close,
            onClick: () => handle('close', [row]),
          },
          { key: 'open', label: t('open'), to: detail(row.id) },
        ]}
        batch={
          may('alarm:handle')
            ? (['acknowledge', 'close'] as const).map((verb) => ({
                key: verb,
                label: t(verb),
                onClick: ({ rows, clear }: Selection<AlertRow>) => handle(verb, rows, clear),
              }))
            : []
        }
        card={(row, actions) => (
          <>
            <div className={styles.cardHead}>
              <StatusTag tone={levelTones[row.level]}>{t(`enums.kind.${row.kind}`)}</StatusTag>
              <StatusTag tone={stateTones[row.state]}>{t(`enums.state.${row.state}`)}</StatusTag>
            </div>
            <p className={styles.said}>{row.content}</p>
            <p className={styles.where}>
              {machine(row)} · <Time at={row.openTime} />
            </p>
            {actions}
          </>
        )}
      />
      {new URLSearchParams(search).has('detail') ? (
        <AlertDrawer onHandle={(verb, row) => handle(verb, [row])} />
      ) : null}
      {handling ? <HandleDialog {...handling} onClose={() => setHandling(null)} /> : null}
    </>
  )
}
