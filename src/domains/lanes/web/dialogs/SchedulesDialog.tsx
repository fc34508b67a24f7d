import { Button, Flex } from 'antd'
import { useTranslation } from 'react-i18next'
import { yuan } from '../../../../shared/money.ts'
import { useRead } from '../../../../web/api.ts'
import { Empty, Unread } from '../../../../web/Problem.tsx'
import { StatusTag, type Tone } from '../../../../web/StatusTag.tsx'
import { useActiveTab } from '../../../../web/shell/tabs.ts'
import { Time } from '../../../../web/Time.tsx'
import { Modal } from '../../../../web/ui/overlay.tsx'
import { Lines } from '../../../../web/ui/Sheet.tsx'
import { Bad, Muted } from '../../../../web/ui/Text.tsx'
import { useAct } from '../../../../web/useAct.ts'
import { lanes } from '../../contract.ts'
import type { ScheduleRow } from '../../priceContract.ts'
import { twoDigits } from '../shown.ts'
import { Skipped } from './MachineTable.tsx'

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
      {read.data ? null : <Unread read={read} />}
      {read.data?.list.length === 0 ? <Empty title={t('schedules.none')} /> : null}
      <Lines columns="minmax(0, 1fr)">
        {read.data?.list.map((row) => (
          <li key={row.id}>
            <Flex vertical flex="1 1 100%" gap={4}>
              <Flex wrap align="center" gap={10}>
                <StatusTag tone={tones[row.state]}>
                  {t(`enums.scheduleState.${row.state}`)}
                </StatusTag>
                <b style={{ flex: 1 }}>
                  <Time at={row.runTime} />
                </b>
                <Muted small>{t('schedules.by', { name: row.byName })}</Muted>
                {row.can.cancel ? (
                  <Button size="small" danger onClick={() => void cancel(row)}>
                    {t('schedules.cancel')}
                  </Button>
                ) : null}
              </Flex>
              <Muted>
                {row.lanes
                  .slice(0, 6)
                  .map(
                    ({ road, productName, from, price }) =>
                      `${twoDigits(road)} ${productName} ${yuan(from)} → ${yuan(price)}`,
                  )
                  .join('；')}
                {row.lanes.length > 6 ? ` ${t('history.more', { n: row.lanes.length - 6 })}` : ''}
              </Muted>
              {row.state === 'DONE' ? (
                <Muted>{t('schedules.changed', { n: row.changed })}</Muted>
              ) : null}
              {row.problem ? <Bad>{row.problem}</Bad> : null}
              <Skipped rows={row.skipped} />
            </Flex>
          </li>
        ))}
      </Lines>
    </Modal>
  )
}
