import { Button, Flex, Skeleton } from 'antd'
import { useTranslation } from 'react-i18next'
import { yuan } from '../../../../shared/money.ts'
import { useRead } from '../../../../web/api.ts'
import { Empty } from '../../../../web/Problem.tsx'
import { StatusTag, type Tone } from '../../../../web/StatusTag.tsx'
import { useActiveTab } from '../../../../web/shell/tabs.ts'
import { Time } from '../../../../web/Time.tsx'
import { Modal } from '../../../../web/ui/overlay.tsx'
import { Bad, Muted } from '../../../../web/ui/Text.tsx'
import { useAct } from '../../../../web/useAct.ts'
import { lanes } from '../../contract.ts'
import type { ScheduleRow } from '../../priceContract.ts'
import { twoDigits } from '../shown.ts'
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
  const read = useRead(lanes.schedules, { deviceId })
  const cancel = useAct(lanes.cancelSchedule, {
    ask: t('schedules.cancelAsk'),
    ok: t('schedules.cancel'),
    invalidates: ['/api/devices'],
  })
  if (!active) return null
  return (
    <Modal open title={t('schedules.title')} width={640} footer={null} onCancel={onClose}>
      {read.data ? null : <Skeleton active />}
      {read.data?.list.length === 0 ? <Empty title={t('schedules.none')} /> : null}
      <ul className={styles.schedules}>
        {read.data?.list.map((row) => (
          <li key={row.id}>
            <Flex wrap align="center" gap={10}>
              <StatusTag tone={tones[row.state]}>{t(`enums.scheduleState.${row.state}`)}</StatusTag>
              <b>
                <Time at={row.runTime} />
              </b>
              <span style={{ marginLeft: 'auto' }}>
                <Muted small>{t('schedules.by', { name: row.byName })}</Muted>
              </span>
              {row.can.cancel ? (
                <Button size="small" danger onClick={() => void cancel(row)}>
                  {t('schedules.cancel')}
                </Button>
              ) : null}
            </Flex>
            <p>
              {row.lanes
                .slice(0, 6)
                .map(
                  (lane) =>
                    `${twoDigits(lane.road)} ${lane.productName} ${yuan(lane.from)} → ${yuan(lane.price)}`,
                )
                .join('；')}
              {row.lanes.length > 6 ? ` ${t('history.more', { n: row.lanes.length - 6 })}` : ''}
            </p>
            {row.state === 'DONE' ? <p>{t('schedules.changed', { n: row.changed })}</p> : null}
            {row.problem ? <Bad>{row.problem}</Bad> : null}
            <Skipped rows={row.skipped} />
          </li>
        ))}
      </ul>
    </Modal>
  )
}
