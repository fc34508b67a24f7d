import CopyOutlined from '@ant-design/icons/es/icons/CopyOutlined'
import HistoryOutlined from '@ant-design/icons/es/icons/HistoryOutlined'
import { Button } from 'antd'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useLocation, useNavigate } from 'react-router'
import { lazyDialog } from '../../../web/lazyDialog.tsx'
import { StatusTag, type Tone } from '../../../web/StatusTag.tsx'
import { Tooltip } from '../../../web/ui/Tooltip.tsx'
import type { Planogram } from '../contract.ts'
import styles from './grid/lanes.module.css'

const HistoryDrawer = lazyDialog(() =>
  import('./dialogs/HistoryDrawer.tsx').then((m) => m.HistoryDrawer),
)
const CopyDialog = lazyDialog(() => import('./dialogs/CopyDialog.tsx').then((m) => m.CopyDialog))
const SchedulesDialog = lazyDialog(() =>
  import('./dialogs/SchedulesDialog.tsx').then((m) => m.SchedulesDialog),
)

type Open = 'history' | 'copy' | 'schedules' | null

/**
 * The machine, how far it is with its lanes, its figures, and what is done with all lanes at once.
 */
export function LaneHead({ plan, dirty = false }: { plan: Planogram; dirty?: boolean }) {
  const { t } = useTranslation('lanes')
  // the device list names the machines that should get these lanes
  const { search, pathname } = useLocation()
  const navigate = useNavigate()
  const copyTo = new URLSearchParams(search).get('copyTo')
  const [open, setOpen] = useState<Open>(null)
  const { device, totals } = plan
  const { copy } = plan.can
  useEffect(() => {
    if (copyTo && copy) setOpen('copy')
  }, [copyTo, copy])
  const close = () => {
    setOpen(null)
    // the list may name the same machines again
    if (copyTo) void navigate(pathname, { replace: true })
  }
  const figure = (key: 'lanes' | 'enabled' | 'soldOut' | 'low' | 'fault') => (
    <span key={key}>
      {t(`totals.${key}`)} <b data-figure={totals[key] > 0 ? key : undefined}>{totals[key]}</b>
    </span>
  )
  return (
    <header className={`hd-sheet ${styles.head}`}>
      <h1>{device.nickname}</h1>
      <span className={styles.quiet}>{device.rtuNumber}</span>
      <StatusTag tone={device.status === 'online' ? 'online' : 'offline'}>
        {t(`device.${device.status}`)}
      </StatusTag>
      <SyncBadge plan={plan} />
      <span className={styles.figures}>
        {(['lanes', 'enabled', 'soldOut', 'low', 'fault'] as const).map(figure)}
        <span>
          {t('totals.stock')} <b>{totals.stock}</b> / {totals.capacity}
        </span>
      </span>
      <span className={styles.headActions}>
        {plan.scheduled > 0 ? (
          <Button type="link" onClick={() => setOpen('schedules')}>
            {t('schedules.chip', { n: plan.scheduled })}
          </Button>
        ) : null}
        <Button type="text" icon={<HistoryOutlined />} onClick={() => setOpen('history')}>
          {t('history.title')}
        </Button>
        {plan.can.copy ? (
          <Tooltip title={dirty ? t('saveFirst') : undefined}>
            <span>
              <Button icon={<CopyOutlined />} disabled={dirty} onClick={() => setOpen('copy')}>
                {t('copy.title')}
              </Button>
            </span>
          </Tooltip>
        ) : null}
      </span>
      {open === 'history' ? <HistoryDrawer plan={plan} dirty={dirty} onClose={close} /> : null}
      {open === 'copy' ? (
        <CopyDialog
          plan={plan}
          targets={(copyTo ?? '')
            .split(',')
            .map(Number)
            .filter(Number.isSafeInteger)
            .filter(Boolean)}
          onClose={close}
        />
      ) : null}
      {open === 'schedules' ? <SchedulesDialog deviceId={device.id} onClose={close} /> : null}
    </header>
  )
}

const tones: Record<'PENDING' | 'DELIVERED' | 'APPLIED' | 'REFUSED', Tone> = {
  PENDING: 'warn',
  DELIVERED: 'warn',
  APPLIED: 'online',
  REFUSED: 'fault',
}

function SyncBadge({ plan }: { plan: Planogram }) {
  const { t } = useTranslation('lanes')
  const { sync, version } = plan
  if (!sync) return <span className={styles.quiet}>{t('version', { n: version })}</span>
  const hint =
    sync.state === 'REFUSED'
      ? sync.reason
      : sync.state === 'APPLIED'
        ? undefined
        : t('sync.hint', { n: sync.applied ?? 0 })
  return (
    <Tooltip title={hint}>
      <span>
        <StatusTag tone={tones[sync.state]} chip>
          {t(`sync.${sync.state}`, { n: sync.wanted })}
        </StatusTag>
      </span>
    </Tooltip>
  )
}
