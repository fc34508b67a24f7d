import { Button, Skeleton } from 'antd'
import { useTranslation } from 'react-i18next'
import { yuan } from '../../../../shared/money.ts'
import { useRead, useWrite } from '../../../../web/api.ts'
import { useConfirm } from '../../../../web/confirm.tsx'
import { Empty } from '../../../../web/Problem.tsx'
import { StatusTag, type Tone } from '../../../../web/StatusTag.tsx'
import { useActiveTab } from '../../../../web/shell/tabs.ts'
import { Time } from '../../../../web/Time.tsx'
import { Modal } from '../../../../web/ui/overlay.tsx'
import { lanes } from '../../contract.ts'
import type { ScheduleRow } from '../../priceContract.ts'
import styles from './dialogs.module.css'
import { Skipped } from './Skipped.tsx'

const tones: Record<ScheduleRow['state'], Tone> = {
  WAITING: 'paid',
  DONE: 'success',
  FAILED: 'fault',
  CANCELLED: 'closed',
}

/** Price changes that wait, and how the last ones ended. Render it only while it is open. */
export function SchedulesDialog({ deviceId, onClose }: { deviceId: number; onClose: () => void }) {
  const { t } = useTranslation('lanes')
  const active = useActiveTab()
  const confirm = useConfirm()
  const read = useRead(lanes.schedules, { deviceId })
  const cancel = useWrite(lanes.cancelSchedule, {
    success: 'lanes:success.cancelSchedule',
    invalidates: ['/api/devices'],
  })
  if (!active) return null
  const ask = async (id: number) => {
    if (await confirm({ title: t('schedules.cancelAsk'), ok: t('schedules.cancel'), danger: true }))
      cancel.mutate({ id })
  }
  return (
    <Modal open title={t('schedules.title')} width={640} footer={null} onCancel={onClose}>
      {read.data ? null : <Skeleton active />}
      {read.data?.list.length === 0 ? <Empty title={t('schedules.none')} /> : null}
      <ul className={styles.schedules}>
        {read.data?.list.map((row) => (
          <li key={row.id}>
            <header>
              <StatusTag tone={tones[row.state]}>{t(`enums.scheduleState.${row.state}`)}</StatusTag>
              <b>
                <Time at={row.runTime} />
              </b>
              <span className={styles.by}>{t('schedules.by', { name: row.byName })}</span>
              {row.can.cancel ? (
                <Button size="small" danger onClick={() => void ask(row.id)}>
                  {t('schedules.cancel')}
                </Button>
              ) : null}
            </header>
            <p>
              {row.lanes
                .slice(0, 6)
                .map(
                  (lane) =>
                    `${String(lane.road).padStart(2, '0')} ${lane.productName} ${yuan(lane.from)} → ${yuan(lane.price)}`,
                )
                .join('；')}
              {row.lanes.length > 6 ? ` ${t('history.more', { n: row.lanes.length - 6 })}` : ''}
            </p>
            {row.state === 'DONE' ? <p>{t('schedules.changed', { n: row.changed })}</p> : null}
            {row.problem ? <p className={styles.bad}>{row.problem}</p> : null}
            <Skipped rows={row.skipped} />
          </li>
        ))}
      </ul>
    </Modal>
  )
}
