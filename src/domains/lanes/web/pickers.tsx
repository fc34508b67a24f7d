import { useTranslation } from 'react-i18next'
import { useRead } from '../../../web/api.ts'
import { registerLocale } from '../../../web/i18n.ts'
import { useLive } from '../../../web/live.ts'
import { Empty, Unread } from '../../../web/Problem.tsx'
import { StatusTag } from '../../../web/StatusTag.tsx'
import { type laneStatuses, lanes } from '../contract.ts'
import { locale } from '../locale.ts'
import { PlanView } from './grid/PlanView.tsx'
import { lockText } from './shown.ts'

// pages of other domains show a plan without having loaded these texts
registerLocale('lanes', locale)

export { TestVendDialog } from './dialogs/TestVendDialog.tsx'

/** The planogram of a machine to look at; changing it is the lanes page. */
export function LanePlan({ deviceId }: { deviceId: number }) {
  const { t } = useTranslation('lanes')
  const read = useRead(lanes.plan, { deviceId }, { inline: true })
  useLive('lanes', [lanes.plan.path])
  if (!read.data) return <Unread read={read} rows={8} />
  if (read.data.floors.length === 0) return <Empty title={t('empty')} />
  return <PlanView plan={read.data} />
}

const tones = {
  ENABLED: 'online',
  DISABLED: 'closed',
  FAULT: 'fault',
  LOCKED: 'locked',
  MERGED: 'closed',
} as const

/** Whether a lane sells, and why it is locked. */
export function LaneState({
  status,
  reason,
}: {
  status: (typeof laneStatuses)[number]
  reason: string | null
}) {
  const { t } = useTranslation('lanes')
  return (
    <StatusTag tone={tones[status]}>
      {status === 'LOCKED' ? lockText(t, reason) : t(`enums.status.${status}`)}
    </StatusTag>
  )
}
