import CopyOutlined from '@ant-design/icons/es/icons/CopyOutlined'
import HistoryOutlined from '@ant-design/icons/es/icons/HistoryOutlined'
import { Button, Flex } from 'antd'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useLocation, useNavigate } from 'react-router'
import { lazyDialog } from '../../../web/lazyDialog.tsx'
import { StatusTag, type Tone } from '../../../web/StatusTag.tsx'
import { Muted } from '../../../web/ui/Text.tsx'
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

const figures = { lanes: '', enabled: '', soldOut: 'soldOut', low: 'warn', fault: 'fault' } as const

/**
 * The machine, how far it is with its lanes, its figures, and what is done with all lanes at once.
 */
export function LaneHead({ plan, dirty = false }: { plan: Planogram; dirty?: boolean }) {
  const { t } = useTranslation('lanes')
  // the device list names the machines that should get these lanes
  const { search, pathname } = useLocation()
  const navigate = useNavigate()
  const copyTo = new URLSearchParams(search).get('copyTo') ?? ''
  const targets = copyTo.split(',').map(Number)
  const [open, setOpen] = useState<'history' | 'copy' | 'schedules' | null>(null)
  const { device, totals, can } = plan
  useEffect(() => {
    if (copyTo && can.copy) setOpen('copy')
  }, [copyTo, can.copy])
  const close = () => {
    setOpen(null)
    // the list may name the same machines again
    if (copyTo) void navigate(pathname, { replace: true })
  }
  return (
    <header className={`hd-sheet ${styles.head}`}>
      <h1>{device.nickname}</h1>
      <Muted>{device.rtuNumber}</Muted>
      <StatusTag tone={device.status}>{t(`device.${device.status}`)}</StatusTag>
      <SyncBadge plan={plan} />
      <Flex wrap gap="4px 18px" className={styles.figures ?? ''}>
        {(Object.keys(figures) as (keyof typeof figures)[]).map((key) => (
          <span key={key}>
            {t(`totals.${key}`)}{' '}
            <b
              style={
                totals[key] && figures[key] ? { color: `var(--hd-st-${figures[key]}-text)` } : {}
              }
            >
              {totals[key]}
            </b>
          </span>
        ))}
        <span>
          {t('totals.stock')} <b>{totals.stock}</b> / {totals.capacity}
        </span>
      </Flex>
      <Flex wrap align="center" gap={8} style={{ marginLeft: 'auto' }}>
        {plan.scheduled > 0 ? (
          <Button type="link" onClick={() => setOpen('schedules')}>
            {t('schedules.chip', { n: plan.scheduled })}
          </Button>
        ) : null}
        <Button type="text" icon={<HistoryOutlined />} onClick={() => setOpen('history')}>
          {t('history.title')}
        </Button>
        {can.copy ? (
          <Tooltip title={dirty ? t('saveFirst') : undefined}>
            <span>
              <Button icon={<CopyOutlined />} disabled={dirty} onClick={() => setOpen('copy')}>
                {t('copy.title')}
              </Button>
            </span>
          </Tooltip>
        ) : null}
      </Flex>
      {open === 'history' ? <HistoryDrawer plan={plan} dirty={dirty} onClose={close} /> : null}
      {open === 'copy' ? (
        <CopyDialog
          plan={plan}
          targets={targets.filter((id) => id && Number.isSafeInteger(id))}
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

function SyncBadge({ plan: { sync, version } }: { plan: Planogram }) {
  const { t } = useTranslation('lanes')
  if (!sync) return <Muted>{t('version', { n: version })}</Muted>
  const { state, wanted, applied, reason } = sync
  const waits = state === 'APPLIED' ? undefined : t('sync.hint', { n: applied ?? 0 })
  return (
    <Tooltip title={state === 'REFUSED' ? reason : waits}>
      <span>
        <StatusTag tone={tones[state]} chip>
          {t(`sync.${state}`, { n: wanted })}
        </StatusTag>
      </span>
    </Tooltip>
  )
}
